#include "app/window/panels/written_bar.h"

#include <array>
#include <utility>

namespace ridge::window {

float bottom_bar_height(const Ui& ui) {
  return ui.px(ui.is_compact ? 42 : 56);
}

bool has_written(const Ui& ui) {
  return !ui.state.written.what.empty();
}

namespace {

/// It goes by itself, but not from under the pointer.
void count_down(Ui& ui, const Area& bar) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool is_pointed_at =
      mouse.x >= bar.x && mouse.x < bar.right() && mouse.y >= bar.y && mouse.y < bar.bottom();
  const double now_s = ImGui::GetTime(), until_s = ui.state.written.until_s;
  if (until_s == 0 || (is_pointed_at && now_s >= until_s))
    ui.dispatch([now_s](State& state) { state.written.until_s = now_s + kWritten_s; });
  else if (now_s >= until_s)
    ui.dispatch(close_written);
  ui.wake_in(until_s > now_s ? until_s - now_s : kWritten_s);
}

}  // namespace

void draw_written(Ui& ui, Area area) {
  static constexpr std::array<std::pair<const char*, const char*>, 5> kButtons = {
      {{"close_written", "×"},
       {"copy_written_path", "Copy path"},
       {"copy_summary", "Copy summary"},
       {"written_folder", "Show folder"},
       {"open_written", "Open"}}};
  const Written& written = ui.state.written;
  ui.fill(area, ui.raised(1));
  ui.widgets["written"] = area;
  count_down(ui, area);
  Area line = {area.x + ui.px(16), area.middle() - ui.px(16), area.w - ui.px(32), ui.px(32)};
  for (const auto& [id, label] : kButtons) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
    const bool is_first = id == kButtons.back().first, is_close = id == kButtons.front().first;
    ui.action_button(id, line.take_right(w, ui.px(8)), label,
                     is_first   ? Ui::Kind::primary
                     : is_close ? Ui::Kind::quiet
                                : Ui::Kind::normal);
  }
  const std::string head = "Written: " + written.what;
  const std::string below = written.said.empty() ? written.file : written.said;
  const Area text = {line.x, line.y, line.w - ui.px(8), line.h};
  ui.text(text.x, text.y + text.h * 0.22f, head, kSmall_px, Role::text, Face::strong, Anchor::start,
          text.w);
  ui.text(text.x, text.y + text.h * 0.78f, (written.is_error ? "! " : "") + below, kTiny_px,
          written.is_error ? Role::slower : Role::muted, Face::body, Anchor::start, text.w);
  if (ui.touch("written_text", text).hovered) ui.tooltip(head + "\n" + below);
}

}  // namespace ridge::window
