#include "app/cli/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/cli/driver.h"
#include "app/query/results.h"

namespace ridge::app {
namespace {

using Clock = std::chrono::steady_clock;

std::string file_name(const RehearsedStep& step) {
  return fmt::format("step-{:02}-{}.jsonl", step.number, step.step->lab);
}

/// Rungs that cannot run here are left out and named; a step is not lost for one of them.
Selection select_step(const Lab& lab, const Run& run, const study::TourStep& step) {
  Selection selection;
  std::vector<std::string> names = step.rungs;
  if (!step.baseline.empty() &&
      std::find(names.begin(), names.end(), step.baseline) == names.end()) {
    names.insert(names.begin(), step.baseline);
  }
  for (const std::string& name : names) {
    auto one = select_rungs(lab, run, {name}, step.set);
    if (one) {
      selection.kernels.push_back(one->kernels.front());
      continue;
    }
    const KernelInfo* info = run.kernel(name);
    selection.not_run.push_back(
        {name, info && !info->reason.empty() ? info->reason : one.error().sentence()});
  }
  return selection;
}

WorkRequest request_of(const study::TourStep& step, const char* type) {
  WorkRequest request;
  request.type = type;
  request.lab = step.lab;
  if (!step.mode.empty()) request.mode = step.mode;
  if (!step.cache.empty()) request.cache = step.cache;
  return request;
}

const KernelRequest* asked(const Selection& selection, const std::string& kernel) {
  const auto found = std::find_if(selection.kernels.begin(), selection.kernels.end(),
                                  [&](const KernelRequest& one) { return one.kernel == kernel; });
  return found == selection.kernels.end() ? nullptr : &*found;
}

Result<void> measure_step(Driver& driver, const Lab& lab, const Selection& selection,
                          RehearsedStep* out) {
  const study::TourStep& step = *out->step;
  RIDGE_TRY_VOID(driver.fetch_sources(selection.kernels));
  const auto begin = Clock::now();
  WorkRequest request = request_of(step, "run");
  request.kernels = selection.kernels;
  int64_t id = 0;
  RIDGE_TRY_VOID(driver.carry_out(std::move(request), &id));
  out->code = run_exit_code(driver.run(), id, lab);
  const size_t rungs = selection.kernels.size();
  out->outcome = fmt::format("{} rung{}", rungs, rungs == 1 ? "" : "s");
  const KernelRequest* baseline = asked(selection, step.baseline);
  const KernelRequest* candidate = asked(selection, step.rungs.back());
  if (baseline && candidate && out->code == 0) {
    WorkRequest compare = request_of(step, "compare");
    compare.kernels = {*baseline, *candidate};
    RIDGE_TRY_VOID(driver.carry_out(std::move(compare), &id));
    if (!driver.run().comparisons().empty())
      out->outcome += ", " + to_string(driver.run().comparisons().back().verdict);
    // Slower and unresolved are answers; only a failed check spoils a step.
    if (compare_exit_code(driver.run(), id) == 3) out->code = 3;
  }
  out->run_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return {};
}

Result<void> rehearse_step(const CommonOptions& common, const std::string& folder,
                           RehearsedStep* out) {
  RIDGE_TRY(const Lab* lab, require_lab(out->step->lab));
  const std::string path = folder + "/" + file_name(*out);
  RIDGE_TRY(const auto driver, Driver::start(common, path));
  auto done = driver->fetch_catalogue();
  const Selection selection = done ? select_step(*lab, driver->run(), *out->step) : Selection();
  out->not_run = selection.not_run;
  const bool runs = done && !selection.kernels.empty();
  if (runs) done = measure_step(*driver, *lab, selection, out);
  RIDGE_TRY(const bool saved, driver->close_file());
  if (runs && saved) {
    out->path = path;
  } else {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // a run of nothing is no fallback
  }
  if (done && !runs) {
    out->code = static_cast<int>(ErrorCode::unavailable);
    out->outcome = "cannot run here";
  }
  return done;
}

}  // namespace

std::vector<RehearsedStep> rehearse(const CommonOptions& common, const study::Tour& tour,
                                    const std::string& folder,
                                    const std::function<void(const RehearsedStep&)>& done) {
  std::vector<RehearsedStep> steps;
  for (const study::TourStep& step : tour.steps) {
    RehearsedStep out;
    out.number = static_cast<int>(steps.size()) + 1;
    out.step = &step;
    const auto ended = rehearse_step(common, folder, &out);
    if (!ended) {
      out.error = ended.error().sentence();
      out.code = ended.error().exit_code();
    }
    steps.push_back(out);
    done(steps.back());
    const bool ends = !ended && (ended.error().code == ErrorCode::cancelled ||
                                 ended.error().code == ErrorCode::cannot_write);
    if (ends) break;
  }
  return steps;
}

}  // namespace ridge::app
