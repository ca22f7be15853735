// What a model of the caches expects each level to give, beside what the hardware counted and how long it took: a row
// for each loop nest that was run. Series::work has the model's bytes ("model_l2" ... "model_memory"), Series::counters
// what reads missed. The summary says whether the order of the predictions is that of the times: C. Spearman's rank
// correlation, The Proof and Measurement of Association between Two Things (1904).
#pragma once

#include <optional>
#include <span>

#include "common/view/chart/ladder.h"

namespace ridge::chart {

/// Rows without a prediction, and those of another problem than the selected row's (without one: the last row's),
/// are left out; rows[kept[i]] is the chart's row i.
ChartModel traffic_chart(std::span<const LadderRow> rows, std::vector<int>* kept = nullptr);

/// -1 to 1, equal values sharing their ranks; empty under four pairs, or where one side is all alike.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace ridge::chart
