// The score card: networks that do one task, side by side: how often each is right, what it weighs and does by
// arithmetic, how long one item takes, how many a second, and what an item costs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

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

/// A device that a model may be meant for.
struct ScoreDevice {
  std::string name{}, core{}, source{};  ///< "STM32L072CZ", "Cortex-M0+", the document
  double flash_bytes = 0, ram_bytes = 0;
};

struct ScoreRow {
  std::string label{}, sublabel{};
  bool selected = false;
  bool recorded = false;
  ScoreFigure quality{};      ///< the task metric
  ScoreFigure model_bytes{};  ///< B, arithmetic
  ScoreFigure working_bytes{};  ///< B, of one item, arithmetic
  ScoreFigure multiplications{}, additions{}, look_ups{},
      bits{};  ///< of one item, arithmetic; may be 0
  std::string
      right{};  ///< which items of the test set it got right (QualityCheck::right); empty: not known
  ScoreFigure latency_s{};    ///< one call of a single item, start to end
  ScoreFigure features_per_s{}, raw_per_s{};
  ScoreFigure energy_j{};  ///< of one item
};

struct ScoreOptions {
  std::string title{}, metric = "accuracy", item = "item", items = "items";
  std::string features = "features", raw = "raw";  ///< the two starts of a call: "bits", "pixels"
  std::vector<ScoreDevice> devices{};
};

/// How a row's task metric stands to the highest of all rows, on the same items (common/stats/answers.h).
struct ScoreStanding {
  bool is_best = false, told_apart = false;
  std::string text{};  ///< "the highest", "≈ −0.21 points [−0.60, +0.18]", or why it is not known
  std::string note{};  ///< a sentence; empty: nothing to add
};
/// One for each row. Every pair may be the one that is looked at: the error of 5 % is shared by all of them.
std::vector<ScoreStanding> standings(std::span<const ScoreRow> rows);

/// "fits", or what does not: "flash 4.1×", "RAM 3.1×"; kNone where the model is not known.
std::string fits_text(const ScoreRow& row, const ScoreDevice& device);

/// What was measured of one network: many items a call from features, the same from the raw input, and a
/// single item; null: nothing yet.
struct ScoreSeries {
  const Series *features = nullptr, *raw = nullptr, *one = nullptr;
  bool has_features = true, has_raw = true;  ///< the starts that it can make
};
/// Quality, latency, rates and energy of the row, or why there are none. A failed check has no speed.
void fill_score(const ScoreSeries& measured, const ScoreOptions& options, ScoreRow* row);

/// Joules of one of the items that its calls work off; none: not metered, or no items.
std::optional<double> energy_per_item_j(const Series& series);

ChartModel score_chart(std::span<const ScoreRow> rows, const ScoreOptions& options = {});

}  // namespace ridge::chart
