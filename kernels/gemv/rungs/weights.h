// Weights made numbers in registers. A word of them becomes pairs of bf16, which hold every e4m3, int8 and int4 value
// exactly: pair p of a word holds its elements p and p + kPairs. Integers are put behind the bits of 128.0 or 256.0,
// where the last bit of bf16 is worth 1 or 2, and that number is taken off again: no conversion instruction, of which
// an SM has 16 a clock where it has 64 to 128 of these.
//
// Source    Kim et al., Who Says Elephants Can't Run (FasterTransformer's int4 conversion), arXiv:2211.10017; Marlin,
//           arXiv:2408.11743: lop3 and a magic number. The 8-bit form for bf16 is worked out here.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "kernels/gemv/gemv.h"

namespace ridge::device {

constexpr uint32_t kBf16Of128 = 0x43004300;

__device__ inline uint32_t bf16_minus(uint32_t a, uint32_t b) {
  const __nv_bfloat162 d = __hsub2(reinterpret_cast<const __nv_bfloat162&>(a),
                                   reinterpret_cast<const __nv_bfloat162&>(b));
  return reinterpret_cast<const uint32_t&>(d);
}
__device__ inline uint32_t bf16_times(uint32_t a, uint32_t b) {
  const __nv_bfloat162 d = __hmul2(reinterpret_cast<const __nv_bfloat162&>(a),
                                   reinterpret_cast<const __nv_bfloat162&>(b));
  return reinterpret_cast<const uint32_t&>(d);
}

/// (a & mask) | bits in one instruction; of two constants the compiler makes two.
__device__ inline uint32_t and_or(uint32_t a, uint32_t mask, uint32_t bits) {
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(d) : "r"(a), "r"(mask), "r"(bits));
  return d;
}

struct Bf16Weights {
  static constexpr GemvWeights kKind = kGemvBf16;
  static constexpr int kBits = 16, kPairs = 1;
  static constexpr bool kRowScale = false, kGroupScale = false;
  __device__ static void pairs(uint32_t word, uint32_t* to) { to[0] = word; }
};

/// Byte q of -128 to 127 is (q & 127) - (q & 128), so (128 + (q & 127)) - (128 or 256): 256 is 128 with bit 7 set.
struct Int8Weights {
  static constexpr GemvWeights kKind = kGemvInt8;
  static constexpr int kBits = 8, kPairs = 2;
  static constexpr bool kRowScale = true, kGroupScale = false;
  __device__ static void pairs(uint32_t word, uint32_t* to) {
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const uint32_t bytes = word >> (8 * p);
      to[p] =
          bf16_minus(and_or(bytes, 0x007f007f, kBf16Of128), and_or(bytes, 0x00800080, kBf16Of128));
    }
  }
};

/// e4m3's exponent and mantissa are a bf16's, but for 120 in the exponent: also where it has no leading one.
struct Fp8Weights {
  static constexpr GemvWeights kKind = kGemvFp8;
  static constexpr int kBits = 8, kPairs = 2;
  static constexpr bool kRowScale = true, kGroupScale = false;
  __device__ static void pairs(uint32_t word, uint32_t* to) {
    constexpr uint32_t kTwoTo120 = 0x7b807b80;
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const uint32_t bytes = p == 0 ? word << 8 : word;
      to[p] = bf16_times(and_or(bytes >> 4, 0x07f007f0, bytes & 0x80008000), kTwoTo120);
    }
  }
};

/// Half bytes are value + 8.
struct Int4Weights {
  static constexpr GemvWeights kKind = kGemvInt4;
  static constexpr int kBits = 4, kPairs = 4;
  static constexpr bool kRowScale = false, kGroupScale = true;
  static constexpr int kOffset = 136;
  /// kOffset too large.
  __device__ static void offset_pairs(uint32_t word, uint32_t* to) {
#pragma unroll
    for (int p = 0; p < 4; ++p) to[p] = and_or(word >> (4 * p), 0x000f000f, kBf16Of128);
  }
  __device__ static void pairs(uint32_t word, uint32_t* to) {
    constexpr uint32_t kBf16Of136 = 0x43084308;
    offset_pairs(word, to);
#pragma unroll
    for (int p = 0; p < 4; ++p) to[p] = bf16_minus(to[p], kBf16Of136);
  }
};

/// The two of each four that are left; the matrix instruction is told which.
struct SparseWeights {
  static constexpr GemvWeights kKind = kGemvSparse;
  static constexpr int kBits = 8;  // 32 for four columns
  static constexpr bool kRowScale = false, kGroupScale = false;
};

/// Both int8: multiplied as they are.
struct W8a8Weights {
  static constexpr GemvWeights kKind = kGemvW8a8;
  static constexpr int kBits = 8;
  static constexpr bool kRowScale = true, kGroupScale = false;
};

__device__ inline float low_float(uint32_t pair) {
  return __uint_as_float(pair << 16);
}
__device__ inline float high_float(uint32_t pair) {
  return __uint_as_float(pair & 0xffff0000);
}

// The weights of a file with variants (gemv_cuda.h), by the name of their type.
using Weights_bf16 = Bf16Weights;
using Weights_fp8 = Fp8Weights;
using Weights_int8 = Int8Weights;
using Weights_int4 = Int4Weights;
using Weights_w8a8 = W8a8Weights;
using Weights_sparse = SparseWeights;

}  // namespace ridge::device
