// Inside of layout(): a plot's axes in pixels (layout_plot.cpp) and what is drawn in it
// (layout_plot_draw.cpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/chart/labels.h"
#include "common/chart/layout_parts.h"

namespace ridge::chart::parts {

/// One axis of a plot: from values to pixels and to tick labels.
class PlotAxis {
 public:
  explicit PlotAxis(const Axis& axis);
  /// The pixels that `low` and `high` fall on, and how many labels there is room for.
  void place(float low_px, float high_px, int tick_target);
  bool holds(double value) const;  ///< has a place on the axis
  float px(double value) const;    ///< clamped to the ends
  std::string title() const;       ///< "Error, NMSE, log"
  std::string tick_label(const Tick& tick) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  const Axis& axis_;
  double low_, high_;
  bool log_;
  SiPrefix prefix_;
  float low_px_ = 0, high_px_ = 1;
  int digits_ = 3;
  std::vector<Tick> ticks_;
};

class PlotPage {
 public:
  PlotPage(const ChartModel& model, const LayoutOptions& options);
  Scene build();

 private:
  struct Shown {  ///< a datum in pixels
    const Curve* curve;
    const Datum* datum;
    Point at;
    float radius;
  };

  void place_area();
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
  bool guide_ends(const Guide& guide, Point* a, Point* b) const;
  bool crosses_guide(const std::vector<Box>& boxes, const Guide* except) const;
  void draw_curves();
  void draw_interval(const Shown& shown);
  void draw_point_labels();
  void draw_point_label(const Shown& shown);
  void draw_names();
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
  std::vector<Hit> guide_hits_;
  Occupied occupied_{Box{}};
};

}  // namespace ridge::chart::parts
