#include <algorithm>

#include "app/window/views/training_view.h"

namespace ridge::window {
namespace {

/// Words of which one is chosen; as wide as they need. Whether another was chosen now.
void draw_switch(Ui& ui, Area* line, const std::string& name, const std::vector<std::string>& words,
                 int* chosen) {
  float width = 0;
  for (const std::string& word : words) width += ui.width(word, kSmall_px) + ui.px(24);
  const Area buttons = line->take_left(std::min(width, line->w * 0.4f), ui.px(18));
  const int clicked = ui.segments(name, buttons, words, *chosen);
  if (clicked < 0) return;
  *chosen = clicked;
  ui.state.dirty = true;
}

}  // namespace

void draw_training_bar(Ui& ui, Area area) {
  ViewState& view = ui.state.view;
  Area line = area.inset(ui.px(8), ui.px(5));
  std::vector<std::string> kinds = {view.lab->quality_metric, "loss"};
  if (has_gradients(ui.state)) kinds.push_back("gradients");
  view.curve_of = std::min<int>(view.curve_of, static_cast<int>(kinds.size()) - 1);
  draw_switch(ui, &line, "curve", kinds, &view.curve_of);
  if (view.curve_of < 2) {
    line.take_left(ui.text(line.x, line.middle(), "over", kSmall_px, Role::muted), ui.px(8));
    int over = view.curve_by_step ? 1 : 0;
    draw_switch(ui, &line, "curve_over", {"seconds", "steps"}, &over);
    view.curve_by_step = over == 1;
  }
  const RungView* row = find_row(ui.state, view.rung);
  if (!row || !row->info || row->info->kind != "training") return;
  const std::string label = std::string("Train: ") + row->rung->title;
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  if (line.w >= w) ui.action_button("run_selected", line.take_left(w), label, Ui::Kind::normal);
}

}  // namespace ridge::window
