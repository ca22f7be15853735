// ridge: isa=avx512f flags=-O2
//
// Idea      F(2 x 2, 3 x 3): four outputs from a 4 x 4 patch of x take 36 products. Transform the patch and the
//           filter by additions, and 16 products do: y = A'[(G f G') * (B' x B)]A, * element by element. For
//           each of the 16 elements, all tiles and all filters are a product of matrices over the channels.
// Changed   2.25 times fewer multiplications, and the GEMM is the register tile's own (one tap, a tile of x for a
//           pixel). Filters are transformed once, untimed; x and y at every call.
// Limits    The products, then the transforms' traffic: four numbers written for each one of x, and read again.
// Look at   FLOP/s above the peak: counted are the direct convolution's. And the error: sums and differences
//           of inputs are rounded before they are multiplied.
// Accuracy  Row and column. Sums of pixels and sums of taps are rounded before they are multiplied: an error is
//           relative to the largest of both, channel by channel. The sums that make an output are of its own 3 x 3
//           pixels alone: y0 of a row needs d0 - d2, d1 + d2 and d2 - d1. Barabasz et al., ACM TOMS 2020,
//           arXiv:1803.10986; Higham, Accuracy and Stability of Numerical Algorithms, chapter 23.
// Source    A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, CVPR 2016, arXiv:1509.09308.
#include <immintrin.h>

namespace ridge {

static constexpr int kWinogradTile = 2;
/// Of one, there are no sums over channels: nothing to multiply matrices for.
static constexpr int kWinogradChannels = 2;

static inline void filter_row(const double* g, double* u) {
  u[0] = g[0];
  u[1] = (g[0] + g[1] + g[2]) / 2;
  u[2] = (g[0] - g[1] + g[2]) / 2;
  u[3] = g[2];
}

static inline __attribute__((always_inline)) void input_row(const __m512* d, __m512* v) {
  v[0] = d[0] - d[2];
  v[1] = d[1] + d[2];
  v[2] = d[2] - d[1];
  v[3] = d[1] - d[3];
}

static inline __attribute__((always_inline)) void output_row(const __m512* p, __m512* y) {
  y[0] = p[0] + p[1] + p[2];
  y[1] = p[1] - p[2] - p[3];
}

}  // namespace ridge

#include "kernels/conv/rungs/winograd.h"

namespace ridge {

RIDGE_KERNEL(conv, cpu, winograd, .accuracy = Accuracy::row_column, .prepare = winograd_prepare,
             .launch = winograd_launch);

}  // namespace ridge
