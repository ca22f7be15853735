// ridgepoint run LAB: measures rungs one after another; --table TABLE: a published table again, row by row.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/diagnoses.h"
#include "app/query/published.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
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
          published_text(**table, rows, *given, std::clamp<size_t>(terminal_width(), 60, 100)));
  }
  return finish_command(common, options, measured,
                        run_exit_code(run, measured.request, *measured.lab));
}

int cmd_run(const CommonOptions& common, const MeasureOptions& options) {
  if (!options.table.empty()) return run_table(common, options);
  const Measured measured =
      measure(common, options, RequestType::run,
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
              });
  if (measured.request == 0) return fail(common, *measured.error);
  const Run& run = measured.driver->run();
  const int code = run_exit_code(run, measured.request, *measured.lab);
  if (common.json) {
    print_json(json_of(measured));
  } else if (code != static_cast<int>(ErrorCode::unavailable)) {
    print(results_text(run, measured.request, measured.selection.not_run));
    print(refusals_text(run, measured.request, *measured.lab));
    print(seed_deltas_text(run, measured.request, measured.lab->quality_metric));
    print(diagnoses_text(run, measured.request, *measured.lab));
  }
  return finish_command(common, options, measured, code);
}

Command setup_run(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<MeasureOptions>();
  add_measuring(&command, options.get());
  one_at_a_time(command.add_option("--rungs", options->rungs,
                                   "which, a,b,..; default: all that can run here"))
      ->delimiter(',');
  command.add_option("--table", options->table,
                     "a published table run again, row by row: talk (of gemm)");
  add_choice(&command, "--mode", &options->mode, {RunMode::live, RunMode::measure},
             "live or measure (default)");
  command.add_flag("--counters", options->counters,
                   "a GPU's hardware counters too, after the timing, in a worker of their own");
  return [options, &common] { return cmd_run(common, *options); };
}

RIDGE_COMMAND(run, .about = "measure the rungs of a lab", .place = 70, .level = Level::kLearn,
              .schema = "document", .setup = setup_run);

}  // namespace
}  // namespace ridge::app
