#include <algorithm>
#include <iterator>

#include "app/window/panels/panels.h"
#include "app/window/shell/actions.h"
#include "app/window/teach/predict.h"
#include "app/window/views/chart_rows.h"
#include "app/window/views/heat.h"
#include "app/window/views/score_view.h"
#include "app/window/views/serve_view.h"
#include "app/window/views/training_view.h"
#include "app/window/views/workload.h"

namespace ridge::window {
namespace {

constexpr float kPad = 6;
constexpr float kButton = 32, kBeside = 236;
constexpr float kHeading = 30;  // the buttons that choose the view

struct Choice {
  View view;
  const char* label;
  const char* action;
};
constexpr Choice kViews[] = {
    {View::ladder, "Ladder", "ladder"},       {View::roofline, "Roofline", "roofline"},
    {View::sizes, "Sizes", "sizes"},          {View::bandwidth, "Bandwidth", "bandwidth"},
    {View::memory, "Memory", "memory"},       {View::error, "Error", "error"},
    {View::heatmap, "Heatmap", "heatmap"},    {View::traffic, "Traffic", "traffic"},
    {View::table, "Table", "table"},          {View::frontier, "Frontier", "frontier"},
    {View::workload, "Workload", "workload"}, {View::decode, "Decode", "decode"},
    {View::training, "Training", "training"}, {View::score, "Score card", "score"},
    {View::inspect, "Inside", "inspect"},     {View::queue, "Queue", "queue"}};

/// Rungs that are held to an error, in a lab that has a task metric too.
bool has_limits(const State& state) {
  return std::any_of(state.ladder.begin(), state.ladder.end(), [](const RungView& row) {
    const QualityCheck* check = row.series ? row.series->quality() : nullptr;
    return check != nullptr && check->nmse_limit > 0;
  });
}

/// Only what this lab can fill; the one in view stays where a key led to it.
bool is_offered(const State& state, View view) {
  const Lab& lab = *state.view.lab;
  if (view == state.view.chart) return true;
  if (view == View::error) return lab.quality_metric == kErrorMetric || has_limits(state);
  if (view == View::frontier) return has_frontier(lab);
  if (view == View::table) return !lab.tables.empty();
  if (view == View::workload) return has_workload(lab);
  if (view == View::decode) return lab.decodes_model;
  if (view == View::training) return has_trainings(state);
  if (view == View::traffic) return lab.loop_order != nullptr;
  if (view == View::queue) return lab.served != nullptr;
  if (view == View::inspect) return !lab.inspected.empty();
  return view != View::score || lab.score_card.has_value();
}

void draw_views(Ui& ui, const Area& area) {
  std::vector<std::string> labels;
  float words = 0;
  int chosen = 0;
  std::vector<Choice> choices;
  for (const Choice& choice : kViews) {
    if (!is_offered(ui.state, choice.view)) continue;
    choices.push_back(choice);
    if (choice.view == ui.state.view.chart) chosen = static_cast<int>(labels.size());
    labels.emplace_back(choice.label);
    words += ui.width(choice.label, kSmall_px);
  }
  // The teaching loop's buttons stand beside them: closer together before those lose their room.
  const float tight = words + ui.px(12) * static_cast<float>(choices.size());
  const float roomy = words + ui.px(26) * static_cast<float>(choices.size());
  const float width = std::clamp(area.w - ui.px(kBeside), tight, roomy);
  const Area buttons = {area.x, area.y, std::min(width, area.w), area.h};
  ui.widgets["views"] = buttons;
  const int clicked = ui.segments("view", buttons, labels, chosen);
  if (clicked >= 0 && clicked != chosen)
    ui.dispatch_action(choices[static_cast<size_t>(clicked)].action);
  for (const Choice& choice : choices) {
    const Area& part = ui.widgets[std::string("view=") + choice.label];
    if (!ImGui::IsMouseHoveringRect({part.x, part.y}, {part.right(), part.bottom()})) continue;
    const Action& entry = action(choice.action);
    ui.tooltip(std::string(entry.title) +
               (*entry.keys.text ? std::string("  (") + entry.keys.text + ")" : ""));
  }
}

/// The button under a view that fills it.
void draw_foot(Ui& ui, Area* inner, const char* action_id, const char* label) {
  const Area foot = inner->take_bottom(ui.px(kButton), ui.px(4));
  const float w = ui.width(label, kSmall_px + 1) + ui.px(28);
  ui.action_button(action_id, {foot.right() - w, foot.y, w, foot.h}, label, Ui::Kind::normal);
}

}  // namespace

void ChartPanel::build(Ui& ui) {
  const ViewState& view = ui.state.view;
  const std::string heat = view.heat_x + "," + view.heat_y;
  if (version_ == ui.state.ladder_version && shown_ == view.chart && heat_ == heat) return;
  version_ = ui.state.ladder_version;
  shown_ = view.chart;
  heat_ = heat;
  ChartRows rows;
  chart::ChartModel model = centre_chart(ui.state, &rows);
  rows_ = std::move(rows.kernels);
  view_.set(std::move(model), rows_);
}

void ChartPanel::take_click(Ui& ui, int row) const {
  if (ui.state.view.chart == View::heatmap)
    return ui.dispatch([row](State& state) { select_heat_cell(state, row); });
  if (row < 0 || row >= static_cast<int>(rows_.size())) return;
  const std::string& kernel = rows_[static_cast<size_t>(row)];
  if (kernel.empty()) return;  // a network that has no rung here
  if (kernel == kFoldRow)
    ui.dispatch_action("experts");
  else
    ui.dispatch([kernel](State& state) { select_rung(state, kernel); });
}

/// While predicting, the expected bar is drawn where it belongs: in the row's panel of times.
void ChartPanel::take_drag(Ui& ui) const {
  State& state = ui.state;
  const auto& held = view_.held();
  const bool in_times =
      held && held->is_dragged && held->panel == 0 && state.view.chart == View::ladder;
  if (!in_times || !state.teach.predicting) return;
  const std::string& kernel = rows_[static_cast<size_t>(held->row)];
  if (kernel == kFoldRow) return;
  if (kernel != state.view.rung) select_rung(state, kernel);
  drag_draft(state, held->value * 1e9);
  if (const Draft* draft = draft_of(state, kernel)) ui.tooltip("You expect " + draft->text + ".");
  ui.reads_again = true;
}

void ChartPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  is_chart_ = false;
  if (!ui.state.view.lab) {
    draw_empty_state(ui, area, "This build has no labs.",
                     "Build with the files of labs/, or start ridgepoint from its own folder.");
    return;
  }
  Area inner = area.inset(ui.px(kPad));
  const Area views = inner.take_top(ui.px(kHeading));
  draw_views(ui, {views.x + ui.px(8), views.y + ui.px(2), views.w - ui.px(16), views.h});
  if (ui.state.view.chart == View::table) return table_.draw(ui, inner);
  if (ui.state.view.chart == View::inspect) return inspect_.draw(ui, inner);
  is_chart_ = true;
  if (ui.state.view.chart == View::heatmap) draw_heat_bar(ui, inner.take_top(ui.px(40)));
  if (ui.state.view.chart == View::traffic && ui.state.view.lab->loop_order)
    draw_foot(ui, &inner, "run_orders", "Run every order");
  if (ui.state.view.chart == View::workload) {
    if (ui.state.view.lab->serves_model) draw_model_bar(ui, inner.take_top(ui.px(76)));
    draw_foot(ui, &inner, "run_workload", "Run these shapes");
  }
  if (ui.state.view.chart == View::decode && ui.state.view.lab->decodes_model) {
    draw_model_bar(ui, inner.take_top(ui.px(76)));
    draw_foot(ui, &inner, "run_decode", "Run these types");
  }
  if (ui.state.view.chart == View::training && has_trainings(ui.state))
    draw_training_bar(ui, inner.take_top(ui.px(40)));
  if (ui.state.view.chart == View::queue) draw_serve_bar(ui, inner.take_top(ui.px(40)));
  if (ui.state.view.chart == View::score && ui.state.view.lab->score_card)
    draw_foot(ui, &inner, "run_score", "Run these networks");
  build(ui);
  const bool predicts = ui.state.teach.predicting && ui.state.view.chart == View::ladder;
  view_.keep_quiet(predicts && view_.held().has_value());
  view_.follow(ui.state.view.rung);
  take_click(ui, view_.draw(ui, "chart", inner));
  take_drag(ui);
}

}  // namespace ridge::window
