// Traps as text for a terminal: the lie beside the honest figure, then what the guard said.
#include <fmt/format.h>

#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/record/trap.h"

namespace ridge::app {
namespace {

std::vector<std::string> row_of(const Series& series) {
  std::vector<std::string> row(7);
  row[0] = short_name(series.kernel);
  if (!series.trap || series.status == SeriesStatus::failed) return row;
  const TrapOutcome& trap = *series.trap;
  return {row[0],
          reading_text(trap, trap.lie.median),
          reading_interval_text(trap, trap.lie),
          reading_text(trap, trap.honest.median),
          reading_interval_text(trap, trap.honest),
          bias_text(trap),
          trap.caught ? "caught" : "not caught"};
}

}  // namespace

std::string traps_text(const std::vector<const Series*>& traps) {
  std::vector<std::vector<std::string>> rows;
  std::string notes;
  for (const Series* series : traps) {
    rows.push_back(row_of(*series));
    if (!series->trap) continue;
    const TrapOutcome& trap = *series->trap;
    notes += fmt::format("  {}: {} of {}\n    {}\n", short_name(series->kernel), trap.quantity,
                         trap.victim, guard_text(trap));
  }
  return table({"trap", "the lie", "95 %", "honest", "95 %", "the lie reads", "guard"}, rows) +
         (notes.empty() ? "" : "\n" + notes);
}

}  // namespace ridge::app
