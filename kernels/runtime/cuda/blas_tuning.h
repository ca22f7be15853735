// Finds the fastest of several ways to compute one product, by trying them. For prepare(), which is
// neither timed nor gated. CUDA builds only.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/runtime/cuda/blas_operands.h"

namespace ridge::blas {

/// Multiplies on the stream in way number `index`.
using TryChoice = Status (*)(void* context, int index, const Product& product, cudaStream_t stream);

/// The index of the fastest of `count` ways, in order of promise: what half a second does not reach
/// is not tried. On random operands of its own, since zeros draw less power and change the order;
/// where there is no room for them, the first way is taken. A way that fails is passed over.
Status find_fastest(DType dtype, const Product& shape, int count, TryChoice try_choice,
                    void* context, int* best);

}  // namespace ridge::blas
