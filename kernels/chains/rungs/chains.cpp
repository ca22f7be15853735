// ridge: isa=avx2 flags=-O2
//
// Idea      Chains that need nothing of each other run at the same time: while one waits for its result, the units
//           start instructions of the others.
// Changed   The same chains as one_chain's, each step of all of them before the next step.
// Limits    The FMA units, once operations in flight = latency x operations a cycle (Little's law): with 4 cycles and
//           two units, 8 chains. Fewer leave units idle, more gain nothing.
// Look at   A sweep over `chains`: the rate climbs in a straight line, then stays.
// Source    J. D. C. Little, A Proof for the Queuing Formula L = lambda W, Operations Research 1961.
#include "kernels/chains/vec.h"

namespace ridge {
namespace {

typedef void (*Run)(const FmaChains& p, const float* x, float* out);

#define RIDGE_RUN(i) run_fma_chains<i + 1>,
const Run kRuns[kMostChains] = {RIDGE_EACH_CHAIN(RIDGE_RUN)};
#undef RIDGE_RUN

Status prepare_chains(const Shape& shape, Plan*) {
  return shape.dim[2] > kMostChains * kChainWidth ? refuse("takes 12 chains at most (chains=12)")
                                                  : Status();
}

Status launch_chains(const Launch& launch) {
  const FmaChains p = fma_chains_of(launch);
  kRuns[p.lanes / kChainWidth - 1](p, p.x, p.out);
  return {};
}

RIDGE_KERNEL(chains, cpu, chains, .prepare = prepare_chains, .launch = launch_chains);

}  // namespace
}  // namespace ridge
