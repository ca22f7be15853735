// A stream's work in pieces: some are queued, the oldest is waited for, and timed by its own events.
// Included by device.cu alone.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/pipeline/device.h"

namespace ridge::pipeline {

class StreamQueue {
 public:
  StreamQueue() = default;
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;
  ~StreamQueue() {
    for (Piece& piece : pieces_) {
      if (piece.began != nullptr) cudaEventDestroy(piece.began);
      if (piece.done != nullptr) cudaEventDestroy(piece.done);
    }
  }
  /// The stream stays its owner's.
  cudaError_t open(cudaStream_t stream) {
    stream_ = stream;
    // Waiting must not take a core from the workers.
    for (Piece& piece : pieces_) {
      for (cudaEvent_t* event : {&piece.began, &piece.done}) {
        const cudaError_t code = cudaEventCreateWithFlags(event, cudaEventBlockingSync);
        if (code != cudaSuccess) return code;
      }
    }
    return cudaSuccess;
  }
  /// What is launched between the two is a piece. kMaxQueued at a time.
  cudaError_t begin() { return cudaEventRecord(piece(queued_).began, stream_); }
  cudaError_t end() { return cudaEventRecord(piece(queued_++).done, stream_); }
  /// Waits for the oldest; `took_s` from its first command to its last.
  cudaError_t finish(double* took_s) {
    const Piece& oldest = piece(finished_++);
    float ms = 0;
    cudaError_t code = cudaEventSynchronize(oldest.done);
    if (code == cudaSuccess) code = cudaEventElapsedTime(&ms, oldest.began, oldest.done);
    *took_s = ms * 1e-3;
    return code;
  }

 private:
  struct Piece {
    cudaEvent_t began = nullptr, done = nullptr;
  };
  Piece& piece(int64_t i) { return pieces_[i % TrainDevice::kMaxQueued]; }

  cudaStream_t stream_ = nullptr;
  Piece pieces_[TrainDevice::kMaxQueued];
  int64_t queued_ = 0, finished_ = 0;
};

}  // namespace ridge::pipeline
