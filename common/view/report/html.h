// The parts of a report as HTML: what its page and an article are made of.
#pragma once

#include <string>

#include "common/view/report/report.h"

namespace ridge::report {

std::string headline_html(const Report& report);
/// One of the report's own, with its chart; those of page 1 have their charts at the width of a sheet.
std::string section_html(const Report& report, const Section& section);

}  // namespace ridge::report
