#include "app/window/teach/figures.h"

#include <fmt/format.h>

#include <utility>

#include "app/query/figures.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step.h"

namespace ridge::window {

namespace {

/// Where the bars of the step on the canvas were measured: at its own sizes, and of a recording on that machine.
void take_step(const State& state, figure::InView* view) {
  const StepBars bars = step_bars(state, shown_step(state));
  const LessonBar* last = bars.last();
  if (!last || !last->series) return;
  view->is_step = true;
  for (const auto& [name, value] : asked_params(*last->series)) view->params[name] = value;
  if (last->run != &state.run()) view->machine = last->machine;
}

}  // namespace

figure::InView lesson_view(const State& state) {
  const Lab* lab = state.selection.lab;
  if (!lab) return {};
  figure::InView view;
  view.params = shown_params(state);
  for (const Rung& rung : lab->rungs) {
    const KernelInfo* info = find_info(state.sessions, rung.kernel);
    if (const ParamView* size = info ? swept_param(*lab, info) : nullptr)
      view.sizes.insert(size->name);
  }
  if (shows_canvas(state)) take_step(state, &view);
  if (state.teaching.tour || state.teaching.presenting)
    return view;  // a step asks its own question
  view.asked = [&state](const Params& written) {
    return size_to_ask(state, state.selection.rung, written);
  };
  return view;
}

figure::Text figure_text(const State& state, const std::string& text, const std::string& where,
                         figure::InView view) {
  const Sessions& sessions = state.sessions;
  auto sources = app::figure_sources(&sessions.run(), sessions.is_replay(), sessions.recordings);
  sources.view = std::move(view);
  auto made = figure::expand(text, sources, where);
  if (made) return *std::move(made);
  return {{{made.error().sentence()}}, {}};
}

std::string figures_depend_on(const State& state) {
  const Sessions& sessions = state.sessions;
  return fmt::format("{} {} {}", static_cast<const void*>(sessions.shown), sessions.run().version(),
                     sessions.recordings.size());
}

const FigureTexts::Shown& FigureTexts::shown(const State& state, const std::string& text) {
  std::string made_of = figures_depend_on(state);
  if (made_of != made_of_) {
    made_of_ = std::move(made_of);
    texts_.clear();
  }
  const auto known = texts_.find(text);
  if (known != texts_.end()) return known->second;
  ++lookups_;
  const figure::Text made = figure_text(state, text, "text");
  return texts_[text] = {figure::shown(made), figure::sources_text(made)};
}

float FigureTexts::paragraph(Ui& ui, const Area& area, const std::string& text, float size,
                             Role role, Face face, bool measure) {
  if (text.find("{{") == std::string::npos)
    return ui.paragraph(area, text, size, role, face, measure);
  const Shown& made = shown(ui.state, text);
  const float h = ui.paragraph(area, made.text, size, role, face, measure);
  const Area whole = {area.x, area.y, area.w, h};
  if (!measure && ImGui::IsMouseHoveringRect({whole.x, whole.y}, {whole.right(), whole.bottom()}))
    ui.tooltip(made.sources, &whole);
  return h;
}

}  // namespace ridge::window
