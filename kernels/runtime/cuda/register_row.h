// A row in the registers of a team of threads: registers.cu, and the rungs that differ in how it gets there.
#pragma once

#include "kernels/runtime/cuda/row_math.h"

namespace ridge::device {

/// kVectors vectors a thread, `team` apart: neighbouring threads have neighbouring vectors.
template <class T, RowOp op, int kVectors>
struct RegisterRow {
  float v[kVectors][kVector<T>];

  /// load(i) gives the row's i-th vector.
  template <class Load>
  __device__ void read(int vectors, int first, int team, const Load& load) {
    uint4 raw[kVectors];  // all loads are under way before the first is unpacked
#pragma unroll
    for (int i = 0; i < kVectors; ++i)
      if (first + i * team < vectors) raw[i] = load(first + i * team);
#pragma unroll
    for (int i = 0; i < kVectors; ++i)
      if (first + i * team < vectors) unpack(raw[i], v[i]);
  }

  template <class Reduce, class Store>
  __device__ void compute(const RowsOf<T>& r, int vectors, int first, int team, Reduce& reduce,
                          const Store& store) {
    const Statistics s = statistics<op>(
        [&](auto f) {
#pragma unroll
          for (int i = 0; i < kVectors; ++i) {
            if (first + i * team >= vectors) continue;
#pragma unroll
            for (int j = 0; j < kVector<T>; ++j) f(v[i][j]);
          }
        },
        reduce, static_cast<float>(r.n));
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int at = first + i * team;
      if (at < vectors) store(at, finish_vector<op, T>(v[i], s, r.weight, r.bias, at));
    }
  }
};

/// Whether rows begin and end at 16 bytes.
template <class T>
bool rows_are_aligned(const RowsOf<T>& r) {
  return r.n % kVector<T> == 0;
}

}  // namespace ridge::device
