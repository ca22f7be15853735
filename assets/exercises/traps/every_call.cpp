// ridge: flags=-O3
//
// Exercise  An answer at every call
// After     gemm.cpu.loop_order
// Task      This kernel is thousands of times faster than the rung before, and
//           a check made once passes: it computes at its first call only and
//           finds its answer still there afterwards. Our gate fills the output
//           with poison before each check. Make the kernel an honest one.
// Hint      `done` lives in the plan, which outlasts a call: that is what a
//           plan is for, where only the shape decides. Here the inputs decide
//           too.
// Hint      Nothing that depends on the matrices may survive a call.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

void multiply(const Gemm& g) {
  for (int64_t i = 0; i < g.m; ++i) {
    float* __restrict row = g.c + i * g.n;
    for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < g.k; ++p) {
      const float scale = g.a[i * g.k + p];
      const float* b = g.b + p * g.n;
      for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];
    }
  }
}

Status prepare_every_call(const Shape&, Plan* plan) {
  plan->state = new bool(false);
  plan->release = [](void* state) { delete (bool*)state; };
  return {};
}

Status launch_every_call(const Launch& launch) {
  bool& done = *(bool*)launch.plan_state;
  // solution: whatever was done before, this call's matrices have not been multiplied
  done = false;
  // end of solution
  if (!done) multiply(gemm_of(launch));
  done = true;
  return {};
}

RIDGE_KERNEL(gemm, cpu, every_call, .prepare = prepare_every_call, .launch = launch_every_call);

}  // namespace
}  // namespace ridge
