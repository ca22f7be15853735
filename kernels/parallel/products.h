// The products of a layer, one thread, in single precision. Matrices lie row after row.
#pragma once

#include <stdint.h>

namespace ridge::parallel {

/// y = x w: x [rows][in], w [in][out].
void multiply(const float* x, const float* w, int64_t rows, int64_t in, int64_t out, float* y);
/// dx = d w^T: d [rows][out].
void multiply_transposed(const float* d, const float* w, int64_t rows, int64_t in, int64_t out,
                         float* dx);
/// g += x^T d: g [in][out].
void multiply_outer(const float* x, const float* d, int64_t rows, int64_t in, int64_t out,
                    float* g);

}  // namespace ridge::parallel
