// ridge: arch=80
//
// Idea      FlashAttention-2: a warp has 16 queries to itself. Its scores come out of the tensor cores in
//           registers, become weights there, and go back in as the operand of the second product: they never
//           see shared memory. cp.async brings the next keys and values meanwhile.
// Changed   Tensor cores for both products; the softmax of a row is a matter of four lanes. Queries stay in
//           registers for the whole way along the keys.
// Limits    mma.sync: on Hopper about two thirds of wgmma's rate. And a warp either multiplies or does its softmax;
//           the overlap comes from the other warps alone.
// Look at   to_operand(): no data moves, the layout of a result is the layout of an operand.
// Source    Dao, FlashAttention-2, arXiv:2307.08691; PTX ISA, "mma.sync", "ldmatrix", "cp.async".
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/cp_async.h"
#include "kernels/runtime/cuda/flash_softmax.h"
#include "kernels/runtime/cuda/mma_products.h"
#include "kernels/runtime/cuda/tensor_head.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kWarps = 8, kThreads = 32 * kWarps, kQueries = 16 * kWarps, kKeys = 64, kStages = 2;

/// Shared memory, in bytes: queries, then for each stage keys and values.
template <int d>
constexpr int kQueryBytes = kQueries* d * 2;
template <int d>
constexpr int kBlockBytes = kKeys* d * 2;
template <int d>
constexpr int kSharedBytes = kQueryBytes<d> + kStages * 2 * kBlockBytes<d>;

/// `rows` rows from `first` on, zeros behind the end.
template <int d, int rows>
__device__ void load_rows(uint32_t to, const uint16_t* from, int first, int end) {
  for (int i = static_cast<int>(threadIdx.x); i < rows * d / 8; i += kThreads) {
    const int row = i / (d / 8), piece = i % (d / 8);
    cp_async_16(to + row_place<d>(row, piece),
                from + static_cast<int64_t>(first + row) * d + piece * 8, first + row < end);
  }
}

template <typename Element, int d>
__global__ void __launch_bounds__(kThreads) attention_mma_sync_kernel(Attention a, float scale) {
  extern __shared__ __align__(128) unsigned char raw[];
  const uint32_t shared = shared_address(raw);
  const int n = static_cast<int>(a.sequence), first = static_cast<int>(blockIdx.x) * kQueries;
  const int64_t head = blockIdx.y, size = a.sequence * d, kv = head / a.group * size;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const auto load_block = [&](int block) {
    const uint32_t to = shared + kQueryBytes<d> + block % kStages * 2 * kBlockBytes<d>;
    load_rows<d, kKeys>(to, static_cast<const uint16_t*>(a.k) + kv, block * kKeys, n);
    load_rows<d, kKeys>(to + kBlockBytes<d>, static_cast<const uint16_t*>(a.v) + kv, block * kKeys,
                        n);
  };
  const int keys = a.causal ? min(n, first + kQueries) : n;
  int block = (keys + kKeys - 1) / kKeys - 1;
  load_rows<d, kQueries>(shared, static_cast<const uint16_t*>(a.q) + head * size, first, n);
  load_block(block);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  uint32_t q[d / 16][4], p[kKeys / 16][4];
#pragma unroll
  for (int step = 0; step < d / 16; ++step) {
    load_matrices(q[step], shared + row_place<d>(warp * 16 + lane % 16, 2 * step + lane / 16));
  }
  float o[1][d / 8][4] = {}, factor[2];
  auto& flat_o = reinterpret_cast<float(&)[d / 2]>(o);
  SoftmaxRows rows;
  const int row = first + warp * 16 + lane / 4;
  for (; block >= 0; --block) {
    if (block > 0) load_block(block - 1);
    cp_async_commit();
    const uint32_t k = shared + kQueryBytes<d> + block % kStages * 2 * kBlockBytes<d>;
    float s[kKeys / 8][4] = {};
    auto& flat = reinterpret_cast<float(&)[kKeys / 2]>(s);
    warp_scores<Element, d>(s, q, k);
    if ((block + 1) * kKeys > (a.causal ? first + warp * 16 + 1 : n)) {
      mask_scores(flat, block * kKeys, n, a.causal, row);
    }
    softmax_step(flat, scale, &rows, factor);
    scale_rows(flat_o, factor);
    to_operand<Element>(flat, p);
    warp_weighted_sum<Element, d>(o[0], p, k + kBlockBytes<d>);
    cp_async_wait<0>();
    __syncthreads();  // the next is there, and all have read this one
  }
  softmax_finish(rows, factor);
  scale_rows(flat_o, factor);
  store_warp<Element>(o, static_cast<typename Element::Out*>(a.o) + head * size, n, d,
                      first + warp * 16, 0);
}

Status prepare(const Shape& shape, Plan*) {
  return with_tensor_head(shape, [&]<typename Element, int d>() -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(attention_mma_sync_kernel<Element, d>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          kSharedBytes<d>));
    return {};
  });
}

Status launch(const Launch& launch) {
  return with_tensor_head(launch.shape, [&]<typename Element, int d>() -> Status {
    const Attention a = attention_of(launch);
    const dim3 blocks(static_cast<unsigned>((a.sequence + kQueries - 1) / kQueries),
                      static_cast<unsigned>(a.heads));
    attention_mma_sync_kernel<Element, d>
        <<<blocks, kThreads, kSharedBytes<d>, static_cast<cudaStream_t>(launch.stream)>>>(
            a, a.scale * 1.44269504f);
    return RIDGE_CUDA_LAUNCHED(attention_mma_sync_kernel);
  });
}

}  // namespace

RIDGE_KERNEL(attention, cuda, mma_sync, .dtypes = "bf16 fp16", .prepare = prepare,
             .launch = launch);
