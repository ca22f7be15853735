// ridge: arch=75
#include "kernels/collectives/gpus.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "common/harness/kernel/cuda_check.h"
#include "common/harness/kernel/failure.h"

namespace ridge {
namespace {

constexpr uint32_t kGuard = 0xdead'beef;
constexpr int64_t kGuardWords = 64;

int gpus_here() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) cudaGetLastError();
  return std::min<int>(count, kMostRanks);
}

/// The GPU that was current is so again: the harness works on its own.
class OnGpu {
 public:
  explicit OnGpu(int gpu) {
    cudaGetDevice(&before_);
    cudaSetDevice(gpu);
  }
  ~OnGpu() { cudaSetDevice(before_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = 0;
};

class Gpus final : public HostRanks {
 public:
  ~Gpus();
  Status make(const Shape& shape, GpuCall call);
  Status launch(const Launch& launch);
  Status time(int64_t calls, CallTimes* times);
  size_t bytes() const { return bytes_; }
  void meet() override { barrier_->arrive_and_wait(); }

 private:
  int64_t padded() const { return (count_ + 3) / 4 * 4; }
  Status make_rank(int rank);
  Status reach_others(int rank);
  Status allocate(void** memory, size_t bytes);
  /// `work(rank)` in a thread for each, with its GPU current; the first failure.
  template <class Work>
  Status on_all(Work work);
  Status set_out(int rank);
  Status check_guard(int rank);

  GpuCall call_ = nullptr;
  int ranks_ = 0;
  int64_t count_ = 0;
  size_t bytes_ = 0;
  GpuRank shared_;  // as all see it
  uint32_t *meetings_[kMostRanks] = {}, *turns_[kMostRanks] = {};
  cudaStream_t streams_[kMostRanks] = {};
  std::vector<void*> memory_;
  std::unique_ptr<std::barrier<>> barrier_;
};

Gpus::~Gpus() {
  for (int rank = 0; rank < ranks_; ++rank) {
    const OnGpu on(rank);
    if (streams_[rank] != nullptr)
      cudaStreamSynchronize(streams_[rank]), cudaStreamDestroy(streams_[rank]);
  }
  for (void* memory : memory_) cudaFree(memory);
  for (float* buffer : buffers) cudaFreeHost(buffer);
}

Status Gpus::allocate(void** memory, size_t bytes) {
  RIDGE_CUDA_CHECK(cudaMalloc(memory, bytes));
  memory_.push_back(*memory);
  bytes_ += bytes;
  RIDGE_CUDA_CHECK(cudaMemset(*memory, 0, bytes));
  return {};
}

Status Gpus::reach_others(int rank) {
  for (int other = 0; other < ranks_; ++other) {
    if (other == rank) continue;
    const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled) RIDGE_CUDA_CHECK(error);
    cudaGetLastError();
  }
  return {};
}

Status Gpus::make_rank(int rank) {
  const OnGpu on(rank);
  if (Status status = reach_others(rank); !status.ok()) return status;
  RIDGE_CUDA_CHECK(cudaStreamCreateWithFlags(&streams_[rank], cudaStreamNonBlocking));
  const size_t bytes = static_cast<size_t>(padded() + kGuardWords) * sizeof(float);
  struct Piece {
    void** memory;
    size_t bytes;
  };
  const Piece pieces[] = {
      {reinterpret_cast<void**>(const_cast<float**>(&shared_.in[rank])), bytes},
      {reinterpret_cast<void**>(&shared_.out[rank]), bytes},
      {reinterpret_cast<void**>(&shared_.signals[rank]),
       sizeof(uint32_t) * kMostBlocks * kMostRanks},
      {reinterpret_cast<void**>(&shared_.slots[rank]), size_t{2} * ranks_ * kSlotBytes},
      {reinterpret_cast<void**>(&meetings_[rank]), sizeof(uint32_t) * kMostBlocks},
      {reinterpret_cast<void**>(&turns_[rank]), sizeof(uint32_t) * 2}};
  for (const Piece& piece : pieces) {
    if (Status status = allocate(piece.memory, piece.bytes); !status.ok()) return status;
  }
  RIDGE_CUDA_CHECK(cudaHostAlloc(&buffers[rank], static_cast<size_t>(count_) * sizeof(float),
                                 cudaHostAllocPortable));
  // The zeros are set on a stream for which the ranks' own do not wait.
  RIDGE_CUDA_CHECK(cudaDeviceSynchronize());
  return {};
}

Status Gpus::make(const Shape& shape, GpuCall call) {
  call_ = call;
  ranks_ = static_cast<int>(shape.dim[kCollectiveRanks]);
  count_ = shape.dim[kCollectiveCount];
  shared_.ranks = ranks_, shared_.count = count_;
  barrier_ = std::make_unique<std::barrier<>>(ranks_);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (Status status = make_rank(rank); !status.ok()) return status;
  }
  return {};
}

template <class Work>
Status Gpus::on_all(Work work) {
  std::vector<Status> statuses(static_cast<size_t>(ranks_));
  std::vector<std::string> whats(statuses.size());  // a Status may point into its thread
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks_; ++rank) {
    threads.emplace_back([&, rank, at = static_cast<size_t>(rank)] {
      cudaSetDevice(rank);
      statuses[at] = work(rank);
      if (!statuses[at].ok()) whats[at] = statuses[at].what;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t at = 0; at < statuses.size(); ++at) {
    if (statuses[at].ok()) continue;
    Status first = statuses[at];
    first.what = failure("rank " + std::to_string(at) + ": " + whats[at]).what;
    return first;
  }
  return {};
}

/// Poison that no sum gives, and guards behind it.
Status Gpus::set_out(int rank) {
  RIDGE_CUDA_CHECK(cudaMemsetAsync(shared_.out[rank], 0xff,
                                   static_cast<size_t>(padded()) * sizeof(float), streams_[rank]));
  const std::vector<uint32_t> guard(kGuardWords, kGuard);
  RIDGE_CUDA_CHECK(cudaMemcpyAsync(shared_.out[rank] + padded(), guard.data(),
                                   kGuardWords * sizeof(uint32_t), cudaMemcpyHostToDevice,
                                   streams_[rank]));
  RIDGE_CUDA_CHECK(cudaStreamSynchronize(streams_[rank]));
  return {};
}

Status Gpus::check_guard(int rank) {
  std::vector<uint32_t> guard(kGuardWords);
  RIDGE_CUDA_CHECK(cudaMemcpyAsync(guard.data(), shared_.out[rank] + padded(),
                                   kGuardWords * sizeof(uint32_t), cudaMemcpyDeviceToHost,
                                   streams_[rank]));
  RIDGE_CUDA_CHECK(cudaStreamSynchronize(streams_[rank]));
  if (std::count(guard.begin(), guard.end(), kGuard) != kGuardWords)
    return failure("was written behind its result");
  return {};
}

Status Gpus::launch(const Launch& launch) {
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const auto* x = static_cast<const float*>(launch.buffers[0]);
  auto* y = static_cast<float*>(launch.buffers[1]);
  int first = 0;
  RIDGE_CUDA_CHECK(cudaGetDevice(&first));
  const size_t bytes = static_cast<size_t>(count_) * sizeof(float);
  for (int rank = 0; rank < ranks_; ++rank)
    RIDGE_CUDA_CHECK(cudaMemcpyPeerAsync(const_cast<float*>(shared_.in[rank]), rank,
                                         x + rank * count_, first, bytes, stream));
  RIDGE_CUDA_CHECK(cudaStreamSynchronize(stream));
  CallTimes times;
  Status status = on_all([&](int rank) { return set_out(rank); });
  if (status.ok()) status = time(1, &times);
  if (status.ok()) status = on_all([&](int rank) { return check_guard(rank); });
  if (!status.ok()) return status;
  for (int rank = 0; rank < ranks_; ++rank)
    RIDGE_CUDA_CHECK(
        cudaMemcpyPeerAsync(y + rank * count_, first, shared_.out[rank], rank, bytes, stream));
  return {};
}

Status Gpus::time(int64_t calls, CallTimes* times) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> took_ns(static_cast<size_t>(ranks_));
  const Status status = on_all([&](int rank) -> Status {
    GpuRank mine = shared_;
    mine.me = rank, mine.meetings = meetings_[rank], mine.turn = turns_[rank];
    const cudaStream_t stream = streams_[rank];
    barrier_->arrive_and_wait();
    const Clock::time_point begin = Clock::now();
    Status started;
    // After a failure too: other ranks' threads wait where this one meets them.
    for (int64_t call = 0; call < calls; ++call) {
      if (Status one = call_(mine, this, stream); !one.ok()) started = one;
    }
    RIDGE_CUDA_CHECK(cudaStreamSynchronize(stream));
    took_ns[static_cast<size_t>(rank)] =
        std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    return started;
  });
  times->wall_ns = *std::max_element(took_ns.begin(), took_ns.end());
  return status;
}

}  // namespace

const char* gpus_unavailable() {
  static const std::string why = [] {
    const int gpus = gpus_here();
    if (gpus < 2) return "needs two GPUs, and this machine has " + std::to_string(gpus);
    for (int a = 0; a < gpus; ++a) {
      for (int b = 0; b < gpus; ++b) {
        int can = 1;
        if (a != b) cudaDeviceCanAccessPeer(&can, a, b);
        if (can == 0)
          return "needs GPUs that reach each other's memory, and " + std::to_string(a) + " and " +
                 std::to_string(b) + " do not";
      }
    }
    return std::string();
  }();
  return why.empty() ? nullptr : why.c_str();
}

Status prepare_gpus(const Shape& shape, GpuCall call, Plan* plan) {
  if (collective_of(shape) != Collective::all_reduce) return refuse("takes all_reduce");
  if (shape.dim[kCollectiveRanks] > gpus_here()) {
    return refuse(failure("takes at most " + std::to_string(gpus_here()) +
                          " ranks: so many GPUs has this machine")
                      .what);
  }
  auto* gpus = new (std::nothrow) Gpus;
  if (gpus == nullptr) return {.what = "no memory for a plan", .file = __FILE__, .line = __LINE__};
  plan->state = gpus;
  plan->release = [](void* state) { delete static_cast<Gpus*>(state); };
  const Status status = gpus->make(shape, call);
  plan->workspace_bytes = gpus->bytes();
  return status;
}

Status launch_gpus(const Launch& launch) {
  return static_cast<Gpus*>(launch.plan_state)->launch(launch);
}

Status time_gpus(const Launch& launch, int64_t calls, CallTimes* times) {
  return static_cast<Gpus*>(launch.plan_state)->time(calls, times);
}

}  // namespace ridge
