// Inside of the builders of plots: what roofline, size curve and speed against error share.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/view/chart/ladder_parts.h"

namespace ridge::chart::parts {

/// One row that has a speed, as a point would show it.
struct Measured {
  Entry entry;
  int row = 0;  ///< index among the builder's rows
  OpenEnum<Backend> backend;
  std::string dtype;
  int threads = 1;
  double rate = 0;  ///< FLOP/s, B/s or s
  std::optional<Interval> rate_ci;
  std::string size_text;  ///< "n = 4096", for notes
};

/// What a point's rate is.
enum class Counted {
  kFlop,
  kBytes,
  kItemTime,  ///< no rate: seconds an item
  kCallTime   ///< no rate: seconds a call
};
/// The rows with a usable rate; `left_out` counts the rows with a result but without that.
std::vector<Measured> measured_rows(std::span<const LadderRow> rows, Counted counted,
                                    int* left_out = nullptr);
/// Why a plot of FLOP/s stays empty however much is run: what was measured counts none. Else empty.
std::string why_no_flop(std::span<const LadderRow> rows);
/// The size that its catalogue names; 0: it has none.
int64_t size_of(const Measured& point);

/// What one line joins: a rung at one type and thread count, its sizes ascending, its shape and its parameters that are
/// words the same but for its size: an odd shape between two squares would look like an effect of size. All of it is
/// stale or none.
struct SizeLine {
  std::vector<size_t> points;  ///< indices into the points
  bool is_odd = false;         ///< a single shape of its own, of a rung that has a longer line
  bool is_beside = false;      ///< a point that neighbours one of its rung's line: apart()
};
std::vector<SizeLine> size_lines(const std::vector<Measured>& points);
/// Whether two sizes are so near to each other that a stroke between them would read as a whisker.
bool are_neighbours(double smaller, double larger);
/// The same lines without strokes between neighbours: the point at the size in view, else the larger one, keeps the line,
/// and the other stands alone.
std::vector<SizeLine> apart(std::vector<SizeLine> lines, const std::vector<Measured>& points);
/// The point of a line that is at the size in view; none: it has none there.
std::optional<size_t> point_at_size(const std::vector<Measured>& points, const SizeLine& line);

/// Colour and shape; grey a library or the baseline.
struct Look {
  Role role;
  Marker marker;
};
Look look_of_dtype(const std::string& dtype);
/// Of a rung, by its place in the lab (`otherwise`: where that is not known): it looks the same at every size and in every
/// plot, but where several data types meet.
Look look_of_rung(const LadderRow& row, size_t otherwise);
/// Of the plots whose points may be of several data types: then they say the type, not the rung.
bool has_several_types(const std::vector<Measured>& points);

/// The row's label, the baseline named as such.
std::string name_of(const Measured& point);
/// Name, colour and shape of a rung (`by_type`: of its data type), no points yet.
Curve curve_for(const Measured& point, bool by_type = false);
Datum datum_for(const Measured& point, double x, double y);
/// What the legend says of the selected point.
inline constexpr const char* kRingText = "ring: selected";
/// Marks of the data types where there are several, then what grey, hollow and the ring mean, as far
/// as they occur.
void put_legend(const std::vector<Measured>& points, bool by_dtype, ChartModel* model);

/// Names stand where there is room for them. Of so many that not all may find it, the legend says how the others are read.
void say_hovering(ChartModel* model);

/// A plot is of one processor: kept are the points that share backend and machine with the selected
/// one (with the first otherwise). Returns how many were not.
size_t keep_one_processor(std::vector<Measured>* points);
/// The same, of the selected row's processor also where that row has no point itself: then none may be left.
size_t keep_selected_processor(std::vector<Measured>* points, std::span<const LadderRow> rows);
void add_elsewhere(size_t count, ChartModel* model);
/// The machine of all points, where it is another than this, over the chart.
void name_machine(const std::vector<Measured>& points, ChartModel* model);

/// The range of a log axis that holds the values with air on both sides.
struct Span {
  double low = INFINITY, high = 0;
  void add(double value);
  bool empty() const { return !(high > 0); }
  void apply(Axis* axis, double air_low, double air_high) const;
};

std::string interval_text(const Measured& point, const char* unit);

}  // namespace ridge::chart::parts
