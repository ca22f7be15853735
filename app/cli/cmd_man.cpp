// ridgepoint man: the manual page, for `ridgepoint man | man -l -`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/command_table.h"
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

std::string value_name(const OptionRow& option) {
  switch (option.takes) {
    case Takes::nothing:
      return "";
    case Takes::text:
      return "VALUE";
    case Takes::choices:
      return fmt::format("{}", fmt::join(option.choices, "|"));
    case Takes::lab:
      return "LAB";
    case Takes::rung:
      return "RUNG";
    case Takes::kernel:
      return "KERNEL";
  }
  return "";
}

std::string option_text(const OptionRow& option) {
  std::string head =
      fmt::format("\\fB{}\\fR", troff(fmt::format("{}", fmt::join(option.names, ", "))));
  const std::string value = value_name(option);
  if (option.is_named && !value.empty()) head += " \\fI" + troff(value) + "\\fR";
  return ".TP\n" + head + "\n" + troff(option.about) + (option.is_required ? " (required)" : "") +
         "\n";
}

/// "run LAB [options]".
std::string synopsis_of(const CommandRow& command) {
  std::string text = command.name;
  bool has_options = false;
  for (const OptionRow& option : command.options) {
    has_options |= option.is_named;
    if (option.is_named) continue;
    const std::string& name = option.names.front();
    text += option.is_required ? " " + name : " [" + name + "]";
  }
  return text + (has_options ? " [options]" : "");
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
  text += ".SH COMMANDS\n";
  for (const CommandRow& command : table.commands) {
    text += ".SS \"" + troff(synopsis_of(command)) + "\"\n" + troff(command.about) + "\n";
    for (const OptionRow& option : command.options) text += option_text(option);
  }
  std::string footer = table.footer;
  for (char& c : footer) c = c == '\n' ? ' ' : c;
  return text + ".SH EXIT STATUS\n" + troff(footer) + "\n";
}

int cmd_man(const CLI::App& command) {
  write_out(page(command_table(command)));
  return 0;
}

Command setup_man(CLI::App& command, const CommonOptions&) {
  return [&command] { return cmd_man(command); };
}

RIDGE_COMMAND(man, .about = "the manual page: ridgepoint man | man -l -", .place = 170,
              .level = Level::kLab, .schema = "", .setup = setup_man);

}  // namespace
}  // namespace ridge::app
