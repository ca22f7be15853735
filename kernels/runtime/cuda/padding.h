// Aligned rows for any size. float4 loads, cp.async and TMA need every row to start on a 16-byte
// boundary, which a dense matrix offers only where its row length in bytes is a multiple of 16. For
// the others there is one path, this one: the operand is copied into a workspace with longer rows.
// The copy is part of launch(), hence timed. Works for elements of 1, 2, 4 and 8 bytes.
//
//   struct MyPlan { Padding padding; ... };  or, with nothing else to prepare, .prepare = prepare_padding
//   prepare:  make_padding(shape, &plan->padding);      workspace, only if this shape needs one
//   launch:   AlignedOperands in;
//             if (const Status s = align_operands(plan->padding, launch, &in); !s.ok()) return s;
//             use in.a, in.lda, in.b, in.ldb (leading dimensions in elements)
//   release:  free_padding(&plan->padding);
//
// Contract: a and b are 16-byte aligned, lda and ldb are multiples of 16 bytes, and what a row holds
// between its end and the next multiple of 16 bytes is zero: a 16-byte piece that begins inside a
// matrix may be read whole. (Pieces that begin outside may not.) An operand that is aligned as it
// comes is handed through: nothing is launched for it. A rung may ask for A transposed instead (always
// a copy), or for A as it is.
#pragma once

#include "kernels/runtime/problems/gemm.h"

namespace ridge {

/// What align_operands() gives for A: with aligned rows; A^T, k x m, with aligned rows,
/// a[p * lda + i] (elements of 4 bytes only);
/// or the buffer itself, for rungs that read it element by element.
enum class OperandA : uint8_t { aligned, transposed, unchanged };

struct Padding {
  void* workspace = nullptr;        ///< the copy of A, then that of B
  int64_t lda = 0, ldb = 0;         ///< in elements; those of gemm.h where no copy is needed
  size_t a_bytes = 0, b_bytes = 0;  ///< of the copies, 0 for none
  OperandA want_a = OperandA::aligned;
};

struct AlignedOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  int64_t lda = 0, ldb = 0;
};

Status make_padding(const Shape& shape, Padding* padding, OperandA want_a = OperandA::aligned);
void free_padding(Padding* padding);

/// Enqueues the copies that this shape needs on the launch's stream.
Status align_operands(const Padding& padding, const Launch& launch, AlignedOperands* operands);

/// A prepare() for rungs whose plan is the padding alone, and their align_operands().
Status prepare_padding(const Shape& shape, Plan* plan, OperandA want_a);
inline Status prepare_padding(const Shape& shape, Plan* plan) {
  return prepare_padding(shape, plan, OperandA::aligned);
}
Status align_operands(const Launch& launch, AlignedOperands* operands);

}  // namespace ridge
