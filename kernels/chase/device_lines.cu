// ridge: arch=75
#include "kernels/chase/device_lines.h"

#include <vector>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/upload.h"

namespace ridge {

Status upload_cycle(const Shape& shape, Plan* plan) {
  const auto count = static_cast<size_t>(shape.dim[0]);
  const size_t bytes = count * kLineWords * sizeof(uint64_t);
  plan->release = [](void* lines) { cudaFree(lines); };
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->state, bytes));
  plan->workspace_bytes = bytes;
  const int32_t* next = static_cast<const Cycle*>(shape.constants)->next;
  const auto first = reinterpret_cast<uint64_t>(plan->state);
  std::vector<uint64_t> lines(count * kLineWords);
  for (size_t i = 0; i < count; ++i)
    lines[i * kLineWords] = first + static_cast<uint64_t>(next[i]) * kLineWords * sizeof(uint64_t);
  return device::copy_and_wait(plan->state, lines.data(), bytes);
}

}  // namespace ridge
