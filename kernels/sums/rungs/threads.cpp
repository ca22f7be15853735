// ridge: flags=-O3
//
// Idea      Each thread sums a part of its own. A core waits for the lines that it has in flight, and another core has
//           as many again; two logical cores can be one real core, and share its buffers.
// Changed   in_order on as many threads as are set.
// Limits    The channels of memory, once a few cores fill them: more threads then gain nothing.
// Look at   Bandwidth against threads, beside the ceiling with as many threads. With a small `kib` each core reads
//           its own cache, and nothing is shared.
// Source    McCalpin, STREAM (1995).
#include "kernels/runtime/cpu/sum_words.h"
#include "kernels/runtime/cpu/team.h"
#include "kernels/sums/sums.h"

namespace ridge {
namespace {

void sum_part(void* context, int index) {
  const Sums* s = (const Sums*)context;
  const int64_t begin = s->words * index / s->threads;
  s->out[index] = sum_words(s->data + begin, s->words * (index + 1) / s->threads - begin);
}

Status launch_threads(const Launch& launch) {
  Sums s = sums_of(launch);
  team_run(s.threads, sum_part, &s);
  return {};
}

RIDGE_KERNEL(sums, cpu, threads, .launch = launch_threads);

}  // namespace
}  // namespace ridge
