// Commands of the user's as sides of a comparison: how they are named and written. No rung of a catalogue: a command
// runs because a person typed it for this request, and a saved run only shows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/record/enums.h"

namespace ridge {

struct SeriesFacts;
struct QualityCheck;

/// In place of a lab's id, in requests and results.
inline constexpr const char* kCommandLab = "commands";

/// "command.cpu.gzip -1 FILE": what takes a kernel's id in the lines of a comparison of commands, and of benchmarks that
/// another program timed (import.h).
std::string command_id(const std::string& name, Backend backend = Backend::cpu);
/// Of such an id the name; empty for a rung's.
std::string_view command_name(std::string_view id);
/// The name as it is shown; a file may hold any.
std::string command_title(std::string_view id);

/// The words as a POSIX shell would take them: "sh -c 'sort a | uniq'".
std::string command_text(const std::vector<std::string>& words);
/// One word of it.
std::string shell_word(const std::string& word);

/// A side that is no command but a library of the user's own (include/ridgepoint.h), or its source.
struct LibraryWord {
  std::string file;  ///< "./one.so", "two.cpp", "three.cu"
  std::string side;  ///< the name that it exports
  bool is_source = false;
  bool is_cuda = false;  ///< a source for nvcc
};
/// Of one word that is FILE.so, FILE.cpp or FILE.cu, or such a file and :SIDE; else none: it is a command.
std::optional<LibraryWord> library_word(const std::vector<std::string>& words);
/// The same of command_text(): what a saved run holds.
bool is_library_text(const std::string& text);

/// What results of the user's own are of, in words.
struct OwnSides {
  std::string one,
      many;  ///< "command", "commands"; "library"; "benchmark", of import.h; empty: rungs
};
OwnSides own_sides(const SeriesFacts& series);

/// What a check of an output is called, and the judge in that name: "by the reference of NAME".
std::string output_check_name(const std::string& judge, bool before);
std::string judge_of(const QualityCheck& check);

/// A text of the user's or of a program's that may hold anything, as one line: valid UTF-8, with a space for each
/// control character, of at most `most` code points ("…" at the end where some are missing).
std::string one_line(std::string_view text, size_t most);

/// A command's name where the user gives none has so many code points at most, and one that is given kLongestGivenName.
inline constexpr size_t kLongestCommandName = 40, kLongestGivenName = 60;

}  // namespace ridge
