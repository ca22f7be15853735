// ridge: isa=avx2 flags=-O3
//
// Exercise  The lanes inside
// Level     3
// After     chains.cpu.one_chain
// Task      Each number of x goes kFmaSteps times through acc = a * acc + b,
//           and each of these steps needs the one before. The rung before
//           takes one vector of 8 numbers through all its steps, then the
//           next vector: while a step is computed, nothing else is. The
//           numbers of two vectors need nothing of each other. So make the
//           loop over the steps the outer one and the loop over the kLanes
//           numbers the inner one: the steps of four vectors then overlap.
// Hint      An array float acc[kLanes] holds the values between two steps. It
//           starts from x.
// Hint      The loop over the steps is outside, the loop over the lanes inside.
// Hint      After the last step each acc is added to its lane of out.
// Given     struct FmaChains {
//             int64_t n, lanes;  // passes; numbers in x and in out
//             const float *x;    // where each number starts
//             const float *ab;   // ab[0] is a, ab[1] is b
//             float* out;        // each pass adds what a number became
//           };
#include "kernels/chains/chains.h"

namespace ridge {
namespace {

/// One pass of kLanes numbers: each goes through all its steps and is added to
/// its out.
template <int kLanes>
void pass(const FmaChains& p, const float* x, float* out) {
  // solution: take x[0] to x[kLanes - 1] through all steps, add each to out
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
