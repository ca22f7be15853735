#include "worker/work.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/environment.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/range.h"
#include "common/harness/measure/serve.h"
#include "common/record/params.h"
#include "worker/catalogue.h"
#include "worker/counting.h"
#include "worker/edit/loading.h"

namespace ridge::worker {
namespace {

using measure::Device;

constexpr double kQuietWindow_s = 0.2, kStaleWindow_s = 60;
constexpr size_t kResultsBeforeCeilings = 3;  // enough to see the ladder climb

}  // namespace

Work::Work(Emitter* emitter) : emitter_(emitter) {
  gpus_ = measure::list_gpus(&no_gpu_reason_);
  catalogue_ = catalogue(gpus_, no_gpu_reason_);
  bench_.full_checks.of_edits = !loaded_kernels().empty();
  bench_.posed = std::move(posed_ahead());
}

Backend Work::Asked::backend() const {
  if (training != nullptr) return training->backend;
  if (pipeline != nullptr) return pipeline->backend;
  if (trap != nullptr) return trap->backend;
  if (edit != nullptr) return edit->info.backend == Backend::cuda ? Backend::cuda : Backend::cpu;
  return kernel != nullptr ? kernel->backend : Backend::cpu;
}

std::string_view Work::Asked::id() const {
  if (training != nullptr) return training->id;
  if (pipeline != nullptr) return pipeline->id;
  if (trap != nullptr) return trap->id;
  if (edit != nullptr) return edit->info.id;
  return kernel != nullptr ? kernel->id : "";
}

const KernelInfo* Work::info(std::string_view id) const {
  for (const KernelInfo& entry : catalogue_) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

// ---- finding what was asked for ------------------------------------------------------------------

Result<Work::Asked> Work::find(const KernelRequest& request) const {
  const KernelInfo* entry = info(request.kernel);
  if (entry == nullptr) {
    return Error{ErrorCode::usage, "no rung is called '" + request.kernel + "'", "kernels",
                 "`list` names those of this worker"};
  }
  Asked asked;
  asked.kernel = find_kernel(request.kernel);
  asked.training = find_training(request.kernel);
  asked.pipeline = find_pipeline(request.kernel);
  asked.trap = find_trap(request.kernel);
  asked.edit = edits_.find(request.kernel);
  if (!entry->available) asked.cannot = entry->reason.empty() ? "not available" : entry->reason;
  RIDGE_TRY(asked.params, resolve_params(entry->params, request.params, entry->family));
  return asked;
}

Result<std::vector<Work::Asked>> Work::find_all(const WorkRequest& request) const {
  std::vector<Asked> all;
  for (const KernelRequest& entry : request.kernels) {
    RIDGE_TRY(Asked asked, find(entry));
    all.push_back(std::move(asked));
  }
  return all;
}

Result<Device*> Work::device(Backend backend, int index) {
  if (backend == Backend::cpu) {
    if (cpu_ == nullptr) {
      RIDGE_TRY(cpu_, measure::make_cpu_device());
    }
    return cpu_.get();
  }
  auto& gpu = gpu_devices_[index];
  if (gpu == nullptr) {
    RIDGE_TRY(gpu, measure::make_cuda_device(index));
  }
  return gpu.get();
}

// ---- environment ----------------------------------------------------------------------------------

std::vector<std::string> Work::disturbances() {
  std::vector<std::string> all;
  for (const auto& [index, gpu] : gpu_devices_) {
    if (gpu == nullptr) continue;
    const auto some = gpu->disturbances();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void Work::send_environment(int64_t request, const char* when, const measure::ForeignLoad& load) {
  Environment environment = measure::read_environment();
  environment.quiet = measure::judge_quiet(environment, load.cpus(), disturbances());
  emitter_->emit("env", {{"request", request}, {"when", when}, {"environment", environment}});
}

// ---- requests ------------------------------------------------------------------------------------

Result<void> Work::carry_out(const WorkRequest& request, std::function<bool()> cancelled) {
  RIDGE_TRY(const auto asked, find_all(request));
  const measure::Range range((request.lab.empty() ? to_string(request.type) : request.lab).c_str());
  LineObserver observer(emitter_, request.id, std::move(cancelled));
  if (request.type == RequestType::probe && !asked.empty())
    return estimate(request, asked, &observer);
  if (request.type == RequestType::inspect) return inspect(request, asked.front(), &observer);

  Device* gpu = nullptr;
  for (const Asked& one : asked) {
    const bool runs_on_gpu = one.backend() == Backend::cuda && one.cannot.empty();
    if (!runs_on_gpu) continue;
    // Made now, so that the quiet check can ask it and its start-up is over before anything is timed.
    RIDGE_TRY(gpu, device(Backend::cuda, request.device));
  }
  if (loaded_kernels().empty()) observer.start_telemetry(gpu);
  // A parameter that was let go is to run within 150 ms: live, the window that is looked at began with the
  // request before, and nothing is waited for.
  // Nor in the worker of a learner's rung: the worker that started it has judged.
  if (request.mode != RunMode::live || load_.window_s() > kStaleWindow_s) load_.start();
  const double missing_s =
      loaded_kernels().empty() ? std::max(0.0, kQuietWindow_s - load_.window_s()) : 0;
  std::this_thread::sleep_for(std::chrono::duration<double>(missing_s));
  send_environment(request.id, "before", load_);
  load_.start();
  // A run measures them itself, after its first results: those are what somebody is waiting for.
  if (request.type != RequestType::run) RIDGE_TRY_VOID(ceilings(request, asked, &observer));
  if (request.type == RequestType::probe) return {};
  const auto outcome = request.type == RequestType::run ? run(request, asked, &observer)
                       : request.type == RequestType::serve
                           ? serve(request, asked.front(), &observer)
                           : compare(request, asked, &observer);
  if (outcome || outcome.error().code != ErrorCode::worker) {
    send_environment(request.id, "after", load_);
  }
  return outcome;
}

void Work::send_outcome(int64_t request, const std::string& lab, Series series) {
  series.request = request;
  series.lab = lab;
  if (const KernelInfo* entry = info(series.kernel)) series.hash = entry->hash;
  emitter_->emit("result",
                 {{"request", request}, {"series", series.index}, {"outcome", Json(series)}});
}

Result<Series> Work::run_one(const WorkRequest& request, const Asked& asked, int index,
                             LineObserver* observer) {
  measure::Options options;
  options.mode = request.mode;
  options.cache = request.cache;
  options.limit_s = request.limit_s;
  options.energy = request.energy;
  options.warmup_s = request.warmup_s.value_or(options.warmup_s);
  options.count_only = request.count_only;
  options.gate = !request.count_only;  // the awkward shapes were checked by the worker that timed
  if (request.count_only) options.warmup_s = 0.05;
  const auto skipped = [&](const std::string& reason) {
    Series series;
    series.index = index;
    series.kernel = request.kernels[static_cast<size_t>(index)].kernel;
    series.kind = info(series.kernel)->kind;
    series.params = asked.params;
    series.dtype = param_text(asked.params, "dtype", "fp32");
    series.cache = request.cache;
    series.mode = request.mode;
    series.status = SeriesStatus::skipped;
    series.reason = reason;
    return series;
  };
  if (!asked.cannot.empty()) return skipped(asked.cannot);
  if (asked.training != nullptr) {
    return measure::measure_training(*asked.training, asked.params, options, index, observer);
  }
  if (asked.pipeline != nullptr) {
    return measure::measure_pipeline(*asked.pipeline, asked.params, options, index, observer);
  }
  if (asked.edit != nullptr) {
    // A trained model is made and kept here: its worker may write nothing.
    const FamilyDesc* family = find_family(family_of(asked.id()));
    if (family != nullptr) {
      RIDGE_TRY_VOID(measure::get_ready(*family, asked.params, index, observer));
    }
    return edits_.run(*asked.edit, request, index, observer);
  }
  const auto where = device(asked.backend(), request.device);
  if (!where) return skipped(where.error().sentence());
  if (asked.trap != nullptr) {
    return measure::measure_trap(*asked.trap, asked.params, *where, options, index, observer);
  }
  return measure::measure_kernel(&bench_, *where, *asked.kernel, asked.params, options, index,
                                 observer);
}

Result<void> Work::run(const WorkRequest& request, const std::vector<Asked>& asked,
                       LineObserver* observer) {
  std::vector<Series> to_count;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (observer->cancelled()) return measure::cancelled_error();
    RIDGE_TRY(Series series, run_one(request, asked[i], static_cast<int>(i), observer));
    const bool cancelled = series.status == SeriesStatus::cancelled;
    const bool on_gpu = asked[i].kernel != nullptr && asked[i].backend() == Backend::cuda &&
                        asked[i].kernel->time_calls == nullptr;
    if (request.counters && on_gpu && series.status == SeriesStatus::ok) {
      to_count.push_back(series);
    }
    send_outcome(request.id, request.lab, std::move(series));
    if (cancelled) return measure::cancelled_error();
    if (i + 1 == std::min(kResultsBeforeCeilings, asked.size()))
      RIDGE_TRY_VOID(ceilings(request, asked, observer));
  }
  if (!to_count.empty()) count(request, std::move(to_count), observer);
  return {};
}

void Work::count(const WorkRequest& request, std::vector<Series> measured, LineObserver* observer) {
  std::vector<Counted> counted = count_elsewhere(request, measured, observer);
  for (size_t i = 0; i < measured.size(); ++i) {
    measured[i].counters = std::move(counted[i].counters);
    measured[i].unavailable["counters"] = counted[i].reason;
    if (!measured[i].counters.empty()) measured[i].unavailable.erase("counters");
    send_outcome(request.id, request.lab, std::move(measured[i]));
  }
}

Result<void> Work::compare(const WorkRequest& request, const std::vector<Asked>& asked,
                           LineObserver* observer) {
  std::vector<measure::CompareSide> sides;
  bool edited = false;
  for (size_t i = 0; i < asked.size(); ++i) {
    const std::string& name = request.kernels[i].kernel;
    if (!asked[i].cannot.empty()) return Error{ErrorCode::unavailable, asked[i].cannot, name, ""};
    if (asked[i].kernel == nullptr && asked[i].edit == nullptr) {
      return Error{ErrorCode::usage, "only kernels are compared in pairs", name,
                   "run the other kinds one by one"};
    }
    edited |= asked[i].edit != nullptr;
    RIDGE_TRY(Device * where, device(asked[i].backend(), request.device));
    sides.push_back({asked[i].kernel, asked[i].params, where});
  }
  constexpr size_t kMostSides = 10;  // a round names its sides by digits
  if (sides.size() > kMostSides) {
    return Error{ErrorCode::usage, std::to_string(sides.size() - 1) + " candidates at once",
                 "compare", "give at most 9"};
  }
  measure::CompareOptions options;
  options.cache = request.cache;
  options.margin = request.margin;
  options.limit_s = request.limit_s;
  options.warmup_s = request.warmup_s.value_or(options.warmup_s);
  options.order_seed = std::random_device()();
  RIDGE_TRY(measure::CompareOutcome outcome,
            edited ? edits_.compare(request, observer)
                   : measure::compare(&bench_, sides, options, observer));
  const bool cancelled = outcome.cancelled;
  send_comparisons(request, std::move(outcome));
  if (cancelled) return measure::cancelled_error();
  return {};
}

void Work::send_comparisons(const WorkRequest& request, measure::CompareOutcome outcome) {
  for (Series& series : outcome.series) send_outcome(request.id, request.lab, std::move(series));
  Json list = Json::array();
  for (Comparison& comparison : outcome.comparisons) {
    comparison.request = request.id;
    comparison.lab = request.lab;
    list.push_back(comparison);
  }
  emitter_->emit("result", {{"request", request.id}, {"comparisons", list}});
}

Result<void> Work::estimate(const WorkRequest& request, const std::vector<Asked>& asked,
                            LineObserver* observer) {
  Json list = Json::array();
  for (size_t i = 0; i < asked.size(); ++i) {
    if (observer->cancelled()) return measure::cancelled_error();
    const Asked& one = asked[i];
    Json entry = {{"series", i}, {"params", params_to_json(one.params)}};
    if (!one.cannot.empty()) {
      entry["reason"] = one.cannot;
    } else if (one.kernel == nullptr) {
      entry["reason"] = "only a kernel's time is estimated";
    } else {
      const FamilyDesc* family = find_family(family_of(one.id()));
      RIDGE_TRY(Device * where, device(one.backend(), request.device));
      RIDGE_TRY_VOID(measure::get_ready(*family, one.params, static_cast<int>(i), observer));
      const auto estimate = measure::estimate_call(*one.kernel, *family, one.params, where, true);
      if (!estimate) {
        if (estimate.error().code == ErrorCode::worker) return estimate.error();
        entry["reason"] = estimate.error().sentence();
      } else {
        entry["call_ns"] = estimate->call_ns;
        entry["total_s"] =
            measure::predict_total_s(estimate->call_ns, request.mode, where->energy_meter().ok());
        entry["reduced_from"] = estimate->reduced_from;
        entry["params"] = params_to_json(estimate->params);
      }
    }
    list.push_back(std::move(entry));
  }
  emitter_->emit("result", {{"request", request.id}, {"estimates", list}});
  return {};
}

Result<void> Work::serve(const WorkRequest& request, const Asked& asked, LineObserver* observer) {
  const std::string& kernel = request.kernels.front().kernel;
  if (!asked.cannot.empty()) return Error{ErrorCode::unavailable, asked.cannot, kernel, ""};
  if (asked.kernel == nullptr) {
    return Error{ErrorCode::usage, "only a kernel's step is served", kernel, "take one of decode"};
  }
  RIDGE_TRY(Device * where, device(asked.backend(), request.device));
  RIDGE_TRY(Serving found,
            measure::serve(where, *asked.kernel, asked.params, request.serve, observer));
  found.request = request.id;
  emitter_->emit("result", {{"request", request.id}, {"serving", found}});
  return {};
}

/// Of a rung that cannot run here too: the model is its family's.
Result<void> Work::inspect(const WorkRequest& request, const Asked& asked, LineObserver* observer) {
  const std::string& kernel = request.kernels.front().kernel;
  const FamilyDesc* family = find_family(family_of(kernel));
  if (family == nullptr || family->inspect == nullptr) {
    return Error{ErrorCode::unavailable, "this rung has no model to look into", kernel, ""};
  }
  RIDGE_TRY_VOID(measure::get_ready(*family, asked.params, 0, observer));
  RIDGE_TRY(Inspection found, family->inspect(asked.params, request.inspect));
  found.request = request.id, found.kernel = kernel, found.params = asked.params;
  emitter_->emit("result", {{"request", request.id}, {"inspection", found}});
  return {};
}

}  // namespace ridge::worker
