// A published table as a report has it: what this run made of its rows, what is missing, and what the
// figures teach.
#include <algorithm>

#include "app/published.h"
#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

using Source = PublishedRow::Source;

/// What was set on top of the table's parameters, read back from what the request asked for.
Params given_of(const Table& table, const Run& run, int64_t request) {
  Params given;
  for (const auto& [name, printed] : table.params) {
    for (const TableRow& row : table.rows) {
      if (row.params.count(name) > 0 || given.count(name) > 0) continue;
      for (const Series& series : run.series()) {
        if (series.request != request || series.kernel != row.kernel) continue;
        const Params asked = asked_params(series);
        const auto found = asked.find(name);
        if (found != asked.end() && found->second != printed) given[name] = found->second;
      }
    }
  }
  // Rows of the same rung in another type are other rows.
  given.erase("dtype");
  return given;
}

std::string how(const PublishedRow& row) {
  return row.source == Source::measured ? "measured" : row.note;
}

std::vector<std::string> cells_of(const PublishedRow& row) {
  std::vector<std::string> cells = {row.row->title, row.row->machine,
                                    row.row->printed_ns ? format_time_ns(*row.row->printed_ns) : "",
                                    rate_text(row.printed_flop_per_s)};
  if (row.source == Source::missing) {
    cells.push_back("unavailable: " + row.note);
  } else {
    const QualityCheck* check = row.series->quality();
    const std::string error = check ? format_scientific(check->nmse) : "";
    for (const std::string& cell : {format_time_ns(row.time_ns), format_time_interval(row.ci_ns),
                                    rate_text(row.flop_per_s), error, how(row)}) {
      cells.push_back(cell);
    }
  }
  return cells;
}

report::Section table_section(const Table& table, const std::vector<PublishedRow>& rows,
                              const Params& given) {
  report::Section section{.id = "table-" + std::string(table.id),
                          .title = "A published table, run again"};
  section.paragraphs.push_back(std::string(table.id) + ": " + table.title + ".");
  if (!given.empty()) {
    section.paragraphs.push_back("Printed: " + to_string(table.params) +
                                 ". Here: " + to_string(given) + ".");
  }
  section.table = report::Table{.columns = {"Row", "Printed for", "Printed", "That is", "Here",
                                            "95 % interval", "That is", "Error, NMSE", "How"}};
  for (const PublishedRow& row : rows) {
    section.table->rows.push_back(cells_of(row));
    section.table->rows.back().resize(section.table->columns.size());
    if (row.source == Source::missing && !row.brings.empty())
      section.bullets.push_back(std::string(row.row->title) + " takes " + row.brings + ".");
  }
  return section;
}

}  // namespace

std::vector<report::Section> published_sections(const Lab& lab, const Run& run) {
  const auto& requests = run.requests();
  const auto asked = std::find_if(requests.rbegin(), requests.rend(), [&](const Request& request) {
    return request.lab == lab.id && !request.table.empty();
  });
  if (asked == requests.rend()) return {};
  const auto table = require_table(lab, asked->table);
  if (!table) return {};
  const Params given = given_of(**table, run, asked->id);
  std::vector<report::Section> sections;
  // Recordings stand in for nothing here: the report is of this run.
  sections.push_back(table_section(**table, fill_table(**table, run, asked->id, {}, given), given));
  report::Section lessons{.id = "calibration", .title = "What that table teaches about figures"};
  for (const TableLesson& lesson : (*table)->lessons)
    lessons.bullets.push_back(std::string(lesson.title) + ". " + lesson.text);
  sections.push_back(std::move(lessons));
  return sections;
}

}  // namespace ridge::app
