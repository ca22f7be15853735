// ridge: arch=90
//
// Idea      A few blocks that stay. In each, the copy engine brings whole rows into a ring in shared memory,
//           several ahead, while the threads take one row into registers, compute and store it. Lines that
//           nobody reads again are marked to leave the L2 first.
// Changed   Reading no longer waits for anybody's computing: what is under way is set by the ring, 96 KiB a
//           block, not by how many blocks fit.
// Limits    The copy ceiling: the memory's turns between reading and writing.
// Look at   Its share of the copy beside that of registers, at n = 1024 and at n = 8192.
// Source    PTX ISA, "cp.async.bulk" and "createpolicy"; the ring is that of kernels/device/mbarrier.h.
#include <algorithm>

#include "kernels/device/launch.h"
#include "kernels/device/mbarrier.h"
#include "kernels/device/tma.h"
#include "kernels/rows/register_row.h"
#include "kernels/rows/row_passes.h"

namespace {

using namespace ridge;
using namespace ridge::device;

constexpr int kVectors = 4, kStages = 3, kBlocksPerSm = 4;
constexpr int64_t kMostRowBytes = 18 << 10;  // three rows in each of four blocks' shared memory

template <class T, RowOp op, int kThreads>
__global__ void __launch_bounds__(kThreads) rows_bulk_kernel(RowsOf<T> r) {
  extern __shared__ __align__(128) unsigned char raw[];
  __shared__ uint64_t full[kStages];
  __shared__ float slots[2][32];
  const int vectors = static_cast<int>(r.n) / kVector<T>, first = static_cast<int>(threadIdx.x);
  const auto bytes = static_cast<uint32_t>(r.n * int64_t{sizeof(T)});
  const auto load = [&](int64_t row, int stage) {
    if (row >= r.m) return;
    mbarrier_arrive_expect(&full[stage], bytes);
    bulk_load(raw + stage * bytes, r.x + row * r.n, bytes, &full[stage]);
  };
  if (first == 0) {
    for (int stage = 0; stage < kStages; ++stage) mbarrier_init(&full[stage], 1);
    fence_mbarrier_init();
    for (int stage = 0; stage < kStages; ++stage)
      load(blockIdx.x + int64_t{stage} * gridDim.x, stage);
  }
  __syncthreads();
  RingPosition<kStages> at;
  BlockReduce reduce{slots};
  for (int64_t row = blockIdx.x; row < r.m; row += gridDim.x) {
    RegisterRow<T, op, kVectors> mine;
    const uint4* x = reinterpret_cast<const uint4*>(raw + at.stage * bytes);
    uint4* y = reinterpret_cast<uint4*>(r.y + row * r.n);
    mbarrier_wait(&full[at.stage], at.parity);
    mine.read(vectors, first, kThreads, [&](int i) { return x[i]; });
    __syncthreads();  // all have read the stage: it may be filled again
    if (first == 0) load(row + int64_t{kStages} * gridDim.x, at.stage);
    mine.compute(r, vectors, first, kThreads, reduce,
                 [&](int i, const uint4& v) { __stcs(y + i, v); });
    at.advance();
  }
}

template <class T, RowOp op, int kThreads>
Status launch_team(const Launch& launch, const RowsOf<T>& r) {
  const auto kernel = rows_bulk_kernel<T, op, kThreads>;
  const auto shared = static_cast<int>(kStages * r.n * int64_t{sizeof(T)});
  RIDGE_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const int64_t blocks =
      std::min<int64_t>(r.m, int64_t{kBlocksPerSm} * 256 / kThreads * sm_count());
  kernel<<<static_cast<unsigned>(blocks), kThreads, static_cast<size_t>(shared),
           static_cast<cudaStream_t>(launch.stream)>>>(r);
  return RIDGE_CUDA_LAUNCHED(rows_bulk_kernel);
}

template <class T, RowOp op>
Status launch_as(const Launch& launch) {
  const RowsOf<T> r = typed_rows<T>(launch);
  const bool fits = r.n * int64_t{sizeof(T)} <= kMostRowBytes && rows_are_aligned(r);
  if (!fits) return launch_passes<T, op>(launch);
  const int64_t threads = (r.n / kVector<T> + kVectors - 1) / kVectors;
  if (threads <= 64) return launch_team<T, op, 64>(launch, r);
  if (threads <= 128) return launch_team<T, op, 128>(launch, r);
  if (threads <= 256) return launch_team<T, op, 256>(launch, r);
  return launch_team<T, op, 512>(launch, r);
}

Status launch(const Launch& launch) {
  return with_row_op(launch, [&](auto op, auto element) {
    return launch_as<decltype(element), decltype(op)::value>(launch);
  });
}

}  // namespace

RIDGE_KERNEL(rows, cuda, bulk, .dtypes = "bf16 fp32", .launch = launch);
