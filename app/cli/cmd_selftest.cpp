// ridgepoint selftest aa: one rung, training, pipeline or command compared with itself, over and over: this machine's noise
// floor.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

struct SelftestOptions {
  std::string kind = "aa", lab = kSelfCheckLab, rung = kSelfCheckRung, command, out;
  std::vector<std::string> set;
  int runs = kSelfChecks;
  std::optional<double> limit_s;
  bool sustained = false;

  const std::string& title() const { return command.empty() ? rung : command; }
};

/// A training is made whole; a pipeline's windows take seconds before its buffers are in their steady state.
std::optional<double> limit_of(RungKind kind, const WorkRequest& request) {
  constexpr double kWindows_s = 5;
  if (kind == RungKind::training) return std::nullopt;
  return kind == RungKind::pipeline ? kWindows_s : request.limit_s;
}

Result<WorkRequest> request_of_command(const SelftestOptions& options) {
  MeasureOptions sides;
  sides.baseline = options.command;
  sides.candidates = {options.command};
  RIDGE_TRY(WorkRequest request, command_request(sides));
  WorkRequest check = self_check_request(request.lab, {request.kernels[0], request.kernels[0]});
  check.commands = request.commands;
  if (options.limit_s) check.limit_s = options.limit_s;
  return check;
}

Result<WorkRequest> request_of_rung(const SelftestOptions& options, Driver* driver) {
  RIDGE_TRY_VOID(driver->fetch_catalogue());
  RIDGE_TRY(const Lab* lab, require_lab(options.lab));
  const bool is_own = options.set.empty() && options.lab == kSelfCheckLab;
  RIDGE_TRY(const Params given,
            parse_params(is_own ? std::vector<std::string>{kSelfCheckSet} : options.set));
  RIDGE_TRY(const KernelRequest side, select_side(*lab, driver->run(), options.rung, given));
  WorkRequest request = self_check_request(lab->id, with_seeds(driver->run(), {side, side}));
  const KernelInfo* info = driver->run().kernel(side.kernel);
  const RungKind kind = info->kind.value().value_or(RungKind::kernel);
  request.limit_s = options.limit_s ? options.limit_s : limit_of(kind, request);
  request.sustained = options.sustained;
  return request;
}

Result<void> check_itself(Driver* driver, const SelftestOptions& options) {
  RIDGE_TRY(const WorkRequest request, options.command.empty() ? request_of_rung(options, driver)
                                                               : request_of_command(options));
  for (int run = 0; run < options.runs; ++run) {
    int64_t id = 0;
    RIDGE_TRY_VOID(driver->carry_out(request, &id));
    const auto& all = driver->run().comparisons();
    const bool judged = !all.empty() && all.back().request == id;
    if (judged && all.back().ci) continue;
    return Error{ErrorCode::invalid,
                 judged && !all.back().reasons.empty() ? all.back().reasons.front()
                                                       : "a comparison gave no interval",
                 options.title(), "choose one that passes its check, and a size that it takes"};
  }
  return {};
}

Json json_of(const NoiseFloor& floor, const SelftestOptions& options) {
  return {{"ridgepoint", 1},
          {"selftest",
           {{"kind", "aa"},
            {"rung", options.title()},
            {"runs", floor.runs()},
            {"false_verdicts_at_margin_0", floor.false_at_zero},
            {"false_verdicts_at_default_margin", floor.false_at_margin},
            {"margin", floor.margin},
            {"noise_floor_median", floor.within(0.5)},
            {"noise_floor_p95", floor.within(0.95)},
            {"noise_floor_max", floor.within(1)},
            {"passed", floor.holds()}}}};
}

std::string text_of(const NoiseFloor& floor, const SelftestOptions& options) {
  return fmt::format(
      "{} compared with itself, {} times\n{}\n"
      "noise floor, |ratio - 1|: median {:.3f} %, 95 % of runs within {:.3f} %, worst {:.3f} %\n",
      options.title(), floor.runs(), floor.sentence(), 100 * floor.within(0.5),
      100 * floor.within(0.95), 100 * floor.within(1));
}

int cmd_selftest(const CommonOptions& common, const SelftestOptions& options) {
  auto driver = Driver::start(common, options.out, !options.command.empty());
  if (!driver) return fail(common, driver.error());
  const auto done = check_itself(driver->get(), options);
  const auto saved = (*driver)->close_file();
  const NoiseFloor floor = noise_floor((*driver)->run());
  if (floor.runs() > 0) {
    if (common.json)
      print_json(json_of(floor, options));
    else
      print(text_of(floor, options));
  }
  if (!done) return fail(common, done.error());
  if (!saved) return fail(common, saved.error());
  return floor.holds() ? 0 : static_cast<int>(ErrorCode::invalid);
}

Command setup_selftest(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<SelftestOptions>();
  command.add_option("kind", options->kind, "aa: a rung or a command against itself")
      ->required()
      ->check(CLI::IsMember({"aa"}));
  command.add_option("--runs", options->runs, "comparisons, default 100")
      ->check(CLI::Range(1, 10000));
  command.add_option("--lab", options->lab, "default gemm");
  command.add_option("--rung", options->rung,
                     "RUNG or RUNG:k=v,.., a kernel, training or pipeline; default cache_blocks");
  command.add_option("--command", options->command, "CMD in place of a rung");
  command
      .add_option("--limit", options->limit_s,
                  "seconds of each comparison's rounds; of a training, of its steps")
      ->check(CLI::Range(0.001, 86400.0));
  one_at_a_time(command.add_option("--set", options->set, "a parameter: n=232 (repeat)"));
  command.add_flag("--sustained", options->sustained,
                   "with turns alone where a GPU's clock is held down (a minute a comparison)");
  command.add_option("--out", options->out, "save the run: RUN.jsonl");
  return [options, &common] { return cmd_selftest(common, *options); };
}

RIDGE_COMMAND(selftest,
              .about = "aa: compare a rung or command with itself; this machine's noise floor",
              .group = CommandGroup::machine,
              .use =
                  "Compares a rung with itself again and again: whatever difference that shows is "
                  "the noise of this machine.",
              .examples = {{"selftest aa --runs 20", "twenty comparisons of a rung with itself"},
                           {"selftest aa --command \"sort a.txt\" --runs 20",
                            "of a command of yours"}},
              .place = 140, .level = Level::kBench, .schema = "", .setup = setup_selftest);

}  // namespace
}  // namespace ridge::app
