#include <algorithm>

#include "app/window/training_view.h"

namespace ridge::window {
namespace {

/// Two words of which one is chosen; as wide as they need.
void draw_switch(Ui& ui, Area* line, const std::string& name, const std::vector<std::string>& words,
                 bool* is_second) {
  float width = 0;
  for (const std::string& word : words) width += ui.width(word, kSmall_px) + ui.px(24);
  const Area buttons = line->take_left(std::min(width, line->w * 0.4f), ui.px(18));
  const int clicked = ui.segments(name, buttons, words, *is_second ? 1 : 0);
  if (clicked < 0) return;
  *is_second = clicked == 1;
  ui.state.dirty = true;
}

}  // namespace

void draw_training_bar(Ui& ui, Area area) {
  ViewState& view = ui.state.view;
  Area line = area.inset(ui.px(8), ui.px(5));
  draw_switch(ui, &line, "curve", {view.lab->quality_metric, "loss"}, &view.curve_of_loss);
  line.take_left(ui.text(line.x, line.middle(), "over", kSmall_px, Role::muted), ui.px(8));
  draw_switch(ui, &line, "curve_over", {"seconds", "steps"}, &view.curve_by_step);
  const RungView* row = find_row(ui.state, view.rung);
  if (!row || !row->info || row->info->kind != "training") return;
  const std::string label = std::string("Train: ") + row->rung->title;
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  if (line.w >= w) ui.action_button("run_selected", line.take_left(w), label, Ui::Kind::normal);
}

}  // namespace ridge::window
