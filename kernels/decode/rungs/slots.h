// Where the GPU rungs that split the keys leave partial results, and the kernel that merges them.
//
// A slot holds, for each of `rows` query heads that one stretch of keys served, d floats of the weighted sum, the
// largest score (in units of log2(e)) and the sum of the weights. The query heads of a group are served `rows` at
// a time: an item is a sequence, a head of keys and one of `tiles` such sets. Its slots follow each other: with
// parts of fixed length, item * parts and on; with equal shares (shares.h), those of the workers that met it.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/decode/rungs/shares.h"
#include "kernels/runtime/cuda/element.h"
#include "kernels/runtime/cuda/flash_softmax.h"
#include "kernels/runtime/cuda/launch.h"

namespace ridge {

/// What the kernels of a call get.
struct DecodeSplit {
  Decode a;
  float* slots;
  int64_t* begins;  ///< equal shares: units before each sequence, and of all; written by worker 0
  int rows, tiles;
  int per_sequence;       ///< items of a sequence: heads_kv * tiles
  int page, table_width;  ///< as in `a`: a division of 64 bits takes hundreds of clocks
  int merge_warps;        ///< that merge a head of queries: 1 where there are many heads, else 4
  int parts, part_keys;   ///< 0: equal shares
  int workers;            ///< of equal shares
};

inline int64_t decode_items(const Shape& shape, int rows) {
  const int64_t group = shape.dim[kDecodeHeads] / shape.dim[kDecodeHeadsKv];
  return shape.dim[kDecodeBatch] * shape.dim[kDecodeHeadsKv] * ((group + rows - 1) / rows);
}

/// `max_rows`: query heads that a slot may serve. `part_keys` or `workers` is 0. In device memory: slots, begins.
inline Status prepare_split(const Shape& shape, int max_rows, int part_keys, int workers, Plan* plan) {
  const int64_t group = shape.dim[kDecodeHeads] / shape.dim[kDecodeHeadsKv];
  const int rows = static_cast<int>(group < max_rows ? group : max_rows);
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

inline DecodeSplit split_of(const Launch& launch, int max_rows, int part_keys, int workers) {
  DecodeSplit s = {};
  s.a = decode_of(launch);
  s.rows = static_cast<int>(s.a.group < max_rows ? s.a.group : max_rows);
  s.tiles = static_cast<int>((s.a.group + s.rows - 1) / s.rows);
  s.per_sequence = static_cast<int>(s.a.heads_kv) * s.tiles;
  s.page = static_cast<int>(s.a.page);
  s.table_width = static_cast<int>(s.a.table_width);
  s.merge_warps = s.a.batch * s.a.heads > 1024 ? 1 : 4;
  s.part_keys = part_keys;
  s.parts = part_keys > 0 ? static_cast<int>((s.a.length + part_keys - 1) / part_keys) : 0;
  s.workers = workers;
  s.begins = static_cast<int64_t*>(launch.plan_state);
  s.slots = reinterpret_cast<float*>(s.begins + s.a.batch + 1);
  return s;
}

namespace device {

/// Equal shares are counted in units: an item is its pieces, and so many more for its beginning and its end. Without
/// them a block that got the short sequences of a batch had many more items than the others, and ended last.
constexpr int kItemUnits = 6;

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
  const int64_t pieces = decode_pieces(keys);
  const int64_t all = s.begins[s.a.batch], workers = all < s.workers ? all : s.workers;
  const int64_t first =
      s.begins[sequence] + item % s.per_sequence * (pieces + kItemUnits) + kItemUnits;
  // Worker w has the units from floor(all w / workers) on.
  const int64_t from = ((first + 1) * workers - 1) / all,
                to = ((first + pieces) * workers - 1) / all;
  return {from + item, static_cast<int>(to - from + 1)};
}

/// O of what one worker had all keys of: nothing is left to merge.
template <typename T>
__device__ void decode_write(const DecodeSplit& s, int64_t head, int c, float o, float sum) {
  static_cast<T*>(s.a.o)[head * s.a.d + c] = T(o / sum);
}

constexpr int kMergeWarps = 4;

/// A head's warps take its slots in turn, a lane two neighbouring columns in each 64. Heads that lie in one slot have
/// been written already.
template <typename T>
static __global__ void decode_merge_kernel(DecodeSplit s) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  __shared__ float os[kMergeWarps][256], running_maxima[kMergeWarps], sums[kMergeWarps];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int first_warp = warp / s.merge_warps * s.merge_warps, d = static_cast<int>(s.a.d);
  const int head = (static_cast<int>(blockIdx.x) * kMergeWarps + warp) / s.merge_warps;
  const int heads = static_cast<int>(s.a.heads), group = static_cast<int>(s.a.group);
  const bool inside = head < s.a.batch * heads;
  const int sequence = inside ? head / heads : 0, in_group = head % group;
  const int64_t kv = sequence * s.a.heads_kv + head % heads / group;
  const int row = in_group % s.rows;
  const SlotRange range = decode_slots_of(s, sequence, kv * s.tiles + in_group / s.rows);
  float2 o[4] = {};
  float running_max = -INFINITY, sum = 0;
#pragma unroll 4
  for (int i = warp - first_warp; inside && range.count > 1 && i < range.count;
       i += s.merge_warps) {
    const float* slot = decode_slot(s, range.first + i, row);
    const float2 found =
        *reinterpret_cast<const float2*>(slot + d);  // largest score, sum of weights
    const float now = fmaxf(running_max, found.x), old = fast_exp2(running_max - now),
                weight = fast_exp2(found.x - now);
    running_max = now;
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
  if (lane == 0) running_maxima[warp] = running_max, sums[warp] = sum;
  __syncthreads();
  if (!inside || range.count == 1) return;
  running_max = -INFINITY, sum = 0;
  for (int w = 0; w < s.merge_warps; ++w) running_max = fmaxf(running_max, running_maxima[first_warp + w]);
  for (int w = 0; w < s.merge_warps; ++w) {
    sum = fmaf(sums[first_warp + w], fast_exp2(running_maxima[first_warp + w] - running_max), sum);
  }
  for (int c = (warp - first_warp) * 32 + lane; c < d; c += 32 * s.merge_warps) {
    float all = 0;
    for (int w = 0; w < s.merge_warps; ++w) {
      all = fmaf(os[first_warp + w][c], fast_exp2(running_maxima[first_warp + w] - running_max), all);
    }
    decode_write<T>(s, head, c, all, sum);
  }
}

}  // namespace device

/// Behind the kernel that filled the slots; from sm_90 on its launch overlaps that one's end.
template <typename T>
static Status launch_merge(const DecodeSplit& s, const Launch& launch) {
  const int64_t warps = s.a.batch * s.a.heads * s.merge_warps;
  const int64_t blocks = (warps + device::kMergeWarps - 1) / device::kMergeWarps;
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
