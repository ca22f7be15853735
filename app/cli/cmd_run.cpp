// ridgepoint run LAB: measures rungs one after another; --table TABLE: a published table again, row by row;
// --workload NETWORK: the calls of a network.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/cli/driver.h"
#include "app/query/diagnoses.h"
#include "app/query/faster.h"
#include "app/query/next_steps.h"
#include "app/query/published.h"
#include "app/query/results.h"
#include "app/query/series_table.h"
#include "app/query/terminal.h"
#include "app/query/workload.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

/// A rung without the parameter that is swept runs once.
void add_new(std::vector<KernelRequest> kernels, std::vector<KernelRequest>* all) {
  const size_t known = all->size();
  for (KernelRequest& one : kernels) {
    const auto end = all->begin() + static_cast<std::ptrdiff_t>(known);
    const bool is_known = std::any_of(all->begin(), end, [&](const KernelRequest& other) {
      return other.kernel == one.kernel && other.params == one.params;
    });
    if (!is_known) all->push_back(std::move(one));
  }
}

int run_table(const CommonOptions& common, const MeasureOptions& options) {
  const auto lab = require_lab(options.lab);
  if (!lab) return fail(common, lab.error());
  const auto table = require_table(**lab, options.table);
  if (!table) return fail(common, table.error());
  const auto given = parse_params(options.set);
  if (!given) return fail(common, given.error());
  if (!options.rungs.empty() || options.cache != CacheMode::hot) {
    return fail(common, {ErrorCode::usage, "a table says itself what is run, and that hot",
                         "--table", "leave out --rungs and --cache"});
  }
  const Measured measured =
      measure(common, options, RequestType::run,
              [&](const Lab& of, const Run& run, const Params& set,
                  const std::vector<std::string>&) { return select_table(of, **table, run, set); });
  if (measured.request == 0) return fail(common, *measured.error);
  const Run& run = measured.driver->run();
  const auto recordings = load_all_recordings(nullptr);
  const auto rows = fill_table(**table, run, measured.request, recordings, *given);
  if (common.json) {
    Json document = json_of(measured);
    document["table"] = published_json(**table, rows);
    print_json(document);
  } else {
    print(environment_text(run) +
          published_text(**table, rows, *given, std::max<size_t>(text_width(), 60)));
  }
  return finish_command(common, options, measured,
                        run_exit_code(run, measured.request, *measured.lab));
}

/// The calls of a workload for each rung, each shape once.
Result<Selection> select_workload(const Lab& lab, const Workload& workload, const Run& run,
                                  const std::vector<std::string>& rungs, const Params& given) {
  Selection all;
  for (const std::string& name : rungs) {
    RIDGE_TRY(const Rung* rung, find_rung(lab, name));
    RIDGE_TRY(Selection one,
              select_table(lab, workload_table(workload, rung->kernel, given), run, {}));
    for (KernelRequest& request : one.kernels) add_new({std::move(request)}, &all.kernels);
  }
  return all;
}

int run_workload(const CommonOptions& common, const MeasureOptions& options) {
  const auto lab = require_lab(options.lab);
  if (!lab) return fail(common, lab.error());
  const auto workload = require_workload(**lab, options.workload);
  if (!workload) return fail(common, workload.error());
  if (options.rungs.empty() || options.cache != CacheMode::hot) {
    return fail(common, {ErrorCode::usage, "a workload is run by the rungs that you name, and hot",
                         "--workload", "name them, --rungs threads, and leave out --cache"});
  }
  Params given;
  const Measured measured = measure(
      common, options, RequestType::run,
      [&](const Lab& of, const Run& run, const Params& set, const std::vector<std::string>&) {
        given = set;
        return select_workload(of, **workload, run, options.rungs, set);
      });
  if (measured.request == 0) return fail(common, *measured.error);
  const Run& run = measured.driver->run();
  std::string text = environment_text(run), counts;
  for (const std::string& name : options.rungs) {
    const Rung* rung = *find_rung(**lab, name);
    const Table table = workload_table(**workload, rung->kernel, given);
    const chart::ChartModel model =
        chart::workload_chart(workload_input(**workload, table, run, rung->title));
    text += workload_text(model);
    counts = workload_counts_text(model);
  }
  if (common.json)
    print_json(json_of(measured));
  else
    print(text + counts);
  return finish_command(common, options, measured,
                        run_exit_code(run, measured.request, *measured.lab));
}

/// The table on a terminal, where somebody watches it grow.
class Watched {
 public:
  explicit Watched(bool is_wanted) : is_wanted_(is_wanted) {}

  void begin(const WorkRequest& request) {
    std::vector<std::string> kernels;
    for (const KernelRequest& one : request.kernels) kernels.push_back(one.kernel);
    if (is_wanted_) tables_.emplace(kernels);
  }
  void step(Driver& driver, int64_t request) {
    if (tables_ && driver.may_print()) driver.print_above(lines(driver.run(), request, false));
  }
  /// The lines that are still missing; none: nothing was printed, because no terminal watches or traps have other tables.
  std::optional<std::string> rest(const Run& run, int64_t request) {
    if (!tables_ || !is_begun_) return {};
    const std::string text = lines(run, request, true);
    // The machine may have become busy meanwhile.
    return text + (environment_text(run) == machine_ ? "" : "\n" + environment_text(run));
  }

 private:
  std::string lines(const Run& run, int64_t request, bool is_over) {
    const std::string text = tables_->next(run, request, is_over);
    if (text.empty() || std::exchange(is_begun_, true)) return text;
    machine_ = environment_text(run);
    return machine_ + text;
  }

  bool is_wanted_ = false, is_begun_ = false;
  std::optional<GrowingTables> tables_;
  std::string machine_;
};

/// What limits the rungs, and what is faster than they are: in brief of one rung each.
std::string advice_text(const Run& run, const Measured& measured, Detail detail) {
  const Lab& lab = *measured.lab;
  if (detail == Detail::brief)
    return last_diagnosis_text(run, measured.request) + faster_line(run, measured.request, lab);
  std::vector<Recording> recordings;
  const auto read = [&]() -> std::span<const Recording> {
    if (recordings.empty()) recordings = load_all_recordings(nullptr);
    return recordings;
  };
  return diagnoses_text(run, measured.request, lab) +
         faster_rungs_text(run, measured.request, lab, read);
}

int cmd_run(const CommonOptions& common, const MeasureOptions& options, Detail detail) {
  if (!options.table.empty()) return run_table(common, options);
  if (!options.workload.empty()) return run_workload(common, options);
  Watched watched(!common.json && stdout_is_terminal());
  const Measured measured = measure(
      common, options, RequestType::run,
      [&](const Lab& lab, const Run& run, const Params& set,
          const std::vector<std::string>& edited) -> Result<Selection> {
        Selection selection;
        if (edited.empty() || !options.rungs.empty()) {
          RIDGE_TRY(const auto all, expand_ranges(set));
          for (const Params& one : all) {
            RIDGE_TRY(Selection some, select_rungs(lab, run, options.rungs, one));
            add_new(std::move(some.kernels), &selection.kernels);
            selection.not_run = std::move(some.not_run);
          }
        }
        for (const std::string& kernel : edited) {
          RIDGE_TRY(KernelRequest request, select_edit(run, kernel, set));
          selection.kernels.push_back(std::move(request));
        }
        return selection;
      },
      [&](const WorkRequest& request) { watched.begin(request); },
      [&](Driver& driver, int64_t request) { watched.step(driver, request); });
  if (measured.request == 0) return fail(common, *measured.error);
  const Run& run = measured.driver->run();
  const int code = run_exit_code(run, measured.request, *measured.lab);
  if (common.json) {
    print_json(json_of(measured));
  } else if (code != static_cast<int>(ErrorCode::unavailable)) {
    const auto rest = watched.rest(run, measured.request);
    const std::vector<NotRun>& not_run = measured.selection.not_run;
    print(rest ? *rest + results_notes(run, measured.request, not_run, detail)
               : results_text(run, measured.request, not_run, detail));
    print(refusals_text(run, measured.request, *measured.lab));
    print(seed_deltas_text(run, measured.request, measured.lab->quality_metric));
    print(advice_text(run, measured, detail));
    if (has_puzzles(*measured.lab)) print(next_text(*measured.lab));
    if (detail == Detail::brief)
      print(
          std::string("  --verbose: what limits each rung, what is faster, and each rung that was "
                      "not run\n") +
          (options.out.empty()
               ? "  --out RUN.jsonl: keeps the run, for 'ridgepoint report RUN.jsonl'\n"
               : ""));
  }
  return finish_command(common, options, measured, code);
}

Command setup_run(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<MeasureOptions>();
  add_measuring(&command, options.get());
  one_at_a_time(command.add_option("--rungs", options->rungs,
                                   "rungs to run, a,b,..; default: all that can run here"))
      ->delimiter(',');
  command.add_option("--table", options->table,
                     "a published table run again, row by row: talk (of gemm)");
  command.add_option(
      "--workload", options->workload,
      "a network's calls by the rungs named, beside what was printed: gpt3 (of gemm)");
  add_choice(&command, "--mode", &options->mode, {RunMode::live, RunMode::measure},
             "live or measure (default)");
  command.add_option("--name", options->person,
                     "who measures: reports, leaderboard and class have the run under this name");
  command.add_flag("--counters", options->counters,
                   "also read a GPU's hardware counters, after the timing");
  const auto verbose = std::make_shared<bool>(false);
  command.add_flag("--verbose", *verbose,
                   "also what limits each rung, and each rung that was not run");
  return [options, verbose, &common] {
    return cmd_run(common, *options, *verbose ? Detail::whole : Detail::brief);
  };
}

RIDGE_COMMAND(run, .about = "measure the rungs of a lab", .group = CommandGroup::start,
              .use =
                  "Checks the result of every rung of a lab and times it, one after the other, and "
                  "prints a table. Rungs that cannot run here are named.",
              .examples = {{"run gemm --set n=256 --mode live --out run.jsonl",
                            "a first look, in seconds; keeps the run"},
                           {"run gemm --rungs naive_o3,loop_order --set n=256,512",
                            "two rungs at two sizes"}},
              .place = 70, .level = Level::kLearn, .schema = "document", .setup = setup_run);

}  // namespace
}  // namespace ridge::app
