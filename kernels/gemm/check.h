// Judges C = A * B against float64 on the same inputs (gemm.h says how the matrices lie). Full: every
// element. Sampled, at any size in O(n^2): Freivalds' test (Probabilistic machines can use less
// running time, IFIP 1977) on every row, and 4,096 elements exactly.
#pragma once

#include "common/harness/kernel/family.h"

namespace ridge::gemm {

/// `host` holds A, B and C of `shape`, each of its size.
QualityCheck check_product(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed);

/// Every element of graded inputs, against the bound of the rung's class (quality::graded_bound()). No NMSE limit: the
/// largest rows and columns would speak for all.
QualityCheck check_graded(const Shape& shape, const HostBuffers& host, Accuracy accuracy);

}  // namespace ridge::gemm
