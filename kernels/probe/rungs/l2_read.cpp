// ridge: flags=-O2
//
// Idea      What the second-level cache gives: a word of each cache line of 256 KiB, over and over, eight sums at a time.
// Changed   The data stay where read_portable's never are.
// Limits    The path from L2 to L1: a cache line every other clock on Zen 4, up to one a clock elsewhere. A line comes
//           whole, whatever is read of it: loads of its other words add work, and no bytes.
#include "kernels/probe/probe.h"

namespace ridge {
namespace {

typedef struct {
  int64_t n;
  const uint64_t* data;
  uint64_t* out;
} Passes;

void part(void* context, int index) {
  const Passes* p = (const Passes*)context;
  const uint64_t* data = p->data + (int64_t)index * kL2Words;
  uint64_t sum[8] = {};
  for (int64_t pass = 0; pass < p->n; ++pass) {
    for (int i = 0; i < kL2Words; i += 8 * kL2Step) {
      for (int j = 0; j < 8; ++j) sum[j] += data[i + j * kL2Step];
    }
    __asm__ volatile("" ::: "memory");  // else one pass would do, and a product
  }
  uint64_t total = 0;
  for (int j = 0; j < 8; ++j) total += sum[j];
  p->out[index] = total;
}

Status launch_l2(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeL2, 1);
  if (!status.ok()) return status;
  Passes p = {launch.shape.dim[kProbeDimN], (const uint64_t*)launch.buffers[0],
              (uint64_t*)launch.buffers[1]};
  probe_run_threads(launch.shape.threads, part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, l2_read, .launch = launch_l2);

}  // namespace
}  // namespace ridge
