// ridge: isa=avx2 flags=-O3
//
// Exercise  The lanes inside
// After     chains.cpu.one_chain
// Task      The chain of one vector keeps one instruction under way. Let a pass go through all its lanes at each
//           step, then take the next step: 32 lanes are four vectors, whose chains need nothing of each other. The
//           compiler makes the vectors; which loop is outside is yours to say.
// Hint      An array float acc[kLanes] holds the values between two steps; it starts from x.
// Hint      The loop over the steps is outside, the loop over the lanes inside.
// Hint      After the last step each acc is added to its lane of out.
#include "kernels/chains/chains.h"

namespace ridge {
namespace {

/// One pass of kLanes lanes: each goes kFmaSteps times through acc = a * acc + b and is added to its out.
template <int kLanes>
void pass(const FmaChains& p, const float* x, float* out) {
  // solution: steps outside, lanes inside
  const float a = p.ab[0], b = p.ab[1];
  float acc[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) acc[lane] = x[lane];
  for (int step = 0; step < kFmaSteps; ++step) {
    for (int lane = 0; lane < kLanes; ++lane) acc[lane] = a * acc[lane] + b;
  }
  for (int lane = 0; lane < kLanes; ++lane) out[lane] += acc[lane];
  // end of solution
  (void)p, (void)x, (void)out;
}

Status launch_lanes_inside(const Launch& launch) {
  const FmaChains p = fma_chains_of(launch);
  constexpr int kFour = 4 * kChainWidth;
  for (int64_t i = 0; i < p.lanes; ++i) p.out[i] = 0;
  for (int64_t n = 0; n < p.n; ++n) {
    int64_t i = 0;
    for (; i + kFour <= p.lanes; i += kFour) pass<kFour>(p, p.x + i, p.out + i);
    for (; i < p.lanes; i += kChainWidth) pass<kChainWidth>(p, p.x + i, p.out + i);
  }
  return {};
}

RIDGE_KERNEL(chains, cpu, lanes_inside, .launch = launch_lanes_inside);

}  // namespace
}  // namespace ridge
