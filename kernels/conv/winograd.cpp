// ridge: isa=avx512f flags=-O2
//
// Idea      F(2 x 2, 3 x 3): four outputs from a 4 x 4 patch of x take 36 products. Transform the patch and the
//           filter by additions, and 16 products do: y = A'[(G f G') * (B' x B)]A, * element by element. For
//           each of the 16 elements, all tiles and all filters are a product of matrices over the channels.
// Changed   2.25 times fewer multiplications, and the GEMM is the register tile's own (one tap, a tile of x for a
//           pixel). Filters are transformed once, untimed; x and y at every call.
// Limits    The transforms' traffic: four numbers written for each one of x, and read again.
// Look at   FLOP/s above the peak: counted are the direct convolution's. And the error: sums and differences
//           of inputs are rounded before they are multiplied.
// Source    A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, CVPR 2016, arXiv:1509.09308.
#include "kernels/conv/winograd.h"

namespace ridge {

extern const ConvKernel conv_avx512;  // avx512.cpp

/// Other filters and strides: the direct tile, and a note that says so.
static bool fits(const Conv* v) {
  return v->r == 3 && v->s == 3 && v->stride == 1 && !conv_is_depthwise(v);
}

static Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (fits(&v)) return winograd_prepare(&conv_avx512, &shape, plan);
  const char note[] = "the direct tile: F(2x2, 3x3) takes 3 x 3 filters at stride 1, not depthwise";
  __builtin_memcpy(plan->note, note, sizeof note);
  return conv_prepare_blocks(&conv_avx512, &shape, shape.threads, plan);
}

static Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  return fits(&v) ? winograd_run(&conv_avx512, &launch) : conv_run_blocks(&conv_avx512, &launch);
}

RIDGE_KERNEL(conv, cpu, winograd, .prepare = prepare, .launch = launch);

}  // namespace ridge
