// ridgepoint compare LAB: one baseline against one or several candidates, interleaved.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/measuring.h"
#include "app/results.h"
#include "app/terminal.h"

namespace ridge::app {
namespace {

/// The margin is part of the question, so it is said before the answer is known.
void announce(const WorkRequest& request) {
  const bool gpu = request.kernels.front().kernel.find(".cuda.") != std::string::npos;
  complain(fmt::format("comparing with a margin of {:.3g} %: smaller differences are called same",
                       request.margin.value_or(gpu ? 0.01 : 0.02) * 100));
}

}  // namespace

int cmd_compare(const CommonOptions& common, const MeasureOptions& options) {
  const auto choose = [&](const Lab& lab, const Run& run, const Params& set) -> Result<Selection> {
    Selection selection;
    RIDGE_TRY(KernelRequest baseline, select_side(lab, run, options.baseline, set));
    selection.kernels.push_back(std::move(baseline));
    for (const std::string& text : options.candidates) {
      RIDGE_TRY(KernelRequest candidate, select_side(lab, run, text, set));
      selection.kernels.push_back(std::move(candidate));
    }
    return selection;
  };
  const Measured measured = measure(common, options, "compare", choose, announce);
  if (measured.request == 0) return fail(common, *measured.error);
  const Run& run = measured.driver->run();
  if (common.json) {
    print_json(json_of(measured));
  } else {
    print(results_text(run, measured.request, {}) + "\n");
    print(comparisons_text(run, measured.request));
  }
  return finish_command(common, options, measured, compare_exit_code(run, measured.request));
}

}  // namespace ridge::app
