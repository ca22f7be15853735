#include "common/view/report/format.h"

namespace ridge::report {
namespace {

/// What Markdown or HTML inside it would take as markup is escaped: names come from files.
std::string escape(const std::string& text) {
  std::string out;
  for (const char sign : text) {
    if (sign == '\n' || sign == '\r') {
      out += ' ';
      continue;
    }
    if (sign == '<') {
      out += "&lt;";
      continue;
    }
    if (std::string("\\`*_[]>|#~&").find(sign) != std::string::npos) out += '\\';
    out += sign;
  }
  return out;
}

void append_table(const Table& table, std::string* out) {
  *out += "|";
  for (const std::string& column : table.columns) *out += " " + escape(column) + " |";
  *out += "\n|";
  for (size_t i = 0; i < table.columns.size(); ++i) {
    *out += i == 0 || table.prose ? " --- |" : " ---: |";
  }
  *out += "\n";
  for (const auto& row : table.rows) {
    *out += "|";
    for (const std::string& cell : row) *out += cell.empty() ? " |" : " " + escape(cell) + " |";
    *out += "\n";
  }
  *out += "\n";
}

void append_section(const Section& section, std::string* out) {
  *out += "## " + escape(section.title) + "\n\n";
  for (const std::string& text : section.paragraphs) *out += escape(text) + "\n\n";
  if (section.chart) *out += "*Chart in words:* " + escape(section.chart->summary) + "\n\n";
  if (section.table) append_table(*section.table, out);
  for (const std::string& text : section.bullets) *out += "- " + escape(text) + "\n";
  if (!section.bullets.empty()) *out += "\n";
  if (section.commands.empty()) return;
  *out += "```\n";
  for (const std::string& text : section.commands) {
    std::string line;
    for (const char sign : text) line += sign == '\n' || sign == '`' ? ' ' : sign;  // stays fenced
    *out += line + "\n";
  }
  *out += "```\n\n";
}

std::string to_markdown(const Report& report) {
  std::string out = "# " + escape(report.title) + "\n\n" + escape(report.subtitle) + "\n\n";
  out += "**" + escape(report.sentence) + "**\n\n";
  for (const Section& section : report.sections) append_section(section, &out);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

RIDGE_FORMAT(markdown, .ending = ".md", .name = "Markdown",
             .about = "text with tables, for a repository or a chat", .place = 20,
             .level = Level::kLearn, .print = to_markdown);

}  // namespace
}  // namespace ridge::report
