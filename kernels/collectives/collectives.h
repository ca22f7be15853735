// The collectives family: ranks, each a process of its own, that exchange messages over links of a given delay and rate.
//
//   dim {operation, ranks, count, delay_us, rate_mb_s}: `count` elements of fp32 are a rank's buffer
//   buffers  x[ranks][count]   what each rank has
//            y                 what each rank gets, rank after rank: outcome_of() elements each
//
// Chunk c of a buffer are the elements of chunk_of(count, ranks, c). With x[r] and y[r] as rank r's:
//   all_reduce      y[r] = x[0] + x[1] + ...
//   all_gather      chunk c of y[r] = chunk c of x[c]
//   reduce_scatter  y[r] = chunk r of the sum
//   broadcast       y[r] = x[0]
//   all_to_all      y[r] = chunk r of x[0], chunk r of x[1], ...
// These are the operations of MPI and NCCL, but that a chunk lies where it lies in the whole buffer, and that chunks of
// one buffer may differ by one element.
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/ranks/rank.h"

namespace ridge {

enum { kCollectiveOp, kCollectiveRanks, kCollectiveCount, kCollectiveDelay, kCollectiveRate };

/// Elements that rank `rank` gets.
inline int64_t outcome_of(Collective operation, int64_t count, int64_t ranks, int64_t rank) {
  const int64_t own = chunk_of(count, ranks, rank).count;
  return operation == Collective::reduce_scatter ? own
         : operation == Collective::all_to_all   ? ranks * own
                                                 : count;
}

// ---- for KernelDesc: rungs/ring.cpp shows it ----

/// Starts the ranks, which run `algorithm` in each call. They live as long as the plan.
Status prepare_ranks(const Shape& shape, void (*algorithm)(Rank& rank), Plan* plan);
/// All buffers to the ranks, one call, and back.
Status launch_ranks(const Launch& launch);
/// A call begins when all ranks have come to it, and ends when the last of them has its result.
Status time_ranks(const Launch& launch, int64_t calls, CallTimes* times);
/// Of the last call.
RankCounts counts_of_rank(void* plan_state, int rank);

/// The operation that this problem asks for.
inline Collective collective_of(const Shape& shape) {
  return static_cast<Collective>(shape.dim[kCollectiveOp]);
}

}  // namespace ridge
