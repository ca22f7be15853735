// The report in a few lines of plain text.
#include <algorithm>

#include "common/view/report/report.h"

namespace ridge::report {
namespace {

const Section* front_section(const Report& report, const char* id) {
  const auto found = std::find_if(report.front.begin(), report.front.end(),
                                  [&](const Section& section) { return section.id == id; });
  return found == report.front.end() ? nullptr : &*found;
}

}  // namespace

std::string plain_summary(const Report& report) {
  const Headline& headline = report.headline;
  std::string text = report.title + "\n" + headline.figure;
  if (!headline.interval.empty()) text += ", " + headline.interval;
  if (!headline.decision.empty()) text += ". " + headline.decision;
  text += "\n" + report.sentence + "\n";
  if (const Section* machine = front_section(report, "machine")) {
    for (const std::string& line : machine->paragraphs) text += line + "\n";
  }
  if (const Section* again = front_section(report, "again")) {
    for (const std::string& command : again->commands) text += command + "\n";
  }
  return text;
}

}  // namespace ridge::report
