// The shell of a page that stands alone: inline style, inline SVG, no script, nothing fetched. It follows the
// reader's theme on screen and is light on paper. Reports and handouts share it.
#pragma once

#include <string>
#include <string_view>

namespace ridge::report {

/// A whole HTML file. `kind` is the class of its <main>, "report", "handout" or "article": page.cpp says what looks otherwise
/// in each. `title` is escaped here, `main` is HTML.
std::string html_page(std::string_view kind, const std::string& title, const std::string& main);

}  // namespace ridge::report
