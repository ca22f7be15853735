// What the centre's charts are built from: the rungs of the ladder as they stand, or every size of
// each. No ImGui here.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/window/shell/state.h"
#include "common/view/chart/ladder.h"

namespace ridge::window {

/// Stands for a kernel id in the row of folded expert rungs.
inline constexpr const char* kFoldRow = "fold";

struct ChartRows {
  std::vector<chart::LadderRow> rows;
  std::vector<std::string> kernels;  ///< kernel id of each row, or kFoldRow
  std::set<std::string> held{};      ///< over sizes: parameters by which results were left out
  size_t otherwise = 0;              ///< how many
};

/// A rung's row without a result.
chart::LadderRow plain_row(const State& state, const RungView& row);
/// Gives the row a result. `machine`: where the result is a recording's.
void set_source(const Run& run, const std::string& machine, const Series* series,
                chart::LadderRow* row);

/// Valid until the run changes or the ladder is rebuilt.
ChartRows ladder_rows(const State& state);
/// What the ladder's results have in common that the controls do not say, once in the chart's subtitle and in none of its
/// rows: "at n = 2048, recorded on NVIDIA H200"; what a section alone has in common, in its heading.
void say_place_once(const State& state, const ChartRows& rows, chart::ChartModel* model);
/// The same without what pairs of seeds say: cheap enough for every frame.
ChartRows unpaired_ladder_rows(const State& state);
/// The ladder's rows, and after each the same rung at the same size in its other data types: what
/// speed costs in accuracy shows only beside one another.
ChartRows type_rows(const State& state);
/// One row per rung and size, at the view's threads and cache state, in the type that the ladder shows
/// (a rung that has no result there: in its first). All else is held: at the ladder's result, and named in the row where
/// that is not the view's value. Live results where
/// there are any; of what cannot run here the recordings, hollow and under their machine's name.
ChartRows size_rows(const State& state);
/// One row per rung and result, at any threads and any other values: which of them make a curve over the lab's counts of
/// ranks or threads, the chart says. Live or recorded as over sizes.
ChartRows count_rows(const State& state);
/// "12 results at other values of causal left out"; empty: none was.
std::string held_text(const ChartRows& rows, const Lab& lab);

/// type_rows(), and the selected rung at each of its other sizes: its path under the roofs.
ChartRows path_rows(const State& state);

/// "152 GFLOP/s at n = 1024 on Xeon": a result of another machine or size in words; empty: it has no rate.
std::string elsewhere_text(const State& state, const RungView& row);

/// Of these rungs alone.
void keep_rungs(ChartRows* rows, const std::vector<std::string>& kernels);
/// Without the other sizes of a rung.
void keep_size(ChartRows* rows);

/// Whether the lab is judged by a share of right answers, which speed can be held against.
bool has_frontier(const Lab& lab);

}  // namespace ridge::window
