// Where the GPU rungs that split the keys leave partial results, and the kernel that merges them.
//
// A slot holds, for each of `rows` query heads that one stretch of keys served, d floats of the weighted sum, the
// largest score (in units of log2(e)) and the sum of the weights. The query heads of a group are served `rows` at
// a time: an item is a sequence, a head of keys and one of `tiles` such sets. Its slots follow each other: with
// parts of fixed length, item * parts and on; with equal shares (shares.h), those of the workers that met it.
#pragma once

#include "kernels/device/cuda_element.h"
#include "kernels/attention/flash_softmax.h"
#include "kernels/decode/shares.h"
#include "kernels/device/launch.h"

namespace ridge {

/// What the kernels of a call get.
struct DecodeSplit {
  Decode a;
  float* slots;
  int64_t* begins;  ///< equal shares: pieces before each sequence, and of all; written by worker 0
  int rows, tiles;
  int parts, part_keys;  ///< 0: equal shares
  int workers;           ///< of equal shares
};

inline int64_t decode_items(const Shape& shape, int rows) {
  const int64_t group = shape.dim[kDecodeHeads] / shape.dim[kDecodeHeadsKv];
  return shape.dim[kDecodeBatch] * shape.dim[kDecodeHeadsKv] * ((group + rows - 1) / rows);
}

/// `most_rows`: query heads that a slot may serve. `part_keys` or `workers` is 0. In device memory: slots, begins.
inline Status prepare_split(const Shape& shape, int most_rows, int part_keys, int workers,
                            Plan* plan) {
  const int64_t group = shape.dim[kDecodeHeads] / shape.dim[kDecodeHeadsKv];
  const int rows = static_cast<int>(group < most_rows ? group : most_rows);
  const int64_t items = decode_items(shape, rows);
  const int64_t slots = part_keys > 0
                            ? items * ((shape.dim[kDecodeLength] + part_keys - 1) / part_keys)
                            : items + workers;
  plan->workspace_bytes = static_cast<size_t>(slots * rows * (shape.dim[kDecodeHeadSize] + 2)) * 4 +
                          static_cast<size_t>(shape.dim[kDecodeBatch] + 1) * 8;
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->state, plan->workspace_bytes));
  plan->release = [](void* state) { cudaFree(state); };
  return {};
}

inline DecodeSplit split_of(const Launch& launch, int most_rows, int part_keys, int workers) {
  DecodeSplit s = {};
  s.a = decode_of(launch);
  s.rows = static_cast<int>(s.a.group < most_rows ? s.a.group : most_rows);
  s.tiles = static_cast<int>((s.a.group + s.rows - 1) / s.rows);
  s.part_keys = part_keys;
  s.parts = part_keys > 0 ? static_cast<int>((s.a.length + part_keys - 1) / part_keys) : 0;
  s.workers = workers;
  s.begins = static_cast<int64_t*>(launch.plan_state);
  s.slots = reinterpret_cast<float*>(s.begins + s.a.batch + 1);
  return s;
}

namespace device {

__device__ inline float* decode_slot(const DecodeSplit& s, int64_t slot, int row) {
  return s.slots + (slot * s.rows + row) * (s.a.d + 2);
}

/// The slots of an item: the first, and how many.
struct SlotRange {
  int64_t first;
  int count;
};
__device__ inline SlotRange decode_slots_of(const DecodeSplit& s, int64_t sequence, int64_t item) {
  const int64_t keys = s.a.lengths[sequence];
  if (s.parts > 0)
    return {item * s.parts, static_cast<int>((keys + s.part_keys - 1) / s.part_keys)};
  const int64_t per_sequence = s.a.heads_kv * s.tiles, pieces = decode_pieces(keys);
  const int64_t all = s.begins[s.a.batch], workers = all < s.workers ? all : s.workers;
  const int64_t begin = s.begins[sequence] + item % per_sequence * pieces;
  // Worker w has the pieces from floor(all w / workers) on.
  const int64_t from = ((begin + 1) * workers - 1) / all,
                to = ((begin + pieces) * workers - 1) / all;
  return {from + item, static_cast<int>(to - from + 1)};
}

constexpr int kMergeWarps = 4;

/// A block for each head of queries; its warps take the slots in turn, a lane two neighbouring columns in each 64.
template <typename T>
static __global__ void decode_merge_kernel(DecodeSplit s) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  __shared__ float os[kMergeWarps][256], largests[kMergeWarps], sums[kMergeWarps];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t head = blockIdx.x, sequence = head / s.a.heads, in_group = head % s.a.group;
  const int64_t kv = sequence * s.a.heads_kv + head % s.a.heads / s.a.group;
  const int row = static_cast<int>(in_group % s.rows), d = static_cast<int>(s.a.d);
  const SlotRange range = decode_slots_of(s, sequence, kv * s.tiles + in_group / s.rows);
  float2 o[4] = {};
  float largest = -INFINITY, sum = 0;
#pragma unroll 2
  for (int i = warp; i < range.count; i += kMergeWarps) {
    const float* slot = decode_slot(s, range.first + i, row);
    const float2 found =
        *reinterpret_cast<const float2*>(slot + d);  // largest score, sum of weights
    const float now = fmaxf(largest, found.x), old = exp2_fast(largest - now),
                weight = exp2_fast(found.x - now);
    largest = now;
    sum = fmaf(sum, old, found.y * weight);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (j * 64 + lane * 2 >= d) continue;
      const float2 part = *reinterpret_cast<const float2*>(slot + j * 64 + lane * 2);
      o[j] = make_float2(fmaf(o[j].x, old, part.x * weight), fmaf(o[j].y, old, part.y * weight));
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) *reinterpret_cast<float2*>(&os[warp][j * 64 + lane * 2]) = o[j];
  if (lane == 0) largests[warp] = largest, sums[warp] = sum;
  __syncthreads();
  largest = fmaxf(fmaxf(largests[0], largests[1]), fmaxf(largests[2], largests[3]));
  float factor[kMergeWarps];
  sum = 0;
  for (int w = 0; w < kMergeWarps; ++w) {
    factor[w] = exp2_fast(largests[w] - largest);
    sum = fmaf(sums[w], factor[w], sum);
  }
  for (int c = static_cast<int>(threadIdx.x); c < d; c += 32 * kMergeWarps) {
    float all = 0;
    for (int w = 0; w < kMergeWarps; ++w) all = fmaf(os[w][c], factor[w], all);
    static_cast<T*>(s.a.o)[head * d + c] = from_float<T>(all / sum);
  }
}

}  // namespace device

/// Behind the kernel that filled the slots; from sm_90 on its launch overlaps that one's end.
template <typename T>
static Status launch_merge(const DecodeSplit& s, const Launch& launch) {
  const int64_t blocks = s.a.batch * s.a.heads;
  constexpr int kThreads = 32 * device::kMergeWarps;
  if constexpr (RIDGE_ARCH >= 90) {
    return launch_overlapped(device::decode_merge_kernel<T>, static_cast<int>(blocks), kThreads, 0,
                             launch, s);
  } else {
    device::decode_merge_kernel<T>
        <<<static_cast<unsigned>(blocks), kThreads, 0, static_cast<cudaStream_t>(launch.stream)>>>(
            s);
    return RIDGE_CUDA_LAUNCHED(decode_merge_kernel);
  }
}

}  // namespace ridge
