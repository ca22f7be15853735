// ridge: arch=90a
//
// After the products of the backward rung on wgmma: dQ's sums, times the scale, in its type. One pass over memory.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention_backward/tensor_backward.h"

namespace {

using namespace ridge;
using namespace ridge::device;

/// A block: the 64 x 64 sums of one warpgroup for one piece.
template <typename Element, int d>
__global__ void __launch_bounds__(128)
    attention_backward_end_kernel(const __grid_constant__ TensorBackward b) {
  __shared__ __align__(1024) unsigned char strip[kStripBytes];
  const int t = static_cast<int>(threadIdx.x), group = static_cast<int>(blockIdx.x) % 2;
  const int piece = static_cast<int>(blockIdx.x) / 2, head = static_cast<int>(blockIdx.y);
  const int64_t pieces = b.padded / BackwardTile<d>::kRows;
  const auto* from =
      reinterpret_cast<const float4*>(b.dq_sum) + ((head * pieces + piece) * 2 + group) * 1024 + t;
  uint32_t pairs[16];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const float4 acc = from[j * 128];
    pairs[2 * j] = pack_pair(typename Element::Out{}, acc.x * b.scale, acc.y * b.scale);
    pairs[2 * j + 1] = pack_pair(typename Element::Out{}, acc.z * b.scale, acc.w * b.scale);
  }
  fill_strip(pairs, strip);
  fence_shared_for_async();
  __syncthreads();
  if (t != 0) return;
  const int row = piece * BackwardTile<d>::kRows;
  tma_store_3d(&b.dq, d == 128 ? group * 64 : 0, d == 128 ? row : row + group * 64, head, strip);
  bulk_commit();
  bulk_wait_read<0>();
}

}  // namespace

namespace ridge {

Status end_backward(const Launch& launch, const TensorBackward& b) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    const dim3 blocks(static_cast<unsigned>(b.padded / BackwardTile<d>::kRows * 2),
                      static_cast<unsigned>(b.heads));
    attention_backward_end_kernel<Element, d>
        <<<blocks, 128, 0, static_cast<cudaStream_t>(launch.stream)>>>(b);
    return RIDGE_CUDA_LAUNCHED(attention_backward_end_kernel);
  });
}

}  // namespace ridge
