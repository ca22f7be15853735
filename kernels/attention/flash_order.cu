// ridge: arch=75
#include "kernels/attention/flash_order.h"

#include <algorithm>
#include <queue>
#include <vector>

#include "kernels/runtime/cuda/upload.h"

namespace ridge {
namespace {

/// Query heads whose keys and values take three quarters of the L2, in groups as equal as can be.
int64_t heads_together(const Attention& a) {
  int device = 0, l2_bytes = 1 << 20;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device);
  const int64_t head_bytes = 2 * a.sequence * a.d * 2;
  const int64_t fit = std::max<int64_t>(l2_bytes / 4 * 3 / head_bytes, 1) * a.group;
  const int64_t groups = (a.heads + fit - 1) / fit;
  return (a.heads + groups - 1) / groups;
}

std::vector<int> deal(const Attention& a, int tile_rows, int blocks) {
  using Load = std::pair<int64_t, int>;  // keys so far, block
  const int64_t rows = (a.sequence + tile_rows - 1) / tile_rows, together = heads_together(a);
  std::priority_queue<Load, std::vector<Load>, std::greater<Load>> least;
  for (int block = 0; block < blocks; ++block) least.push({0, block});
  std::vector<std::vector<int>> dealt(static_cast<size_t>(blocks));
  const auto give = [&](int64_t head, int64_t row) {
    const auto [keys, block] = least.top();
    least.pop();
    dealt[static_cast<size_t>(block)].push_back(static_cast<int>(head * rows + row));
    const int64_t last = std::min(a.sequence, (row + 1) * tile_rows);
    // To begin and end a tile takes about as long as a block of keys.
    least.push({keys + attention_keys(a, last - 1) + device::kFlashKeys, block});
  };
  for (int64_t first = 0; first < a.heads; first += a.causal ? together : 1) {
    const int64_t end = std::min(a.heads, first + (a.causal ? together : 1));
    for (int64_t row = rows - 1; row >= 0; --row) {
      for (int64_t head = first; head < end; ++head) give(head, row);
    }
  }
  size_t rounds = 1;  // and one of -1 behind the longest
  for (const auto& tiles : dealt) rounds = std::max(rounds, tiles.size() + 1);
  std::vector<int> order(rounds * static_cast<size_t>(blocks), -1);
  for (size_t block = 0; block < dealt.size(); ++block) {
    for (size_t round = 0; round < dealt[block].size(); ++round) {
      order[round * dealt.size() + block] = dealt[block][round];
    }
  }
  return order;
}

}  // namespace

Status order_flash_tiles(const Shape& shape, int tile_rows, int blocks, Plan* plan) {
  void* no_buffers[5] = {};
  const std::vector<int> order =
      deal(attention_of({.shape = shape, .buffers = no_buffers}), tile_rows, blocks);
  const size_t bytes = order.size() * sizeof(int);
  plan->release = [](void* state) { cudaFree(state); };
  plan->workspace_bytes = bytes;
  return device::upload(order.data(), bytes, &plan->state);
}

}  // namespace ridge
