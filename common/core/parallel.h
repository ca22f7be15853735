// Work over a range on all cores, for what is never timed: making inputs, checking outputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace ridge {

/// Calls part(begin, end) on pieces of [0, count), each on a thread of its own (the first on the
/// caller's), and waits. Pieces hold at least `least` items and begin at a multiple of `align`.
template <class Part>
void parallel_for(int64_t count, int64_t least, const Part& part, int64_t align = 1) {
  int64_t parts = count / std::max<int64_t>(least, 1);
  // Asking how many cores there are reads a file: a third of the time of a check made of short rows.
  if (parts > 1) parts = std::min<int64_t>(parts, std::thread::hardware_concurrency());
  parts = std::max<int64_t>(parts, 1);
  const int64_t size = (count / parts + align) / align * align;
  std::vector<std::thread> threads;
  for (int64_t begin = size; begin < count; begin += size)
    threads.emplace_back([&part, begin, end = std::min(begin + size, count)] { part(begin, end); });
  part(0, std::min(size, count));
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ridge
