// ridge: isa=avx512f flags=-O2
//
// Idea      F(4 x 4, 3 x 3): sixteen outputs from a 6 x 6 patch, 36 products for 144. The transforms evaluate
//           polynomials at five points and infinity; the points are free.
// Changed   Four times fewer multiplications than the direct sum, 1.78 times fewer than F(2 x 2), and 2.25 numbers
//           written for each one of x instead of four.
// Limits    Images that are no multiple of 4 compute what nobody reads: a third as much again at 7 x 7. Weights are four
//           times the filter's own, and 512 x 512 of them no longer fit a cache.
// Look at   The error, eight times F(2 x 2)'s. At the textbook's points 0, 1, -1, 2, -2 it is larger still, and the
//           gate refuses it: an NMSE of 9.5e-13 of 7.1e-13 where a filter sees 17 channels.
// Accuracy  Max norm. An output is made of sums of pixels that it does not see itself (y0 of a row of d4 too, which
//           cancels), so its error is relative to the largest of the patch of 6 x 6 pixels and of the filter, channel
//           by channel. Barabasz et al.; Higham, Accuracy and Stability of Numerical Algorithms, chapter 23.
// Source    A. Lavin, S. Gray, arXiv:1509.09308. That the points decide the error: B. Barabasz et al., Error
//           Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks, ACM TOMS 2020,
//           arXiv:1803.10986. The points 0, +-5/8, +-3/2: oneDNN's.
#include <immintrin.h>

namespace ridge {

static constexpr int kWinogradTile = 4;
/// Of two channels, a sum has too few terms for what the transforms round: an NMSE of 9.6e-14, where the gate's limit
/// is 7.2e-14. And of fewer than 16, vectors are not full.
static constexpr int kWinogradChannels = 16;

/// The points 0, a, -a, b, -b and infinity: exact in fp32, as their squares are.
static constexpr float kA = 0.625f, kB = 1.5f, kA2 = kA * kA, kB2 = kB * kB;

static inline void filter_row(const double* g, double* u) {
  const double of_a = 1 / (2.0 * kA2 * (kA2 - kB2)), of_b = 1 / (2.0 * kB2 * (kB2 - kA2));
  u[0] = g[0] / (kA2 * kB2);
  u[1] = (g[0] + kA * g[1] + kA2 * g[2]) * of_a;
  u[2] = (g[0] - kA * g[1] + kA2 * g[2]) * of_a;
  u[3] = (g[0] + kB * g[1] + kB2 * g[2]) * of_b;
  u[4] = (g[0] - kB * g[1] + kB2 * g[2]) * of_b;
  u[5] = g[2];
}

/// The coefficients of x (x - a) (x + a) (x - b) (x + b), and of it without each of its factors.
static inline __attribute__((always_inline)) void input_row(const __m512* d, __m512* v) {
  const __m512 even_a = d[4] - kB2 * d[2], odd_a = kA * (d[3] - kB2 * d[1]);
  const __m512 even_b = d[4] - kA2 * d[2], odd_b = kB * (d[3] - kA2 * d[1]);
  v[0] = kA2 * kB2 * d[0] - (kA2 + kB2) * d[2] + d[4];
  v[1] = even_a + odd_a;
  v[2] = even_a - odd_a;
  v[3] = even_b + odd_b;
  v[4] = even_b - odd_b;
  v[5] = kA2 * kB2 * d[1] - (kA2 + kB2) * d[3] + d[5];
}

/// The points' powers.
static inline __attribute__((always_inline)) void output_row(const __m512* p, __m512* y) {
  const __m512 even_a = p[1] + p[2], odd_a = p[1] - p[2];
  const __m512 even_b = p[3] + p[4], odd_b = p[3] - p[4];
  y[0] = p[0] + even_a + even_b;
  y[1] = kA * odd_a + kB * odd_b;
  y[2] = kA2 * even_a + kB2 * even_b;
  y[3] = kA * kA2 * odd_a + kB * kB2 * odd_b + p[5];
}

}  // namespace ridge

#include "kernels/conv/rungs/winograd.h"

namespace ridge {

RIDGE_KERNEL(conv, cpu, winograd_4x4, .accuracy = Accuracy::max_norm, .prepare = winograd_prepare,
             .launch = winograd_launch);

}  // namespace ridge
