#include "app/window/teach/figures.h"

#include <fmt/format.h>

#include "app/query/figures.h"

namespace ridge::window {

figure::Text figure_text(const State& state, const std::string& text, const std::string& where) {
  const Sessions& sessions = state.sessions;
  const auto sources =
      app::figure_sources(&sessions.run(), sessions.is_replay(), sessions.recordings);
  auto made = figure::expand(text, sources, where);
  if (made) return *std::move(made);
  return {{{made.error().sentence()}}, {}};
}

std::string figures_depend_on(const State& state) {
  const Sessions& sessions = state.sessions;
  return fmt::format("{} {} {}", static_cast<const void*>(sessions.shown), sessions.run().version(),
                     sessions.recordings.size());
}

float figure_paragraph(Ui& ui, const Area& area, const std::string& text, float size, Role role,
                       Face face, bool measure) {
  if (text.find("{{") == std::string::npos)
    return ui.paragraph(area, text, size, role, face, measure);
  const figure::Text made = figure_text(ui.state, text, "text");
  const float h = ui.paragraph(area, figure::shown(made), size, role, face, measure);
  const Area whole = {area.x, area.y, area.w, h};
  if (!measure && ImGui::IsMouseHoveringRect({whole.x, whole.y}, {whole.right(), whole.bottom()}))
    ui.tooltip(figure::sources_text(made));
  return h;
}

}  // namespace ridge::window
