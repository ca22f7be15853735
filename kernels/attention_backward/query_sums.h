// How dQ is summed up in the backward rung on wgmma: every block of keys has a share of every query's. A share is
// 64 x 64 fp32 a warpgroup, and lies in the workspace in the order of the registers: [head][piece][warpgroup][8][128
// threads] of four floats, so that the copy engine adds 16 KiB in one piece, and no bank of shared memory is met
// twice.
#pragma once

#include "kernels/attention_backward/tensor_backward.h"

namespace ridge {
namespace device {

/// A warpgroup's share sets out to its sums, by way of `staging`, from which the one before must have gone.
__device__ __forceinline__ void add_to_queries(const float (&dq)[32], float (&staging)[4096],
                                               float* to, int barrier) {
  const int t = static_cast<int>(threadIdx.x) % 128;
  if (t == 0) bulk_wait_read<0>();
  warpgroup_sync(barrier);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    reinterpret_cast<float4*>(staging)[i * 128 + t] =
        make_float4(dq[4 * i], dq[4 * i + 1], dq[4 * i + 2], dq[4 * i + 3]);
  }
  fence_shared_for_async();
  warpgroup_sync(barrier);
  if (t != 0) return;
  bulk_add(to, staging, sizeof staging);
  bulk_commit();
}

}  // namespace device

/// After the products: dQ in its type.
Status end_backward(const Launch& launch, const TensorBackward& b);  // query_sums.cu

}  // namespace ridge
