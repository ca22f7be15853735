// One chart, said once. A builder (common/view/chart/<type>.cpp) turns results into a ChartModel; layout
// turns the model into a Scene of primitives in pixels; two thin renderers (SVG for reports,
// ImDrawList for the window) draw the Scene. What is exported is what was seen. docs/charts.md says
// how the parts fit together and how a chart is added.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"
#include "common/view/chart/axis_place.h"

namespace ridge::chart {

enum class Scale { linear, log };

/// Colours are roles; a theme gives them values (common/view/chart/theme.h).
enum class Role {
  text,
  muted,
  grid,
  panel,
  canvas,
  baseline,
  faster,
  slower,
  limit,
  highlight,
  series0,
  series1,
  series2,
  series3,
  series4
};

enum class Marker { none, dot, square, triangle, diamond, cross };

struct Axis {
  std::string title{}, unit{};  ///< unit without prefix: "s", "B/s"; the layout picks one SI prefix
  Scale scale = Scale::linear;
  double low = 0, high = 1;     ///< in the unit; log: both > 0
  bool is_share = false;        ///< printed as per cent
  bool scientific = false;      ///< printed as 1.5e-12
  std::vector<double> ticks{};  ///< exactly these (the sizes measured); empty: the layout's choice
  /// These in even steps, at 0, 1, 2 ..., whatever lies between their values; empty: the axis is of its values.
  std::vector<double> stops{};
};

/// A horizontal bar from zero, or from `from`, to `value`; a point where a marker is set, and on a logarithmic axis, which
/// has no zero.
struct Mark {
  int row = 0;
  double value = 0;
  std::optional<Interval> interval{};
  Role role = Role::series0;
  Marker marker = Marker::none;
  bool hatched = false;          ///< ran at another size, recorded, partial ...
  bool outlined = false;         ///< measured here, but not judged: an empty bar, a cross
  bool dashed = false;           ///< the baseline
  bool quiet = false;            ///< one of many (a sample): small, without label and hover
  bool beside = false;           ///< a hollow point beside its row's bar, without a label
  float offset = 0;              ///< from its row's middle, -1 to 1: several marks in one row
  std::optional<double> from{};  ///< a bar that starts here instead of at zero
  bool bare = false;             ///< without a label: its figure stands in a column
  std::string label{};           ///< printed beside the mark; the layout formats `value` if empty
  std::string note{};            ///< tooltip: full sentence
};

/// A vertical line across the rows of a panel: a ceiling, a gate, zero.
struct Rule {
  double value = 0;
  std::string label{};
  Role role = Role::text;
  std::vector<int> not_rows{};  ///< the line is interrupted at these: it says nothing of them
};

struct Band {
  double low = 0, high = 0;
  std::string label{};
};

/// Panels stand side by side and share the rows. Where they find too little room, the last ones are left out, and the
/// legend names them.
struct Panel {
  std::string title{}, subtitle{}, metric{};  ///< metric: key into assets/metrics.json
  float weight = 1;                           ///< share of the width
  /// Short texts, its rows' reasons: as wide as they need.
  bool is_column = false;
  bool is_text = false;  ///< its rows' reasons are what it says, and none lacks a mark
  bool stays =
      false;  ///< where there is no room for all, another is left out before it: a gain without its check is none
  Axis axis{};
  std::vector<Mark> marks{};
  std::vector<Rule> rules{};
  std::vector<Band> bands{};
  std::string empty_reason{};              ///< shown across the panel when it has no marks
  /// Beside panels with marks such a reason stands in the legend, and the panel takes no room.
  bool leaves_when_empty = false;
  std::vector<std::string> row_reasons{};  ///< per row: why it has no mark; may be empty
  /// Per row: a reason in a role of its own stands on a ground of it, as a badge; may be empty.
  std::vector<Role> row_roles{};
  /// Per row of a column: what stays of its text where the whole would take the room of other panels, "…" behind it; may
  /// be empty: it stays whole.
  std::vector<std::string> row_briefs{};
  /// Per row: the tooltip of a reason, full sentences; may be empty: the reason is its own.
  std::vector<std::string> row_notes{};
};

struct Row {
  std::string label{}, sublabel{};
  std::string section{};  ///< a heading stands above a row whose section is not that before it
  bool selected = false, is_baseline = false, muted = false;
  int source = -1;  ///< of the builder's input: what a click selects; -1: its place among the rows
};

// ---- the plot: an x axis and a y axis --------------------------------------------------------------

struct Datum {
  double x = 0, y = 0;
  std::optional<Interval> interval{};    ///< of y
  std::optional<Interval> x_interval{};  ///< of x
  bool hollow = false;                   ///< recorded, another size, partial
  bool strong = false;                   ///< selected: larger, in front, labelled first
  std::string label{};                   ///< printed beside it where there is room; empty: none
  std::string note{};                    ///< tooltip: full sentence
  std::string value_text{};              ///< first line of the tooltip
  int row = -1;                          ///< of the builder's input: what a click selects
};

/// Points of one kind in the order in which a line would join them.
struct Curve {
  std::string name{};
  Role role = Role::series0;
  Marker marker = Marker::dot;
  bool line = false, dashed = false;
  bool quiet = false;  ///< one of many: pale, drawn first
  bool band =
      false;  ///< the intervals of its points are a band about its line, in place of whiskers
  std::vector<Datum> data{};
};

/// A straight line that data is read against: a roof, a gate.
struct Guide {
  enum class Kind { horizontal, vertical, slope } kind = Kind::horizontal;
  double value = 0;                    ///< y, x, or y over x
  std::optional<double> from{}, to{};  ///< in x (vertical: in y); empty: the plot's edge
  std::string label{}, note{};
  Role role = Role::text;
  bool dashed = false;
  bool quiet = false;  ///< beside the point here: pale, and named only where nothing is in the way
};

/// A rectangle with a value: one of a heatmap's.
struct Cell {
  Interval x{}, y{};  ///< its edges
  std::optional<double> value{};
  std::string label{};       ///< printed in it where there is room
  std::string
      reason{};  ///< without a value: why, in a word or two; empty: not run, so the cell is grey
  std::string note{};        ///< tooltip: full sentence
  std::string value_text{};  ///< first line of the tooltip
  bool strong = false;       ///< the parameters in view
  int row = -1;              ///< of the builder's input: what a click selects
};

/// A mark of the legend as it looks in the plot.
struct Key {
  std::string text{};
  Role role = Role::text;
  Marker marker = Marker::dot;
};

struct Plot {
  Axis x{}, y{};
  std::vector<Curve> curves{};
  std::vector<Guide> guides{};
  std::vector<Band> x_bands{}, y_bands{};
  std::vector<Cell> cells{};
  Axis shade{};            ///< of the cells' values: a scale under the plot says what a shade means
  bool name_ends = false;  ///< curves are named beside their last points
  std::string empty_reason{};  ///< shown instead of the axes where no point can be drawn
};

/// The figures behind a chart, as a reader of the report or of the screen gets them.
struct ChartTable {
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>> rows{};
};

/// Rows with panels beside them, or one plot.
struct ChartModel {
  std::string id{};  ///< "ladder", "roofline"
  std::string title{}, subtitle{};
  std::vector<Row> rows{};
  std::vector<Panel> panels{};
  std::optional<Plot> plot{};
  std::vector<Key> keys{};
  std::vector<std::string> legend{};
  std::string summary{};  ///< the chart in words, for people who do not see it
  ChartTable table{};  ///< the chart in figures; rows and panels: the report has tables of its own
};

// ---- scene ---------------------------------------------------------------------------------------

struct Point {
  float x = 0, y = 0;
};

enum class Anchor { start, middle, end };

struct Primitive {
  enum class Kind { rect, line, text, marker, slab } kind = Kind::rect;
  Point a{}, b{};  ///< rect: corners; line: ends; marker: a; text: a is the anchor's x
                   ///< and the middle of the line (half of size_px above, half below);
                   ///< slab: the upper edge's ends
  float below_a = 0, below_b = 0;  ///< slab: how far its lower edge lies under a and b
  Role role = Role::text;
  bool filled = true, dashed = false, hatched = false, mono = false, bold = false;
  float size_px = 1;    ///< line width, text height, marker radius
  float radius_px = 0;  ///< rect corners
  float alpha = 1;
  int shade = -1;   ///< rect: a step of the value ramp (ramp.h) in place of the role
  float angle = 0;  ///< text: radians about `a`, clockwise on the screen
  Marker marker = Marker::none;
  Anchor anchor = Anchor::start;
  std::string text{};
};

/// A rectangle that means something when hovered or clicked: a cell (row and panel), a row's label
/// (panel -1), a panel's heading (row -1: show the metric of model.panels[panel]), a plot's point (the
/// builder's row) or one of its guides (row -1).
struct Hit {
  Point a{}, b{};
  int row = -1, panel = -1;
  std::string note{}, value_text{};
};

struct Scene {
  float width = 0, height = 0;
  /// Between them lie the rows: where they do not fit, they scroll under what is above and below.
  float body_top = 0, body_bottom = 0;
  std::vector<AxisPlace> x_axes{};    ///< a plot's one, or each panel's
  std::optional<AxisPlace> y_axis{};  ///< a plot's
  std::vector<Primitive> primitives;
  std::vector<Hit> hits;
};

/// Width of a text in pixels. The window measures with its fonts, SVG with a table of the same.
using TextWidth = std::function<float(const std::string& text, float size_px, bool mono)>;

/// The part of a plot that is looked at, in its axes' units.
struct PlotRange {
  Interval x{}, y{};
};

struct LayoutOptions {
  float width = 800;
  float height = 0;  ///< 0: as high as the rows need
  /// The rows scroll: what stands about them takes a line or two, and its whole text is read by pointing.
  bool is_brief = false;
  bool is_paper =
      false;  ///< nothing is pointed at: a text that has a brief form is that, without a sign of more
  float font_px = 14;
  float least_px = 0;                ///< no text is smaller
  TextWidth text_width{};            ///< empty: the built-in table
  std::optional<PlotRange> range{};  ///< empty: all of it; rows with panels have no such range
};

Scene layout(const ChartModel& model, const LayoutOptions& options);

}  // namespace ridge::chart
