// ridge: flags=-O2
//
// Idea      Exponentials by the C library, one at a time: what the portable rungs' softmax calls.
// Changed   Against exp_avx512: a function call for each, in scalar registers, and right to the last place.
// Limits    The library's code: branches for what is large, small or no number.
#include <cmath>

#include "kernels/probe/probe.h"

namespace ridge {
namespace {

struct Exponentials {
  int64_t n;
  const float* x;
  float* out;
};

void exp_part(void* context, int index) {
  const auto* p = static_cast<const Exponentials*>(context);
  const float* x = p->x + int64_t{index} * kProbeLanes;
  float* out = p->out + int64_t{index} * kExpSums;
  for (int u = 0; u < kExpSums; ++u) {
    out[u] = 0;
    for (int64_t pass = 0; pass < p->n; ++pass) {
      float a = x[u], b = x[u + kExpSums], c = x[u + 2 * kExpSums], sum = 0;
      for (int step = 0; step < kProbeSteps; ++step) {
        a = std::exp2(-a), b = std::exp2(-b), c = std::exp2(-c);
        sum += a + b + c;
      }
      out[u] += sum;
    }
  }
}

Status launch_exp(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeExp, kProbeLanes);
  if (!status.ok()) return status;
  Exponentials p = {launch.shape.dim[kProbeDimN], static_cast<const float*>(launch.buffers[0]),
                    static_cast<float*>(launch.buffers[1])};
  probe_run_threads(launch.shape.threads, exp_part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, exp_portable, .launch = launch_exp);

}  // namespace
}  // namespace ridge
