// What the actions do to the chart in view, the list of them behind the right button, and the table
// behind the chart.
#include <algorithm>

#include "app/window/panels/table_view.h"
#include "app/window/shell/actions.h"
#include "app/window/views/chart_view.h"
#include "common/view/chart/svg.h"
#include "common/view/chart/table.h"

namespace ridge::window {
namespace {

constexpr const char* kMenu[] = {"copy_value", "copy_csv",    "copy_svg", "copy_png",
                                 "save_png",   "chart_table", "fit"};

void copy_text(State& state, const std::string& text, const std::string& said,
               const std::string& nothing) {
  if (!text.empty()) ImGui::SetClipboardText(text.c_str());
  state.notice = {text.empty() ? nothing : said, false};
}

void grant(State& state, ChartView& view) {
  switch (state.chart_wish) {
    case ChartWish::none:
      return;
    case ChartWish::fit:
      return view.fit();
    case ChartWish::table:
      return view.toggle_table();
    case ChartWish::copy_value:
      return copy_text(state, view.value_text(), "On the clipboard: " + view.value_text(),
                       "Point at a value of the chart first.");
    case ChartWish::copy_csv: {
      const chart::ChartTable table = chart::table_of(view.model());
      return copy_text(state, table.rows.empty() ? "" : chart::to_csv(table),
                       "The table behind the chart is on the clipboard as CSV.",
                       "The chart has no figures yet.");
    }
    case ChartWish::copy_svg:
      return copy_text(state, view.svg(state.view.scale), "The chart is on the clipboard as SVG.",
                       "There is no chart to copy yet.");
  }
}

}  // namespace

std::string ChartView::svg(float scale) const {
  if (place_.w < 1 || model_.id.empty()) return {};
  chart::LayoutOptions options;
  options.width = place_.w / scale;
  if (model_.plot) options.height = place_.h / scale;
  options.range = range_;
  return chart::to_svg(model_, options);
}

void ChartView::draw_table(Ui& ui, const std::string& name, Area area) {
  const Area line = area.take_top(ui.px(32), ui.px(4));
  const float w = ui.px(96);
  if (ui.button(name + ":chart", {line.right() - w, line.y, w, ui.px(28)}, "Chart  .",
                Ui::Kind::normal))
    shows_table_ = false;
  const std::string title = model_.title.empty() ? model_.subtitle : model_.title;
  ui.text(line.x + ui.px(8), line.middle(),
          "The figures behind the chart" + (title.empty() ? "" : ": " + title), kSmall_px,
          Role::muted, Face::body, Anchor::start, line.w - w - ui.px(24));
  const chart::ChartTable table = chart::table_of(model_);
  area = area.inset(ui.px(8), 0);
  if (table.rows.empty()) {
    ui.paragraph(area, model_.summary, kSmall_px, Role::muted);
    return;
  }
  Scroll page(ui, (name + ":table").c_str(), area);
  ui.widgets[name + ":table"] = area;
  window::draw_table(ui, &page, table.columns, table.rows);
}

bool grant_chart_wish(State& state, ChartView* view) {
  if (state.chart_wish == ChartWish::none) return false;
  if (view)
    grant(state, *view);
  else
    state.notice = {"There is no chart here yet.", false};
  state.chart_wish = ChartWish::none;
  return true;
}

void draw_chart_menu(Ui& ui) {
  const ViewState& view = ui.state.view;
  const auto close = [](State& state) { state.view.show_chart_menu = false; };
  Overlay overlay(ui, "chart_menu", 0);
  const float line_h = ui.px(32), pad = ui.px(6), w = ui.px(330);
  const float h = line_h * static_cast<float>(std::size(kMenu)) + 2 * pad;
  const Area box = {std::clamp(view.chart_menu_x, 0.0f, std::max(0.0f, ui.window.w - w)),
                    std::clamp(view.chart_menu_y, 0.0f, std::max(0.0f, ui.window.h - h)), w, h};
  ui.fill(box, ui.raised(2), ui.px(6));
  ui.frame(box, ui.color(Role::grid), ui.px(6));
  Area inner = box.inset(pad);
  for (const char* id : kMenu) {
    const Action& entry = action(id);
    const Area row = inner.take_top(line_h);
    const auto touched = ui.touch(std::string("chart_menu:") + id, row);
    if (touched.hovered) ui.fill(row, ui.raised(4), ui.px(4));
    const bool can = entry.why_not(ui.state).empty();
    ui.text(row.x + ui.px(10), row.middle(), entry.title, kSmall_px,
            can ? Role::text : Role::muted);
    ui.text(row.right() - ui.px(10), row.middle(), entry.keys.text, kTiny_px, Role::muted,
            Face::mono, Anchor::end);
    if (!touched.clicked) continue;
    ui.dispatch(close);
    ui.dispatch_action(id);
  }
  if (overlay.clicked_outside(box)) ui.dispatch(close);
}

}  // namespace ridge::window
