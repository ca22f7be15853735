// One page that stands alone (page.h): verdict, figures, charts, tables.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/core/format.h"
#include "common/view/chart/svg.h"
#include "common/view/report/content.h"
#include "common/view/report/format.h"
#include "common/view/report/html.h"
#include "common/view/report/page.h"
#include "common/view/report/sheet.h"

namespace ridge::report {
namespace {

using chart::escape_xml;

/// One fold for each part; page.cpp says which of them paper has.
void write_appendix(const Report& report, std::string* out) {
  std::string folds;
  for (const auto& [part, name] :
       {std::pair(Part::results, "results"), std::pair(Part::charts, "charts"),
        std::pair(Part::method, "method")}) {
    std::string sections, titles;
    for (const Section& section : report.sections) {
      if (section.part != part) continue;
      sections += section_html(report, section);
      titles += (titles.empty() ? "" : " · ") + section.title;
    }
    if (sections.empty()) continue;
    folds += fmt::format(
        "<details class=\"part {}\"><summary>{} <span "
        "class=\"holds\">{}</span></summary>\n{}</details>\n",
        name, title_of(part), escape_xml(titles), sections);
  }
  *out += "<h2 class=\"appendix\">Appendix</h2>\n" + folds;
}

/// A printed copy is page 1. Who wants the appendix on paper says so; the page's style needs no script for it.
constexpr const char* kSwitch =
    "<label class=\"switch\"><input type=\"checkbox\" id=\"everything\"> Print everything, the "
    "appendix too</label>\n";

std::string about_html(const Report& report) {
  return report.about.empty() ? "" : "<p class=\"about\">" + escape_xml(report.about) + "</p>\n";
}

std::string to_html(const Report& report) {
  std::string out = "<header>\n<p class=\"over\">Ridgepoint report</p>\n<h1>" +
                    escape_xml(report.title) + "</h1>\n<p class=\"sub\">" +
                    escape_xml(report.subtitle) + "</p>\n" + about_html(report) + kSwitch +
                    "</header>\n<div class=\"front" + (fits_one_sheet(report) ? "" : " flows") +
                    "\">\n";
  out += headline_html(report);
  for (const Section& section : report.front) out += section_html(report, section);
  out += "<p class=\"made\">Made by Ridgepoint from ";
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    out += (i ? " and " : "") + escape_xml(report.inputs[i].name);
  }
  out +=
      ".<span class=\"told\"> Every figure comes from those lines; what is not there is said to be "
      "unavailable.</span>"
      "<span class=\"paper unprinted\"> Not printed: what is folded in the appendix. The box "
      "“Print "
      "everything” in the HTML page prints it.</span></p>\n</div>\n";
  write_appendix(report, &out);  // nothing follows it: one line would have a sheet of its own
  return html_page("report", report.title, out);
}

RIDGE_FORMAT(html, .ending = ".html", .name = "HTML",
             .about = "a page that stands alone, for a browser", .place = 10,
             .level = Level::kLearn, .print = to_html);

}  // namespace
}  // namespace ridge::report
