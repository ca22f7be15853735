// ridge: arch=75
//
// Idea      A thread that waits costs nothing: the SM starts the loads of the others. So one block has as many lines
//           in flight as it has threads. Lines in flight = latency x lines a second (Little's law).
// Changed   Each chase in a thread of its own, in one block; the same lines are visited.
// Limits    One SM: its threads, then the loads that its L1 keeps track of, then its share of the way to the L2.
// Look at   Set `chases` to 32, 256 and 1,024: the time of a step falls as their number grows, until it does not.
// Source    Volkov, Understanding Latency Hiding on GPUs, dissertation, Berkeley 2016.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/chase/device_lines.h"

namespace {

using namespace ridge;

__global__ void __launch_bounds__(kMostGpuChases) chase_chases_kernel(Chase c) {
  __shared__ unsigned long long all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  atomicAdd(&all, static_cast<unsigned long long>(follow_chase(c, threadIdx.x)));
  __syncthreads();
  if (threadIdx.x == 0) *c.sum = all;
}

Status launch(const Launch& launch) {
  const Chase c = chase_of(launch);
  chase_chases_kernel<<<1, static_cast<unsigned>(c.chases), 0,
                        static_cast<cudaStream_t>(launch.stream)>>>(c);
  return RIDGE_CUDA_LAUNCHED(chase_chases_kernel);
}

}  // namespace

RIDGE_KERNEL(chase, cuda, chases, .prepare = upload_cycle, .launch = launch);
