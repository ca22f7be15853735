// fp32 matrices as sums of two tf32 matrices, K-major, as wgmma wants them: x = high + low, where
// high is x rounded to tf32 (11 bits of significand) and low the rest, rounded too. Signs included
// that keeps 23 of 24 bits. The copies are made in launch(), hence timed.
#pragma once

#include "kernels/runtime/problems/gemm.h"

namespace ridge {

/// A plan's state: A's high part (m rows of K), its low part (m), then those of B^T (n, n).
/// What stands in a row between k and `pitch` is not initialised.
struct SplitOperands {
  float* a = nullptr;
  float* b = nullptr;
  int64_t pitch = 0;  ///< elements from row to row: whole 16 bytes
};

/// A prepare(): makes the workspace, 2 (m + n) rows of k.
Status prepare_split(const Shape& shape, Plan* plan);

/// Enqueues the copies on the launch's stream.
Status split_operands(const Launch& launch, const SplitOperands& split);

}  // namespace ridge
