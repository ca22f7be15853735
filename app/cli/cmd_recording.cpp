// ridgepoint recording FILE...: whether recordings may stand beside the program's own.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/cli.h"
#include "app/query/recording_check.h"
#include "app/query/recording_pack.h"
#include "app/query/recordings.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "common/core/files.h"
#include "common/core/work_folder.h"

namespace ridge::app {
namespace {

struct RecordingOptions {
  std::vector<std::string> files;
  bool dirty = false;
};

/// What a recording holds, once it is known to be one.
Result<std::string> checked(const std::string& path, const RecordingOptions& options) {
  RIDGE_TRY_VOID(check_recording(path, {.dirty_too = options.dirty}));
  RIDGE_TRY(const Run run, load_saved(path));
  const std::string stale = stale_text(run);
  return title_of_run(run) + ", " + run.environment()->machine() + ", commit " + commit_of(run) +
         (stale.empty() ? "" : ", " + stale);
}

/// The files of a pack, one by one, in a folder that goes again.
Result<std::string> checked_pack(const std::string& path, const RecordingOptions& options) {
  RIDGE_TRY(const auto files, read_pack(path));
  RIDGE_TRY(const WorkFolder folder, WorkFolder::make());
  std::string text;
  for (const PackedFile& file : files) {
    const std::string part = folder.path() + "/" + file.name;
    RIDGE_TRY_VOID(write_whole(part, file.text));
    const auto found = checked(part, options);
    if (!found) {
      Error error = found.error();
      error.where = path + ": " + file.name;
      return error;
    }
    text += "\n  " + file.name + ": " + *found;
  }
  return std::to_string(files.size()) + " recordings" + text;
}

int cmd_recording(const CommonOptions& common, const RecordingOptions& options) {
  Json document = Json::object();
  for (const std::string& path : options.files) {
    const auto found =
        path.ends_with(".tar.gz") ? checked_pack(path, options) : checked(path, options);
    if (!found) return fail(common, found.error());
    if (!common.json) print(path + ": good: " + *found + "\n");
    document[path] = *found;
  }
  if (common.json) print_json({{"ridgepoint", 1}, {"good", document}});
  return 0;
}

Command setup_recording(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<RecordingOptions>();
  command.add_option("FILE", options->files, "LAB.MACHINE.jsonl, or a pack of them (.tar.gz)")
      ->required();
  command.add_flag("--dirty", options->dirty, "a build of changed files is no fault");
  return [options, &common] { return cmd_recording(common, *options); };
}

RIDGE_COMMAND(recording, .about = "check whether a recording may ship with the program",
              .group = CommandGroup::contribute,
              .use =
                  "Checks a recording before it ships: from a clean build, complete, and with "
                  "nothing private in it.",
              .examples = {{"recording gemm.my_machine.jsonl",
                            "says what is wrong with it, or that it may ship"}},
              .place = 137, .level = Level::kBench, .schema = "", .setup = setup_recording);

}  // namespace
}  // namespace ridge::app
