// The ceilings' problems on a GPU: what the probe kernels and the problem that judges them agree on.
// Every probe's work is checked like a rung's: a ceiling that skipped work would flatter no one.
#pragma once

#include <stdint.h>

namespace ridge::probe {

/// Shape::dim of every GPU probe.
enum Dim { kUnits = 0 };

/// ffma: unit (thread) i runs c = a * c + b kFfmaSteps times on kFfmaChains values of its own.
///   buffers  a, b, c: kFfmaInputs floats each; out: `units` floats
///   out[i] = sum over j of the j-th chain, which starts at c[(i + j) % kFfmaInputs] and uses
///   a[i % kFfmaInputs], b[i % kFfmaInputs]
/// a lies within 2.5/4096 below 1, so that the result still depends on every single step.
constexpr int kFfmaChains = 8, kFfmaSteps = 4096, kFfmaInputs = 65536;

/// gpu_exp: unit (thread) i runs v = 2^(-v) kExpSteps times on kExpChains values of its own, and adds up all of them.
///   buffers  x: kFfmaInputs floats; out: `units` floats
///   the j-th chain starts at x[(i + j) % kFfmaInputs]
constexpr int kExpChains = 8, kExpSteps = 2048;

/// tensor: unit u multiplies A (kTensorM x K) with the transpose of B (kTensorN x K), both row-major
/// and of Shape::dtype, kTensorDepthBytes / (bytes of a row) times over, accumulating in fp32 (int8: in
/// int32). Rows are of kTensorRowMma or kTensorRowWgmma bytes whatever the type, so that every type
/// takes the same number of instructions: 256.
///   buffers  A, B; out: `units` x kTensorM floats
///   out[u][r] = repeats * sum over c of (A B^T)[r][c]
constexpr int kTensorM = 128, kTensorN = 256, kTensorDepthBytes = 8192;
constexpr int kTensorRowMma = 32, kTensorRowWgmma = 512;

/// l2_read: out[i] = sum over p < kL2Passes of the sum, modulo 2^32, of chunk (i + p) mod kL2Chunks of
/// the input; a chunk is kReadChunk 32-bit words. 2 MiB in all: inside the L2 of any GPU of today.
constexpr int kL2Chunks = 32, kL2Passes = 16;

/// gpu_read: out[i] = sum, modulo 2^32, of the i-th kReadChunk 32-bit words of the input.
/// gpu_copy: out = in; a unit is kReadChunk words.
constexpr int kReadChunk = 16384;

/// gpu_launch: `units` kernels that do nothing, of which the last writes that count.
///   buffers  in: nothing; out: 1 word
constexpr int kNodes = 200;

}  // namespace ridge::probe
