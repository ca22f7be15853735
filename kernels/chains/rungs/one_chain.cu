// ridge: arch=75
//
// Idea      A chain of multiply-adds in one warp: acc = a * acc + b in each of its 32 threads, one instruction for all.
//           Each needs the result before, so a call takes chains times steps times its latency.
// Changed   The start of the GPU's part. Where there are several chains, they run one after the other.
// Limits    Latency: one instruction in flight on the whole GPU.
// Look at   Time per operation, times the clock rate: the latency in cycles, 4 since Volta.
// Source    Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, arXiv:1804.06826.
#include "kernels/chains/warp.h"

namespace {

using namespace ridge;

__global__ void chains_one_chain_kernel(FmaChains p) {
  for (int64_t lane = threadIdx.x; lane < p.lanes; lane += kWarpWidth)
    run_warp_chains<1>(p, p.x + lane, p.out + lane);
}

Status launch(const Launch& launch) {
  chains_one_chain_kernel<<<1, kWarpWidth, 0, static_cast<cudaStream_t>(launch.stream)>>>(
      fma_chains_of(launch));
  return RIDGE_CUDA_LAUNCHED(chains_one_chain_kernel);
}

}  // namespace

RIDGE_KERNEL(chains, cuda, one_chain, .prepare = expect_warps, .launch = launch);
