// ridge: isa=avx2 flags=-O3
//
// Idea      Reading and writing at once: half of n bytes are copied to the other half, by streaming stores,
//           which do not read what they overwrite; each thread its own slice.
// Limits    DRAM: the bus loses time each time it turns from reading to writing, so this is below reading.
#include <immintrin.h>

#include "kernels/probe/probe.h"

namespace ridge {
namespace {

void part(void* context, int index) {
  const Launch* launch = (const Launch*)context;
  const int64_t lines = launch->shape.dim[kProbeDimN] / 64, threads = launch->shape.threads;
  const __m256i* from = (const __m256i*)launch->buffers[0];
  __m256i* to = (__m256i*)launch->buffers[1];
  for (int64_t i = lines * index / threads; i < lines * (index + 1) / threads; ++i) {
    const __m256i low = _mm256_loadu_si256(from + 2 * i),
                  high = _mm256_loadu_si256(from + 2 * i + 1);
    _mm256_stream_si256(to + 2 * i, low);
    _mm256_stream_si256(to + 2 * i + 1, high);
  }
}

Status launch_copy(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeCopy, 1);
  if (!status.ok()) return status;
  Launch job = launch;
  probe_run_threads(launch.shape.threads, part, &job);
  return status;
}

RIDGE_KERNEL(probe, cpu, copy_streamed, .launch = launch_copy);

}  // namespace
}  // namespace ridge
