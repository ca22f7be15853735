// ridge: flags=-O2
//
// Idea      Count answers a second, and call the inverse latency.
// The claim A server that collects 64 requests answers all of them at the end of one call. The inverse of its throughput
//           is a 64th of that call, and no request was ever answered in that time.
// Victim    64 vectors, one a request, times a matrix of 1024 x 1024, by our packed product on one thread.
// Guard     Latency is measured in a pass of its own, call by call; time per call is never shown as latency.
// Source    A talk's summary table divides so ("ridgepoint run gemm --table talk"); MLPerf Inference (Reddi et al., 2019)
//           has a scenario for each: offline counts throughput, single stream and server hold a latency.
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr char kKernel[] = "gemm.cpu.packed";
constexpr int64_t kBatch = 64, kWidth = 1024;
constexpr int kCalls = 7;

class LatencyCalledThroughput : public VictimTrap {
 public:
  LatencyCalledThroughput(std::unique_ptr<Victim> batch, std::unique_ptr<Victim> alone)
      : VictimTrap(std::move(batch)), alone_(std::move(alone)) {}

  Result<double> lie() override {
    RIDGE_TRY(const double call_s, victim_->call_s());
    return call_s / double(kBatch);
  }
  Result<double> honest() override { return latency_s(victim_.get()); }

  Result<GuardVerdict> guard(double lie, double honest) override {
    RIDGE_TRY(const double reading, latency_s(victim_.get()));
    RIDGE_TRY(const double alone, latency_s(alone_.get()));
    return GuardVerdict{is_nearer(reading, honest, lie),
                        "the latency pass reads " + time_text(reading) +
                            " for a request in a batch of " + std::to_string(kBatch) + ", and " +
                            time_text(alone) + " for a request alone"};
  }

 private:
  static Result<double> latency_s(Victim* victim) {
    RIDGE_TRY(const auto calls, victim->single_calls(kCalls));
    return median_s(calls);
  }

  std::unique_ptr<Victim> alone_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto batch, Victim::make(kKernel, Size{kBatch, kWidth, kWidth}, device));
  RIDGE_TRY(auto alone, Victim::make(kKernel, Size{1, kWidth, kWidth}, device));
  return std::unique_ptr<Trap>(new LatencyCalledThroughput(std::move(batch), std::move(alone)));
}

RIDGE_TRAP(claims, cpu, latency_called_throughput,
           .victim = "a layer that serves 64 requests at once", .quantity = "latency of a request",
           .guard = "latency has a pass of its own, call by call", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
