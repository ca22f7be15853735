// A call recorded as a CUDA graph and replayed: for rungs whose lesson is what a launch costs.
#pragma once

#include "common/harness/kernel/cuda_check.h"

namespace ridge {

/// The recording, and for which buffers it was made.
class Replay {
 public:
  Replay() = default;
  Replay(const Replay&) = delete;
  ~Replay() {
    forget();
    if (own_) cudaStreamDestroy(own_);
    cudaFree(workspace_);
  }

  /// prepare() of a rung that replays: a Replay is its plan, with device memory for the calls.
  static Status prepare(Plan* plan, size_t workspace_bytes) {
    auto* made = new Replay;
    plan->state = made;
    plan->release = [](void* state) { delete static_cast<Replay*>(state); };
    plan->workspace_bytes = workspace_bytes;
    if (workspace_bytes > 0) RIDGE_CUDA_CHECK(cudaMalloc(&made->workspace_, workspace_bytes));
    RIDGE_CUDA_CHECK(cudaStreamCreateWithFlags(&made->own_, cudaStreamNonBlocking));
    return {};
  }
  static Replay& of(const Launch& launch) { return *static_cast<Replay*>(launch.plan_state); }
  void* workspace() const { return workspace_; }

  /// Records `calls` anew only where the buffers are others than last time.
  Status launch(const Launch& launch, Status (*calls)(const Launch&), int buffers) {
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    const auto stream = static_cast<cudaStream_t>(launch.stream);
    RIDGE_CUDA_CHECK(cudaStreamIsCapturing(stream, &capturing));
    // A graph cannot be launched into another's recording: there its nodes are what is asked for.
    if (capturing != cudaStreamCaptureStatusNone) return calls(launch);
    bool same = ready_ != nullptr;
    for (int i = 0; i < buffers; ++i) same = same && buffers_[i] == launch.buffers[i];
    if (!same) {
      if (const Status status = record(launch, calls); !status.ok()) return status;
      for (int i = 0; i < buffers; ++i) buffers_[i] = launch.buffers[i];
    }
    RIDGE_CUDA_CHECK(cudaGraphLaunch(ready_, stream));
    return {};
  }

 private:
  static constexpr int kMaxBuffers = 8;

  void forget() {
    if (ready_) cudaGraphExecDestroy(ready_);
    ready_ = nullptr;
  }
  Status record(const Launch& launch, Status (*calls)(const Launch&)) {
    forget();
    Launch recorded = launch;
    recorded.stream = own_;
    RIDGE_CUDA_CHECK(cudaStreamBeginCapture(own_, cudaStreamCaptureModeThreadLocal));
    const Status queued = calls(recorded);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(own_, &graph);
    if (queued.ok() && ended == cudaSuccess) {
      const cudaError_t made = cudaGraphInstantiate(&ready_, graph, 0);
      cudaGraphDestroy(graph);
      RIDGE_CUDA_CHECK(made);
      return {};
    }
    if (graph) cudaGraphDestroy(graph);
    if (!queued.ok()) return queued;
    RIDGE_CUDA_CHECK(ended);
    return {};
  }

  void* workspace_ = nullptr;
  cudaStream_t own_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
  void* buffers_[kMaxBuffers] = {};
};

}  // namespace ridge
