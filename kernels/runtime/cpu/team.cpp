#include "kernels/runtime/cpu/team.h"

#include <thread>
#include <vector>

#include "common/core/upper_lanes.h"

namespace ridge {

namespace {

/// On threads that the next rung's parts run on too.
void run_part(void (*part)(void*, int), void* context, int index) {
  part(context, index);
  clear_upper_lanes();
}

}  // namespace

void team_run(int threads, void (*part)(void*, int), void* context) {
  if (threads == 1) return run_part(part, context, 0);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < threads; ++i) run_part(part, context, i);
#else
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run_part, part, context, i);
  run_part(part, context, 0);
  for (std::thread& other : others) other.join();
#endif
}

}  // namespace ridge
