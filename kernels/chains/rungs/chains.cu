// ridge: arch=75
//
// Idea      Chains that need nothing of each other, in one warp: while one waits for its result, the scheduler starts
//           instructions of the others. It does so in the order of the program, so the compiler has to lay them out.
// Changed   The same chains as one_chain's, each step of all of them before the next step.
// Limits    One scheduler, which starts an instruction a cycle: operations in flight = latency x operations a cycle
//           (Little's law), so 4 chains. The SM's other three schedulers have no warp.
// Look at   A sweep over `chains`: the rate climbs in a straight line to 4, then stays.
// Source    Volkov, Better Performance at Lower Occupancy, GTC 2010.
#include <utility>

#include "kernels/chains/warp.h"

namespace {

using namespace ridge;

template <int kChains>
__global__ void __launch_bounds__(kWarpWidth) chains_chains_kernel(FmaChains p) {
  run_warp_chains<kChains>(p, p.x + threadIdx.x, p.out + threadIdx.x);
}

template <int... i>
auto kernel_of(int64_t chains, std::integer_sequence<int, i...>) {
  constexpr void (*kKernels[])(FmaChains) = {chains_chains_kernel<i + 1>...};
  return kKernels[chains - 1];
}

Status launch(const Launch& launch) {
  const FmaChains p = fma_chains_of(launch);
  const auto kernel =
      kernel_of(p.lanes / kWarpWidth, std::make_integer_sequence<int, kMostWarpChains>());
  kernel<<<1, kWarpWidth, 0, static_cast<cudaStream_t>(launch.stream)>>>(p);
  return RIDGE_CUDA_LAUNCHED(chains_chains_kernel);
}

}  // namespace

RIDGE_KERNEL(chains, cuda, chains, .prepare = expect_warps, .launch = launch);
