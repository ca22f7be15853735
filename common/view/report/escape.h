// A text that may hold anything, as text in Markdown.
#pragma once

#include <string>

namespace ridge::report {

/// What Markdown or HTML inside it would take as markup is escaped, and a line's end is a space: it fits a table's cell.
std::string escape_markdown(const std::string& text);

}  // namespace ridge::report
