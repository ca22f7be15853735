// Where a rung that stores the scores keeps them: sequence x sequence numbers for each head of each
// sequence of the batch. It is the memory that flash attention does without, and it is here that it no
// longer fits. C-like: ISA-flagged files may include this.
#pragma once

#include <stdio.h>

#include "kernels/runtime/problems/attention.h"

namespace ridge {

static inline double attention_scores_bytes(const Shape& shape, size_t element_bytes) {
  const int64_t* dim = shape.dim;
  return (double)(dim[kAttentionBatch] * dim[kAttentionHeads]) * (double)dim[kAttentionSequence] *
         (double)dim[kAttentionSequence] * (double)element_bytes;
}

/// What prepare() says when they do not fit in `free_bytes`. Valid until the next call of this thread.
static inline Status attention_scores_refused(double bytes, double free_bytes) {
  static thread_local char text[120];
  const int small = bytes < 0x1p30;
  const double unit = small ? 0x1p20 : 0x1p30;
  snprintf(text, sizeof(text), "the stored scores take %.1f %s, and %.1f %s are free", bytes / unit,
           small ? "MiB" : "GiB", free_bytes / unit, small ? "MiB" : "GiB");
  return refuse(text);
}

}  // namespace ridge
