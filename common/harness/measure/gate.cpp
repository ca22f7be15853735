#include "common/harness/measure/gate.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "common/harness/quality/quality.h"
#include "common/record/params.h"

namespace ridge::measure {
namespace {

/// The run's choices (dtype, layout ...) hold for the awkward shapes too, and whatever else no shape
/// names: its thread count, or attention's head size.
Params carried_over(const FamilyDesc& family, const std::vector<Params>& shapes,
                    const Params& params) {
  Params carried;
  for (const ParamSpec& spec : family.params()) {
    const auto found = params.find(spec.name);
    if (found == params.end()) continue;
    const bool named = std::any_of(shapes.begin(), shapes.end(),
                                   [&](const Params& shape) { return shape.count(spec.name) > 0; });
    if (spec.is_choice || !named) carried.insert(*found);
  }
  return carried;
}

/// Keeps the more telling of two checks: one that failed, else the one nearer to its limit.
void keep_worst(QualityCheck* worst, const QualityCheck& next) {
  const int64_t checked = worst->checked + next.checked;
  const auto share = [](const QualityCheck& c) {
    return c.nmse_limit > 0 ? c.nmse / c.nmse_limit : c.worst_bound_share;
  };
  if (worst->what.empty() || !next.passed || share(next) > share(*worst)) *worst = next;
  worst->checked = checked;
}

}  // namespace

Result<QualityCheck> check_rung(ReadyRung* rung, bool full, const std::string& what,
                                double* call_s) {
  RIDGE_TRY_VOID(rung->buffers->poison_outputs());
  const auto begin = std::chrono::steady_clock::now();
  RIDGE_TRY_VOID(rung->device->call(rung->plain_side()));
  if (call_s != nullptr) {
    *call_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  RIDGE_TRY_VOID(rung->buffers->download_outputs(rung->instance.get()));
  RIDGE_TRY(const std::string broken, rung->buffers->broken_guard());
  RIDGE_TRY(const bool intact, rung->buffers->inputs_intact(*rung->instance));

  int64_t unwritten = 0;
  for (size_t i = 0; i < rung->instance->specs.size(); ++i) {
    const BufferSpec& spec = rung->instance->specs[i];
    if (spec.is_output) unwritten += quality::count_poison(rung->instance->host[i], spec.dtype);
  }
  QualityCheck check =
      rung->instance->problem->check(rung->instance->host, full, rung->instance->seed);
  check.what = what;
  quality::apply_guards(&check, unwritten, broken.empty());
  // Damage outside the output explains more than a wrong value does.
  if (!intact) {
    check.passed = false;
    check.reason = "changed its inputs";
  }
  if (!broken.empty()) check.reason = "wrote outside buffer " + broken;
  return check;
}

Result<QualityCheck> FullChecks::get(const KernelDesc& kernel, const FamilyDesc& family,
                                     const Params& params, Device* device,
                                     const Observer& observer) {
  const std::vector<Params> shapes = family.awkward();
  const Params carried = carried_over(family, shapes, params);
  const std::string key = std::string(kernel.id) + " " + to_string(carried);
  if (const auto found = done_.find(key); found != done_.end()) return found->second;

  QualityCheck worst;
  int made = 0;
  const uint64_t first = of_edits ? std::random_device()() : 1;
  for (Params shape : shapes) {
    const std::string name = to_string(shape);
    for (const auto& [param, value] : carried) shape[param] = value;
    RIDGE_TRY(const Params full_params, resolve_params(family.params(), shape, family.name));
    RIDGE_TRY(auto instance, make_instance(family, full_params, first, *device));
    RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance));
    for (uint64_t seed = first; seed < first + kSeeds; ++seed) {
      if (observer.cancelled()) return cancelled_error();
      if (seed > first) {
        instance->generate(seed);
        RIDGE_TRY_VOID(rung.buffers->upload_inputs(*instance));
      }
      const std::string what = name + ", seed " + std::to_string(seed);
      RIDGE_TRY(const QualityCheck check, check_rung(&rung, true, what));
      keep_worst(&worst, check);
      ++made;
      if (!check.passed) return done_[key] = worst;
    }
  }
  worst.what = std::to_string(made) + " awkward problems, worst " + worst.what;
  return done_[key] = worst;
}

}  // namespace ridge::measure
