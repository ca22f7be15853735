#include "app/cli/help.h"

#include <algorithm>
#include <string_view>

#include "app/query/terminal.h"

namespace ridge::app {

const char* const kExitCodes =
    "0 done (compare: faster or same), 1 slower, 2 unresolved, 3 invalid or a failed check, 64 "
    "usage, 65 bad input file, 69 nothing on this machine can run that, 70 worker failed, 73 "
    "cannot write, 130 cancelled.";

namespace {

constexpr size_t kIndent = 2, kNames = 12;

/// "  name        what it is", the words under each other; a name that is too long has a line of its own.
std::string entry(const std::string& name, const std::string& about, size_t names, size_t width) {
  std::string head = std::string(kIndent, ' ') + name;
  const size_t column = kIndent + names + 1;
  if (head.size() >= column)
    head += "\n" + std::string(column, ' ');
  else
    head.resize(column, ' ');
  return hanging(head, about, width) + "\n";
}

std::string option_head(const OptionRow& option) {
  const std::string value = option.is_named ? option.value : "";
  return names_of(option) + (value.empty() ? "" : " " + value) + (option.is_many ? " ..." : "");
}

std::string options_text(const std::string& title, const std::vector<OptionRow>& options,
                         bool is_named, size_t width) {
  constexpr size_t kOptionNames = 23;
  std::string text;
  for (const OptionRow& option : options) {
    if (option.is_named == is_named)
      text += entry(option_head(option), about_of(option), is_named ? kOptionNames : kNames, width);
  }
  return text.empty() ? "" : "\n" + title + ":\n" + text;
}

/// A line to copy, and below it what it does.
std::string example_text(const ExampleRow& example, size_t width) {
  const std::string indent(kIndent, ' '), deeper(3 * kIndent, ' ');
  return indent + example.line + "\n" + wrapped(deeper + example.about, width, deeper.size()) +
         "\n";
}

/// The first example of each command of the first group: a beginning that works line by line.
std::string first_steps(const CommandTable& table, size_t width) {
  std::string text = "\nFirst steps:\n" +
                     example_text({table.name, "the window, where there is a display"}, width);
  for (const CommandRow& command : table.commands) {
    if (command.group == table.commands.front().group && !command.examples.empty())
      text += example_text(command.examples.front(), width);
  }
  return text;
}

std::string exit_codes(size_t width) {
  return "\n" + wrapped(std::string("Exit codes: ") + kExitCodes, width, kIndent) + "\n";
}

}  // namespace

std::string overview_text(const CommandTable& table, size_t width) {
  std::string text = wrapped(table.about, width, 0) + "\n\nUsage: " + table.name +
                     " COMMAND [options]\n       " + table.name + " [RUN.jsonl]\n";
  std::string group;
  for (const CommandRow& command : table.commands) {
    if (command.group != group) text += "\n" + command.group + ":\n";
    group = command.group;
    text += entry(command.name, command.about, kNames, width);
  }
  text += "\n" +
          wrapped("'" + table.name + " help COMMAND' explains one, with examples.", width, 0) +
          "\n";
  text += options_text("Arguments", table.common, false, width) +
          options_text("Options", table.common, true, width);
  return text + first_steps(table, width) + exit_codes(width);
}

std::string command_help(const CommandTable& table, const std::string& command, size_t width) {
  const auto found = std::find_if(table.commands.begin(), table.commands.end(),
                                  [&](const CommandRow& row) { return row.name == command; });
  if (found == table.commands.end()) return overview_text(table, width);
  std::string text = wrapped(found->use, width, 0) + "\n\n" +
                     wrapped("Usage: " + table.name + " " + synopsis_of(*found), width, kIndent) +
                     "\n";
  text += options_text("Arguments", found->options, false, width) +
          options_text("Options", found->options, true, width);
  text += "\nExamples:\n";
  for (const ExampleRow& example : found->examples) text += example_text(example, width);
  text += "\n" +
          wrapped("Options of every command, as --json, are in '" + table.name + " --help'.", width,
                  0) +
          "\n";
  return text + exit_codes(width);
}

}  // namespace ridge::app
