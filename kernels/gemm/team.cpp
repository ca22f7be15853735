#include "kernels/gemm/team.h"

#include <thread>
#include <vector>

namespace ridge {

void team_run(int threads, void (*part)(void*, int), void* context) {
  if (threads == 1) return part(context, 0);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int i = 0; i < threads; ++i) part(context, i);
#else
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(part, context, i);
  part(context, 0);
  for (std::thread& other : others) other.join();
#endif
}

}  // namespace ridge
