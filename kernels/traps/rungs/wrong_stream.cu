// ridge: arch=75
//
// Idea      Time with CUDA events, as the guide says. The kernel, though, runs on another stream: a
//           library with a stream of its own, or a default that is not what one thinks.
// The lie   The events follow each other on an idle stream: what is timed is the host's launch between
//           them, and nothing of the kernel.
// Victim    gemm.cuda.shared_tile at 2048.
// Guard     A launch gets the harness's stream and nothing else, and the check reads the output right
//           behind it in that stream: a kernel elsewhere has not written it yet.
// Source    CUDA C++ Programming Guide, streams; the classic bug of timing PyTorch extensions.
#include <cuda_runtime_api.h>

#include "common/harness/measure/cuda/check.h"
#include "common/harness/quality/quality.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr char kVictim[] = "gemm.cuda.shared_tile";
constexpr Size kSize = {.m = 2048, .n = 2048, .k = 2048};

class WrongStream : public VictimTrap {
 public:
  explicit WrongStream(std::unique_ptr<Victim> victim) : VictimTrap(std::move(victim)) {}
  ~WrongStream() override {
    if (other_ != nullptr) cudaStreamDestroy(other_);
    for (cudaEvent_t event : events_) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }

  Result<void> open() {
    using measure::cuda_error;
    RIDGE_CUDA_TRY(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : events_) RIDGE_CUDA_TRY(cudaEventCreate(&event));
    return {};
  }

  Result<double> lie() override {
    RIDGE_TRY_VOID(launch_elsewhere());
    RIDGE_CUDA_TRY(cudaEventSynchronize(events_[1]));
    float milliseconds = 0;
    RIDGE_CUDA_TRY(cudaEventElapsedTime(&milliseconds, events_[0], events_[1]));
    RIDGE_CUDA_TRY(cudaStreamSynchronize(other_));
    return double(milliseconds) * 1e-3;
  }

  /// The gate's steps, with the launch on the other stream.
  Result<GuardVerdict> guard(double, double) override {
    measure::ReadyRung& rung = victim_->rung;
    RIDGE_TRY_VOID(rung.buffers->poison_outputs());
    RIDGE_TRY_VOID(launch_elsewhere());
    RIDGE_TRY_VOID(rung.buffers->download_outputs(rung.instance.get()));
    const int64_t unwritten = quality::count_poison(rung.instance->host.back(), DType::fp32);
    RIDGE_CUDA_TRY(cudaStreamSynchronize(other_));
    return GuardVerdict{unwritten > 0,
                        "read behind the harness's stream, " + std::to_string(unwritten) + " of " +
                            std::to_string(kSize.m * kSize.n) + " elements still hold the poison"};
  }

 private:
  Result<void> launch_elsewhere() {
    Launch launch = victim_->rung.launch();
    auto* const harness = static_cast<cudaStream_t>(launch.stream);
    launch.stream = other_;
    RIDGE_CUDA_TRY(cudaEventRecord(events_[0], harness));
    const Status status = victim_->rung.kernel->launch(launch);
    RIDGE_CUDA_TRY(cudaEventRecord(events_[1], harness));
    if (!status.ok()) return measure::to_error(status, *victim_->rung.kernel);
    return {};
  }

  cudaStream_t other_ = nullptr;
  cudaEvent_t events_[2] = {};
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto victim, Victim::make(kVictim, kSize, device));
  auto trap = std::make_unique<WrongStream>(std::move(victim));
  RIDGE_TRY_VOID(trap->open());
  return std::unique_ptr<Trap>(std::move(trap));
}

RIDGE_TRAP(traps, cuda, wrong_stream, .victim = "a tiled product of 2048 x 2048",
           .quantity = "time per call", .guard = "launch, events and check share one stream",
           .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
