// Where Markdown holds code, which names no figures.
#pragma once

#include <string_view>

namespace ridge::figure {

/// A fence (three backquotes or more) or a span of code: how far it goes, where one begins at `at`.
size_t end_of_code(std::string_view text, size_t at);

}  // namespace ridge::figure
