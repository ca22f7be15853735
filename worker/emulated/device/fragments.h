// Where the elements of a WMMA fragment lie among the 32 lanes of a warp. CUDA does not say. Here they lie as in code that
// nvcc 13.0 generates for sm_80 and later: a WMMA product is two mma instructions there.
//
// Source    PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", the same "with integer type", and for
//           TF32 those for mma.m16n8k8. How nvcc puts them together is read from its machine code for sm_90.
//
// A fragment consists of cores: 8 lines of 16 bytes. A lane holds 4 bytes of each core, at lane % 4 of line lane / 4.
// An accumulator's core is 8 x 8, and a lane holds two neighbours of it.
//
//                    line            elements along a line       cores in a lane's order
//   A                row             k                           2 x 2: down 16 lines, then along k, then 16 lines on
//   B                column          k                           along k, then 8 lines on
//   accumulator      row             n                           as A
//   8 x 32 x 16      computed as its transpose, 32 x 8 x 16: A and B change roles, an accumulator's lines are columns
//
// The operand with the order of A is *wide*, the other one *narrow*.
#pragma once

#include <cstdint>

#include "worker/emulated/device/cuda_bf16.h"
#include "worker/emulated/device/cuda_fp16.h"

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

}  // namespace nvcuda::wmma

namespace ridge::emulated {

namespace wmma = nvcuda::wmma;

/// What a fragment stores of an element that is called T.
template <class T>
struct StoredOf {
  using Type = T;
};
template <>
struct StoredOf<wmma::precision::tf32> {
  using Type = float;
};
template <class T>
using Stored = typename StoredOf<T>::Type;

template <class T, class... Types>
constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);
template <class T>
constexpr bool is_byte = is_one_of<T, signed char, unsigned char>;

/// Whether operands of this type have this shape.
template <int m, int n, int k, class T>
constexpr bool has_shape = (k == 16 &&
                            ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) &&
                            (is_one_of<T, __half, __nv_bfloat16> || is_byte<T>)) ||
                           (m == 16 && n == 16 && k == 8 &&
                            std::is_same_v<T, wmma::precision::tf32>);
template <int m, int n, int k, class T>
constexpr bool has_accumulator = is_one_of<T, float, int, __half> &&
                                 (has_shape<m, n, k, signed char> ||
                                  (std::is_same_v<T, float> &&
                                   has_shape<m, n, k, wmma::precision::tf32>));

/// An element of a fragment: its line, and its place along it.
struct Element {
  int line = 0, along = 0;
};

template <class Use, int m, int n, int k, class T>
struct FragmentShape {
  static constexpr bool kIsA = std::is_same_v<Use, wmma::matrix_a>;
  static constexpr bool kIsAccumulator = std::is_same_v<Use, wmma::accumulator>;
  static_assert(kIsAccumulator ? has_accumulator<m, n, k, T> : has_shape<m, n, k, T>,
                "no WMMA fragment of this shape and type is emulated (docs/emulated.md)");

  static constexpr int kBytes = sizeof(Stored<T>);
  static constexpr bool kIsTransposed = m == 8;
  /// Whether lines are rows of the matrix.
  static constexpr bool kLinesAreRows = kIsAccumulator ? !kIsTransposed : kIsA;
  static constexpr bool kIsWide = kIsAccumulator || kIsA != kIsTransposed;
  static constexpr int kLines = kIsAccumulator ? (kIsTransposed ? n : m) : kIsA ? m : n;
  static constexpr int kAlong = kIsAccumulator ? (kIsTransposed ? m : n) : k;
  /// Neighbours along a line that one lane has.
  static constexpr int kTogether = kIsAccumulator ? 2 : 4 / kBytes;
  static constexpr int kCoreAlong = 4 * kTogether;
  static constexpr int kCoresAlong = kAlong / kCoreAlong;
  static constexpr int kCores = kLines / 8 * kCoresAlong;
  static constexpr int kOwn = kLines * kAlong / 32;
  /// nvcc gives a lane 16 elements of an fp16 operand. Where it holds fewer, they are repeated.
  static constexpr int kElements = !kIsAccumulator && std::is_same_v<T, __half> ? 16 : kOwn;
  /// Cores that one ldmatrix reads: 16 lines of a wide operand, or all of a narrow one.
  static constexpr int kCoresAtOnce = kIsWide ? 2 * kCoresAlong : kCores;

  /// The first element of a core.
  RIDGE_UNTRACED static constexpr Element core(int i) {
    if (!kIsWide) return {i / kCoresAlong * 8, i % kCoresAlong * kCoreAlong};
    const int within = i % (2 * kCoresAlong);
    return {i / (2 * kCoresAlong) * 16 + within % 2 * 8, within / 2 * kCoreAlong};
  }
  /// Element i of a lane, below kOwn.
  RIDGE_UNTRACED static constexpr Element at(int lane, int i) {
    const Element first = core(i / kTogether);
    return {first.line + lane / 4, first.along + lane % 4 * kTogether + i % kTogether};
  }
};

}  // namespace ridge::emulated
