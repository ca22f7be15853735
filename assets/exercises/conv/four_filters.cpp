// ridge: flags=-O3
//
// Exercise  Four filters at once
// After     conv.cpu.direct
// Task      Every pixel that the direct rung loads meets one filter's weight,
//           and is loaded again for the next filter. Give each pixel to four
//           filters: a quarter of the loads, and four sums that do not wait for
//           each other.
// Hint      The four filters' weights for one tap lie v.group_c * v.r * v.s
//           floats apart; f[i] points to them.
// Hint      x is the same for all four: load it once, before the four
//           multiply-adds.
// Hint      The border's test is made once for all four too.
#include "kernels/runtime/problems/conv.h"

namespace ridge {
namespace {

constexpr int kFilters = 4;

/// sums[i] of filter m + i at output (p, q). `f[i]`: that filter's weights, as long as all four.
void four_sums(const Conv& v, const float* const (&f)[kFilters], int64_t n, int64_t m, int64_t p,
               int64_t q, float (&sums)[kFilters]) {
  for (float& sum : sums) sum = 0;
  int64_t tap = 0;  // of f[i]
  for (int64_t c = 0; c < v.group_c; ++c) {
    const float* x = v.x + conv_place(&v.x_at, n, m / v.group_m * v.group_c + c, 0, 0);
    for (int64_t r = 0; r < v.r; ++r)
      for (int64_t s = 0; s < v.s; ++s, ++tap) {
        const int64_t h = p * v.stride + r - v.pad, w = q * v.stride + s - v.pad;
        // solution: add what pixel (h, w) of x gives to the four sums, if it is inside the image
        if (h < 0 || h >= v.h || w < 0 || w >= v.w) continue;
        const float pixel = x[h * v.x_at.row + w * v.x_at.pixel];
        for (int i = 0; i < kFilters; ++i) sums[i] += pixel * f[i][tap];
        // end of solution
        (void)x, (void)h, (void)w, (void)f;
      }
  }
}

Status launch_four_filters(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const int64_t weights = v.group_c * v.r * v.s;
  for (int64_t n = 0; n < v.n; ++n)
    for (int64_t m = 0; m < v.m;) {
      // Of one group, which sees the same channels; where fewer are left, the first one stands in.
      const int64_t left = v.group_m - m % v.group_m, count = left < kFilters ? left : kFilters;
      const float* f[kFilters];
      for (int64_t i = 0; i < kFilters; ++i) f[i] = v.f + (m + (i < count ? i : 0)) * weights;
      for (int64_t p = 0; p < v.p; ++p)
        for (int64_t q = 0; q < v.q; ++q) {
          float sums[kFilters];
          four_sums(v, f, n, m, p, q, sums);
          for (int64_t i = 0; i < count; ++i)
            v.y[conv_place(&v.y_at, n, m + i, p, q)] = conv_finish(&v, m + i, sums[i]);
        }
      m += count;
    }
  for (int64_t n = 0; n < v.n; ++n)  // what fills up a block of channels
    for (int64_t m = v.m; m < conv_stored(v.m, v.layout); ++m)
      for (int64_t i = 0; i < v.p * v.q; ++i) v.y[conv_place(&v.y_at, n, m, i / v.q, i % v.q)] = 0;
  return {};
}

RIDGE_KERNEL(conv, cpu, four_filters, .launch = launch_four_filters);

}  // namespace
}  // namespace ridge
