#include "common/view/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/view/chart/svg.h"
#include "common/view/report/content.h"

namespace ridge::report {
namespace {

using namespace chart;

/// Layout width of the charts: the text column; narrower screens scale them.
constexpr float kChartWidth = 1040;
/// On page 1, so that the type is still read where a sheet has 700 px for it.
constexpr float kFrontChartWidth = 920, kFrontFont = 13;
/// Six comparisons, a line each; the ladder beside them, and alone.
constexpr float kFrontForestHeight = 230, kSharedHeight = 350, kAloneHeight = 440;
/// A long text moves what follows to a second sheet: under this height bars cannot be read.
constexpr float kLeastHeight = 230;

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

void write_table(const Table& whole, std::string* out) {
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

/// What page 1 may be high in the charts' own pixels: a sheet of US letter, which is shorter than A4.
constexpr float kSheetHeight = 1190;
constexpr float kLine = 20, kSmallLine = 18, kHead = 38;

float lines_of(const std::string& text, float letters) {
  return std::ceil(std::max<float>(1, static_cast<float>(text.size())) / letters);
}

/// All words of a section, in a column of so many letters.
float words_height(const Section& section, float letters) {
  constexpr float kCommandLetters = 120;
  float height = kHead;
  for (const auto* texts : {&section.paragraphs, &section.bullets})
    for (const std::string& text : *texts) height += kLine * lines_of(text, letters);
  for (const std::string& text : section.commands)
    height += kSmallLine * lines_of(text, kCommandLetters);
  if (section.table && !section.table_behind)
    height += 1.4f * kLine * static_cast<float>(section.table->rows.size() + 1);
  return height;
}

/// The words of page 1: title, headline and sections; machine and caveats stand side by side.
float words_height(const Report& report) {
  constexpr float kLetters = 125, kMachineLetters = 50, kCaveatLetters = 75, kFactLetters = 24;
  constexpr float kTitle = 70, kBox = 66, kMade = 24;
  float height = kTitle + kBox + kMade + kLine * lines_of(report.sentence, kLetters);
  height += kLine * (lines_of(report.subtitle, kLetters) - 1);  // the title has room for one
  constexpr size_t kFactsInRow = 5;
  for (size_t i = 0; i < report.headline.facts.size(); i += kFactsInRow) {
    float most = 0;
    for (size_t k = i; k < std::min(report.headline.facts.size(), i + kFactsInRow); ++k)
      most = std::max(most, lines_of(report.headline.facts[k].second, kFactLetters));
    height += kLine * (most + 1);
  }
  float beside = 0;
  for (const Section& section : report.front) {
    if (section.id == "machine") {
      beside = std::max(beside, words_height(section, kMachineLetters));
    } else if (section.id == "caveats") {
      beside = std::max(beside, words_height(section, kCaveatLetters));
    } else {
      height += words_height(section, kLetters);
    }
  }
  return height + beside;
}

const Section* front_chart(const Report& report, const char* id) {
  for (const Section& section : report.front) {
    if (section.id == id && section.chart) return &section;
  }
  return nullptr;
}

Scene front_scene(const ChartModel& model, float most) {
  LayoutOptions options;
  options.width = kFrontChartWidth;
  options.font_px = kFrontFont;
  Scene scene = layout(model, options);
  if (scene.height > most) {
    options.height = most;
    scene = layout(model, options);
  }
  return scene;
}

/// What the ladder's chart has of the sheet; ladder, comparisons and words share it.
float climb_height(const Report& report) {
  const Section* compared = front_chart(report, "compared");
  const float most = compared ? kSharedHeight : kAloneHeight;
  const float forest = compared ? front_scene(*compared->chart, kFrontForestHeight).height : 0;
  return std::min(most, kSheetHeight - words_height(report) - forest);
}

/// How high the chart may be on page 1. Absent: as high as it likes.
std::optional<float> front_height(const Report& report, const Section& section) {
  if (&section == front_chart(report, "compared")) return kFrontForestHeight;
  if (&section != front_chart(report, "climb")) return std::nullopt;
  return std::max(kLeastHeight, climb_height(report));
}

/// Page 1 has its charts at the width of a sheet; short ladders keep their rows' own height.
void write_chart(const ChartModel& model, std::optional<float> most, std::string* out) {
  LayoutOptions options;
  options.width = kChartWidth;
  const Scene scene = most ? front_scene(model, *most) : layout(model, options);
  *out += "<figure>\n" + to_svg(model, scene, {.embedded = true}) + "</figure>\n";
}

}  // namespace

bool fits_one_sheet(const Report& report) {
  const Section* climb = front_chart(report, "climb");
  if (!climb) return kSheetHeight > words_height(report);
  return climb_height(report) >= front_scene(*climb->chart, kLeastHeight).height;
}

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
  *out += "</div>\n<p>" + escape_xml(report.sentence) + "</p>\n";
  write_facts(headline, out);
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
