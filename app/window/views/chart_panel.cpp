#include "app/window/views/chart_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/predict.h"
#include "app/window/views/view.h"

namespace ridge::window {
namespace {

constexpr float kPad = 6, kMargin = 8;
constexpr float kButton = 32, kBeside = 236;
constexpr float kHeading = 30;  // a row of the buttons that choose the view
constexpr float kTight = 12, kRoomy = 26;  // beside the words of a button

using ViewRow = std::vector<const ViewDesc*>;

float words_of(Ui& ui, const ViewRow& row) {
  float words = 0;
  for (const ViewDesc* view : row) words += ui.width(view->label, kSmall_px);
  return words;
}

float tight_width(Ui& ui, const ViewRow& row) {
  return words_of(ui, row) + ui.px(kTight) * static_cast<float>(row.size());
}

/// The views' buttons in as few rows as hold them all, each about as long as the others: a view that is reached by
/// paging past the others is not found.
std::vector<ViewRow> view_rows(Ui& ui, float width) {
  const std::vector<const ViewDesc*> choices = offered_views(ui.state);
  const float total = tight_width(ui, choices);
  for (size_t count = 1;; ++count) {
    const float share = total / static_cast<float>(count);
    std::vector<ViewRow> rows(1);
    for (const ViewDesc* view : choices) {
      const float before = tight_width(ui, rows.back());
      const float half = (ui.width(view->label, kSmall_px) + ui.px(kTight)) / 2;
      if (!rows.back().empty() && before + half > share && rows.size() < count) rows.emplace_back();
      rows.back().push_back(view);
    }
    const bool fits = std::all_of(rows.begin(), rows.end(), [&](const ViewRow& row) {
      return tight_width(ui, row) <= width;
    });
    if (fits || count >= choices.size()) return rows;
  }
}

/// The rows and, behind the first, the button that unfolds or folds the others.
struct ViewButtons {
  std::vector<ViewRow> rows;
  std::string more;  ///< "7 more", "Less"; empty: there is one row, or there is height for all

  float more_width(Ui& ui) const {
    return more.empty() ? 0 : ui.width(more, kSmall_px) + ui.px(kRoomy) + ui.px(kMargin);
  }
};

/// A low window has height for one row: as many as it holds beside the teaching loop's buttons, the chosen one among them.
ViewButtons folded_views(Ui& ui, float width) {
  const std::vector<const ViewDesc*> choices = offered_views(ui.state);
  ViewButtons folded{{{}}, fmt::format("{} more", choices.size())};
  const float room = width - ui.px(kBeside) - folded.more_width(ui);
  ViewRow& row = folded.rows.front();
  const auto chosen = std::find(choices.begin(), choices.end(), ui.state.selection.view);
  if (chosen != choices.end()) row = {*chosen};
  for (const ViewDesc* view : choices) {
    if (chosen != choices.end() && view == *chosen) continue;
    row.push_back(view);
    if (tight_width(ui, row) <= room) continue;
    row.pop_back();
    break;
  }
  std::sort(row.begin(), row.end(), [&](const ViewDesc* a, const ViewDesc* b) {
    return std::find(choices.begin(), choices.end(), a) <
           std::find(choices.begin(), choices.end(), b);
  });
  folded.more = fmt::format("{} more", choices.size() - row.size());
  return folded;
}

ViewButtons view_buttons(Ui& ui, float width, bool is_unfolded) {
  ViewButtons all{view_rows(ui, width), ""};
  if (!ui.is_compact || all.rows.size() < 2) return all;
  if (!is_unfolded) return folded_views(ui, width);
  all.more = "Less";
  all.rows = view_rows(ui, width - all.more_width(ui));
  return all;
}

/// One row, as wide as `width`.
void draw_view_row(Ui& ui, const Area& area, const ViewRow& row, const std::string& name) {
  std::vector<std::string> labels;
  int chosen = -1;
  for (const ViewDesc* view : row) {
    if (view == ui.state.selection.view) chosen = static_cast<int>(labels.size());
    labels.emplace_back(view->label);
  }
  const int clicked = ui.segments(name, area, labels, chosen);
  if (clicked >= 0 && clicked != chosen) ui.dispatch_action(row[static_cast<size_t>(clicked)]->id);
  for (const ViewDesc* view : row) {
    const Area& part = ui.widgets[name + "=" + view->label];
    if (!ImGui::IsMouseHoveringRect({part.x, part.y}, {part.right(), part.bottom()})) continue;
    const Action& entry = action(view->id);
    ui.tooltip(std::string(entry.title) +
               (*entry.keys.text ? std::string("  (") + entry.keys.text + ")" : ""));
  }
}

/// Whether the button that unfolds or folds the others was pressed.
bool draw_views(Ui& ui, Area area, const ViewButtons& buttons) {
  ui.widgets["views"] = {area.x, area.y, 0, area.h};
  bool is_pressed = false;
  float beside = buttons.more_width(ui);  // of the first row alone
  for (const ViewRow& row : buttons.rows) {
    // The teaching loop's buttons stand beside the first: closer together before those lose their room.
    const float roomy = words_of(ui, row) + ui.px(kRoomy) * static_cast<float>(row.size());
    const float room = area.w - beside;
    const float width = std::clamp(room - ui.px(kBeside), tight_width(ui, row), roomy);
    Area line = area.take_top(ui.px(kHeading));
    line.w = std::min(width, room);
    draw_view_row(ui, line, row, "view");
    if (beside > 0)
      is_pressed = ui.button(
          "views_more", {line.right() + ui.px(kMargin), line.y, beside - ui.px(kMargin), line.h},
          buttons.more, Ui::Kind::normal);
    Area& all = ui.widgets["views"];
    all.w = std::max(all.w, line.w + beside);
    beside = 0;
  }
  return is_pressed;
}

/// The view's button at the right end of a line, with the one beside it; what is left of the line.
Area draw_foot(Ui& ui, const ViewDesc& view, Area line) {
  for (const ViewFoot& button : {view.foot, view.beside_foot}) {
    if (!*button.action) continue;
    const float w = ui.width(button.label, kSmall_px + 1) + ui.px(28);
    ui.action_button(button.action, line.take_right(w, ui.px(8)), button.label, Ui::Kind::normal);
  }
  return line;
}

/// The controls above the view and the button below it, where the lab can fill it. Where a line of controls leaves room
/// for the button, it stands there: the chart has the other line.
void draw_controls(Ui& ui, const ViewDesc& view, Area* inner) {
  if (!can_fill(ui.state, view)) return;
  const ViewBar& bar = view.bar;
  const bool has_bar = bar.draw && (!bar.is_shown || bar.is_shown(ui.state));
  if (has_bar && bar.holds_foot) {
    Area line = inner->take_top(ui.px(bar.height_px));
    const float low = (line.h - ui.px(kButton)) / 2;
    const Area rest = draw_foot(ui, view, line.inset(0, low));
    line.w = rest.w;
    return bar.draw(ui, line);
  }
  if (*view.foot.action) draw_foot(ui, view, inner->take_bottom(ui.px(kButton), ui.px(4)));
  if (has_bar) bar.draw(ui, inner->take_top(ui.px(bar.height_px)));
}

}  // namespace

float ChartPanel::buttons_height(Ui& ui, float width) const {
  const float room = width - 2 * ui.px(kPad + kMargin);
  return ui.px(kHeading) * static_cast<float>(view_buttons(ui, room, is_unfolded_).rows.size());
}

bool ChartPanel::has_row(const std::string& kernel) const {
  return !is_chart_ || rows_.empty() ||
         std::find(rows_.begin(), rows_.end(), kernel) != rows_.end();
}

void ChartPanel::build(Ui& ui) {
  const ViewDesc* view = ui.state.selection.view;
  if (version_ == ui.state.ladder.version && shown_ == view) return;
  version_ = ui.state.ladder.version;
  shown_ = view;
  ChartRows rows;
  chart::ChartModel model = centre_chart(ui.state, &rows);
  rows_ = std::move(rows.kernels);
  view_.set(std::move(model), rows_);
}

void ChartPanel::take_click(Ui& ui, int row) const {
  if (const auto click = ui.state.selection.view->click)
    return ui.dispatch([click, row](State& state) { click(state, row); });
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
  const State& state = ui.state;
  const auto& held = view_.held();
  const bool in_times =
      held && held->is_dragged && held->panel == 0 && state.selection.view == &kLadderView;
  if (!in_times || !is_predict_open(state)) return;
  // The button stays down while a key opens another lab, with fewer rows.
  if (held->row < 0 || held->row >= std::ssize(rows_)) return;
  const std::string& kernel = rows_[static_cast<size_t>(held->row)];
  if (kernel == kFoldRow) return;
  ui.dispatch([kernel, value_ns = held->value * 1e9](State& changed) {
    if (kernel != changed.selection.rung) select_rung(changed, kernel);
    drag_draft(changed, value_ns);
  });
  if (const Draft* draft = draft_of(state, kernel)) ui.tooltip("You expect " + draft->text + ".");
}

void ChartPanel::draw_panel(Ui& ui, const Area& area) {
  const ViewDesc* view = ui.state.selection.view;
  auto& panel = panels_[view];
  if (!panel) panel = view->make_panel();
  panel->draw(ui, area);
}

/// Whether what would fill an empty view stands in its place.
bool ChartPanel::draw_fill(Ui& ui, const Area& area) const {
  const ViewDesc& view = *ui.state.selection.view;
  const auto& plot = view_.model().plot;
  if (!view.fill || !can_fill(ui.state, view) || !plot || plot->empty_reason.empty()) return false;
  const ViewFill fill = view.fill(ui.state);
  if (draw_nothing(ui, area, fill.sentence.c_str(), fill.next, fill.button)) ui.dispatch(fill.act);
  return true;
}

void ChartPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  is_chart_ = false;
  if (!ui.state.selection.lab) {
    draw_empty_state(ui, area, "This build has no labs.",
                     "Build with the files of labs/, or start ridgepoint from its own folder.");
    return;
  }
  Area inner = area.inset(ui.px(kPad));
  const Area views = inner.take_top(buttons_height(ui, area.w)).inset(ui.px(kMargin), 0);
  if (draw_views(ui, {views.x, views.y + ui.px(2), views.w, views.h},
                 view_buttons(ui, views.w, is_unfolded_))) {
    is_unfolded_ = !is_unfolded_;
    ui.needs_redraw = true;
  }
  const ViewDesc& view = *ui.state.selection.view;
  if (view.make_panel) return draw_panel(ui, inner);
  is_chart_ = true;
  draw_controls(ui, view, &inner);
  build(ui);
  if (draw_fill(ui, inner)) {
    is_chart_ = false;
    return;
  }
  const bool predicts = is_predict_open(ui.state) && ui.state.selection.view == &kLadderView;
  view_.keep_quiet(predicts && view_.held().has_value());
  view_.follow(ui.state.selection.rung);
  take_click(ui, view_.draw(ui, "chart", inner));
  take_drag(ui);
}

}  // namespace ridge::window
