// Finds the fastest of several ways to do one thing on a GPU, by trying them. For prepare(), which is
// neither timed nor gated. CUDA builds only.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/runtime/cuda/blas_operands.h"

namespace ridge::blas {

/// Way number `index`, once, on the stream; it can be recorded as a CUDA graph.
using Attempt = Status (*)(void* context, int index, cudaStream_t stream);

struct Choice {
  int index = 0;  ///< of the fastest way
  int tried = 1;  ///< so many, the first ones; those that failed among them
};

/// The fastest of `count` ways, in order of promise: what a second and a half does not reach is not tried. Each is a
/// CUDA graph of as many calls as take half a millisecond. A first call loads code and is not timed. Then graphs take
/// turns, forwards and backwards, and the least median stays; ways that are behind by more than rounds can explain
/// leave early. Caches are hot: prepare() does not know how the rung will be timed.
Status fastest_of(int count, Attempt attempt, void* context, Choice* choice);

/// Multiplies on the stream in way number `index`.
using TryChoice = Status (*)(void* context, int index, const Product& product, cudaStream_t stream);

/// The same for a product, on random operands of its own, since zeros draw less power and change the order; where there
/// is no room for them, the first way is taken.
Status find_fastest(DType dtype, const Product& shape, int count, TryChoice try_choice, void* context, Choice* choice);

}  // namespace ridge::blas
