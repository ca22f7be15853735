// The commands and options as the command line itself knows them, for whatever writes them down: --help, completions,
// the manual page and docs/commands.md.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}

namespace ridge::app {

/// What an option or a place of the command line takes.
enum class Takes {
  nothing,  ///< a flag
  text,     ///< a number, a file, a setting
  choices,
  lab,
  rung,      ///< of the lab that the line names
  kernel,    ///< a rung of any lab, by its whole id
  param,     ///< "n=512", of the lab that the line names
  exercise,  ///< by its name
  tour       ///< by its id
};

struct OptionRow {
  std::vector<std::string> names;  ///< "--mode", "-h"; of a place without a name: "LAB"
  std::string about;
  Takes takes = Takes::nothing;
  std::vector<std::string> choices;
  std::string value;  ///< what stands behind it: "live|measure", "LAB", "SECONDS"; of a flag empty
  std::string range;  ///< "from 6 to 1000000"; empty: any
  bool is_named = true;  ///< false: known by its place
  bool is_required = false;
  bool is_list = false;  ///< takes a,b,c
  bool is_many = false;  ///< a place that takes several
};

struct ExampleRow {
  std::string line, about;  ///< the line with the program's name
};

struct CommandRow {
  std::string name, about, use;
  std::string group;  ///< the title that it stands under
  std::vector<ExampleRow> examples;
  std::vector<OptionRow> options;
};

struct CommandTable {
  std::string name, about;
  std::vector<OptionRow> common;  ///< of all commands
  std::vector<CommandRow> commands;
};

/// "run LAB [options]".
std::string synopsis_of(const CommandRow& command);

/// The name as it is written down: "--mode, -m", "LAB".
std::string names_of(const OptionRow& option);

/// "a sentence (required; from 6 to 1000000)".
std::string about_of(const OptionRow& option);

/// Of one option or place.
OptionRow option_row(const CLI::Option& option);

/// From any command of the program: it looks at the whole line's parser.
CommandTable command_table(const CLI::App& command);

}  // namespace ridge::app
