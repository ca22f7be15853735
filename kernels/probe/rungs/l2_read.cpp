// ridge: isa=avx2 flags=-O2
//
// Idea      What the second-level cache gives: 256 KiB summed over and over, eight vectors at a time.
// Changed   The data stay where read_portable's never are.
// Limits    The path from L2 to L1: a cache line every other clock on Zen 4, up to one a clock elsewhere.
#include "kernels/probe/probe.h"

namespace ridge {
namespace {

typedef uint64_t Vec __attribute__((vector_size(32)));

typedef struct {
  int64_t n;
  const uint64_t* data;
  uint64_t* out;
} Passes;

void part(void* context, int index) {
  const Passes* p = (const Passes*)context;
  const Vec* data = (const Vec*)(p->data + (int64_t)index * kL2Words);
  Vec sum[8] = {};
  for (int64_t pass = 0; pass < p->n; ++pass) {
    for (int i = 0; i < kL2Words / 4; i += 8) {
      for (int j = 0; j < 8; ++j) sum[j] += data[i + j];
    }
    __asm__ volatile("" ::: "memory");  // else one pass would do, and a product
  }
  uint64_t total = 0;
  for (int j = 0; j < 8; ++j) {
    for (int lane = 0; lane < 4; ++lane) total += sum[j][lane];
  }
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
