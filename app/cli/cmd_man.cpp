// ridgepoint man: the manual page, for `ridgepoint man | man -l -`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/command_table.h"
#include "app/cli/help.h"
#include "app/query/terminal.h"
#include "common/core/build_info.h"

namespace ridge::app {
namespace {

/// Text as troff prints it unchanged: what would be an escape or a request is neither.
std::string troff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    const bool begins_line = safe.empty() || safe.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return safe;
}

std::string option_text(const OptionRow& option) {
  std::string head = "\\fB" + troff(names_of(option)) + "\\fR";
  if (option.is_named && !option.value.empty()) head += " \\fI" + troff(option.value) + "\\fR";
  return ".TP\n" + head + "\n" + troff(about_of(option)) + "\n";
}

std::string command_text(const CommandRow& command) {
  std::string text = ".SS \"" + troff(synopsis_of(command)) + "\"\n" + troff(command.use) + "\n";
  for (const OptionRow& option : command.options) text += option_text(option);
  for (const ExampleRow& example : command.examples)
    text += ".PP\n\\fB" + troff(example.line) + "\\fR\n.br\n" + troff(example.about) + "\n";
  return text;
}

std::string page(const CommandTable& table) {
  std::string text = fmt::format(".TH RIDGEPOINT 1 \"\" \"{}\"\n", troff(version_line(table.name)));
  text +=
      ".SH NAME\n" + troff(table.name) + " \\- a ladder of kernels, and what each step bought\n";
  text += ".SH SYNOPSIS\n.B " + troff(table.name) + "\n[\\fIRUN\\fR]\n.br\n.B " +
          troff(table.name) + "\n\\fICOMMAND\\fR [options]\n";
  text += ".SH DESCRIPTION\n" + troff(table.about) + "\n";
  text += ".SH OPTIONS\n";
  for (const OptionRow& option : table.common) text += option_text(option);
  std::string group;
  for (const CommandRow& command : table.commands) {
    if (command.group != group) text += ".SH \"" + troff(command.group) + "\"\n";
    group = command.group;
    text += command_text(command);
  }
  return text + ".SH EXIT STATUS\n" + troff(kExitCodes) + "\n";
}

int cmd_man(const CLI::App& command) {
  write_out(page(command_table(command)));
  return 0;
}

Command setup_man(CLI::App& command, const CommonOptions&) {
  return [&command] { return cmd_man(command); };
}

RIDGE_COMMAND(man, .about = "the manual page: ridgepoint man | man -l -",
              .group = CommandGroup::shell,
              .use = "Prints the manual page, in the form that the program man reads.",
              .examples = {{"man", "read it with: ridgepoint man | man -l -"}}, .place = 170,
              .level = Level::kLab, .schema = "", .setup = setup_man);

}  // namespace
}  // namespace ridge::app
