// ridgepoint compare LAB: one baseline against one or several candidates, interleaved. Without a lab the sides are
// commands, or libraries of the user's own.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/ratio_text.h"
#include "common/record/trained.h"

namespace ridge::app {
namespace {

/// Margin and limit are part of the question, so they are said before the answer is known.
void announce(const WorkRequest& request, bool trainings) {
  const bool gpu = backend_of(request.kernels.front().kernel) == Backend::cuda;
  complain(fmt::format("comparing with a margin of {:.3g} %: smaller differences are called same",
                       request.margin.value_or(default_margin(!gpu)) * 100));
  if (!request.budget.is_empty())
    complain("adopted only within the budget: " + budget_words(request.budget));
  if (!trainings) return;
  const bool is_share = request.budget.accuracy_kept && !request.budget.accuracy_lost;
  complain(fmt::format("{} trainings, in turns{}", request.kernels.size(),
                       is_share
                           ? ""
                           : "; a candidate's accuracy may fall by " +
                                 points_text(request.budget.accuracy_lost.value_or(kMayLose))));
}

/// Says what the rounds that were asked for will take, as soon as the first of them have said it.
EachStep rounds_notice(const MeasureOptions& options) {
  if (!options.rounds) return {};
  return [wanted = *options.rounds, is_said = false](Driver& driver, int64_t id) mutable {
    const auto& progress = driver.run().progress();
    const bool is_known = progress && progress->request == id && progress->phase == "rounds" &&
                          progress->left_s && !driver.run().rounds(id).empty();
    if (is_said || !is_known) return;
    is_said = true;
    constexpr double kLeast_s = 0.1;
    driver.complain_above(fmt::format("{} rounds take about {}; Ctrl+C judges those that are in",
                                      wanted,
                                      format_time_ns(std::max(kLeast_s, *progress->left_s) * 1e9)));
  };
}

/// Where a side meets itself: the command that asks just that.
std::string same_sides_text(const Run& run, int64_t request) {
  for (const Comparison& one : run.comparisons()) {
    if (one.request != request || one.baseline != one.candidate ||
        one.baseline_params != one.candidate_params)
      continue;
    return "  both sides are the same: what they differ by is noise; 'ridgepoint selftest aa' "
           "measures how much there is\n";
  }
  return "";
}

/// How the same question gets its answer; empty: it has one, or more rounds give none.
std::string again_text(const Run& run, int64_t request) {
  int rounds = 0;
  for (const Comparison& one : run.comparisons()) {
    const auto more = one.request == request ? more_rounds(one) : std::nullopt;
    if (more) rounds = std::max(rounds, more->rounds);
  }
  if (rounds == 0) return "";
  return fmt::format("  again: the same command with --rounds {}, or with a larger --margin\n",
                     rounds);
}

int show(const CommonOptions& common, const MeasureOptions& options, const Measured& measured,
         bool trainings) {
  if (measured.request == 0) return fail(common, *measured.error);
  const Run& run = measured.driver->run();
  const bool has_any =
      std::any_of(run.series().begin(), run.series().end(), [&](const Series& one) {
        return one.request == measured.request && one.status != SeriesStatus::skipped;
      });
  if (common.json) {
    print_json(json_of(measured));
  } else if (has_any || !measured.error) {  // else a table of dashes would stand before the reason
    // Of trainings each seed would be a table: what follows has the medians over them.
    const std::string results =
        trainings ? environment_text(run) + results_notes(run, measured.request, {})
                  : results_text(run, measured.request, {});
    print(results + "\n");
    print(comparisons_text(run, measured.request) + again_text(run, measured.request) +
          same_sides_text(run, measured.request));
  }
  return finish_command(common, options, measured, compare_exit_code(run, measured.request));
}

/// A lab that is none is a slip, or the second value of an option that takes one at a time.
Error no_lab_error(const std::string& lab) {
  const std::string meant = meant_lab(lab);
  return {ErrorCode::usage, "there is no lab '" + lab + "'", "compare",
          !meant.empty()
              ? meant
              : "where it is a second value: an option takes one, so repeat it, --candidate A "
                "--candidate B or --name A --name B; 'ridgepoint list' names the labs"};
}

/// Options of commands beside a lab.
Error for_commands_error(const MeasureOptions& options) {
  const char* given = options.names.size() > 1     ? "a second --name"
                      : !options.check.empty()     ? "--check"
                      : !options.reference.empty() ? "--reference"
                                                   : "--call-limit";
  return {ErrorCode::usage,
          std::string(given) + " is for commands, and the lab " + options.lab + " has rungs",
          "compare", "leave it out, or leave out the lab to compare two commands"};
}

Measured refused(Error error) {
  Measured measured;
  measured.error = std::move(error);
  return measured;
}

/// What is wrong with the options for a lab's rungs.
std::optional<Error> rungs_error(const MeasureOptions& options) {
  if (!find_lab(options.lab)) return no_lab_error(options.lab);
  const bool has_rule = !options.check.empty() || !options.reference.empty() ||
                        options.names.size() > 1 || options.call_limit_s;
  if (has_rule) return for_commands_error(options);
  const bool is_whole = !options.baseline.empty() && !options.candidates.empty();
  if (is_whole || !options.edits.empty()) return std::nullopt;
  return Error{ErrorCode::usage, "a baseline and a candidate are needed", "compare",
               "give --baseline RUNG and --candidate RUNG ('ridgepoint list " + options.lab +
                   "' has them), or a learner's file with --edit"};
}

}  // namespace

Measured measure_comparison(const CommonOptions& common, const MeasureOptions& options,
                            const BeforeComparison& before, const EachStep& each_step) {
  if (options.lab.empty()) {
    auto request = command_request(options);
    if (!request) return refused(request.error());
    if (before) before(*request, false);
    return measure_commands(common, options, *std::move(request), each_step);
  }
  if (auto error = rungs_error(options)) return refused(*std::move(error));
  bool trainings = false;
  const auto choose = [&](const Lab& lab, const Run& run, const Params& set,
                          const std::vector<std::string>& edited) -> Result<Selection> {
    // A learner's rung is compared with what it was made from, unless another is named.
    std::vector<std::string> sides = {options.baseline};
    if (options.baseline.empty() && !edited.empty()) sides.front() = original_of(edited.front());
    sides.insert(sides.end(), options.candidates.begin(), options.candidates.end());
    sides.insert(sides.end(), edited.begin(), edited.end());
    Selection selection;
    RIDGE_TRY(selection.kernels, select_sides(lab, run, sides, set));
    const KernelInfo* first = run.kernel(selection.kernels.front().kernel);
    trainings = first && first->kind == RungKind::training;
    if (trainings && options.rounds) return rounds_of_trainings();
    return selection;
  };
  const auto say = [&](const WorkRequest& request) {
    if (before) before(request, trainings);
  };
  MeasureOptions named = options;
  if (!options.names.empty()) named.person = options.names.front();
  return measure(common, named, RequestType::compare, choose, say, each_step);
}

int cmd_compare(const CommonOptions& common, const MeasureOptions& options,
                const std::function<void(const Measured&)>& after) {
  bool are_trainings = false;
  const auto say = [&](const WorkRequest& request, bool trainings) {
    are_trainings = trainings;
    announce(request, trainings);
    if (options.lab.empty() && !common.worker.empty())
      complain("the commands run where the worker runs: " + one_line(common.worker, 200));
  };
  const Measured measured = measure_comparison(common, options, say, rounds_notice(options));
  if (after && measured.request != 0) after(measured);
  return show(common, options, measured, are_trainings);
}

namespace {

Command setup_compare(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<MeasureOptions>();
  add_measuring(&command, options.get());
  command.get_option("lab")->required(false)->description(
      "the lab, e.g. gemm; none: commands or libraries");
  command.add_option("--baseline", options->baseline,
                     "RUNG or RUNG:k=v,..; without a lab: CMD, or a library FILE.so, .cpp or .cu");
  one_at_a_time(command.add_option("--candidate", options->candidates,
                                   "RUNG or RUNG:k=v,.., CMD or FILE.so (repeat for several)"));
  one_at_a_time(command.add_option(
      "--name", options->names,
      "with a lab: who measures, as of run; commands: the baseline's name, then each candidate's "
      "(repeat)"));
  command.add_option("--check", options->check,
                     "commands: CMD that reads an output and ends with 0 where it is right");
  command.add_option("--reference", options->reference,
                     "commands: FILE that each output has to equal");
  command
      .add_option("--call-limit", options->call_limit_s,
                  "commands: seconds that one call may take; default 60")
      ->check(CLI::Range(0.001, 86400.0));
  command.get_option("--limit")->description(
      "seconds of the rounds: an unresolved comparison goes on until then; of each training");
  command
      .add_option("--rounds", options->rounds,
                  "so many rounds, judged once; without it 40, or what --limit says")
      ->check(CLI::Range(int64_t{6}, int64_t{1'000'000}));
  command
      .add_option("--margin", options->margin,
                  "differences below it are called same; default 0.01 on a GPU, 0.02 on a CPU")
      ->check(CLI::Range(0.0001, 1.0));
  one_at_a_time(command.add_option(
      "--budget", options->budget,
      "what a candidate must keep to be adopted: ratio=1.2 (times as fast, by its whole interval), "
      "accuracy=1 (points lost), keeps=99% (of the "
      "baseline's accuracy), target=0.85, nmse=1e-6, p50|p90|p95|p99=2ms, memory=1GiB, "
      "energy=0.5J; several with commas, or a file with one a line (repeat)"));
  const auto line = [&](const char* name, const char* help, double least, const char* key,
                        double factor) {
    command
        .add_option_function<double>(
            name,
            [options, key, factor](double value) {
              options->budget.push_back(fmt::format("{}={:.12g}", key, value * factor));
            },
            help)
        ->check(CLI::Range(least, 1.0));
  };
  line("--accuracy-target",
       "--budget target=...: an accuracy, e.g. 0.85; of trainings the time to it is compared too",
       0.0001, "target", 1);
  line("--may-lose",
       "--budget accuracy=... as a share; of trainings 0.01, one point, where nothing is given",
       0.0, "accuracy", 100);
  command.add_flag("!--no-sustained", options->sustained,
                   "no turns alone where a GPU's load holds its clock down (they take most of a "
                   "minute)");
  return [options, &common] { return cmd_compare(common, *options); };
}

RIDGE_COMMAND(
    compare,
    .about =
        "compare rungs, trainings, pipelines, commands or libraries in turns: is the "
        "candidate faster?",
    .group = CommandGroup::start,
    .use =
        "Runs two or more sides in turns, so that a busy machine disturbs them alike, and ends "
        "with a verdict: faster, slower, same or unresolved.",
    .examples = {{"compare gemm --baseline naive_o3 --candidate packed --set n=256",
                  "two rungs of a lab"},
                 {"compare --baseline \"sort a.txt\" --candidate \"sort --parallel=2 a.txt\"",
                  "two commands of your own"},
                 {"compare --baseline ./before.so --candidate ./after.so",
                  "two libraries of your own"}},
    .place = 80, .level = Level::kLearn, .schema = "document", .setup = setup_compare);

}  // namespace
}  // namespace ridge::app
