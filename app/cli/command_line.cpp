// Reads the command line and runs one command. Compiled with the commands, because CLI11 is slow to compile.
#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>

#include "app/cli/cli.h"
#include "app/cli/open.h"
#include "app/query/terminal.h"
#include "common/core/build_info.h"

namespace ridge::app {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done (compare: faster or same), 1 slower, 2 unresolved, 3 invalid or a failed\n"
    "check, 64 usage, 65 bad input file, 69 nothing on this machine can run that, 70 worker "
    "failed,\n"
    "73 cannot write, 130 cancelled.";

void add_common(CLI::App* app, CommonOptions* common) {
  app->footer(kFooter);
  app->fallthrough();
  app->require_subcommand(0, 1);
  app->set_version_flag("--version", version_line("ridgepoint"), "say what this is");
  app->add_flag("--json", common->json, "print one JSON document (docs/schema)");
  app->add_option("--worker", common->worker,
                  "launch command, e.g. \"ssh -T gpubox ridgepoint-worker --stdio\"");
  app->add_option("--replay", common->replay, "show a saved run: RUN.jsonl");
  app->add_option("RUN", common->open, "a saved run to open: the same as --replay RUN.jsonl");
  app->add_flag("--presenter", common->presenter, "open the window in presenter mode");
}

/// What is wrong with a saved run in the command line: it is opened, and few commands take one as well.
std::optional<Error> error_in(const CommonOptions& common, const CommandDesc* chosen) {
  // A word that is neither a command nor a file is more likely a mistyped command.
  const bool is_open = !common.open.empty();
  if (is_open && (chosen || !std::filesystem::exists(common.open))) {
    return Error{ErrorCode::usage,
                 "'" + common.open +
                     (chosen ? "' is one word too many"
                             : "' is neither a command nor a saved run that exists"),
                 "", "see 'ridgepoint --help'"};
  }
  if (!common.replay.empty() && chosen && !chosen->takes_replay) {
    return Error{ErrorCode::usage, "a saved run is shown by the window and by shot", "--replay",
                 "use 'ridgepoint report RUN.jsonl' for its report"};
  }
  return {};
}

/// The exit code of the command that was asked for.
int run_command(int argc, char** argv) {
  CommonOptions common;
  CLI::App app{"Ridgepoint: climb a ladder of kernels and see what each step bought.",
               "ridgepoint"};
  add_common(&app, &common);
  const CommandDesc* chosen = nullptr;
  Command run = [&] { return open(common); };
  for (const CommandDesc* desc : all_commands()) {
    CLI::App* command = app.add_subcommand(desc->name, desc->about);
    command->callback([&chosen, &run, desc, its_run = desc->setup(*command, common)] {
      chosen = desc;
      run = its_run;
    });
  }
  // An error in the command line is a document too, whatever stands before --json.
  for (int i = 1; i < argc; ++i) common.json |= std::strcmp(argv[i], "--json") == 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream help;
      const int code = app.exit(error, help);
      write_out(help.str());
      return code;
    }
    return fail(common, {ErrorCode::usage, error.what(), "", "see 'ridgepoint --help'"});
  }
  if (const auto error = error_in(common, chosen)) return fail(common, *error);
  if (!common.open.empty()) common.replay = common.open;
  return run();
}

}  // namespace

int run_command_line(int argc, char** argv) {
  guard_standard_streams();
  const int code = run_command(argc, argv);
  const auto unwritten = output_error();
  return unwritten ? fail({}, *unwritten) : code;
}

}  // namespace ridge::app
