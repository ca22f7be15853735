// The store of the rungs that hold four neighbours of C in a thread.
#pragma once

#include <cstdint>

namespace ridge::device {

/// Four neighbours of a row of C: at once where every row of C is aligned for it, else those inside.
__device__ inline void store_4(float* c, int64_t m, int64_t n, int64_t row, int64_t column,
                               float4 value) {
  if (row >= m || column >= n) return;
  float* to = c + row * n + column;
  if (n % 4 == 0) {
    *reinterpret_cast<float4*>(to) = value;
    return;
  }
  to[0] = value.x;
  if (column + 1 < n) to[1] = value.y;
  if (column + 2 < n) to[2] = value.z;
  if (column + 3 < n) to[3] = value.w;
}

}  // namespace ridge::device
