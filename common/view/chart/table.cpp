#include "common/view/chart/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"

namespace ridge::chart {
namespace {

constexpr std::string_view kThousands = "\u202f";

/// A panel as columns: its values in one unit, as its axis has it.
struct TableColumn {
  const Panel& panel;
  SiPrefix prefix{};
  bool has_interval = false;

  explicit TableColumn(const Panel& of) : panel(of) {
    const Axis& axis = panel.axis;
    if (!axis.is_share && !axis.scientific && !axis.unit.empty() && std::isfinite(axis.low) &&
        axis.low < axis.high)
      prefix = si_prefix(axis.scale == Scale::log && axis.low > 0
                             ? std::sqrt(axis.low) * std::sqrt(axis.high)
                             : std::max(std::abs(axis.low), std::abs(axis.high)));
    has_interval = std::any_of(panel.marks.begin(), panel.marks.end(),
                               [](const Mark& mark) { return mark.interval && !mark.quiet; });
  }
  std::string title() const {
    const std::string unit = panel.axis.is_share ? "%" : prefixed(prefix, panel.axis.unit);
    return panel.title + (unit.empty() ? "" : ", " + unit);
  }
  /// Six digits: a result's own.
  std::string text(double value) const {
    if (!std::isfinite(value)) return "";
    return fmt::format("{:.6g}", value / (panel.axis.is_share ? 0.01 : prefix.factor));
  }
  /// The row's own mark; those beside it (predictions, samples) have none.
  const Mark* mark_of(int row) const {
    const Mark* found = nullptr;
    for (const Mark& mark : panel.marks) {
      if (mark.row != row || mark.quiet || !std::isfinite(mark.value)) continue;
      if (!found || (found->beside && !mark.beside)) found = &mark;
    }
    return found;
  }
  std::string reason(int row) const {
    const auto at = static_cast<size_t>(row);
    const bool own = at < panel.row_reasons.size() && !panel.row_reasons[at].empty();
    return own ? panel.row_reasons[at] : panel.marks.empty() ? panel.empty_reason : "";
  }
};

std::string quoted(const std::string& cell) {
  std::string plain = cell;
  for (size_t at; (at = plain.find(kThousands)) != std::string::npos;)
    plain.erase(at, kThousands.size());
  if (plain.find_first_of(",\"\n\r") == std::string::npos) return plain;
  std::string text = "\"";
  for (const char sign : plain) text += sign == '"' ? std::string("\"\"") : std::string(1, sign);
  return text + "\"";
}

void write_line(const std::vector<std::string>& cells, std::string* out) {
  for (size_t i = 0; i < cells.size(); ++i) *out += (i ? "," : "") + quoted(cells[i]);
  *out += "\r\n";
}

}  // namespace

ChartTable table_of(const ChartModel& model) {
  if (!model.table.columns.empty() || model.panels.empty()) return model.table;
  ChartTable table;
  std::vector<TableColumn> columns;
  for (const Panel& panel : model.panels) columns.emplace_back(panel);
  table.columns = {"Row"};
  for (const TableColumn& column : columns) {
    table.columns.push_back(column.title());
    if (column.has_interval) table.columns.insert(table.columns.end(), {"from", "to"});
  }
  for (size_t i = 0; i < model.rows.size(); ++i) {
    const Row& row = model.rows[i];
    std::vector<std::string> cells = {row.label +
                                      (row.sublabel.empty() ? "" : " (" + row.sublabel + ")")};
    for (const TableColumn& column : columns) {
      const Mark* mark = column.mark_of(static_cast<int>(i));
      cells.push_back(mark ? column.text(mark->value) : column.reason(static_cast<int>(i)));
      if (!column.has_interval) continue;
      const bool known = mark && mark->interval;
      cells.push_back(known ? column.text(mark->interval->low) : "");
      cells.push_back(known ? column.text(mark->interval->high) : "");
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

namespace {

/// A program that reads the file asks for a column by its name: one that stands twice gets that of the column that it
/// belongs to, the last before it with a name of its own.
std::vector<std::string> unique_names(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  std::string owner;
  for (const std::string& column : columns) {
    const bool is_single = std::count(columns.begin(), columns.end(), column) == 1;
    if (is_single) owner = column;
    names.push_back(is_single || owner.empty() ? column : owner + ": " + column);
  }
  return names;
}

}  // namespace

std::string to_csv(const ChartTable& table) {
  std::string text;
  write_line(unique_names(table.columns), &text);
  for (const auto& row : table.rows) write_line(row, &text);
  return text;
}

}  // namespace ridge::chart
