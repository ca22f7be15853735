// ridge: arch=75
//
// Idea      Split KV: a block for each part of 256 keys of each head. Each leaves its largest score, its sum and its
//           weighted sum; a second kernel merges them by the rule of the online softmax.
// Changed   As many blocks as there are parts: also one sequence fills the GPU.
// Limits    Instructions: query heads that share a head of keys each work through it alone, one key and one value
//           at a time.
// Look at   Batch 1 against the rung before. What the second kernel costs where the cache is short.
// Source    Dao et al., Flash-Decoding for long-context inference (2023).
#include "common/harness/kernel/cuda_check.h"
#include "kernels/decode/rungs/fma_keys.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kPartKeys = 256;

template <typename T>
__global__ void __launch_bounds__(kKeyThreads) decode_split_kernel(DecodeSplit s) {
  const int64_t head = blockIdx.x / s.parts, part = blockIdx.x % s.parts;
  const int64_t sequence = head / s.a.heads, keys = s.a.lengths[sequence], first = part * kPartKeys;
  if (first >= keys) return;
  const int64_t kv = sequence * s.a.heads_kv + head % s.a.heads / s.a.group;
  const int64_t item = kv * s.tiles + head % s.a.heads % s.a.group;
  float* slot = decode_slot(s, item * s.parts + part, 0);
  attend_keys<T>(s.a, sequence, head % s.a.heads, first, min(first + kPartKeys, keys),
                 [&](int c, float o, float running_max, float sum) {
                   if (keys <= kPartKeys) return decode_write<T>(s, head, c, o, sum);
                   slot[c] = o;
                   if (c == 0) slot[s.a.d] = running_max, slot[s.a.d + 1] = sum;
                 });
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_split(shape, 1, kPartKeys, 0, plan);
}

Status launch(const Launch& launch) {
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&]<typename T>(T) -> Status {
    const DecodeSplit s = split_of(launch, 1, kPartKeys, 0);
    decode_split_kernel<T><<<static_cast<unsigned>(s.a.batch * s.a.heads * s.parts), kKeyThreads, 0,
                             static_cast<cudaStream_t>(launch.stream)>>>(s);
    if (const Status made = RIDGE_CUDA_LAUNCHED(decode_split_kernel); !made.ok()) return made;
    return launch_merge<T>(s, launch);
  });
}

}  // namespace

RIDGE_KERNEL(decode, cuda, split, .dtypes = "fp32 bf16 fp16", .prepare = prepare, .launch = launch);
