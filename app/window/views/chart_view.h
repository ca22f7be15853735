// A chart in a place of its own: the one widget that the lab, Compare and Report show a ChartModel with.
// It lays out, scrolls rows that find no room between their headings and axes, explains what is hovered,
// zooms and pans a plot, shows the table behind it, and says which row was clicked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/shell/ui.h"
#include "common/view/chart/model.h"

namespace ridge::window {

class ChartView {
 public:
  /// compact: rows give up their second line and the text gets smaller before they scroll.
  explicit ChartView(bool is_compact = false) : is_compact_(is_compact) {}

  /// `row_names`: of its rows among the widgets ("chart:gemm.cpu.packed:0"); empty: their numbers.
  void set(chart::ChartModel model, std::vector<std::string> row_names = {});
  /// Its axes and notes are no smaller, at scale 1: on a wall. 0: they are as small as a chart's.
  void keep_text(float least_px);
  /// The smallest text of the scene, in pixels.
  float smallest_text() const;
  /// Height that the rows need at this width.
  float height(Ui& ui, float width);
  /// Fills `area` (rows grow to its height; more rows scroll). Returns the row clicked, else -1.
  int draw(Ui& ui, const std::string& name, const Area& area);
  /// As high as it needs, without scrolling: inside a page that scrolls itself. There the wheel is the
  /// page's; with Ctrl it zooms.
  int draw_in_page(Ui& ui, const std::string& name, const Area& area);
  /// The row comes into view, once for each change.
  void follow(const std::string& row_name) { wanted_row_ = row_name; }

  const chart::Scene& scene() const { return scene_; }
  const chart::ChartModel& model() const { return model_; }
  const Area& place() const { return place_; }
  bool hovered() const { return hovered_; }

  // ---- what is looked at ----
  bool is_zoomed() const { return range_.has_value(); }
  const std::optional<chart::PlotRange>& range() const { return range_; }
  void fit();
  bool shows_table() const { return shows_table_; }
  void toggle_table() { shows_table_ = !shows_table_; }
  /// What was last pointed at, as "Copy value" takes it; empty: nothing yet.
  const std::string& value_text() const { return value_text_; }
  /// As it is looked at, as large as it is on the screen at scale 1.
  std::string svg(float scale) const;
  /// Title, subtitle and what the chart says of itself.
  std::string words() const;

  // ---- the mouse, this frame ----
  /// The value on the x axis under it; of a panel on the first one's. Empty: it is elsewhere.
  const std::optional<double>& reading_x() const { return reading_x_; }
  /// A line where another chart with the same axis is read.
  void link_x(const std::optional<double>& x) { linked_x_ = x; }
  /// A row's panel that was pressed and is held: where the mouse is on its axis, kept to its ends.
  struct Held {
    int row = -1, panel = -1;
    chart::AxisPlace axis;  ///< as it was when pressed: what is dragged may move it
    double value = 0;
    bool is_dragged = false;  ///< no more a click
  };
  const std::optional<Held>& held() const { return held_; }
  /// What is held is being set: its tooltip and its crosshair would be in the way.
  void keep_quiet(bool on) { is_quiet_ = on; }

 private:
  struct Pointer {  ///< in the scene's own pixels
    float x = 0, y = 0;
    Ui::Touch touched;
    bool in_page = false;
  };
  bool is_laid_out(Ui& ui, float width, float height) const;
  void lay_out(Ui& ui, float width, float height);
  float easy_growth(Ui& ui, float width, float height);
  void lay_out_once(Ui& ui, float width, float height, float font, bool is_brief = false);
  void grow(Ui& ui, float width, float height, float otherwise);
  void draw_part(Ui& ui, const Area& area, float top) const;
  int draw_scrolled(Ui& ui, const std::string& name, Area inner);
  void scroll_to_wanted(float top, float height);
  float row_above(float y) const;
  void draw_table(Ui& ui, const std::string& name, Area area);
  void name_places(Ui& ui, const std::string& name, float x, float y, float head_y) const;
  std::string row_name(int row) const;

  int take_mouse(Ui& ui, const std::string& name, Area seen, float top, const Pointer& pointer);
  void note_parked();
  void zoom_and_pan(Ui& ui, const Pointer& pointer);
  void look_at(const Interval& x, const Interval& y);
  void take_hold(const Pointer& pointer);
  bool draw_fit(Ui& ui, const std::string& name, float x, float y, bool only_touch) const;
  void draw_crosshair(Ui& ui, const Area& seen, float top, const Pointer& pointer);
  void draw_link(Ui& ui, const Area& seen, float top) const;
  int panel_at(float x) const;
  chart::Point plot_low() const;
  chart::Point plot_high() const;

  bool is_compact_ = false;
  float least_text_px_ = 0;  ///< of keep_text()
  chart::ChartModel model_;
  std::vector<std::string> row_names_;
  chart::Scene scene_;
  bool fresh_ = true;
  float width_ = 0, height_ = 0, scale_ = 0;
  int fonts_version_ = -1;
  Area place_;
  std::optional<chart::PlotRange> range_;
  bool shows_table_ = false;
  bool hovered_ = false, is_quiet_ = false;
  bool is_double_click_ = false;
  bool was_dragged_ = false;  ///< since the button went down: its release is no click
  std::string value_text_, wanted_row_, followed_;
  std::optional<double> reading_x_, linked_x_;
  std::optional<chart::Point> parked_at_;  ///< where the mouse has been since the chart came in view
  int last_frame_ = -1;
  std::optional<Held> held_;
};

/// The list of what can be done with the chart, where the right button was pressed.
void draw_chart_menu(Ui& ui);
/// Does what an action asked of the chart in view (State::chart_command); null: there is none. True when something
/// was asked.
bool run_chart_command(State& state, ChartView* view);

}  // namespace ridge::window
