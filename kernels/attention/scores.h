// Where a rung that stores the scores keeps them: sequence x sequence numbers for each head of each
// sequence of the batch. It is the memory that flash attention does without, and it is here that it no
// longer fits. C-like: ISA-flagged files may include this.
#pragma once

#include <stdio.h>

#include "kernels/attention/attention.h"

namespace ridge {

static inline double attention_scores_bytes(const Shape& shape, size_t element_bytes) {
  const int64_t* dim = shape.dim;
  return (double)(dim[kAttentionBatch] * dim[kAttentionHeads]) * (double)dim[kAttentionSequence] *
         (double)dim[kAttentionSequence] * (double)element_bytes;
}

/// What prepare() says when they do not fit in `free_bytes`. Valid until the next call of this thread.
static inline Status attention_scores_refused(double bytes, double free_bytes, const char* file,
                                              int line) {
  static thread_local char text[120];
  snprintf(text, sizeof(text), "the stored scores take %.1f GiB, and %.1f GiB are free",
           bytes / 0x1p30, free_bytes / 0x1p30);
  Status status;
  status.what = text;
  status.file = file;
  status.line = line;
  return status;
}

}  // namespace ridge
