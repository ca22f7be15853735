// What a text may ask of one result: a row for each, named as in assets/metrics.json.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/record/derive.h"
#include "common/record/types.h"

namespace ridge::figure {

struct Value {
  double value = 0;  ///< in Metric::unit
  std::optional<Interval> interval;
  std::string unit = {};  ///< where the result has another than Metric::unit
};

struct Metric {
  const char* name;
  const char*
      unit;  ///< "s", "FLOP/s", "B/s", "B", "J", "items/s"; "%" of a share, "×" of a ratio, "" of a bare number
  std::optional<Value> (*of)(const Series& series, const Derived& derived);
};

std::span<const Metric> metrics();
const Metric* find_metric(const std::string& name);

}  // namespace ridge::figure
