#include "app/study/metrics.h"

#include <nlohmann/json.hpp>

#include "app/study/fields.h"

namespace ridge::study {

Result<Metrics> parse_metrics(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  if (!json.is_object()) return bad_asset(where, "it is not a JSON object");
  Metrics metrics;
  for (const auto& [key, value] : json.items()) {
    const Fields fields(value, where + ", metric " + key);
    RIDGE_TRY_VOID(fields.only({"name", "formula", "unit", "better", "why", "json", "columns"}));
    Metric metric;
    RIDGE_TRY(metric.name, fields.text("name"));
    RIDGE_TRY(metric.formula, fields.text("formula"));
    RIDGE_TRY(metric.unit, fields.text_or("unit", ""));
    RIDGE_TRY(metric.better, fields.text_or("better", ""));
    RIDGE_TRY(metric.why, fields.text("why"));
    RIDGE_TRY(metric.json, fields.texts("json"));
    RIDGE_TRY(metric.columns, fields.texts("columns"));
    if (!metric.better.empty() && metric.better != "higher" && metric.better != "lower")
      return fields.bad("better", "is '" + metric.better + "'", "say higher, lower or nothing");
    metrics.emplace(key, std::move(metric));
  }
  return metrics;
}

Result<Metrics> load_metrics() {
  RIDGE_TRY(const std::string text, read_asset("assets/metrics.json"));
  return parse_metrics(text, "assets/metrics.json");
}

}  // namespace ridge::study
