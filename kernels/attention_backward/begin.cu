// ridge: arch=90a
//
// Before the products of the backward rung on wgmma: its description, and one pass over memory. D = the sum over
// the head of dO * O for each query, L log2(e), zeros where dQ is summed up.
#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/attention_backward/tensor_backward.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kThreads = 256;
constexpr float kLog2E = 1.44269504f;

/// d / 8 neighbouring lanes a row, 16 bytes each.
template <typename Element, int d>
__global__ void attention_backward_begin_kernel(const __grid_constant__ TensorBackward b) {
  constexpr int kLanes = d / 8;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int row =
      static_cast<int>(blockIdx.x) * (kThreads / kLanes) + static_cast<int>(threadIdx.x) / kLanes;
  const int head = static_cast<int>(blockIdx.y);
  if (row >= b.padded) return;
  const int64_t at = static_cast<int64_t>(head) * b.padded + row;
  const int64_t from = (static_cast<int64_t>(head) * b.sequence + row) * kLanes + lane;
  const bool inside = row < b.sequence;
  float sum = 0;
  if (inside) {
    const uint4 o = static_cast<const uint4*>(b.o)[from];
    const uint4 d_o = static_cast<const uint4*>(b.d_o_given)[from];
    const auto* x = reinterpret_cast<const typename Element::Out*>(&o);
    const auto* y = reinterpret_cast<const typename Element::Out*>(&d_o);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum = fmaf(static_cast<float>(x[i]), static_cast<float>(y[i]), sum);
  }
#pragma unroll
  for (int other = kLanes / 2; other > 0; other /= 2) {
    sum += __shfl_xor_sync(__activemask(), sum, other);
  }
  if (lane == 0) {
    b.d_rows[at] = sum;
    // 2^(0 - infinity) = 0: a query behind the end weighs nothing.
    b.l[at] = inside ? b.l_given[static_cast<int64_t>(head) * b.sequence + row] * kLog2E : INFINITY;
  }
  auto* zeros = reinterpret_cast<float4*>(b.dq_sum) + at * (d / 4) + lane;
  zeros[0] = zeros[kLanes] = make_float4(0, 0, 0, 0);
}

/// Queries of a head in whole pieces.
template <int d>
int64_t padded_rows(int64_t sequence) {
  constexpr int kRows = BackwardTile<d>::kRows;
  return (sequence + kRows - 1) / kRows * kRows;
}

/// Maps of all seven; heads of queries and heads of keys.
Status describe(const AttentionBackward& p, CUtensorMapDataType type, TensorBackward* b) {
  const struct {
    const void* data;
    int64_t heads;
    CUtensorMap* map;
  } matrices[] = {{p.a.q, p.a.heads, &b->q},
                  {p.a.k, p.a.heads / p.a.group, &b->k},
                  {p.a.v, p.a.heads / p.a.group, &b->v},
                  {p.d_o, p.a.heads, &b->d_o},
                  {p.dq, p.a.heads, &b->dq},
                  {p.dk, p.a.heads / p.a.group, &b->dk},
                  {p.dv, p.a.heads / p.a.group, &b->dv}};
  for (const auto& matrix : matrices) {
    const device::TensorMap2d map = {
        type,        matrix.data, p.a.sequence, p.a.d,
        p.a.d * 2,   64,          64,           CU_TENSOR_MAP_SWIZZLE_128B,
        matrix.heads};
    if (const Status s = device::encode_tensor_map(map, matrix.map); !s.ok()) return s;
  }
  return {};
}

}  // namespace

namespace ridge {

Status prepare_backward(const Shape& shape, Plan* plan) {
  return with_tensor_head(shape, [&]<typename Element, int d>() -> Status {
    const int64_t rows = shape.dim[kAttentionBatch] * shape.dim[kAttentionHeads] *
                         padded_rows<d>(shape.dim[kAttentionSequence]);
    plan->workspace_bytes = static_cast<size_t>(rows * (d + 2)) * sizeof(float);
    RIDGE_CUDA_CHECK(cudaMalloc(&plan->state, plan->workspace_bytes));
    plan->release = [](void* state) { cudaFree(state); };
    return {};
  });
}

Status begin_backward(const Launch& launch, TensorBackward* b) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    const AttentionBackward p = backward_of(launch);
    if (const Status s = describe(p, Element::kMap, b); !s.ok()) return s;
    b->heads = static_cast<int>(p.a.heads);
    b->group = static_cast<int>(p.a.group);
    b->sequence = static_cast<int>(p.a.sequence);
    b->padded = static_cast<int>(padded_rows<d>(p.a.sequence));
    b->causal = p.a.causal;
    b->scale = p.a.scale;
    b->scale_log2 = p.a.scale * kLog2E;
    b->l = static_cast<float*>(launch.plan_state);
    b->d_rows = b->l + p.a.heads * b->padded;
    b->dq_sum = b->d_rows + p.a.heads * b->padded;
    b->l_given = p.l;
    b->o = p.a.o;
    b->d_o_given = p.d_o;
    const dim3 blocks(static_cast<unsigned>(ceil_div(b->padded, kThreads / (d / 8))),
                      static_cast<unsigned>(b->heads));
    attention_backward_begin_kernel<Element, d>
        <<<blocks, kThreads, 0, static_cast<cudaStream_t>(launch.stream)>>>(*b);
    return RIDGE_CUDA_LAUNCHED(attention_backward_begin_kernel);
  });
}

}  // namespace ridge
