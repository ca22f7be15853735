// ridge: isa=avx2 flags=-O2
//
// Idea      AVX2 has one exact product of small integers: vpmaddwd takes words of 16 bits, and adds the
//           products of two neighbours. Bytes are widened to words while they are packed.
// Changed   A step takes two of k, and two instructions, multiply and add, where fp32 has one for both: the
//           products an instruction are fp32's. vpmaddubsw would take bytes, but adds in 16 bits that saturate.
// Limits    The units that multiply and add: a CPU that also adds on a unit that does not multiply gets ahead
//           of fp32.
// Look at   What a smaller type buys where the instruction set has nothing for it; then VNNI.
// Source    Intel 64 and IA-32 Architectures Software Developer's Manual, PMADDWD; the tile is packed_avx2's.
#include <immintrin.h>

#include "kernels/runtime/cpu/panels.h"

namespace ridge {
namespace {

enum { kRows = 6, kColumns = 16, kStep = 2, kDepth = 2048, kStride = 2 * kDepth + 64 };

inline __m256i lanes_inside(int lanes) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/// Sums are C itself, also between blocks of k.
inline __attribute__((always_inline)) void store_row(const PanelTile* t, int i, __m256i low,
                                                     __m256i high, __m256i l, __m256i r) {
  int32_t* c = (int32_t*)t->acc + i * t->acc_stride;
  if (!t->first) {
    l = _mm256_add_epi32(l, _mm256_maskload_epi32(c, low));
    r = _mm256_add_epi32(r, _mm256_maskload_epi32(c + 8, high));
  }
  _mm256_maskstore_epi32(c, low, l);
  _mm256_maskstore_epi32(c + 8, high, r);
}

template <int rows>
__attribute__((noinline)) void multiply(const PanelTile* t) {
  const __m256i low = lanes_inside(t->columns), high = lanes_inside(t->columns - 8);
  const uint8_t* a = (const uint8_t*)t->a;
  const __m256i* b = (const __m256i*)t->packed;
  __m256i acc[2][rows] = {};
#pragma GCC unroll 2
  for (int64_t p = 0; p < t->depth; p += kStep, a += sizeof(int32_t), b += 2) {
    const __m256i left = _mm256_load_si256(b), right = _mm256_load_si256(b + 1);
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
      int32_t pair;
      __builtin_memcpy(&pair, a + i * kStride, sizeof(pair));
      const __m256i s = _mm256_set1_epi32(pair);
      acc[0][i] = _mm256_add_epi32(acc[0][i], _mm256_madd_epi16(s, left));
      acc[1][i] = _mm256_add_epi32(acc[1][i], _mm256_madd_epi16(s, right));
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) store_row(t, i, low, high, acc[0][i], acc[1][i]);
}

template <int rows>
void tile_of(const PanelTile* t) {
  if (t->rows == rows) return multiply<rows>(t);
  if constexpr (rows > 1) tile_of<rows - 1>(t);
}

/// Bytes to words. Behind the last of an odd count stands what meets a zero of B.
void copy_a(void* to, const void* from, int64_t stride, int rows, int64_t depth) {
  for (int i = 0; i < rows; ++i) {
    int16_t* words = (int16_t*)((char*)to + i * kStride);
    const int8_t* bytes = (const int8_t*)from + i * stride;
    for (int64_t p = 0; p < depth; ++p) words[p] = bytes[p];
  }
}

/// Columns of B, each k contiguous: their pairs of steps side by side, in words.
void pack_b(const PanelTile* t) {
  const int8_t* b = (const int8_t*)t->b;
  int16_t(*packed)[kColumns][kStep] = (int16_t(*)[kColumns][kStep])t->packed;
  const int64_t steps = (t->depth + 1) / kStep;
  for (int j = 0; j < kColumns; ++j) {
    const int8_t* column = b + j * t->stride;
    const int64_t inside = j < t->columns ? t->depth : 0;
    for (int64_t s = 0; s < steps; ++s) {
      packed[s][j][0] = kStep * s < inside ? column[kStep * s] : 0;
      packed[s][j][1] = kStep * s + 1 < inside ? column[kStep * s + 1] : 0;
    }
  }
}

constexpr PanelKernel kPanels = {.rows = kRows,
                                 .columns = kColumns,
                                 .bytes = 1,
                                 .c_bytes = sizeof(int32_t),
                                 .depth = kDepth,
                                 .a_stride = kStride,
                                 .tile = tile_of<kRows>,
                                 .pack_b = pack_b,
                                 .b_transposed = true,
                                 .b_bytes = sizeof(int16_t),
                                 .copy_a = copy_a};

Status prepare(const Shape& shape, Plan* plan) {
  return panel_prepare(&kPanels, shape, panel_threads(shape), plan);
}

Status launch(const Launch& launch) {
  return panel_launch(&kPanels, launch);
}

RIDGE_KERNEL(gemm, cpu, avx2_int8, .dtypes = "int8", .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
