// Chains of 8 floats an instruction, in AVX2's registers. ISA-flagged files include this.
#pragma once

#include <immintrin.h>

#include "kernels/chains/chains.h"

namespace ridge {

typedef __m256 Vec;
static inline Vec fma(Vec a, Vec v, Vec b) {
  return _mm256_fmadd_ps(a, v, b);
}

}  // namespace ridge

#include "kernels/runtime/cpu/fma_chains.h"

static_assert(ridge::kFmaWidth == ridge::kChainWidth, "a chain is one register");
static_assert(ridge::kMostFmaChains == ridge::kMostChains, "a register each");
