// The element-wise work of a training step on the CPU, for one instruction set and one type in memory.
// Images are height x width x channels, rows follow each other. Each function does a range of rows or
// elements that one thread has; nothing here knows of threads. C-like: ISA-flagged files include it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/kernel/kernel.h"
#include "kernels/mixed/rounding.h"

namespace ridge {

/// Exponents from 2^kLeastExponent; the first bin holds what is below, zeros have none.
enum { kLeastExponent = -56, kExponents = 64 };

struct SgdStep {
  float rate, momentum;
  float unscale;     ///< gradients times this
  Rounding rounded;  ///< weights and momentum, after each operation
};

struct MixedOps {
  size_t bytes;  ///< of an element in memory
  DType dtype;   ///< that products are asked for
  /// Bytes of 0 to 255 to (x - 72.94) / 90.03: the training set's mean and deviation.
  void (*widen)(const uint8_t* pixels, int64_t count, Rounding rounded, void* out);
  /// Rows of k = 3 x 3 x channels for each pixel, zeros outside.
  void (*unfold)(const void* x, int side, int channels, int64_t images, void* rows);
  /// The columns of `to` are `stride` long: a part of the rows may be turned alone.
  void (*transpose)(const void* from, int64_t rows, int64_t columns, int64_t stride, void* to);
  /// y = rounded(relu(y + bias)).
  void (*finish)(void* y, int64_t rows, int columns, const float* bias, bool relu,
                 Rounding rounded);
  void (*round)(void* x, int64_t count, Rounding rounded);
  /// to = rounded(x * scale) / scale; scale is a power of two.
  void (*operand)(const void* x, int64_t count, Rounding rounded, float scale, void* to);
  float (*most)(const void* x, int64_t count);  ///< largest magnitude
  /// y = relu of the highest of 2 x 2; back: to the first that was it, where y > 0.
  void (*pool)(const void* x, int side, int channels, int64_t images, void* y);
  void (*unpool)(const void* x, const void* y, const void* dy, int side, int channels,
                 int64_t images, void* dx);
  void (*mask)(const void* y, int64_t count, void* dy);  ///< dy = 0 where y = 0
  /// Scores become the loss's gradient times `scale`; the sum of the losses, how many are right.
  double (*softmax)(void* scores, const uint8_t* labels, int64_t rows, int classes, float scale,
                    Rounding rounded, int64_t* right);
  void (*sum_rows)(const void* y, int64_t rows, int columns, float* sum);  ///< sum += rows of y
  void (*add)(const void* x, int64_t count, float* sum);
  /// Weights as they are multiplied.
  void (*store)(const float* values, int64_t count, Rounding rounded, void* out);
  void (*count)(const void* x, int64_t count, int64_t* exponents, int64_t* zeros);
  /// false: something was no number.
  bool (*update)(const SgdStep* step, int64_t count, const float* gradient, float* velocity,
                 float* weight);
};

extern const MixedOps mixed_ops_portable, mixed_ops_avx2, mixed_ops_bf16;

}  // namespace ridge
