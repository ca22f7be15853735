// ridge: arch=75
//
// Idea      A block for each head of each sequence; its warps take the keys in turn.
// Changed   Nothing yet: what a kernel made for long queries does when there is one.
// Limits    Parallelism: a batch of 1 with 32 heads is 32 blocks, for a GPU of over a hundred SMs. And each warp has
//           one key and one value under way, then waits for them.
// Look at   The longest sequence of a mixed batch: all others are done long before.
// Source    Vaswani et al., arXiv:1706.03762; online softmax: arXiv:1805.02867.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/decode/rungs/fma_keys.h"

namespace {

using namespace ridge;
using namespace ridge::device;

template <typename T>
__global__ void __launch_bounds__(kKeyThreads) decode_naive_kernel(Decode a) {
  const int64_t sequence = blockIdx.x / a.heads, head = blockIdx.x % a.heads;
  T* to = static_cast<T*>(a.o) + blockIdx.x * a.d;
  attend_keys<T>(a, sequence, head, 0, a.lengths[sequence],
                 [&](int c, float o, float, float sum) { to[c] = T(o / sum); });
}

Status launch(const Launch& launch) {
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&]<typename T>(T) -> Status {
    const Decode a = decode_of(launch);
    decode_naive_kernel<T><<<static_cast<unsigned>(a.batch * a.heads), kKeyThreads, 0,
                             static_cast<cudaStream_t>(launch.stream)>>>(a);
    return RIDGE_CUDA_LAUNCHED(decode_naive_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(decode, cuda, naive, .dtypes = "fp32 bf16 fp16", .launch = launch);
