// ridge: flags=-O3
//
// Exercise  A row of sums
// After     conv.cpu.direct
// Task      The direct rung finishes one output after the other, and each
//           multiply-add waits for the addition before it. Let a filter's tap
//           meet a whole row of outputs instead: neighbours, none of which
//           waits for another, so that the compiler can make vectors of them.
// Hint      Output q sees the image at column q * v.stride + s - v.pad,
//           v.x_at.pixel floats a column.
// Hint      Outside the image x is zero: q begins where that column is at least
//           0, and ends where it would be v.w. inside() has both.
// Hint      One loop over q in the middle: sums[q] += weight * row[...].
#include "kernels/runtime/problems/conv.h"

namespace ridge {
namespace {

constexpr int64_t kMost = 256;  // outputs at a time

struct Range {
  int64_t begin, end;
};

/// Of outputs [first, first + count) of a row those whose tap s lies inside the image, counted from first.
Range inside(const Conv& v, int64_t s, int64_t first, int64_t count) {
  Range range = {0, count};
  while (range.begin < count && (first + range.begin) * v.stride + s < v.pad) ++range.begin;
  while (range.end > range.begin && (first + range.end - 1) * v.stride + s >= v.pad + v.w)
    --range.end;
  return range;
}

/// sums[q] += what tap s, of this weight, adds to output first + q. `row`: a row of the image.
void add_tap(const Conv& v, const float* row, float weight, int64_t s, int64_t first, int64_t count,
             float* sums) {
  const Range range = inside(v, s, first, count);
  // solution: to the outputs of `range`
  const int64_t step = v.stride * v.x_at.pixel;
  const float* x = row + (first * v.stride + s - v.pad) * v.x_at.pixel;
  for (int64_t q = range.begin; q < range.end; ++q) sums[q] += weight * x[q * step];
  // end of solution
  (void)row, (void)weight, (void)range, (void)sums;
}

/// Outputs [first, first + count) of row p of filter m.
void sum_row(const Conv& v, int64_t n, int64_t m, int64_t p, int64_t first, int64_t count,
             float* sums) {
  const float* f = v.f + m * v.group_c * v.r * v.s;
  for (int64_t q = 0; q < count; ++q) sums[q] = 0;
  for (int64_t c = 0; c < v.group_c; ++c)
    for (int64_t r = 0; r < v.r; ++r, f += v.s) {
      const int64_t h = p * v.stride + r - v.pad;
      if (h < 0 || h >= v.h) continue;
      const float* row = v.x + conv_place(&v.x_at, n, m / v.group_m * v.group_c + c, h, 0);
      for (int64_t s = 0; s < v.s; ++s) add_tap(v, row, f[s], s, first, count, sums);
    }
}

Status launch_a_row_of_sums(const Launch& launch) {
  const Conv v = conv_of(&launch);
  float sums[kMost] = {};
  for (int64_t n = 0; n < v.n; ++n)
    for (int64_t m = 0; m < conv_stored(v.m, v.layout); ++m)
      for (int64_t p = 0; p < v.p; ++p)
        for (int64_t first = 0; first < v.q; first += kMost) {
          const int64_t count = v.q - first < kMost ? v.q - first : kMost;
          if (m < v.m) sum_row(v, n, m, p, first, count, sums);
          for (int64_t q = 0; q < count; ++q)
            v.y[conv_place(&v.y_at, n, m, p, first + q)] =
                m < v.m ? conv_finish(&v, m, sums[q]) : 0;
        }
  return {};
}

RIDGE_KERNEL(conv, cpu, a_row_of_sums, .launch = launch_a_row_of_sums);

}  // namespace
}  // namespace ridge
