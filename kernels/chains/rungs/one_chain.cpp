// ridge: isa=avx2 flags=-O2
//
// Idea      A chain of multiply-adds: acc = a * acc + b. Each needs the result before, so the next one waits until it
//           is there: a call takes chains times steps times the latency of one instruction.
// Changed   The start of the lab. Where there are several chains, they run one after the other.
// Limits    Latency: the FMA units are idle but for one instruction in flight.
// Look at   Time per operation, times the clock rate: the latency in cycles, 4 on most CPUs since 2015.
// Source    Agner Fog, Instruction tables; uops.info.
#include "kernels/chains/vec.h"

namespace ridge {
namespace {

Status launch_one_chain(const Launch& launch) {
  const FmaChains p = fma_chains_of(launch);
  for (int64_t lane = 0; lane < p.lanes; lane += kChainWidth)
    run_fma_chains<1>(p, p.x + lane, p.out + lane);
  return {};
}

RIDGE_KERNEL(chains, cpu, one_chain, .launch = launch_one_chain);

}  // namespace
}  // namespace ridge
