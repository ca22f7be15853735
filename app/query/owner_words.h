// What in a text says whose machine it is. Every search here reads a text once, whatever the text is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ridge::app {

/// Bytes [begin, end) of a text.
struct OwnerWord {
  size_t begin = 0, end = 0;
};

/// The first folder of a user at or after `from`: /home/ann, /Users/ann, /root, C:\Users\ann. Separators may be
/// doubled or mixed, as they are in a text that was escaped once more.
std::optional<OwnerWord> find_owner_word(std::string_view text, size_t from = 0);

/// The first such word in the strings of a line of JSON, its keys too, as a reader of the line sees them: with their
/// escapes resolved, and of two equal keys both. Empty: none, or the line is no JSON.
std::string owner_word_in(std::string_view line);

/// The line with "~" in place of each such word. A line that holds none, or is no JSON, stays as it is.
std::string line_without_owner(const std::string& line);

}  // namespace ridge::app
