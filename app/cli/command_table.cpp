#include "app/cli/command_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <string_view>

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
  if (is_one_of({"kernel", "--asm", "--source"})) return Takes::kernel;
  return Takes::text;
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  row.about = option.get_description();
  row.choices = choices_of(option);
  row.takes = takes_of(option, row.choices);
  row.is_named = option.nonpositional();
  row.is_required = option.get_required();
  row.is_list = option.get_delimiter() == ',';
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  if (!row.is_named) row.names = {option.get_name()};
  return row;
}

std::vector<OptionRow> rows_of(const CLI::App& app) {
  std::vector<OptionRow> rows;
  for (const CLI::Option* option : app.get_options()) {
    if (app.get_parent() && option == app.get_help_ptr()) continue;  // each command has it
    rows.push_back(row_of(*option));
  }
  return rows;
}

}  // namespace

CommandTable command_table(const CLI::App& command) {
  const CLI::App* root = &command;
  while (root->get_parent()) root = root->get_parent();
  CommandTable table{.name = root->get_name(),
                     .about = root->get_description(),
                     .footer = root->get_footer(),
                     .common = rows_of(*root),
                     .commands = {}};
  for (const CLI::App* one : root->get_subcommands([](const CLI::App*) { return true; }))
    table.commands.push_back({one->get_name(), one->get_description(), rows_of(*one)});
  return table;
}

}  // namespace ridge::app
