// What each metric on screen, in a report or in a JSON document means. assets/metrics.json holds it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::study {

struct Metric {
  std::string name, formula, unit;
  std::string better;             ///< "higher", "lower", or "" where neither is
  std::string why;                ///< why it matters, one or two sentences
  std::vector<std::string> json;  ///< the fields that carry it: "median_ns" of stats, "power_w" ...
  std::vector<std::string>
      columns;  ///< headings of a report's tables that mean it, besides its name
};

using Metrics = std::map<std::string, Metric>;  ///< by key: "time_per_call"

Result<Metrics> parse_metrics(const std::string& text, const std::string& where);
Result<Metrics> load_metrics();

}  // namespace ridge::study
