// What in a text says whose machine it is. Every search here reads a text once, whatever the text is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::app {

/// Bytes [begin, end) of a text, and what may stand there instead.
struct OwnerWord {
  size_t begin = 0, end = 0;
  const char* instead = "~";
};

/// The first word at or after `from` that names a user: a folder of home (/home/ann, /Users/ann, /root,
/// C:\Users\ann), a folder of /tmp, an address (ann@example.org). Separators may be doubled or mixed, as they are in a
/// text that was escaped once more.
std::optional<OwnerWord> find_owner_word(std::string_view text, size_t from = 0);

/// The first such word in the strings of a line of JSON, its keys too, as a reader of the line sees them: with their
/// escapes resolved, and of two equal keys both. Empty: none, or the line is no JSON.
std::string owner_word_in(std::string_view line);

/// Whose machine this is.
struct Owner {
  std::vector<std::string> users;  ///< removed where one is a folder, or stands before an @
  std::vector<std::string> homes;  ///< removed wherever they lie: "/data/people/ann"
  std::vector<std::string> hosts;  ///< removed wherever they stand
};
/// The user and the host of this process. Names that are too short to be told from other words are left out: of a user
/// below 3 letters, of a host below 5.
Owner this_owner();

/// The line without the words that find_owner_word() finds, and without the owner's names. A line that holds none, or is
/// no JSON, stays as it is.
std::string line_without_owner(const std::string& line, const Owner& owner);

}  // namespace ridge::app
