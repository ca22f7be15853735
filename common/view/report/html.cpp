// One page that stands alone: inline style, inline SVG, no script, nothing fetched. It follows the
// reader's theme on screen and is light on paper.
#include <fmt/format.h>

#include <cmath>

#include "common/core/format.h"
#include "common/view/chart/svg.h"
#include "common/view/report/content.h"

namespace ridge::report {
namespace {

using namespace chart;

/// Layout width of the charts: the text column; narrower screens scale them.
constexpr float kChartWidth = 1040;

constexpr const char* kStyle = R"(
*{box-sizing:border-box}
html{color-scheme:light dark}
@media print{html{color-scheme:light}}
body{margin:0;background:var(--canvas);color:var(--text);
font:450 16px/1.6 Inter,system-ui,'Segoe UI',Roboto,sans-serif}
main{max-width:1088px;margin:0 auto;padding:56px 24px 96px}
.over{color:var(--muted);font-size:14px;margin:0 0 8px}
h1{font-size:32px;line-height:1.25;font-weight:650;letter-spacing:-.015em;margin:0 0 6px}
h2{font-size:20px;line-height:1.3;font-weight:650;letter-spacing:-.01em;margin:0 0 12px}
p{margin:0 0 12px;max-width:74ch}
.sub{color:var(--muted);margin:0 0 32px}
section{margin-top:56px}
.verdict{background:var(--panel);border-radius:8px;padding:28px 32px 24px}
.verdict .row{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 20px;margin-bottom:12px}
.big{font-size:40px;line-height:1.15;font-weight:700;letter-spacing:-.02em}
.faster .big{color:var(--faster)}.slower .big{color:var(--slower)}.invalid .big{color:var(--slower)}
.decision{font-weight:600}
.interval{font:500 15px 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace;color:var(--muted)}
.verdict p{font-size:17px;margin:0}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(164px,1fr));gap:16px 24px;margin:24px 0 0}
dt{color:var(--muted);font-size:13px}
dd{margin:0;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:8px 0 0}
th{font-size:13px;font-weight:500;color:var(--muted);text-align:left;vertical-align:bottom;
padding:6px 20px 8px 0;border-bottom:1px solid var(--grid)}
td{padding:9px 20px 9px 0;border-bottom:1px solid var(--grid);vertical-align:baseline}
th:last-child,td:last-child{padding-right:0}
tbody tr:last-child td{border-bottom:0}
td.figure{font:500 14px/1.5 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace;
font-variant-numeric:tabular-nums;white-space:nowrap}
td.none{color:var(--muted);font-size:14px}
td.label{font-weight:500}
.prose td.label,.prose th:first-child{width:210px}
.prose td.label{color:var(--muted);font-weight:450}
figure{margin:16px 0 20px;background:var(--panel);border-radius:8px;padding:8px 4px;overflow-x:auto}
figure svg{display:block;width:100%;min-width:720px;height:auto}
details{margin:0 0 20px}
summary{color:var(--muted);font-size:14px;cursor:pointer;width:max-content}
summary:hover{color:var(--text)}
ul{margin:12px 0 0;padding-left:20px}
li{margin:2px 0}
pre{background:var(--panel);border-radius:8px;padding:16px 20px;margin:0;white-space:pre-wrap;
overflow-wrap:anywhere;font:450 14px/1.7 'JetBrains Mono',ui-monospace,Menlo,Consolas,monospace}
footer{margin-top:64px;color:var(--muted);font-size:14px}
@media print{main{max-width:none;padding:0}section{break-inside:avoid;margin-top:32px}
figure,.verdict,pre{border:1px solid var(--grid)}}
)";

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
        escape_xml(fmt::format("95 % interval {} · {} rounds · margin {}",
                               format_ratio_interval(claim.comparison.ci), claim.comparison.rounds,
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

}  // namespace

std::string to_html(const Report& report) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>" +
      escape_xml(report.title) + "</title>\n<style>\n" + theme_css(":root") + kStyle + svg_css() +
      "</style>\n</head>\n<body>\n<main>\n<header>\n<p class=\"over\">Ridgepoint report</p>\n<h1>" +
      escape_xml(report.title) + "</h1>\n<p class=\"sub\">" + escape_xml(report.subtitle) +
      "</p>\n</header>\n";
  write_verdict(report, &out);
  for (const Section& section : report.sections) write_section(section, &out);
  out += "<footer>Made by Ridgepoint from ";
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    out += (i ? " and " : "") + escape_xml(report.inputs[i].name);
  }
  return out +
         ". Every figure comes from those lines; what is not there is said to be unavailable."
         "</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace ridge::report
