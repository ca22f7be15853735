#include "app/cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/query/terminal.h"

namespace ridge::app {

std::vector<const CommandDesc*> all_commands() {
  const auto registered = registered_commands();
  std::vector<const CommandDesc*> all(registered.begin(), registered.end());
  std::sort(all.begin(), all.end(), [](const CommandDesc* a, const CommandDesc* b) {
    return std::pair(a->place, std::string_view(a->name)) <
           std::pair(b->place, std::string_view(b->name));
  });
  return all;
}

CLI::Option* one_at_a_time(CLI::Option* option) {
  return option->allow_extra_args(false);
}

void print_json(const Json& json) {
  write_out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

int fail(const CommonOptions& common, const Error& error) {
  if (common.json) print_json({{"ridgepoint", 1}, {"error", error}});
  complain("ridgepoint: " + error.sentence());
  return error.exit_code();
}

}  // namespace ridge::app
