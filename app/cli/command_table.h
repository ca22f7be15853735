// The commands and options as the command line itself knows them, for whatever writes them down: completions and the
// manual page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ridge::app {

/// What an option or a place of the command line takes.
enum class Takes {
  nothing,  ///< a flag
  text,     ///< a number, a file, a setting
  choices,
  lab,
  rung,   ///< of the lab that the line names
  kernel  ///< a rung of any lab, by its whole id
};

struct OptionRow {
  std::vector<std::string> names;  ///< "--mode", "-h"; of a place without a name: "LAB"
  std::string about;
  Takes takes = Takes::nothing;
  std::vector<std::string> choices;
  bool is_named = true;  ///< false: known by its place
  bool is_required = false;
  bool is_list = false;  ///< takes a,b,c
};

struct CommandRow {
  std::string name, about;
  std::vector<OptionRow> options;
};

struct CommandTable {
  std::string name, about, footer;
  std::vector<OptionRow> common;  ///< of all commands
  std::vector<CommandRow> commands;
};

/// From any command of the program: it looks at the whole line's parser.
CommandTable command_table(const CLI::App& command);

}  // namespace ridge::app
