// The sections of a class's page: every word and figure of it. class_page.h prints them.
#pragma once

#include <string>
#include <vector>

#include "app/query/class_roll.h"
#include "common/view/report/report.h"

namespace ridge::app {

/// Title, headline and sections, which are all in `front`; a lab's further problems are in `sections`.
report::Report class_report(const ClassRoll& roll);

/// A line for each person: the page's and the terminal's.
report::Table people_table(const ClassRoll& roll);

/// "30 people", "1 person".
std::string count_of(size_t count, const std::string& one, const std::string& several);

}  // namespace ridge::app
