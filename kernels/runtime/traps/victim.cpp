#include "kernels/runtime/traps/victim.h"

#include <algorithm>

#include "common/core/format.h"
#include "common/harness/measure/gate.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::traps {
namespace {

constexpr int kSlots = 5;  ///< of one reading

Params params_of(const Size& size) {
  return {{"m", size.m}, {"n", size.n}, {"k", size.k}, {"dtype", std::string(size.dtype)}};
}

}  // namespace

Result<std::unique_ptr<Victim>> Victim::make(const KernelDesc& kernel, const Params& params,
                                             measure::Device* device) {
  const FamilyDesc* family = find_family("gemm");
  if (family == nullptr) {
    return Error{ErrorCode::unavailable, "the GEMM family is not in this worker", kernel.id, ""};
  }
  RIDGE_TRY(const Params all, resolve_params(family->params(), params, family->name));
  RIDGE_TRY(auto instance, measure::make_instance(*family, all, 1, *device));
  RIDGE_TRY(auto ready, measure::make_ready(kernel, device, std::move(instance)));
  return std::make_unique<Victim>(std::move(ready));
}

Result<std::unique_ptr<Victim>> Victim::make(const char* kernel, const Params& params,
                                             measure::Device* device) {
  const KernelDesc* found = find_kernel(kernel);
  if (found == nullptr) {
    return Error{ErrorCode::unavailable, "its victim is not in this worker", kernel, ""};
  }
  return make(*found, params, device);
}

Result<std::unique_ptr<Victim>> Victim::make(const KernelDesc& kernel, const Size& size,
                                             measure::Device* device) {
  return make(kernel, params_of(size), device);
}

Result<std::unique_ptr<Victim>> Victim::make(const char* kernel, const Size& size,
                                             measure::Device* device) {
  return make(kernel, params_of(size), device);
}

Result<measure::Side*> Victim::side(measure::Cache cache) {
  auto& side = sides_[cache == measure::Cache::cold ? 1 : 0];
  if (side == nullptr) {
    RIDGE_TRY(const auto calls, single_calls(kSlots));
    RIDGE_TRY(side,
              rung.device->make_side(*rung.kernel, rung.launch(), cache, median_s(calls) * 1e9));
  }
  return side.get();
}

Result<double> Victim::call_s(measure::Cache cache) {
  RIDGE_TRY(measure::Side * one, side(cache));
  measure::Side* sides[] = {one};
  // Flushing before each cold call takes far longer than the call: one slot has ten of them.
  const int wanted = cache == measure::Cache::cold ? 1 : kSlots;
  const int slots = std::min(wanted, rung.device->slots_per_block(sides));
  RIDGE_TRY(const auto samples,
            rung.device->time(sides, std::vector<uint8_t>(static_cast<size_t>(slots), 0)));
  last = samples.back();
  return median_s(samples);
}

Result<std::vector<Sample>> Victim::single_calls(int count) {
  const measure::Side plain = rung.plain_side();
  std::vector<Sample> calls;
  for (int i = 0; i < count; ++i) {
    RIDGE_TRY(Sample sample, rung.device->time_latency(plain));
    calls.push_back(std::move(sample));
  }
  return calls;
}

Result<QualityCheck> Victim::check(const std::string& what) {
  return measure::check_rung(&rung, false, what);
}

Result<void> Victim::fill_with_zeros() {
  for (size_t i = 0; i < rung.instance->specs.size(); ++i) {
    if (rung.instance->specs[i].is_output) continue;
    std::fill(rung.instance->host[i].begin(), rung.instance->host[i].end(), std::byte{0});
  }
  return rung.buffers->upload_inputs(*rung.instance);
}

double median_s(const std::vector<Sample>& samples) {
  std::vector<double> times;
  for (const Sample& sample : samples) times.push_back(sample.t_ns * 1e-9);
  return stats::median(times);
}

std::string time_text(double seconds) {
  return format_time_ns(seconds * 1e9);
}

std::string zeros_text(const measure::ProblemInstance& instance, int64_t* zeros) {
  int64_t count = 0;
  *zeros = 0;
  for (size_t i = 0; i < instance.specs.size(); ++i) {
    const BufferSpec& spec = instance.specs[i];
    if (spec.is_output) continue;
    const auto elements = static_cast<int64_t>(spec.bytes / dtype_size(spec.dtype));
    count += elements;
    for (int64_t e = 0; e < elements; ++e) {
      *zeros += quality::load(instance.host[i].data(), e, spec.dtype) == 0;
    }
  }
  return format_count(double(*zeros)) + " of the harness's " + format_count(double(count)) +
         " inputs are zero";
}

}  // namespace ridge::traps
