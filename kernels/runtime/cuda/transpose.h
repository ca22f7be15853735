// A transposition that is part of a launch, as padding is (kernels/runtime/cuda/padding.h).
#pragma once

#include "kernels/runtime/problems/gemm.h"

namespace ridge {

/// Enqueues to(p, i) = from(i, p): from is rows x columns and dense, the rows of `to` are ld >= rows
/// apart; what lies between becomes zero.
Status transpose(const float* from, float* to, int64_t rows, int64_t columns, int64_t ld,
                 void* stream);

}  // namespace ridge
