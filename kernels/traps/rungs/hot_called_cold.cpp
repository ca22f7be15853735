// ridge: flags=-O2
//
// Idea      Time the same call again and again and print it as what a user's single call costs.
// The lie   From the second call on, the matrix lies in the cache. A program that does something else
//           between its calls fetches it from memory each time.
// Victim    A vector times a matrix of 640 KB: every element is used once, so the fetch is the work.
// Guard     Hot and cold are two results with two names. Cold: twice the last-level cache is read
//           before every call.
// Source    Whaley and Castaldo, Achieving Accurate and Context-Sensitive Timing (2008).
#include "common/harness/measure/harness.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr char kVictim[] = "gemm.cpu.loop_order";
constexpr Size kSize = {.m = 1, .n = 400, .k = 400};

class HotCalledCold : public VictimTrap {
 public:
  using VictimTrap::VictimTrap;
  Result<double> lie() override { return victim_->call_s(measure::Cache::hot); }
  Result<double> honest() override { return victim_->call_s(measure::Cache::cold); }

  /// The whole harness, asked for cold: what it names its result, and what it reads.
  Result<GuardVerdict> guard(double lie, double honest) override {
    measure::Bench bench;
    measure::Observer nobody;
    measure::Options options;
    options.mode = measure::Mode::live;
    options.cache = measure::Cache::cold;
    options.limit_s = 0.2;
    options.latency = false;
    const Params params = {{"m", kSize.m},
                           {"n", kSize.n},
                           {"k", kSize.k},
                           {"dtype", std::string(kSize.dtype)},
                           {"threads", int64_t{1}}};
    RIDGE_TRY(const Series series, measure::measure_kernel(&bench, device(), *victim_->rung.kernel,
                                                           params, options, 0, &nobody));
    if (!series.stats) return Error{ErrorCode::invalid, series.reason, kVictim, ""};
    const double cold = series.stats->median_ns * 1e-9;
    return GuardVerdict{series.cache == CacheMode::cold && is_nearer(cold, honest, lie),
                        "asked for cold, the harness flushes before each call: a result named " +
                            series.cache.text() + ", " + time_text(cold)};
  }
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  return trap_on<HotCalledCold>(Victim::make(kVictim, kSize, device));
}

RIDGE_TRAP(traps, cpu, hot_called_cold, .victim = "a vector times a matrix of 640 KB",
           .quantity = "time per call, cold caches",
           .guard = "hot and cold are two results, never mixed", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
