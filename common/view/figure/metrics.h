// What a text may ask of one result: a row for each, named as in assets/metrics.json.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/record/derive.h"
#include "common/record/kernel_counts.h"
#include "common/record/run.h"
#include "common/record/seed_delta.h"
#include "common/record/types.h"

namespace ridge::figure {

/// What is asked for a value: a result, and the run that holds it.
struct Asked {
  const Series& series;
  const Derived& derived;
  const Run& run;
  std::string part = {};  ///< "dram_read" of ceiling.dram_read
};

struct Value {
  double value = 0;  ///< in Metric::unit; NaN where there is a `text`
  std::optional<Interval> interval = {};
  std::string unit = {};  ///< where the result has another than Metric::unit
  std::string text = {};  ///< what is no number: a guard's sentence, "nhwc"
  std::string how = {};   ///< where it is more than the rung alone: "DRAM read, measured"
};

struct Metric {
  const char* name;
  /// "s", "FLOP/s", "B/s", "B", "J", "items/s"; "%" of a share, "×" of a ratio, "count" of whole things, "" of a bare
  /// number. Null: each part has its own.
  const char* unit;
  std::optional<Value> (*of)(const Asked& asked);
  /// Of a pair; null: a pair has none.
  std::optional<Value> (*of_pair)(const Comparison& comparison) = nullptr;
  bool has_parts = false;  ///< a text names one: ceiling.dram_read
  /// It is of the machine that ran the rung, so of no size, and new code of the rung leaves it as it is.
  bool is_of_machine = false;
  /// Of what was counted of a rung, at whatever size that was; null: it is of a result.
  std::optional<Value> (*of_counts)(const KernelCounts& counts, const std::string& part) = nullptr;
  /// Of the trainings of two rungs, seed by seed; null: it is of no such two.
  std::optional<Value> (*of_seeds)(const SeedDelta& delta) = nullptr;
};

/// "ceiling.dram_read" is the metric ceiling and its part dram_read. A counter's name may hold points too.
struct NamedMetric {
  const Metric* metric =
      nullptr;  ///< null: there is none of that name, or its part is missing or too much
  std::string part;
};

std::span<const Metric> metrics();
NamedMetric find_metric(const std::string& name);

}  // namespace ridge::figure
