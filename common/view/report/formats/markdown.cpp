#include <algorithm>
#include <optional>

#include "common/view/chart/table.h"
#include "common/view/report/escape.h"
#include "common/view/report/format.h"

namespace ridge::report {
namespace {

void append_table(const Table& whole, std::string* out) {
  const auto [table, notes] = footnoted(whole);
  *out += "|";
  for (const std::string& column : table.columns) *out += " " + escape_markdown(column) + " |";
  *out += "\n|";
  for (size_t i = 0; i < table.columns.size(); ++i) {
    *out += i == 0 || table.prose ? " --- |" : " ---: |";
  }
  *out += "\n";
  for (const auto& row : table.rows) {
    *out += "|";
    for (const std::string& cell : row)
      *out += cell.empty() ? " |" : " " + escape_markdown(cell) + " |";
    *out += "\n";
  }
  *out += "\n";
  for (const std::string& note : notes) *out += escape_markdown(note) + "\n\n";
}

/// A chart in words is its table. Without one it is its summary, where that is short, else the table of its marks.
void append_chart(const Section& section, std::string* out) {
  constexpr size_t kShort = 240;
  if (section.table) return;
  const chart::ChartModel& model = *section.chart;
  if (model.summary.size() <= kShort) {
    *out += "*Chart in words:* " + escape_markdown(model.summary) + "\n\n";
    return;
  }
  chart::ChartTable table = chart::table_of(model);
  append_table({.columns = std::move(table.columns), .rows = std::move(table.rows)}, out);
}

/// Indented: no line of the text can end a block that has no fence.
void append_code(const std::string& code, std::string* out) {
  if (code.empty()) return;
  for (size_t at = 0; at < code.size();) {
    const size_t end = std::min(code.find('\n', at), code.size());
    *out += "    " + code.substr(at, end - at) + "\n";
    at = end + 1;
  }
  *out += "\n";
}

void append_section(const Section& section, const char* level, std::string* out) {
  *out += std::string(level) + " " + escape_markdown(section.title) + "\n\n";
  for (const std::string& text : section.paragraphs) *out += escape_markdown(text) + "\n\n";
  if (section.chart) append_chart(section, out);
  if (section.table) append_table(*section.table, out);
  for (const std::string& text : section.bullets) *out += "- " + escape_markdown(text) + "\n";
  if (!section.bullets.empty()) *out += "\n";
  append_code(section.code, out);
  if (section.commands.empty()) return;
  *out += "```\n";
  for (const std::string& text : section.commands) {
    std::string line;
    for (const char sign : text) line += sign == '\n' || sign == '`' ? ' ' : sign;  // stays fenced
    *out += line + "\n";
  }
  *out += "```\n\n";
}

void append_headline(const Report& report, std::string* out) {
  const Headline& headline = report.headline;
  *out += "**" + escape_markdown(headline.figure) + "**";
  for (const std::string& more : {headline.interval, headline.decision})
    *out += more.empty() ? "" : " · " + escape_markdown(more);
  *out += "\n\n" + escape_markdown(report.sentence) + "\n\n";
  for (const auto& [name, value] : headline.facts)
    *out += "- " + escape_markdown(name) + ": " + escape_markdown(value) + "\n";
  if (!headline.facts.empty()) *out += "\n";
}

std::string to_markdown(const Report& report) {
  std::string out =
      "# " + escape_markdown(report.title) + "\n\n" + escape_markdown(report.subtitle) + "\n\n";
  if (!report.about.empty()) out += escape_markdown(report.about) + "\n\n";
  append_headline(report, &out);
  for (const Section& section : report.front) append_section(section, "##", &out);
  std::optional<Part> part;
  for (const Section& section : report.sections) {
    if (section.part != part) out += std::string("## Appendix: ") + title_of(section.part) + "\n\n";
    part = section.part;
    append_section(section, "###", &out);
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

RIDGE_FORMAT(markdown, .ending = ".md", .name = "Markdown",
             .about = "text with tables, for a repository or a chat", .place = 20,
             .level = Level::kLearn, .print = to_markdown);

}  // namespace
}  // namespace ridge::report
