// The collectives with a GPU as a rank: each reads and writes the others' memory, over NVLink or PCIe. A rung's file gives
// one rank's call; here are the ranks' buffers, the threads that start the calls, and the clock.
//
// x and y of a Launch (collectives.h) lie on the first GPU. launch_gpus() brings each rank's part to its GPU and the results
// back; time_gpus() makes calls on what lies there. delay_us and rate_mb_s are of links between processes: these have their own.
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "kernels/collectives/collectives.h"

namespace ridge {

enum { kMostBlocks = 256, kSlotBytes = 1 << 20 };

/// What one rank's kernel is given. Every pointer can be read and written by every rank. Buffers begin at a multiple of 16
/// bytes, and behind their `count` elements are as many more as make whole 16 bytes: zeros in `in`, anything in `out`.
struct GpuRank {
  int me = 0, ranks = 0;
  int64_t count = 0;
  const float* in[kMostRanks] = {};
  float* out[kMostRanks] = {};
  uint32_t* signals[kMostRanks] = {};  ///< [block][from]: kernels/collectives/gpu_meet.h
  uint4* slots[kMostRanks] = {};       ///< [turn of two][from][kSlotBytes / 16]
  uint32_t* meetings =
      nullptr;  ///< this rank's: of each block, how often it has met the others'; zero at first
  uint32_t* turn = nullptr;  ///< this rank's: {calls, blocks that have ended}; zero at first
};

/// In memory that the CPU and all GPUs reach, for what goes through the host.
struct HostRanks {
  float* buffers[kMostRanks] = {};  ///< `count` elements each
  virtual void meet() = 0;          ///< until all ranks' threads have come
 protected:
  ~HostRanks() = default;
};

/// Starts the call of rank `rank.me` on `stream` of its GPU, which is current. All ranks' are started at the same time, each
/// by a thread of its own.
using GpuCall = Status (*)(const GpuRank& rank, HostRanks* host, cudaStream_t stream);

/// Refuses other operations than all_reduce, and more ranks than GPUs.
Status prepare_gpus(const Shape& shape, GpuCall call, Plan* plan);
Status launch_gpus(const Launch& launch);
/// The slowest rank's time, from a moment at which all are ready.
Status time_gpus(const Launch& launch, int64_t calls, CallTimes* times);
const char*
gpus_unavailable();  ///< one GPU, or GPUs that do not reach each other's memory; null: it can run

}  // namespace ridge
