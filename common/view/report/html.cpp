#include "common/view/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/core/format.h"
#include "common/view/chart/svg.h"
#include "common/view/report/content.h"
#include "common/view/report/sheet.h"

namespace ridge::report {
namespace {

using namespace chart;

/// Layout width of the charts: the text column; narrower screens scale them.
constexpr float kChartWidth = 1040;

void write_facts(const Headline& headline, std::string* out) {
  if (headline.facts.empty()) return;
  *out += "<dl>\n";
  for (const auto& [name, value] : headline.facts) {
    *out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_xml(name), escape_xml(value));
  }
  *out += "</dl>\n";
}

bool is_figure(const Table& table, size_t column, const std::string& cell) {
  if (column == 0 || table.prose || cell.empty()) return false;
  if (cell[0] == '[' || cell[0] == '-' || cell.starts_with("±")) return true;
  return cell[0] >= '0' && cell[0] <= '9' && cell.find(", ") == std::string::npos;  // "20, noisy"
}

/// A table of more columns than a page holds beside each other, as several that each begin with the first column.
std::vector<Table> parts_of(const Table& whole) {
  constexpr size_t kMost = 9, kEach = 4;
  if (whole.columns.size() <= kMost) return {whole};
  std::vector<Table> parts;
  for (size_t from = 1; from < whole.columns.size(); from += kEach) {
    const size_t to = std::min(from + kEach, whole.columns.size());
    const auto cut = [&](const std::vector<std::string>& row) {
      std::vector<std::string> cells = {row.front()};
      for (size_t i = from; i < to; ++i) cells.push_back(row[i]);
      return cells;
    };
    Table part{.columns = cut(whole.columns), .prose = whole.prose};
    for (const auto& row : whole.rows) part.rows.push_back(cut(row));
    parts.push_back(std::move(part));
  }
  return parts;
}

void write_part(const Table& whole, std::string* out) {
  const auto [table, notes] = footnoted(whole);
  *out += fmt::format("<div class=\"scroll\"><table{}>\n<thead><tr>",
                      table.prose ? " class=\"prose\"" : "");
  for (const std::string& column : table.columns) {
    *out += "<th scope=\"col\">" + escape_xml(column) + "</th>";
  }
  *out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    *out += "<tr>";
    for (size_t i = 0; i < row.size();) {
      size_t end = i + 1;
      const bool none = row[i].starts_with("unavailable: ") || row[i].starts_with(kNone);
      while (none && end < row.size() && row[end].empty())
        ++end;  // a reason takes the room it needs
      const char* kind = i == 0                        ? " class=\"label\""
                         : none                        ? " class=\"none\""
                         : is_figure(table, i, row[i]) ? " class=\"figure\""
                                                       : "";
      const std::string span = end - i > 1 ? fmt::format(" colspan=\"{}\"", end - i) : "";
      *out += fmt::format("<td{}{}>{}</td>", kind, span, escape_xml(row[i]));
      i = end;
    }
    *out += "</tr>\n";
  }
  *out += "</tbody></table></div>\n";
  for (const std::string& note : notes) *out += "<p class=\"note\">" + escape_xml(note) + "</p>\n";
}

void write_table(const Table& whole, std::string* out) {
  for (const Table& part : parts_of(whole)) write_part(part, out);
}

/// An option stays in one line, a list of rungs may break after each of them.
std::string breakable(const std::string& command) {
  std::string out;
  size_t start = 0;
  while (start < command.size()) {
    const size_t end = std::min(command.find(' ', start), command.size());
    const std::string word = escape_xml(command.substr(start, end - start));
    if (!out.empty()) out += ' ';
    if (word.starts_with("--")) {
      out += "<span class=\"word\">" + word + "</span>";
    } else {
      for (const char sign : word) out += sign == ',' ? ",<wbr>" : std::string(1, sign);
    }
    start = end + 1;
  }
  return out;
}

/// Page 1 has its charts at the width of a sheet; short ladders keep their rows' own height.
void write_chart(const ChartModel& model, std::optional<float> most, std::string* out) {
  LayoutOptions options;
  options.width = kChartWidth;
  options.is_paper = true;
  const Scene scene = most ? front_scene(model, *most) : layout(model, options);
  *out += "<figure>\n" + to_svg(model, scene, {.embedded = true}) + "</figure>\n";
}

}  // namespace

std::string headline_html(const Report& report) {
  std::string text, *out = &text;
  const Headline& headline = report.headline;
  *out +=
      fmt::format("<div class=\"verdict {}\">\n<div class=\"row\"><span class=\"big\">{}</span>",
                  headline.tone, escape_xml(headline.figure));
  if (!headline.interval.empty())
    *out += "<span class=\"interval\">" + escape_xml(headline.interval) + "</span>";
  if (!headline.decision.empty())
    *out += "<span class=\"decision\">" + escape_xml(headline.decision) + "</span>";
  *out += "</div>\n<p>" + escape_xml(report.lead) + "</p>\n";
  write_facts(headline, out);
  if (!report.rest.empty()) *out += "<p class=\"rest\">" + escape_xml(report.rest) + "</p>\n";
  *out += "</div>\n";
  return text;
}

std::string section_html(const Report& report, const Section& section) {
  std::string text, *out = &text;
  const bool is_front =
      &section >= report.front.data() && &section < report.front.data() + report.front.size();
  *out += fmt::format("<section id=\"{}\">\n<{}>{}</{}>\n", section.id, is_front ? "h2" : "h3",
                      escape_xml(section.title), is_front ? "h2" : "h3");
  for (const std::string& words : section.paragraphs) *out += "<p>" + escape_xml(words) + "</p>\n";
  if (section.chart) write_chart(*section.chart, front_height(report, section), out);
  if (section.table && section.table_behind) {
    *out += "<details class=\"behind\"><summary>The figures behind it</summary>\n";
    write_table(*section.table, out);
    *out += "</details>\n";
  } else if (section.table) {
    write_table(*section.table, out);
  }
  if (!section.bullets.empty()) {
    *out += "<ul>\n";
    for (const std::string& words : section.bullets) *out += "<li>" + escape_xml(words) + "</li>\n";
    *out += "</ul>\n";
  }
  if (!section.commands.empty()) {
    *out += "<pre>";
    for (const std::string& words : section.commands) *out += breakable(words) + "\n";
    *out += "</pre>\n";
  }
  if (!section.code.empty()) *out += "<pre>" + escape_xml(section.code) + "</pre>\n";
  *out += "</section>\n";
  return text;
}

}  // namespace ridge::report
