// ridge: arch=75
#include <new>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention/flash_fp8.h"

namespace ridge {
namespace {

using namespace device;

/// V transposed: a block for 128 keys of a head, zeros behind the end of the sequence.
template <int d>
__global__ void __launch_bounds__(256)
    attention_fp8_transpose_kernel(const unsigned char* v, unsigned char* to, int sequence) {
  __shared__ __align__(16) unsigned char tile[kFlashKeys][d];
  const int first = static_cast<int>(blockIdx.x) * kFlashKeys, t = static_cast<int>(threadIdx.x);
  const int64_t head = blockIdx.y, columns = int64_t{gridDim.x} * kFlashKeys;
  for (int i = t; i < kFlashKeys * d / 16; i += 256) {
    const int key = i / (d / 16), c = i % (d / 16) * 16;
    uint4 chunk = {};
    if (first + key < sequence) {
      chunk = *reinterpret_cast<const uint4*>(v + (head * sequence + first + key) * d + c);
    }
    *reinterpret_cast<uint4*>(&tile[key][c]) = chunk;
  }
  __syncthreads();
  for (int i = t; i < d * kFlashKeys / 32; i += 256) {
    const int c = i % d, group = i / d * 32;
    uint32_t words[8];
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      words[w] = 0;
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        words[w] |= static_cast<uint32_t>(tile[group + fp8_key_at(4 * w + r)][c]) << 8 * r;
      }
    }
    auto* out = reinterpret_cast<uint4*>(to + (head * d + c) * columns + first + group);
    out[0] = make_uint4(words[0], words[1], words[2], words[3]);
    out[1] = make_uint4(words[4], words[5], words[6], words[7]);
  }
}

struct Fp8Plan {
  Plan order;
  unsigned char* values = nullptr;
  int columns = 0;
};

void release(void* state) {
  auto* plan = static_cast<Fp8Plan*>(state);
  if (plan->order.release) plan->order.release(plan->order.state);
  cudaFree(plan->values);
  delete plan;
}

Status fill_plan(const Shape& shape, int tile_rows, Fp8Plan* plan, size_t* bytes) {
  const int64_t* dim = shape.dim;
  plan->columns = ceil_div(static_cast<int>(dim[kAttentionSequence]), kFlashKeys) * kFlashKeys;
  *bytes = static_cast<size_t>(dim[kAttentionBatch] * dim[kAttentionHeadsKv] *
                               dim[kAttentionHeadSize] * plan->columns);
  RIDGE_CUDA_CHECK(cudaMalloc(&plan->values, *bytes));
  return order_flash_tiles(shape, tile_rows, flash_persistent_blocks(shape, tile_rows),
                           &plan->order);
}

Status map_of(const void* data, int64_t rows, int64_t columns, int64_t matrices, int box_rows,
              CUtensorMap* map) {
  return encode_tensor_map({.type = CU_TENSOR_MAP_DATA_TYPE_UINT8,
                            .data = data,
                            .rows = rows,
                            .columns = columns,
                            .row_bytes = columns,
                            .box_rows = box_rows,
                            .box_columns = kSliceBytes,
                            .swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
                            .matrices = matrices},
                           map);
}

}  // namespace

Status prepare_fp8(const Shape& shape, int tile_rows, Plan* plan) {
  auto* state = new (std::nothrow) Fp8Plan;
  if (!state) return {"out of memory", "new Fp8Plan", __FILE__, __LINE__, false};
  size_t bytes = 0;
  if (const Status status = fill_plan(shape, tile_rows, state, &bytes); !status.ok()) {
    release(state);
    return status;
  }
  *plan = {state, release, bytes + state->order.workspace_bytes};
  return {};
}

Status begin_fp8(const Launch& launch, FlashFp8* a) {
  const Attention p = attention_of(launch);
  const auto& plan = *static_cast<const Fp8Plan*>(launch.plan_state);
  const int64_t heads_kv = p.heads / p.group;
  Flash& f = a->flash;
  if (const Status s = map_of(p.q, p.sequence, p.d, p.heads, kFlashGroupM, &f.q); !s.ok()) return s;
  if (const Status s = map_of(p.k, p.sequence, p.d, heads_kv, kFlashKeys, &f.k); !s.ok()) return s;
  if (const Status s =
          map_of(plan.values, p.d, plan.columns, heads_kv, static_cast<int>(p.d), &f.v);
      !s.ok()) {
    return s;
  }
  f.heads = static_cast<int>(p.heads);
  f.group = static_cast<int>(p.group);
  f.sequence = static_cast<int>(p.sequence);
  f.causal = p.causal;
  f.scale = p.scale * 1.44269504f;
  f.order = static_cast<const int*>(plan.order.state);
  a->scales = p.scales;
  a->o = p.o;
  const dim3 blocks(static_cast<unsigned>(plan.columns / kFlashKeys),
                    static_cast<unsigned>(heads_kv));
  const auto* v = static_cast<const unsigned char*>(p.v);
  auto* kernel =
      p.d == 64 ? attention_fp8_transpose_kernel<64> : attention_fp8_transpose_kernel<128>;
  kernel<<<blocks, 256, 0, static_cast<cudaStream_t>(launch.stream)>>>(v, plan.values, f.sequence);
  return RIDGE_CUDA_LAUNCHED(attention_fp8_transpose_kernel);
}

}  // namespace ridge
