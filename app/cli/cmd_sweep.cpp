// ridgepoint sweep SWEEP.json: grids of rungs and parameters, by several workers, to a folder that it goes on with when it
// is started again (docs/sweeps.md).
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/driver.h"
#include "app/query/terminal.h"
#include "app/sweep/sweeper.h"
#include "common/core/format.h"

namespace ridge::app {
namespace {

/// Where no terminal shows a line that changes, a log has one so often.
constexpr double kLogEvery_s = 10;

struct SweepOptions {
  std::string file, out, share;
  int64_t workers = 1;
  std::vector<std::string>
      commands;  ///< launch commands; empty: --worker's, else the worker beside this program
};

/// "grids.sweep" of "work/grids.json", in the current folder.
std::string folder_of(const SweepOptions& options) {
  if (!options.out.empty()) return options.out;
  return std::filesystem::path(options.file).stem().string() + ".sweep";
}

Result<std::vector<sweep::WorkerCommand>> worker_commands(const CommonOptions& common,
                                                          const SweepOptions& options) {
  std::vector<std::string> commands = options.commands;
  if (!common.worker.empty()) commands.insert(commands.begin(), common.worker);
  if (commands.empty()) commands.emplace_back();
  std::vector<sweep::WorkerCommand> all;
  for (const std::string& text : commands) {
    std::vector<std::string> words;
    if (!text.empty()) {
      RIDGE_TRY(words, split_command(text));
    }
    for (int64_t i = 0; i < options.workers; ++i) {
      const std::string name = fmt::format("worker {}", all.size() + 1);
      all.push_back({text.empty() ? name : name + " (" + text + ")", words});
    }
  }
  return all;
}

Json json_of(const sweep::Outcome& outcome, const std::string& folder) {
  const sweep::Pace& pace = outcome.pace;
  return {{"ridgepoint", 1},
          {"sweep",
           {{"folder", folder},
            {"points", pace.points},
            {"complete", pace.complete},
            {"measured_now", pace.measured_now},
            {"refused", outcome.refused},
            {"missing", outcome.missing},
            {"cancelled", outcome.is_cancelled},
            {"workers", pace.workers},
            {"seconds", pace.seconds},
            {"transcripts", outcome.transcripts}}}};
}

std::string text_of(const sweep::Outcome& outcome, const std::string& folder) {
  const sweep::Pace& pace = outcome.pace;
  std::string text = fmt::format("{} of {} points are in {}, {} of them measured now",
                                 pace.complete, pace.points, folder, pace.measured_now);
  if (pace.measured_now > 0) {
    text += fmt::format(" in {} by {} worker{}", format_time_ns(pace.seconds * 1e9), pace.workers,
                        pace.workers == 1 ? "" : "s");
  }
  text += "\n";
  if (outcome.refused > 0)
    text +=
        fmt::format("{} of those measured now have no usable result: their transcripts say why\n",
                    outcome.refused);
  for (const std::string& sentence : outcome.unmeasured) text += "not measured: " + sentence + "\n";
  if (outcome.missing > outcome.unmeasured.size())
    text += fmt::format("and {} more\n", outcome.missing - outcome.unmeasured.size());
  if (!outcome.transcripts.empty())
    text += "  ridgepoint report " + outcome.transcripts.front() + ": what one worker measured\n";
  if (pace.complete < pace.points) text += "  the same command again measures what is missing\n";
  return text;
}

int code_of(const sweep::Outcome& outcome) {
  if (outcome.is_cancelled) return static_cast<int>(ErrorCode::cancelled);
  if (outcome.missing > 0) return static_cast<int>(ErrorCode::worker);
  return outcome.refused > 0 ? static_cast<int>(ErrorCode::invalid) : 0;
}

/// Everything that may be wrong is said before the first point is measured.
Result<sweep::Outcome> carry_out(const CommonOptions& common, const SweepOptions& options,
                                 const std::string& folder_path) {
  sweep::Share share;
  if (!options.share.empty()) {
    RIDGE_TRY(share, sweep::parse_share(options.share));
  }
  RIDGE_TRY(const auto grids, sweep::read_sweep_file(options.file));
  RIDGE_TRY(const auto commands, worker_commands(common, options));
  RIDGE_TRY(sweep::SweepFolder folder, sweep::SweepFolder::open(folder_path, share));
  catch_interrupts();
  ProgressLine line;
  sweep::Sweeper sweeper({.show =
                              [&](const sweep::Pace& pace) {
                                if (!common.json) line.show(pace.text(), kLogEvery_s);
                              },
                          .say =
                              [&](const std::string& sentence) {
                                line.clear();
                                complain(sentence);
                              },
                          .interrupts = interrupts});
  RIDGE_TRY_VOID(sweeper.start(commands));
  RIDGE_TRY(const sweep::Plan plan, sweep::make_plan(grids, options.file, sweeper.catalogue()));
  RIDGE_TRY_VOID(sweeper.check_builds(plan));
  RIDGE_TRY_VOID(folder.keep_plan(plan));
  return sweeper.measure(plan, share, folder);
}

int cmd_sweep(const CommonOptions& common, const SweepOptions& options) {
  const std::string folder = folder_of(options);
  const auto outcome = carry_out(common, options, folder);
  if (!outcome) return fail(common, outcome.error());
  if (common.json)
    print_json(json_of(*outcome, folder));
  else
    print(text_of(*outcome, folder));
  return code_of(*outcome);
}

Command setup_sweep(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<SweepOptions>();
  command.add_option("SWEEP", options->file, "SWEEP.json: grids of rungs and parameters")
      ->required();
  command.add_option(
      "--out", options->out,
      "the folder of its results; default: SWEEP.sweep here. One that was begun goes on");
  command
      .add_option("--workers", options->workers,
                  "so many workers with each launch command; default 1")
      ->check(CLI::Range(1, 256));
  one_at_a_time(command.add_option(
      "--on", options->commands,
      "a launch command more, \"ssh -T HOST ridgepoint-worker --stdio\" (repeat)"));
  command.add_option("--share", options->share,
                     "K/N: only each N-th point, for an array of N tasks");
  return [options, &common] { return cmd_sweep(common, *options); };
}

RIDGE_COMMAND(
    sweep, .about = "measure grids of rungs and parameters, by several workers",
    .group = CommandGroup::measure,
    .use =
        "A file says which rungs at which settings; every combination is a point, measured "
        "once however often the sweep is interrupted. docs/sweeps.md has the file.",
    .examples = {{"sweep grid.json", "results in the folder grid.sweep"},
                 {"sweep grid.json --workers 2", "two workers of this machine"}},
    .place = 105, .level = Level::kBench, .schema = "", .setup = setup_sweep);

}  // namespace
}  // namespace ridge::app
