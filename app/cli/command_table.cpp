#include "app/cli/command_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <string_view>

#include "app/cli/cli.h"

namespace ridge::app {
namespace {

/// "{live,measure}" in the type that the parser shows.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

/// The parser knows no labs and rungs: the option's name says so.
Takes takes_of(const CLI::Option& option, const std::vector<std::string>& choices) {
  if (option.get_items_expected_max() == 0) return Takes::nothing;
  if (!choices.empty()) return Takes::choices;
  const std::string name = CLI::detail::to_lower(option.get_name());
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of({"lab", "--lab"})) return Takes::lab;
  if (is_one_of({"--rungs", "--rung", "--baseline", "--candidate"})) return Takes::rung;
  if (is_one_of({"kernel", "rung", "--asm", "--source"})) return Takes::kernel;
  if (is_one_of({"--set"})) return Takes::param;
  if (name == "name") return Takes::exercise;
  if (name == "id") return Takes::tour;
  return Takes::text;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// What the parser calls TEXT, INT or FLOAT, in words.
std::string value_word(const std::string& option, const std::string& type) {
  static const std::map<std::string, const char*> known = {
      {"--set", "NAME=VALUE"},  {"--edit", "FILE"},          {"--out", "FILE"},
      {"--to", "FILE"},         {"--file", "FILE"},          {"--reference", "FILE"},
      {"--markdown", "FILE"},   {"--junit", "FILE"},         {"--csv", "FILE"},
      {"--database", "FILE"},   {"--run", "RUN.jsonl"},      {"--replay", "RUN.jsonl"},
      {"--limit", "SECONDS"},   {"--call-limit", "SECONDS"}, {"--seconds", "SECONDS"},
      {"--longest", "SECONDS"}, {"--worker", "CMD"},         {"--check", "CMD"},
      {"--command", "CMD"},     {"--budget", "DEMAND"},      {"--size", "WIDTHxHEIGHT"},
      {"--note", "NAME=TEXT"},  {"--name", "NAME"},          {"--machine", "NAME"},
      {"--chip", "CHIP"},       {"--table", "TABLE"},        {"--workload", "NETWORK"}};
  if (const auto found = known.find(option); found != known.end()) return found->second;
  return type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT") ? "N"
                                                                                          : "TEXT";
}

std::string value_of(const OptionRow& row, const CLI::Option& option) {
  switch (row.takes) {
    case Takes::nothing:
      return "";
    case Takes::choices:
      return fmt::format("{}", fmt::join(row.choices, "|"));
    case Takes::lab:
      return "LAB";
    case Takes::rung:
      return row.is_list ? "RUNG,.." : "RUNG";
    case Takes::kernel:
      return "KERNEL";
    case Takes::text:
    case Takes::param:
    case Takes::exercise:
    case Takes::tour:
      break;
  }
  return value_word(option.get_name(), option.get_type_name());
}

/// "INT in [6 - 1000000]" of the parser's type.
std::string range_of(const CLI::Option& option) {
  const std::string type = option.get_type_name(), mark = " in [";
  const size_t begin = type.find(mark), middle = type.find(" - "), end = type.find(']');
  if (begin == std::string::npos || middle == std::string::npos || end == std::string::npos)
    return "";
  const size_t low = begin + mark.size();
  return "from " + type.substr(low, middle - low) + " to " +
         type.substr(middle + 3, end - middle - 3);
}

}  // namespace

OptionRow option_row(const CLI::Option& option) {
  OptionRow row;
  row.about = option.get_description();
  row.choices = choices_of(option);
  row.takes = takes_of(option, row.choices);
  row.is_named = option.nonpositional();
  row.is_required = option.get_required();
  row.is_list = option.get_delimiter() == ',';
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  row.is_many = !row.is_named && option.get_expected_max() > 1;
  if (!row.is_named) row.names = {upper(option.get_name())};
  row.value = value_of(row, option);
  row.range = range_of(option);
  return row;
}

namespace {

std::vector<OptionRow> rows_of(const CLI::App& app) {
  std::vector<OptionRow> rows;
  for (const CLI::Option* option : app.get_options()) {
    if (app.get_parent() && option == app.get_help_ptr()) continue;  // each command has it
    rows.push_back(option_row(*option));
  }
  return rows;
}

CommandRow row_of(const CLI::App& command) {
  CommandRow row{.name = command.get_name(),
                 .about = command.get_description(),
                 .use = "",
                 .group = "",
                 .examples = {},
                 .options = rows_of(command)};
  for (const CommandDesc* desc : all_commands()) {
    if (row.name != desc->name) continue;
    row.use = desc->use;
    row.group = title_of(desc->group);
    for (const Example& example : desc->examples) {
      if (example.line)
        row.examples.push_back({std::string("ridgepoint ") + example.line, example.about});
    }
  }
  return row;
}

}  // namespace

std::string synopsis_of(const CommandRow& command) {
  std::string text = command.name;
  bool has_options = false;
  for (const OptionRow& option : command.options) {
    has_options |= option.is_named;
    if (option.is_named) continue;
    const std::string name = option.names.front() + (option.is_many ? " ..." : "");
    text += option.is_required ? " " + name : " [" + name + "]";
  }
  return text + (has_options ? " [options]" : "");
}

std::string names_of(const OptionRow& option) {
  return fmt::format("{}", fmt::join(option.names, ", "));
}

std::string about_of(const OptionRow& option) {
  std::string more = option.is_required ? "required" : "";
  if (!option.range.empty()) more += (more.empty() ? "" : "; ") + option.range;
  return option.about + (more.empty() ? "" : " (" + more + ")");
}

CommandTable command_table(const CLI::App& command) {
  const CLI::App* root = &command;
  while (root->get_parent()) root = root->get_parent();
  CommandTable table{.name = root->get_name(),
                     .about = root->get_description(),
                     .common = rows_of(*root),
                     .commands = {}};
  for (const CLI::App* one : root->get_subcommands([](const CLI::App*) { return true; }))
    table.commands.push_back(row_of(*one));
  return table;
}

}  // namespace ridge::app
