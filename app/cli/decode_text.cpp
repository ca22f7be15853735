// A decoding model as text for a terminal and as JSON (docs/schema/decode.schema.json).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "app/query/decode.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json parts_json(const std::vector<DecodePart>& parts) {
  Json list = Json::array();
  for (const DecodePart& part : parts) {
    list.push_back({{"part", part.title},
                    {"shape", part.shape},
                    {"calls", part.calls},
                    {"bytes", part.bytes},
                    {"time_s", or_null(part.time_s)},
                    {"energy_j", or_null(part.energy_j)},
                    {"how", part.how}});
  }
  return list;
}

Json type_json(const DecodeWith& with, double tokens) {
  const chart::DecodeRow& row = with.row;
  const auto per_s = [&](double step_s) { return tokens / step_s; };
  const auto rate = [&](const std::optional<double>& step_s) {
    return step_s ? Json(per_s(*step_s)) : Json(nullptr);
  };
  Json unavailable = Json::object();
  if (!row.step_s) unavailable["tokens_per_s"] = row.why;
  if (!row.floor_s) unavailable["floor_tokens_per_s"] = row.why_no_floor;
  if (!row.energy_j) unavailable["joules_per_token"] = row.step_s ? row.why_no_energy : row.why;
  return {{"dtype", with.type->dtype},
          {"kernel", with.kernel.empty() ? Json(nullptr) : Json(with.kernel)},
          {"tokens_per_s", rate(row.step_s)},
          {"ci_low", row.step_ci_s ? Json(per_s(row.step_ci_s->high)) : Json(nullptr)},
          {"ci_high", row.step_ci_s ? Json(per_s(row.step_ci_s->low)) : Json(nullptr)},
          {"floor_tokens_per_s", rate(row.floor_s)},
          {"of_floor", or_null(chart::share_of_floor(row))},
          {"joules_per_token", row.energy_j ? Json(*row.energy_j / tokens) : Json(nullptr)},
          {"weight_bytes", row.weight_bytes},
          {"cache_bytes", row.cache_bytes},
          {"measured_here", row.exact},
          {"how", row.how},
          {"unavailable", unavailable},
          {"parts", parts_json(with.parts)}};
}

/// The reasons of a column's missing figures, each once with the rows that it holds for; in their cells a
/// dash.
std::string take_reasons(const std::string& column_name, size_t column,
                         std::vector<std::vector<std::string>>* rows) {
  std::map<std::string, std::vector<std::string>> of;
  for (auto& row : *rows) {
    if (!row[column].starts_with(chart::kUnavailable)) continue;
    of[row[column]].push_back(row.front());
    row[column] = kNone;
  }
  std::string text;
  for (const auto& [reason, names] : of)
    text += fmt::format("{} {} ({})\n", column_name, reason, fmt::join(names, "; "));
  return text;
}

}  // namespace

std::string decode_text(const Decode& decode) {
  const chart::ChartModel model = chart_of(decode);
  auto columns = model.table.columns;
  auto rows = model.table.rows;
  std::string notes;
  for (size_t i = 0; i < rows.size(); ++i) {
    const chart::DecodeRow& row = decode.types[i].row;
    if (row.step_s && !row.exact) notes += rows[i].front() + ": " + rows[i].back() + "\n";
    rows[i].pop_back();
  }
  columns.pop_back();
  for (size_t column = 1; column < columns.size(); ++column)
    notes += take_reasons(columns[column], column, &rows);
  return model.title + "\n" + model.subtitle + "\n" + table(columns, rows) + notes + model.summary +
         "\n";
}

Json decode_json(const Decode& decode) {
  Json types = Json::array();
  for (const DecodeWith& with : decode.types)
    types.push_back(type_json(with, decode.options.tokens));
  const auto& machine = decode.options.machine;
  return {{"model", params_to_json(to_params(decode.shape))},
          {"tokens", decode.options.tokens},
          {"bytes_per_s", or_null(decode.options.bytes_per_s)},
          {"recorded_on", machine.empty() ? Json(nullptr) : Json(machine)},
          {"types", types}};
}

}  // namespace ridge::app
