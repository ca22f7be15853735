// Words of memory summed by threads, each its own slice: what the probes of DRAM share. They differ in the loop. C-like.
#pragma once

#include "kernels/probe/probe.h"

namespace ridge {

/// The sum of `count` words, modulo 2^64.
typedef uint64_t (*SumWords)(const uint64_t* words, int64_t count);

typedef struct {
  const uint64_t* data;
  int64_t words;
  uint64_t* out;
  int threads;
  SumWords sum;
} ReadSlices;

/// Slices begin where cache lines do, if the data does.
static inline void sum_slice(void* context, int index) {
  const ReadSlices* s = (const ReadSlices*)context;
  const int64_t lines = s->words / 8;
  const int64_t begin = lines * index / s->threads * 8;
  const int64_t end = index + 1 == s->threads ? s->words : lines * (index + 1) / s->threads * 8;
  s->out[index] = s->sum(s->data + begin, end - begin);
}

static inline Status launch_read_slices(const Launch& launch, SumWords sum) {
  const Status status = probe_expects(launch, kProbeRead, 1);
  if (!status.ok()) return status;
  ReadSlices s = {(const uint64_t*)launch.buffers[0], launch.shape.dim[kProbeDimN] / 8,
                  (uint64_t*)launch.buffers[1], launch.shape.threads, sum};
  probe_run_threads(launch.shape.threads, sum_slice, &s);
  return status;
}

}  // namespace ridge
