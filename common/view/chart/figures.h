// The figures over the rungs of a ladder, each described once. The window's centre, the presenter, the
// tours and the report read this list: a figure that is added to it is in all four.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/record/scaling.h"
#include "common/view/chart/ladder.h"

namespace ridge::chart {

/// Which results a figure has a row for.
enum class FigureRows {
  kLadder,  ///< each rung once, as the ladder shows it
  kTypes,   ///< each rung in each of its data types
  kPath,    ///< the same, and the selected rung at each size
  kSizes,   ///< each rung at each size
  kCounts,  ///< each rung at each count of ranks or threads, and of the work that grows with them
  kTrainings,  ///< each training, and the baseline beside them
};

/// What all figures of a lab have in common.
struct FigureOptions {
  std::string task_metric{};    ///< by which the lab is judged: "accuracy"; empty: an error
  std::string items = "items";  ///< what its rates count
  bool per_item = false;  ///< its rungs do unlike work: times are those of an item, not of a call
  ParamTitles param_titles{};
  Scaling scaling{};  ///< what its rungs are shared out over
};

/// What a section needs several of among the results: else it has nothing to compare.
enum class Several { kNothing, kSizes, kCounts };

/// A figure's place in a report; no title: the report does without it.
struct FigureSection {
  const char* id = "";     ///< empty: the figure's own
  const char* title = "";  ///< its heading
  const char* about = "";  ///< the paragraph above it; may be empty
  bool in_handout = false;
  bool is_per_processor = true;  ///< rows share ceilings: one figure for every machine and backend
  bool table_behind = true;      ///< its numbers are folded away where the format can
  bool ends_with_summary = false;
  Several needs = Several::kNothing;
  const char* task_metric = "";  ///< only in labs judged by it; empty: in every lab
};

struct Figure {
  const char* id;  ///< "roofline": its view, and its name in tours
  FigureRows rows;
  ChartModel (*build)(std::span<const LadderRow> rows, const FigureOptions& options);
  FigureSection section{};
  bool is_view = true;  ///< false: another figure's view shows it too, and tours do not name it
};

/// In the order of a report.
std::span<const Figure> figures();
/// Null: no figure is called so.
const Figure* find_figure(std::string_view id);
/// Names that a tour may show.
std::vector<std::string> figure_names();

/// Nothing to draw; the reason is the chart's own.
bool is_empty(const ChartModel& model);

}  // namespace ridge::chart
