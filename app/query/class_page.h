// What a class's roll is printed as: one page that stands alone, a table for a gradebook, the terminal's text, a document.
// On the page nobody is named who did not type a name, nor is a file of theirs.
#pragma once

#include <string>

#include "app/query/class_roll.h"
#include "common/record/json.h"

namespace ridge::app {

std::string class_html(const ClassRoll& roll);
/// RFC 4180, a line for each person with what they handed in, so that a pseudonym leads back to a folder. A text that a
/// spreadsheet would take for a formula begins with an apostrophe.
std::string class_csv(const ClassRoll& roll);
/// A line for each person, and what could not be read, with its path.
std::string class_text(const ClassRoll& roll);
Json class_json(const ClassRoll& roll);

}  // namespace ridge::app
