// ridge: flags=-O3
//
// Four rows at a time, so that a row of w is read once for four of x.
#include "kernels/parallel/products.h"

namespace ridge::parallel {
namespace {

constexpr int64_t kRows = 4, kSums = 8;

/// y[r] += x[r][k] w[k] for a few rows.
template <int64_t R>
void add_rows(const float* x, const float* w, int64_t in, int64_t out, float* y) {
  for (int64_t k = 0; k < in; ++k) {
    const float* from = w + k * out;
    for (int64_t r = 0; r < R; ++r) {
      const float factor = x[r * in + k];
      float* to = y + r * out;
      for (int64_t j = 0; j < out; ++j) to[j] += factor * from[j];
    }
  }
}

/// In several sums, which a compiler may keep in one vector.
float dot(const float* a, const float* b, int64_t n) {
  float sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (int64_t s = 0; s < kSums; ++s) sums[s] += a[i + s] * b[i + s];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  float all = 0;
  for (const float sum : sums) all += sum;
  return all;
}

}  // namespace

void multiply(const float* x, const float* w, int64_t rows, int64_t in, int64_t out, float* y) {
  for (int64_t i = 0; i < rows * out; ++i) y[i] = 0;
  int64_t row = 0;
  for (; row + kRows <= rows; row += kRows)
    add_rows<kRows>(x + row * in, w, in, out, y + row * out);
  for (; row < rows; ++row) add_rows<1>(x + row * in, w, in, out, y + row * out);
}

void multiply_transposed(const float* d, const float* w, int64_t rows, int64_t in, int64_t out,
                         float* dx) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = 0; k < in; ++k) dx[row * in + k] = dot(d + row * out, w + k * out, out);
  }
}

void multiply_outer(const float* x, const float* d, int64_t rows, int64_t in, int64_t out,
                    float* g) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = 0; k < in; ++k) {
      const float factor = x[row * in + k];
      float* to = g + k * out;
      for (int64_t j = 0; j < out; ++j) to[j] += factor * d[row * out + j];
    }
  }
}

}  // namespace ridge::parallel
