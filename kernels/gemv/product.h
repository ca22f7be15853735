// A layer's product as the GEMM lab names it: A is x, B is W, whose rows lie as 8-bit types want them.
#pragma once

#include "kernels/gemv/gemv.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge {

static inline Shape gemv_product(const Shape& layer, DType dtype) {
  Shape product;
  product.dim[kGemmM] = layer.dim[kGemvBatch];
  product.dim[kGemmN] = layer.dim[kGemvN];
  product.dim[kGemmK] = layer.dim[kGemvK];
  product.dtype = dtype;
  return product;
}

}  // namespace ridge
