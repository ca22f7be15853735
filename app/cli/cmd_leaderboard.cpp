// ridgepoint leaderboard FOLDER: saved runs, ranked.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli.h"
#include "app/query/leaderboard.h"
#include "app/query/terminal.h"

namespace ridge::app {
namespace {

int cmd_leaderboard(const CommonOptions& common, const std::string& folder) {
  const auto board = read_leaderboard(folder);
  if (!board) return fail(common, board.error());
  if (common.json) {
    print_json(leaderboard_json(*board));
  } else {
    print(leaderboard_text(*board));
  }
  return 0;
}

Command setup_leaderboard(CLI::App& command, const CommonOptions& common) {
  const auto folder = std::make_shared<std::string>();
  command.add_option("FOLDER", *folder, "of RUN.jsonl files")->required();
  return [folder, &common] { return cmd_leaderboard(common, *folder); };
}

RIDGE_COMMAND(leaderboard, .about = "rank a folder of saved runs, with their intervals",
              .group = CommandGroup::teach,
              .use =
                  "Ranks the runs that a class saved in one folder, by speed, with the intervals "
                  "that the measurements allow.",
              .examples = {{"leaderboard handed_in", "a table of the folder handed_in"}},
              .place = 60, .level = Level::kLab, .schema = "", .setup = setup_leaderboard);

}  // namespace
}  // namespace ridge::app
