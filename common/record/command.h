// Commands of the user's as sides of a comparison: how they are named and written. No rung of a catalogue: a command
// runs because a person typed it for this request, and a saved run only shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// In place of a lab's id, in requests and results.
inline constexpr const char* kCommandLab = "commands";

/// "command.cpu.gzip -1 FILE": what takes a kernel's id in the lines of a comparison of commands.
std::string command_id(const std::string& name);
/// Of such an id the name; empty for a rung's.
std::string_view command_name(std::string_view id);
/// The name as it is shown; a file may hold any.
std::string command_title(std::string_view id);

/// The words as a POSIX shell would take them: "sh -c 'sort a | uniq'".
std::string command_text(const std::vector<std::string>& words);
/// One word of it.
std::string shell_word(const std::string& word);

/// A text of the user's or of a program's that may hold anything, as one line: valid UTF-8, with a space for each
/// control character, of at most `most` code points ("…" at the end where some are missing).
std::string one_line(std::string_view text, size_t most);

/// A command's name where the user gives none has so many code points at most, and one that is given kLongestGivenName.
inline constexpr size_t kLongestCommandName = 40, kLongestGivenName = 60;

}  // namespace ridge
