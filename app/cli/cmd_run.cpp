// ridgepoint run LAB: measures rungs one after another.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/measuring.h"
#include "app/query/results.h"
#include "app/query/terminal.h"

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

}  // namespace

int cmd_run(const CommonOptions& common, const MeasureOptions& options) {
  if (!options.table.empty()) return cmd_table(common, options);
  const Measured measured =
      measure(common, options, "run",
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

}  // namespace ridge::app
