// The traps of a run: the lie beside the honest figure, the factor between, and the guard's sentence.
#include <fmt/format.h>

#include "common/core/format.h"
#include "common/record/ratio_text.h"
#include "common/record/trap.h"
#include "common/view/report/content.h"

namespace ridge::report {

std::vector<Section> trap_sections(const Material& material) {
  Section section{.id = "traps", .title = "The lie and the honest figure"};
  section.paragraphs = {
      "Each trap measures one quantity of one victim in two ways, in turns. Medians and their 95 % "
      "intervals; the factor is judged like a comparison, from the rounds' paired ratios. A figure "
      "in the guard's words is from a measurement of its own, so it need not lie in the honest "
      "figure's interval."};
  Table table{.columns = {"Trap", "Quantity", "The lie", "95 % interval", "Honest", "95 % interval",
                          "The lie reads", "95 % interval of lie / honest", "The guard"}};
  for (const Line& line : material.lines) {
    if (!is_trap(line)) continue;
    std::vector<std::string> row = {line.label};
    if (!line.problem.empty() || !line.series->trap) {
      row.push_back(unavailable(line.problem));
    } else {
      const TrapOutcome& trap = *line.series->trap;
      row.insert(row.end(),
                 {trap.quantity + " of " + trap.victim, reading_text(trap, trap.lie),
                  reading_interval_text(trap, trap.lie), reading_text(trap, trap.honest),
                  reading_interval_text(trap, trap.honest), bias_text(trap),
                  ratio_interval_text(trap.ci, trap.margin), trap.guard + "; " + guard_text(trap)});
    }
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return {};
  table.prose = true;
  section.table = std::move(table);
  return {section};
}

}  // namespace ridge::report
