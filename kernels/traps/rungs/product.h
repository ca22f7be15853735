// The product that the traps' own victims compute, row by row: rows [first, last) of C.
#pragma once

#include "kernels/runtime/problems/gemm.h"

namespace ridge::traps {

inline void product_rows(const Gemm& g, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    float* __restrict row = g.c + i * g.n;
    for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < g.k; ++p) {
      const float scale = g.a[i * g.k + p];
      const float* b = g.b + p * g.n;
      for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];
    }
  }
}

/// A number below `below` from the number of a call: the same sequence in every run.
inline uint64_t drawn(uint64_t call, uint64_t below) {
  uint64_t x = (call + 1) * 0x9e3779b97f4a7c15ULL;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return (x ^ (x >> 31)) % below;
}

}  // namespace ridge::traps
