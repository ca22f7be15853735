// Two described models side by side: each part's time in a pass of either, and the ratio of their calls, which were
// compared in pairs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

struct ModelPairRow {
  std::string phase{};           ///< the heading: "Decode: one token more for each sequence"
  std::string label{}, shape{};  ///< "FFN, down", "1 × 512 · 512 × 256"
  std::string rungs{};           ///< of both: "threads → packed"
  std::optional<double> baseline_s{}, candidate_s{};  ///< of all its calls in a pass
  std::optional<PairedVerdict> judged{};              ///< of one call
  bool is_shared = false;                             ///< the same call in both
  std::string why{};                                  ///< without a time: one sentence
};

struct ModelPairInput {
  std::string title{}, subtitle{}, summary{};
  double margin = 0;
  std::vector<ModelPairRow> rows{};
  ChartTable table{};
};

ChartModel model_pair_chart(const ModelPairInput& input);

}  // namespace ridge::chart
