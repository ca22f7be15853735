// Inside of layout(): a plot's axes in pixels (layout_plot.cpp) and what is drawn in it
// (layout_plot_draw.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/view/chart/labels.h"
#include "common/view/chart/layout_parts.h"

namespace ridge::chart::parts {

/// One axis of a plot: from values to pixels and to tick labels.
class PlotAxis {
 public:
  /// `range`: the part of it that is shown; where that is no range, all of it.
  PlotAxis(const Axis& axis, const Interval& range);
  /// The pixels that `low` and `high` fall on, and how many labels there is room for.
  void place(float low_px, float high_px, int tick_target);
  bool holds(double value) const;     ///< has a place on the axis
  bool shows(double value) const;     ///< between its ends
  float px(double value) const;       ///< clamped to the ends
  float free_px(double value) const;  ///< beyond them too
  const AxisPlace& place() const { return place_; }
  std::string title() const;  ///< "Error, NMSE, log"
  std::string tick_label(const Tick& tick) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  double low() const { return place_.low; }
  double high() const { return place_.high; }

 private:
  const Axis& axis_;
  AxisPlace place_;
  SiPrefix prefix_;
  int digits_ = 3;
  std::vector<Tick> ticks_;
};

class PlotPage {
 public:
  /// `numbered`: points with a number in them, and their names in a list under the plot.
  /// `is_selected_first`: the selected point's name takes its place before those of the others.
  PlotPage(const ChartModel& model, const LayoutOptions& options,
           std::vector<const Datum*> numbered = {}, bool is_selected_first = false);
  Scene build();
  /// Once it is built: the points whose names found no room.
  const std::vector<const Datum*>& unnamed() const { return unnamed_; }
  /// Whether each number has its place, and the list all names.
  bool is_complete() const { return unnamed_.empty() && has_all_ && has_list(); }
  int guides_named() const { return guides_named_; }

 private:
  struct Shown {  ///< a datum in pixels
    const Curve* curve;
    const Datum* datum;
    Point at;
    float radius;
    bool seen;  ///< not outside of what is looked at
  };
  struct Name {  ///< of a point, in its place
    const Shown* shown = nullptr;
    std::string text{};
    Point start{};
    float px = 0;
    Box box{};
  };
  struct End {  ///< the last place of a curve that is seen: where its name belongs
    size_t shown;
    Point at;
  };

  void place_area();
  std::string y_title() const;
  void draw_axes();
  void draw_x_ticks();
  float draw_keys(Scene* scene, float y) const;
  float draw_empty(float top);
  bool has_points() const;
  float names_width() const;

  void collect_points();
  void draw_bands();
  void draw_guide_lines();
  void draw_guide_labels();
  void draw_guide_label(const Guide& guide, Point a, Point b);
  std::vector<Point> places_along(const Guide& guide, Point a, Point b, float px) const;
  std::vector<Point> places_beside(Point a, Point b, float px) const;
  bool guide_ends(const Guide& guide, Point* a, Point* b) const;
  bool crosses_guide(const std::vector<Box>& boxes, const Guide* except) const;
  void draw_cells();
  void draw_cell(const Cell& cell);
  float draw_scale(Scene* scene, float y) const;
  void draw_curves();
  void draw_band(std::span<const Shown> data);
  std::optional<Point> draw_line(std::span<const Shown> data);
  void draw_interval(const Shown& shown);
  float name_pitch() const { return frame_.small * 1.3f; }  ///< of names in a column
  std::vector<std::vector<const Shown*>> columns_of_points() const;
  std::vector<Name> column_names(const std::vector<const Shown*>& column, bool right) const;
  int free_of(const std::vector<Name>& names) const;
  bool has_place(const Name& name) const;
  bool is_clear(const Shown& shown, Point start, float px) const;
  static std::pair<Point, Point> leader_of(const Shown& shown, Point start, float px);
  std::optional<Name> moved_name(const Name& name) const;
  float leader_gap(float moved) const;
  void draw_column_name(const Name& name);
  void draw_point_columns();
  void draw_leader(const Shown& shown, Point start, float px);
  void draw_point_labels();
  bool wants_name(const Shown& shown) const;
  size_t number_of(const Datum& datum) const;
  void draw_numbers();
  void draw_selected_name();
  bool has_list() const;
  std::vector<std::string> numbered_names() const;
  bool draw_label_beside(const Shown& shown, Point at, const std::string& label,
                         bool has_line = true);
  void draw_names();
  void draw_name_column(std::vector<End> ends, float right);
  bool is_beside_names(const End& end, float right) const;
  void draw_name_line(const End& end, Point at);
  void draw_name(const End& end, Point at, bool is_bare);
  void add_hits();
  void add_label(Point start, const std::string& text, Role role, bool bold, float angle = 0);

  const ChartModel& model_;
  const Plot& plot_;
  const LayoutOptions& options_;
  Frame frame_;
  Scene scene_;
  PlotAxis x_, y_;
  Box area_;
  float footer_top_ = 0;
  float stroke_ = 1;  ///< a hair line: grows with the text, so that a large chart is not a thin one
  std::vector<Shown> shown_;
  std::vector<End> ends_;
  std::vector<const Shown*> named_;  ///< points that have their names already
  std::vector<const Datum*> numbered_, unnamed_;
  bool has_all_ = true;  ///< the numbers
  bool is_selected_first_ = false;
  int guides_named_ = 0;
  std::vector<std::pair<Point, Point>> leaders_;  ///< the lines from points to their names
  std::vector<Box> texts_;           ///< of all labels: no line to a name runs through one
  std::vector<Hit> guide_hits_;
  Occupied occupied_{Box{}};
};

}  // namespace ridge::chart::parts
