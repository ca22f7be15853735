// ridge: flags=-O3
//
// Idea      The definition: for each output, the sum over channels and filter taps.
// Changed   The index of x has the filter's offset, the stride and the padding; outside the image x is zero.
//           And the sum stays in a register until it is whole.
// Limits    Some 23 instructions a multiply-add, index and border tests, of which none is vectorised, because
//           the tests are branches inside the loop. Each also waits for the addition before it, 2 to 4 clocks: 3 on
//           the recorded Xeon.
// Look at   Two tests a multiply-add that fail only at the border. They are predicted, but they are instructions,
//           and with the index they take longer than the chain of additions beside them.
// Source    Any text on convolutional networks.
#include "kernels/runtime/problems/conv.h"

namespace ridge {
namespace {

float sum_at(const Conv& v, int64_t n, int64_t m, int64_t p, int64_t q) {
  float acc = 0;
  const float* f = v.f + m * v.group_c * v.r * v.s;
  for (int64_t c = 0; c < v.group_c; ++c) {
    const float* x = v.x + conv_place(&v.x_at, n, m / v.group_m * v.group_c + c, 0, 0);
    for (int64_t r = 0; r < v.r; ++r)
      for (int64_t s = 0; s < v.s; ++s, ++f) {
        const int64_t h = p * v.stride + r - v.pad, w = q * v.stride + s - v.pad;
        if (h < 0 || h >= v.h || w < 0 || w >= v.w) continue;
        acc += x[h * v.x_at.row + w * v.x_at.pixel] * *f;
      }
  }
  return acc;
}

Status launch_direct(const Launch& launch) {
  const Conv v = conv_of(&launch);
  for (int64_t n = 0; n < v.n; ++n)
    for (int64_t m = 0; m < conv_stored(v.m, v.layout); ++m)
      for (int64_t p = 0; p < v.p; ++p)
        for (int64_t q = 0; q < v.q; ++q)
          v.y[conv_place(&v.y_at, n, m, p, q)] =
              m < v.m ? conv_finish(&v, m, sum_at(v, n, m, p, q)) : 0;
  return {};
}

RIDGE_KERNEL(conv, cpu, direct, .launch = launch_direct);

}  // namespace
}  // namespace ridge
