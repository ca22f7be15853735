// One page that stands alone (page.h): verdict, figures, charts, tables.
#include <fmt/format.h>

#include <cmath>

#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/view/chart/svg.h"
#include "common/view/report/content.h"
#include "common/view/report/format.h"
#include "common/view/report/page.h"

namespace ridge::report {
namespace {

using namespace chart;

/// Layout width of the charts: the text column; narrower screens scale them.
constexpr float kChartWidth = 1040;

const char* verdict_class(const Claim& claim) {
  if (!claim.paired && claim.decision.verdict != Verdict::invalid) return "none";
  switch (claim.decision.verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::invalid:
      return "invalid";
    default:
      return "same";
  }
}

std::string headline(const Claim& claim) {
  const double ratio = claim.comparison.ratio;
  if (claim.decision.verdict == Verdict::invalid) return "✕ Invalid";
  if (!claim.paired) return "Not paired: no claim";
  switch (claim.decision.verdict) {
    case Verdict::faster:
      return "▲ " + format_ratio(ratio) + " as fast";
    case Verdict::slower:
      return "▼ " + format_ratio(ratio) + " as fast";
    case Verdict::same:
      return "= Same";
    default:
      return "? Unresolved";
  }
}

std::string decision_words(const std::string& decision) {
  if (decision == "adopt") return "Adopt";
  if (decision == "keep") return "Keep the baseline";
  if (decision == "reject") return "Reject";
  return decision == "measure_more" ? "Measure more" : "";
}

void write_facts(const Claim& claim, std::string* out) {
  const Decision& decision = claim.decision;
  const bool invalid = decision.verdict == Verdict::invalid;
  const std::string why = invalid ? unavailable("a failed check leaves no speed") : "";
  auto fact = [&](const char* name, const std::string& value) {
    *out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escape_xml(value));
  };
  if (!claim.paired) return;
  *out += "<dl>\n";
  fact("Throughput", decision.throughput && std::isfinite(decision.throughput->value)
                         ? format_rate(decision.throughput->value, decision.throughput->unit)
                     : invalid ? why
                               : unavailable("no usable time per call"));
  fact("p95 latency", decision.p95_latency_ns ? format_time_ns(*decision.p95_latency_ns)
                      : invalid               ? why
                                              : unavailable("too few latency samples, needs 59"));
  fact("Quality delta",
       decision.quality_delta
           ? format_scientific(*decision.quality_delta) + " " +
                 (decision.quality_metric == "nmse" ? "NMSE" : decision.quality_metric)
           : unavailable("one side has no check"));
  fact("Quality limit",
       decision.quality_limit.empty() ? unavailable("none is recorded") : decision.quality_limit);
  fact("Division", decision.division == "closed" ? "closed: the same mathematics"
                                                 : "open: another precision or model");
  *out += "</dl>\n";
}

void write_verdict(const Report& report, std::string* out) {
  if (report.claims.empty()) {
    *out += "<div class=\"verdict\"><p>" + escape_xml(report.sentence) + "</p></div>\n";
    return;
  }
  const Claim& claim = report.claims.back();
  *out +=
      fmt::format("<div class=\"verdict {}\">\n<div class=\"row\"><span class=\"big\">{}</span>",
                  verdict_class(claim), escape_xml(headline(claim)));
  const bool has_ratio = claim.paired && claim.decision.verdict != Verdict::invalid;
  if (has_ratio) {
    *out +=
        "<span class=\"interval\">" +
        escape_xml(fmt::format("95 % interval {} · {} · margin {}",
                               format_ratio_interval(claim.comparison.ci),
                               rounds_text(claim.comparison),
                               format_percent_width(claim.comparison.margin))) +
        "</span>";
  }
  const std::string words = decision_words(claim.decision.decision);
  if (!words.empty()) *out += "<span class=\"decision\">" + words + "</span>";
  *out += "</div>\n<p>" + escape_xml(report.sentence) + "</p>\n";
  write_facts(claim, out);
  *out += "</div>\n";
}

bool is_figure(const Table& table, size_t column, const std::string& cell) {
  if (column == 0 || table.prose || cell.empty()) return false;
  return (cell[0] >= '0' && cell[0] <= '9') || cell[0] == '[' || cell[0] == '-' ||
         cell.starts_with("±");
}

void write_table(const Table& table, std::string* out) {
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
      const bool none = row[i].starts_with("unavailable: ");
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
}

void write_section(const Section& section, std::string* out) {
  *out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, escape_xml(section.title));
  for (const std::string& text : section.paragraphs) *out += "<p>" + escape_xml(text) + "</p>\n";
  if (section.chart) {
    LayoutOptions layout_options;
    layout_options.width = kChartWidth;
    *out +=
        "<figure>\n" + to_svg(*section.chart, layout_options, {.embedded = true}) + "</figure>\n";
  }
  if (section.table && section.table_behind) {
    *out += "<details><summary>The figures behind it</summary>\n";
    write_table(*section.table, out);
    *out += "</details>\n";
  } else if (section.table) {
    write_table(*section.table, out);
  }
  if (!section.bullets.empty()) {
    *out += "<ul>\n";
    for (const std::string& text : section.bullets) *out += "<li>" + escape_xml(text) + "</li>\n";
    *out += "</ul>\n";
  }
  if (!section.commands.empty()) {
    *out += "<pre>";
    for (const std::string& text : section.commands) *out += escape_xml(text) + "\n";
    *out += "</pre>\n";
  }
  *out += "</section>\n";
}

std::string to_html(const Report& report) {
  std::string out = "<header>\n<p class=\"over\">Ridgepoint report</p>\n<h1>" +
                    escape_xml(report.title) + "</h1>\n<p class=\"sub\">" +
                    escape_xml(report.subtitle) + "</p>\n</header>\n";
  write_verdict(report, &out);
  for (const Section& section : report.sections) write_section(section, &out);
  out += "<footer>Made by Ridgepoint from ";
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    out += (i ? " and " : "") + escape_xml(report.inputs[i].name);
  }
  out +=
      ". Every figure comes from those lines; what is not there is said to be "
      "unavailable.</footer>\n";
  return html_page("report", report.title, out);
}

RIDGE_FORMAT(html, .ending = ".html", .name = "HTML",
             .about = "a page that stands alone, for a browser", .place = 10,
             .level = Level::kLearn, .print = to_html);

}  // namespace
}  // namespace ridge::report
