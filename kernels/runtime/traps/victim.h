// What the traps and the claims measure: a kernel of the GEMM problem, ready on a device, and the harness's own way
// of timing it. Every honest figure comes from here.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/device.h"
#include "common/harness/measure/rung.h"

namespace ridge::traps {

struct Size {
  int64_t m = 0, n = 0, k = 0;
  const char* dtype = "fp32";
};

class Victim {
 public:
  explicit Victim(measure::ReadyRung ready) : rung(std::move(ready)) {}
  /// Inputs are the family's random normals, buffers the harness's: touched, between guard words. `params` are the
  /// GEMM family's; what they leave out has its default.
  static Result<std::unique_ptr<Victim>> make(const KernelDesc& kernel, const Params& params,
                                              measure::Device* device);
  static Result<std::unique_ptr<Victim>> make(const KernelDesc& kernel, const Size& size,
                                              measure::Device* device);
  /// A rung by id; Error unavailable where this worker has none of that name.
  static Result<std::unique_ptr<Victim>> make(const char* kernel, const Params& params,
                                              measure::Device* device);
  static Result<std::unique_ptr<Victim>> make(const char* kernel, const Size& size,
                                              measure::Device* device);

  /// Seconds a call as the harness times it: calls back to back in slots long enough for the clock;
  /// the median of a few slots.
  Result<double> call_s(measure::Cache cache = measure::Cache::hot);
  /// Single calls, one after another: the latency pass.
  Result<std::vector<Sample>> single_calls(int count);
  /// Poison, one call, judgement against float64.
  Result<QualityCheck> check(const std::string& what);
  /// Both inputs become zeros.
  Result<void> fill_with_zeros();
  /// A side for device->time(), made once for each cache.
  Result<measure::Side*> side(measure::Cache cache = measure::Cache::hot);

  measure::ReadyRung rung;
  Sample last;  ///< of the last call_s(): how many calls it held

 private:
  std::unique_ptr<measure::Side> sides_[2];
};

/// A trap on one victim, measured by time per call unless the trap says otherwise.
class VictimTrap : public Trap {
 public:
  explicit VictimTrap(std::unique_ptr<Victim> victim) : victim_(std::move(victim)) {}
  Result<double> honest() override { return victim_->call_s(); }
  Result<QualityCheck> check(const std::string& what) override { return victim_->check(what); }
  const measure::ReadyRung* victim() const override { return &victim_->rung; }

 protected:
  measure::Device* device() const { return victim_->rung.device; }
  std::unique_ptr<Victim> victim_;
};

/// set_up of a trap whose class takes a victim alone.
template <class T>
Result<std::unique_ptr<Trap>> trap_on(Result<std::unique_ptr<Victim>> victim) {
  if (!victim) return victim.error();
  return std::unique_ptr<Trap>(new T(*std::move(victim)));
}

/// Median seconds of a list of samples.
double median_s(const std::vector<Sample>& samples);
/// Whether a reading is nearer to the honest figure than to the lie, by ratio.
inline bool is_nearer(double reading, double honest, double lie) {
  return std::fabs(std::log(reading / honest)) < std::fabs(std::log(reading / lie));
}
/// "2.71 ms"
std::string time_text(double seconds);
/// "0 of the harness's 80 000 inputs are zero"; `zeros` receives how many.
std::string zeros_text(const measure::ProblemInstance& instance, int64_t* zeros);

}  // namespace ridge::traps
