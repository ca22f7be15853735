// The score card: networks that do one task, side by side: how often each is right, what it weighs, how
// long one item takes, how many a second, and what an item costs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

/// A figure, or why there is none. Never zero in place of unknown.
struct ScoreFigure {
  std::optional<double> value{};
  std::optional<Interval> interval{};
  std::string why{};   ///< without a value
  std::string note{};  ///< with one: where it comes from, a phrase
};

struct ScoreRow {
  std::string label{}, sublabel{};
  bool selected = false;
  bool recorded = false;
  ScoreFigure quality{};      ///< the task metric
  ScoreFigure model_bytes{};  ///< B, arithmetic
  ScoreFigure latency_s{};    ///< one call of a single item, start to end
  ScoreFigure features_per_s{}, raw_per_s{};
  ScoreFigure energy_j{};  ///< of one item
};

struct ScoreOptions {
  std::string title{}, metric = "accuracy", item = "item", items = "items";
  std::string features = "features", raw = "raw";  ///< the two starts of a call: "bits", "pixels"
};

/// What was measured of one network: many items a call from features, the same from the raw input, and a
/// single item; null: nothing yet.
struct ScoreSeries {
  const Series *features = nullptr, *raw = nullptr, *one = nullptr;
  bool has_features = true, has_raw = true;  ///< the starts that it can make
};
/// Quality, latency, rates and energy of the row, or why there are none. A failed check has no speed.
void fill_score(const ScoreSeries& measured, const ScoreOptions& options, ScoreRow* row);

ChartModel score_chart(std::span<const ScoreRow> rows, const ScoreOptions& options = {});

}  // namespace ridge::chart
