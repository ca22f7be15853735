#include <thread>
#include <vector>

#include "kernels/probe/probe.h"

namespace ridge {

void probe_run_threads(int threads, void (*part)(void* context, int index), void* context) {
  std::vector<std::thread> others;
  for (int i = 0; i + 1 < threads; ++i) others.emplace_back(part, context, i);
  part(context, threads - 1);
  for (std::thread& other : others) other.join();
}

}  // namespace ridge
