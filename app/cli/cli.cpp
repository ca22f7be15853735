#include "app/cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "app/query/terminal.h"
#include "app/session/transcript_file.h"
#include "common/core/files.h"

namespace ridge::app {

std::vector<const CommandDesc*> all_commands() {
  const auto registered = registered_commands();
  std::vector<const CommandDesc*> all(registered.begin(), registered.end());
  std::sort(all.begin(), all.end(), [](const CommandDesc* a, const CommandDesc* b) {
    return std::tuple(a->group, a->place, std::string_view(a->name)) <
           std::tuple(b->group, b->place, std::string_view(b->name));
  });
  return all;
}

const char* title_of(CommandGroup group) {
  switch (group) {
    case CommandGroup::start:
      return "Start here";
    case CommandGroup::learn:
      return "Learn";
    case CommandGroup::measure:
      return "Measure more";
    case CommandGroup::report:
      return "Report and check";
    case CommandGroup::teach:
      return "Teach a class";
    case CommandGroup::machine:
      return "This machine";
    case CommandGroup::contribute:
      return "Recordings and pages of the project";
    case CommandGroup::shell:
      return "Shell and manual";
  }
  return "";
}

CLI::Option* one_at_a_time(CLI::Option* option) {
  return option->allow_extra_args(false);
}

void print_json(const Json& json) {
  write_out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> write_beside_older(const CommonOptions& common, const std::string& path,
                                const std::function<Result<void>()>& write) {
  if (common.force) return write();
  RIDGE_TRY(const std::string older, set_aside(path));
  const auto written = write();
  if (older.empty()) return written;
  const auto before = read_whole(older), now = read_whole(path);
  if (written && before && now && *before != *now) {
    complain(path + " was there already: the older one is " + older + " now");
    return {};
  }
  std::error_code ignored;
  std::filesystem::remove(older, ignored);
  return written;
}

int fail(const CommonOptions& common, const Error& error) {
  if (common.json) print_json({{"ridgepoint", 1}, {"error", error}});
  // A terminal shows both streams, so that it would stand there twice.
  if (!common.json || !stdout_is_terminal()) complain("ridgepoint: " + error.sentence());
  return error.exit_code();
}

}  // namespace ridge::app
