// The work of a training step on the CPU, for one instruction set and one type in memory: products by tiles,
// and what is done element by element. Images are height x width x channels, rows follow each other. Each
// function does what one thread has; nothing here knows of threads. C-like: ISA-flagged files include it.
//
// A product takes its operands in items of four bytes: a number of fp32, or two of bf16 that follow each other
// along the sum. steps of a sum: items of it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/networks/rounding.h"

namespace ridge {

/// Exponents from 2^kMinExponent; the first bin holds what is below, zeros have none.
enum { kMinExponent = -56, kExponents = 64 };

/// Of the training set: networks see (x - mean) / deviation.
static constexpr float kPixelMean = 72.94f, kPixelDeviation = 90.03f;

struct SgdStep {
  float rate, momentum;
  float unscale;     ///< gradients times this
  Rounding rounded;  ///< weights and momentum, after each operation
};

/// C[i][j] (+)= the sum over pieces and steps of A[i] B[j]. Strides in bytes, but c_row in numbers. Strides are
/// all that tells a dense layer from a convolution, and a product from one with its first operand turned.
struct MixedTile {
  const void *a, *b;
  int64_t a_row, a_step, a_piece;
  int64_t b_step, b_piece;  ///< a step of B has two vectors, or one where `columns` are no more
  int64_t steps, pieces;
  float* c;
  int64_t c_row;      ///< whole vectors are written: C has room for them
  int rows, columns;  ///< at most MixedOps::rows, and two vectors
  bool adds;          ///< to what C holds
};

struct MixedOps {
  size_t bytes;     ///< of an element in memory
  int rows, lanes;  ///< of a tile: most rows; of a vector
  void (*tile)(const MixedTile* tile);
  /// A panel of B, `width` items a step: of rows of W whose columns are summed, `chunks` of `chunk` elements, each
  /// filled up to a whole item.
  void (*transpose)(const void* w, int64_t stride, int64_t rows, int64_t chunks, int64_t chunk, int64_t width,
                    void* panel);
  /// A panel of `width` items a step: of a matrix whose rows are summed; zeros beyond its rows and columns.
  void (*pack)(const void* x, int64_t stride, int64_t rows, int64_t columns, int64_t steps,
               int64_t width, void* panel);
  /// Items of elements that lie `apart` from each other; null: an element is an item.
  void (*pair)(const void* x, int64_t count, int64_t apart, void* items);
  /// An image within a frame of zeros, its channels filled up with zeros.
  void (*frame)(const void* x, int side, int channels, int padded, void* to);
  /// Bytes of 0 to 255 to (x - kPixelMean) / kPixelDeviation.
  void (*widen)(const uint8_t* pixels, int64_t count, Rounding rounded, void* out);
  /// y = rounded(relu(sum + bias)); without a bias: rounded(sum). Strides in numbers.
  void (*finish)(const float* sum, int64_t acc_stride, int64_t rows, int columns, const float* bias, bool relu,
                 Rounding rounded, void* y, int64_t y_stride);
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
  /// Sums, `stride` apart, become the gradient, or are added to it; `narrow`: in the type that they are rounded to.
  void (*settle)(const float* sums, int64_t stride, int64_t count, Rounding rounded, bool adds,
                 bool narrow, float* gradient);
  /// Weights as they are multiplied.
  void (*store)(const float* values, int64_t count, Rounding rounded, void* out);
  void (*count)(const void* x, int64_t count, int64_t* exponents, int64_t* zeros);
  /// false: something was no number.
  bool (*update)(const SgdStep* step, int64_t count, const float* gradient, float* velocity,
                 float* weight);
};

extern const MixedOps mixed_ops_portable, mixed_ops_avx2, mixed_ops_avx512, mixed_ops_bf16;

}  // namespace ridge
