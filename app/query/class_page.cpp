#include "app/query/class_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/query/class_sections.h"
#include "app/query/terminal.h"
#include "common/view/chart/svg.h"
#include "common/view/chart/table.h"
#include "common/view/report/html.h"
#include "common/view/report/page.h"

namespace ridge::app {
namespace {

using chart::escape_xml;

std::string joined(const auto& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

/// A spreadsheet runs a cell that begins so: names are typed by those whom the table is about.
std::string cell(const std::string& text) {
  const bool is_formula =
      !text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos;
  return is_formula ? "'" + text : text;
}

std::string figure_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "";
}

}  // namespace

std::string class_html(const ClassRoll& roll) {
  const report::Report report = class_report(roll);
  std::string out = "<header>\n<p class=\"over\">Ridgepoint class</p>\n<h1>" +
                    escape_xml(report.title) + "</h1>\n<p class=\"sub\">" +
                    escape_xml(report.subtitle) + "</p>\n</header>\n<div class=\"front flows\">\n";
  out += report::headline_html(report);
  for (const report::Section& section : report.front) out += report::section_html(report, section);
  out += "</div>\n";
  if (!report.sections.empty()) {
    out += "<details class=\"part results\"><summary>Other problems <span class=\"holds\">" +
           count_of(report.sections.size(), "ladder", "ladders") + "</span></summary>\n";
    for (const report::Section& section : report.sections)
      out += report::section_html(report, section);
    out += "</details>\n";
  }
  return report::html_page("report", report.title, out);
}

std::string class_csv(const ClassRoll& roll) {
  chart::ChartTable table{.columns = {"person",         "handed_in",        "runs",
                                      "unreadable",     "changed",          "machines",
                                      "predictions",    "off_factor",       "slower",
                                      "off_first_half", "off_second_half",  "change",
                                      "after_the_fact", "exercises_solved", "exercises_begun",
                                      "solved",         "quiz_right",       "quiz_wrong",
                                      "cards_known",    "cards_answered"}};
  for (const ClassPerson& person : roll.people) {
    const Foresight& sight = person.foresight;
    const bool is_judged = sight.judged > 0;
    std::vector<std::string> row = {person.label,
                                    joined(person.sources),
                                    std::to_string(person.runs),
                                    std::to_string(person.unreadable),
                                    std::to_string(person.changed),
                                    joined(person.machines),
                                    std::to_string(sight.judged),
                                    is_judged ? figure_text(sight.off) : "",
                                    is_judged ? std::to_string(sight.slower) : "",
                                    figure_text(sight.first_half),
                                    figure_text(sight.second_half),
                                    is_judged ? change_text(sight.change) : "",
                                    std::to_string(sight.after_the_fact),
                                    std::to_string(person.solved.size()),
                                    std::to_string(person.tried.size()),
                                    joined(person.solved),
                                    std::to_string(person.quiz_right),
                                    std::to_string(person.quiz_wrong),
                                    std::to_string(person.cards_known),
                                    std::to_string(person.cards_answered)};
    for (std::string& text : row) text = cell(text);
    table.rows.push_back(std::move(row));
  }
  return chart::to_csv(table);
}

std::string class_text(const ClassRoll& roll) {
  const report::Report report = class_report(roll);
  const report::Table people = people_table(roll);
  std::string text = report.sentence + "\n\n" + table(people.columns, people.rows);
  const bool has_nameless = std::any_of(roll.people.begin(), roll.people.end(),
                                        [](const ClassPerson& person) { return !person.is_named; });
  if (has_nameless)
    text +=
        "“Person 1” and so on: their runs hold no name, and the names of their folders are "
        "withheld. "
        "--csv FILE.csv and --json show each person's folder. A name is typed in Class, as Name in "
        "Report, or given with 'run --name'. Several files of one person without a name belong "
        "into "
        "a folder.\n";
  for (const auto* remarks : {&roll.changed, &roll.copies}) {
    for (const ClassRemark& remark : *remarks) text += remark.error.sentence() + "\n";
  }
  for (const ClassRemark& remark : roll.unreadable)
    text += "left out: " + remark.error.sentence() + "\n";
  return text;
}

Json class_json(const ClassRoll& roll) {
  Json people = Json::array(), left_out = Json::array(), changed = Json::array();
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  for (const ClassPerson& person : roll.people) {
    const Foresight& sight = person.foresight;
    people.push_back(
        {{"person", person.label},
         {"named", person.is_named},
         {"handed_in", person.sources},
         {"runs", person.runs},
         {"machines", person.machines},
         {"predictions", sight.judged},
         {"off_factor", sight.judged > 0 ? Json(sight.off) : Json(nullptr)},
         {"slower", sight.slower},
         {"off_first_half", number(sight.first_half)},
         {"off_second_half", number(sight.second_half)},
         {"change", change_text(sight.change)},
         {"solved", person.solved},
         {"quiz", {{"right", person.quiz_right}, {"wrong", person.quiz_wrong}}},
         {"cards", {{"known", person.cards_known}, {"answered", person.cards_answered}}}});
  }
  for (const auto& [remarks, list] :
       {std::pair(&roll.unreadable, &left_out), std::pair(&roll.changed, &changed)}) {
    for (const ClassRemark& remark : *remarks)
      list->push_back({{"file", remark.error.where}, {"reason", remark.error.what}});
  }
  return {{"ridgepoint", 1},  {"files", roll.files},  {"runs", roll.runs},
          {"people", people}, {"left_out", left_out}, {"changed", changed}};
}

}  // namespace ridge::app
