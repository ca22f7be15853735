#include "common/record/error_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge {
namespace {

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits)
         : std::isnan(value)  ? "not a number (NaN)"
                              : "infinite";
}

/// "rows 4 to 7", "row 4": of `count` rows in cells of `each`.
std::string range_text(const std::string& name, int64_t cell, int64_t each, int64_t count) {
  const int64_t first = cell * each, last = std::min(first + each, count) - 1;
  return first == last ? fmt::format("{} {}", name, first)
                       : fmt::format("{}s {} to {}", name, first, last);
}

int64_t lines_of(int64_t count, int64_t cells) {
  return cells > 0 ? (count + cells - 1) / cells : 1;
}

}  // namespace

std::string error_map_text(const ErrorMap& map) {
  if (map.wrong == 0) return "No single element stands out; together they are off by too much.";
  // As many digits as tell the two apart.
  int digits = 6;
  while (digits < 17 && number(map.value, digits) == number(map.expected, digits)) ++digits;
  return fmt::format("{} of {} elements {} wrong; the first is {} {}, {} {}: {}, and {} is right.",
                     map.wrong, map.rows * map.columns, map.wrong == 1 ? "is" : "are", map.row_name,
                     map.row, map.column_name, map.column, number(map.value, digits),
                     number(map.expected, digits));
}

std::string error_cell_text(const ErrorMap& map, int64_t cell_row, int64_t cell_column) {
  const auto at = static_cast<size_t>(cell_row * map.cell_columns + cell_column);
  if (at >= map.cells.size()) return "";
  const std::string where =
      range_text(map.row_name, cell_row, lines_of(map.rows, map.cell_rows), map.rows) + ", " +
      range_text(map.column_name, cell_column, lines_of(map.columns, map.cell_columns),
                 map.columns);
  const double error = map.cells[at];
  if (error < 0) return where + ": NaN or infinite";
  if (error == 0) return where + ": right";
  return where + fmt::format(": off by up to {:.2g} times the output's root mean square", error);
}

const ErrorMap* error_map_of(const SeriesFacts& series) {
  for (const QualityCheck& check : series.checks) {
    if (!check.passed && check.errors) return &*check.errors;
  }
  return nullptr;
}

}  // namespace ridge
