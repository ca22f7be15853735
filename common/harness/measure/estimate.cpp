#include "common/harness/measure/estimate.h"

#include <algorithm>
#include <cmath>

#include "common/harness/measure/harness.h"
#include "common/record/params.h"

namespace ridge::measure {
namespace {

constexpr double kMostGrowth = 8;
/// Of any rung, live: memory, the checks of small problems, the least warm-up.
constexpr double kLiveBase_s = 0.1;

/// Work (FLOP, or bytes where there are none) of the first trial: about 0.1 s for the slowest CPU
/// rung known (0.2 GFLOP/s), and enough to hide a launch on a GPU.
double first_work(Backend backend) {
  return backend == Backend::cpu ? 2e7 : 1e9;
}

/// Work that no sensible rung turns into a call of 5 s: 0.1 GFLOP/s on a CPU, 100 GFLOP/s on a GPU.
double safe_work(Backend backend) {
  return backend == Backend::cpu ? 5e8 : 5e11;
}

double work_of(const Problem& problem) {
  return std::max(problem.flop(), problem.bytes_min());
}

struct Trial {
  double call_ns = 0, prepare_s = 0;
};

/// One timed call after one that faults pages and fills caches.
Result<Trial> try_call(const KernelDesc& kernel, const FamilyDesc& family, const Params& params,
                       Device* device) {
  const double start = now_s();
  RIDGE_TRY(auto instance, make_instance(family, params, 1, *device));
  const double made = now_s();
  RIDGE_TRY(const ReadyRung rung, make_ready(kernel, device, instance));
  const Side side = rung.plain_side();
  RIDGE_TRY_VOID(device->call(side));
  RIDGE_TRY(const Sample sample, device->time_latency(side));
  return Trial{sample.t_ns, made - start};
}

/// The parameters that differ, as asked: "n=4096" where all that may follow another do. Else those that may are named,
/// too, so that a reader knows what was asked: "n=4096 m=512 k=4096".
std::string changed_params(const FamilyDesc& family, const Params& asked, const Params& used) {
  const std::vector<ParamSpec> specs = family.params();
  const auto follows = [&](const ParamSpec& spec) {
    const auto own = asked.find(spec.name), source = asked.find(spec.same_as);
    return own == asked.end() || source == asked.end() || own->second == source->second;
  };
  const bool all_follow = std::all_of(specs.begin(), specs.end(), follows);
  std::string text;
  for (const ParamSpec& spec : specs) {
    const auto before = asked.find(spec.name), after = used.find(spec.name);
    if (before == asked.end() || after == used.end()) continue;
    const bool may_follow = !spec.same_as.empty() && asked.contains(spec.same_as);
    if (may_follow ? all_follow : before->second == after->second) continue;
    text += (text.empty() ? "" : " ") + spec.name + "=" + to_string(before->second);
  }
  return text;
}

}  // namespace

FamilyProgress progress_to(Observer* observer, int series) {
  const double start = now_s();
  return [=, reported = start](const std::string& text, double share) mutable {
    constexpr double kReport_s = 0.1;
    if (now_s() - reported >= kReport_s) {
      reported = now_s();
      std::optional<double> left_s;
      if (share > 0) left_s = (reported - start) * (1 / share - 1);
      observer->phase(series,
                      {.phase = "prepare", .text = text, .progress = share, .left_s = left_s});
    }
    return !observer->cancelled();
  };
}

Result<void> get_ready(const FamilyDesc& family, const Params& params, int series,
                       Observer* observer) {
  if (family.get_ready == nullptr) return {};
  return family.get_ready(params, progress_to(observer, series));
}

double predict_total_s(const CallEstimate& call, RunMode mode, double energy_s) {
  const double call_s = call.call_ns * 1e-9;
  const double sample_s = std::max(call_s, 200e-6);
  if (mode == RunMode::live) {
    return kLiveBase_s + call.prepare_s + (call_s < kWarmCall_s ? 4 : 2) * call_s +
           std::clamp(50 * sample_s, call_s, std::max(1.0, call_s)) +
           std::clamp(59 * call_s, 0.0, 0.3);
  }
  const double checks_s = 0.2 + call.prepare_s + 2 * call_s;
  const double warmup_s = call_s > 1 ? call_s : std::max(0.3, 3 * call_s);
  // Runs stop between 40 and 160 samples as a rule; the limit holds either way.
  const double timing_s = std::min(100 * sample_s, std::max(10.0, call_s));
  if (energy_s > 0) energy_s = std::max(energy_s, call_s);
  return checks_s + warmup_s + timing_s + std::min(300 * call_s, std::max(5.0, call_s)) + energy_s;
}

Result<CallEstimate> estimate_call(const KernelDesc& kernel, const FamilyDesc& family,
                                   const Params& params, Device* device, bool need_time) {
  CallEstimate estimate;
  estimate.params = params;
  RIDGE_TRY(const auto asked, family.make_problem(params));
  RIDGE_TRY_VOID(check_memory(family, params, *asked, *device));
  const double work = work_of(*asked);
  if (family.shrink == nullptr || !(work > 0)) return estimate;
  if (!need_time && work <= safe_work(kernel.backend)) return estimate;

  // Rates fall once a problem leaves the caches, so a trial far below the asked size flatters a
  // slow rung: look again at the size that is predicted to take 0.15 s, until that is near.
  double share = std::min(1.0, first_work(kernel.backend) / work);
  for (int i = 0; i < 4; ++i) {
    const Params small = share < 1 ? family.shrink(params, share) : params;
    RIDGE_TRY(const auto problem, family.make_problem(small));
    RIDGE_TRY(const Trial trial, try_call(kernel, family, small, device));
    const double done = work_of(*problem);
    estimate.call_ns = trial.call_ns * work / done;
    // Inputs grow less than the work does.
    estimate.prepare_s = trial.prepare_s * std::min(work / done, kMostGrowth);
    // Only whether it is too long is asked, and no cache makes up for a factor of 20.
    if (!need_time && estimate.call_ns < kLongestCallNs / 20) break;
    const double better = std::min(1.0, 0.15e9 / std::max(estimate.call_ns, 1.0));
    if (done >= work || better < 2 * done / work) break;
    share = better;
  }
  if (estimate.call_ns <= kLongestCallNs) return estimate;

  // A tenth less than the limit, since the prediction is not exact.
  estimate.params = family.shrink(params, 0.9 * kLongestCallNs / estimate.call_ns);
  RIDGE_TRY(const auto reduced, family.make_problem(estimate.params));
  estimate.reduced_from = changed_params(family, params, estimate.params);
  estimate.call_ns *= work_of(*reduced) / work;
  return estimate;
}

Result<CallEstimate> EstimateCache::get(const KernelDesc& kernel, const FamilyDesc& family,
                                        const Params& params, Device* device) {
  const std::string key = std::string(kernel.id) + " " + to_string(params);
  if (const auto found = done_.find(key); found != done_.end()) return found->second;
  RIDGE_TRY(CallEstimate estimate, estimate_call(kernel, family, params, device, false));
  return done_[key] = std::move(estimate);
}

}  // namespace ridge::measure
