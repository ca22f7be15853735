// ridge: flags=-O3
//
// Idea      The fastest way through memory: sum 64-bit words in order, eight sums at a time, each
//           thread its own slice. One addition per word is less than a core can do while it waits.
// Limits    DRAM bandwidth, once the data are several times the last-level cache; for one thread
//           the cache lines a core can have in flight.
#include "kernels/probe/probe.h"
#include "kernels/runtime/cpu/sum_words.h"

namespace ridge {
namespace {

struct Slices {
  const uint64_t* data;
  int64_t words;
  uint64_t* out;
  int threads;
};

void part(void* context, int index) {
  const Slices* s = (const Slices*)context;
  const int64_t begin = s->words * index / s->threads;
  s->out[index] = sum_words(s->data + begin, s->words * (index + 1) / s->threads - begin);
}

Status launch_read(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeRead, 1);
  if (!status.ok()) return status;
  Slices s = {(const uint64_t*)launch.buffers[0], launch.shape.dim[kProbeDimN] / 8,
              (uint64_t*)launch.buffers[1], launch.shape.threads};
  probe_run_threads(launch.shape.threads, part, &s);
  return status;
}

RIDGE_KERNEL(probe, cpu, read_portable, .launch = launch_read);

}  // namespace
}  // namespace ridge
