// ridge: arch=75
//
// Idea      One thread follows the ring: each line holds the address of the next, so a step takes the whole way to the
//           memory that holds the line, and nothing else.
// Changed   The start of this part. Where there are several chases, the thread follows one after the other.
// Limits    Latency: that of the SM's L1, of the L2, or of DRAM, as the working set grows. A core of a CPU guesses and
//           runs ahead to hide some of it; a thread of a GPU waits.
// Look at   A sweep over `kib`: a stair where the L1 ends and one where the L2 does. A load fetches a sector of 32
//           bytes, half of the family's line; bandwidth counts the line.
// Source    Wong et al., Demystifying GPU Microarchitecture through Microbenchmarking, ISPASS 2010.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/chase/device_lines.h"

namespace {

using namespace ridge;

__global__ void chase_pointer_kernel(Chase c) {
  uint64_t all = 0;
  for (int64_t i = 0; i < c.chases; ++i) all += follow_chase(c, i);
  *c.sum = all;
}

Status launch(const Launch& launch) {
  chase_pointer_kernel<<<1, 1, 0, static_cast<cudaStream_t>(launch.stream)>>>(chase_of(launch));
  return RIDGE_CUDA_LAUNCHED(chase_pointer_kernel);
}

}  // namespace

RIDGE_KERNEL(chase, cuda, pointer, .prepare = upload_cycle, .launch = launch);
