// ridgepoint count RUNG: a CUDA rung on this CPU, its memory requests, conflicts, barriers and FLOP by source line, and
// its faults. No GPU, no CUDA toolkit, no time.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/bound_text.h"
#include "app/query/counts_text.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/files.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

struct CountOptions {
  std::string kernel, file, out;
  std::vector<std::string> set, chips;
  int64_t steps = 0;
};

struct Counted {
  KernelCounts counts;
  std::string source;  ///< the text whose lines these are
};

Result<Counted> count(Driver& driver, const CountOptions& options) {
  RIDGE_TRY(const Params given, parse_params(options.set));
  RIDGE_TRY(const std::string kernel, driver.find_kernel(options.kernel));
  Counted found;
  if (!options.file.empty()) {
    RIDGE_TRY(found.source, read_whole(options.file));
  }
  RIDGE_TRY(found.counts, driver.count(kernel, given, found.source));
  if (options.file.empty()) {
    RIDGE_TRY_VOID(driver.fetch_source(kernel));
    if (const SourceText* source = driver.run().source(kernel)) found.source = source->text;
  }
  return found;
}

/// Those named, in the order of the table; all of them for "all".
Result<std::vector<const Chip*>> chips_of(const std::vector<std::string>& names) {
  std::vector<const Chip*> found;
  const bool all = std::count(names.begin(), names.end(), "all") > 0;
  for (const Chip& chip : chips()) {
    const auto is_it = [&](const std::string& name) { return find_chip(name) == &chip; };
    if (all || std::any_of(names.begin(), names.end(), is_it)) found.push_back(&chip);
  }
  for (const std::string& name : names) {
    if (name == "all" || find_chip(name) != nullptr) continue;
    return Error{ErrorCode::usage, "no chip of this name is known", name,
                 "name one of " + chip_names() + ", all"};
  }
  return found;
}

std::vector<ChipBound> bounds_of(const KernelCounts& counts, std::span<const Chip* const> chips,
                                 std::span<const Recording> recordings) {
  std::vector<ChipBound> bounds;
  for (const Chip* chip : chips) {
    if (auto bound = chip_bound(counts, *chip, recordings)) bounds.push_back(std::move(*bound));
  }
  return bounds;
}

Json bounds_json(std::span<const ChipBound> bounds) {
  Json all = Json::array();
  for (const ChipBound& one : bounds) {
    Json parts = Json::array();
    for (const GpuBound::Part& part : one.counted.parts)
      parts.push_back({{"name", part.name}, {"seconds", part.seconds}});
    Json json = {{"chip", one.chip->name},
                 {"parts", parts},
                 {"blocks_of_an_sm", one.occupancy.blocks},
                 {"limit", one.occupancy.limit},
                 {"has_registers", one.has_registers}};
    if (one.timed)
      json["recorded"] = {{"params", params_to_json(one.recorded.series->params)},
                          {"seconds", one.recorded.seconds},
                          {"bound_seconds", one.timed->seconds()},
                          {"by", one.timed->parts.front().name}};
    all.push_back(std::move(json));
  }
  return all;
}

int cmd_count(const CommonOptions& common, const CountOptions& options) {
  const auto asked = chips_of(options.chips);
  if (!asked) return fail(common, asked.error());
  auto driver = Driver::start(common, options.out);
  if (!driver) return fail(common, driver.error());
  const auto found = count(**driver, options);
  const auto saved = (*driver)->close_file();
  if (!found) return fail(common, found.error());
  if (!saved) return fail(common, saved.error());
  std::vector<std::string> problems;
  const std::vector<Recording> recordings =
      asked->empty() ? std::vector<Recording>{} : load_all_recordings(&problems);
  const std::vector<ChipBound> bounds = bounds_of(found->counts, *asked, recordings);
  if (common.json) {
    Json answer = {{"ridgepoint", 1}, {"counts", Json(found->counts)}};
    if (!asked->empty()) answer["bounds"] = bounds_json(bounds);
    print_json(answer);
  } else {
    print(counts_text(found->counts, found->source) +
          (options.steps > 0 ? "\n" + steps_text(found->counts.steps, options.steps) : ""));
    if (!asked->empty())
      print(bounds.empty() ? "\nNo bound: it was stopped, or Tensor Cores do its products.\n"
                           : "\n" + bounds_text(bounds, found->counts.params));
  }
  return is_clean(found->counts) ? 0 : static_cast<int>(ErrorCode::invalid);
}

Command setup_count(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<CountOptions>();
  command.add_option("kernel", options->kernel, "a CUDA rung: gemm.cuda.naive")->required();
  one_at_a_time(command.add_option("--set", options->set,
                                   "a parameter: n=128 (repeat); without a size it is small"));
  command.add_option("--file", options->file, "a file of yours, in place of the rung's own");
  one_at_a_time(
      command.add_option("--chip", options->chips,
                         "what this chip needs at least: " + chip_names() + ", or all (repeat)"));
  command
      .add_option("--steps", options->steps,
                  "also so many of the first requests of one warp, a line each")
      ->check(CLI::Range(int64_t{1}, int64_t{kMostWarpRequests}));
  command.add_option("--out", options->out, "save the run: RUN.jsonl");
  return [options, &common] { return cmd_count(common, *options); };
}

RIDGE_COMMAND(count,
              .about = "count a CUDA rung's requests, conflicts and FLOP by line, without a GPU",
              .group = CommandGroup::learn,
              .use =
                  "Runs a CUDA rung thread by thread on this CPU and counts its memory requests, "
                  "bank conflicts and FLOP, line by line. It needs no GPU.",
              .examples = {{"count gemm.cuda.naive --set n=128", "line by line"},
                           {"count gemm.cuda.shared_tile --steps 8",
                            "the first requests of one warp"}},
              .place = 92, .level = Level::kLearn, .schema = "", .setup = setup_count);

}  // namespace
}  // namespace ridge::app
