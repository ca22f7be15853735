// ridge: arch=75
//
// Idea      A chain in each warp, many warps on one SM: a scheduler that finds one warp waiting starts an instruction of
//           another. No thread has two results in flight, and the program is one_chain's. Warps per SM is occupancy.
// Changed   The chains of one thread are those of as many warps.
// Limits    The SM's four schedulers: warps = latency x 4 instructions a cycle, so 16. The other SMs are idle.
// Look at   A sweep over `chains`: in a straight line, then level. Does it end at four times what several chains in one
//           warp reach? On an H100 it ends at twice that: half of the count.
// Source    CUDA C++ Best Practices Guide, "Occupancy".
#include "kernels/chains/warp.h"

namespace {

using namespace ridge;

__global__ void __launch_bounds__(kMostWarpChains* kWarpWidth) chains_warps_kernel(FmaChains p) {
  run_warp_chains<1>(p, p.x + threadIdx.x, p.out + threadIdx.x);
}

Status launch(const Launch& launch) {
  const FmaChains p = fma_chains_of(launch);
  chains_warps_kernel<<<1, static_cast<unsigned>(p.lanes), 0,
                        static_cast<cudaStream_t>(launch.stream)>>>(p);
  return RIDGE_CUDA_LAUNCHED(chains_warps_kernel);
}

}  // namespace

RIDGE_KERNEL(chains, cuda, warps, .prepare = expect_warps, .launch = launch);
