// What the tensor-core rungs from wgmma_tma on share: the description of a product that they get as
// their only argument, how a tile of A or B comes and is multiplied, and how a tile of C goes.
//
// The k-loop goes by slices (pipeline.h): a tile of r rows of A, or columns of B, fills r * 128 bytes for every type,
// and a rung's shared memory does not depend on it.
#pragma once

#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tensor_element.h"
#include "kernels/runtime/cuda/wgmma.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge {

/// `const __grid_constant__ TensorGemm g`: the maps are read by the copy engine.
struct TensorGemm {
  CUtensorMap a, b;  ///< boxes: box_m x a slice; box_n (or 64, N-major) x a slice
  CUtensorMap c;     ///< boxes: 64 rows of 128 bytes; usable only if c_rows_aligned
  void* c_data;
  int m, n, k;
  bool c_rows_aligned;  ///< rows of C begin at multiples of 16 bytes, as the copy engine needs
};

/// Encodes the maps, after padding A and B where their rows are not aligned. Untyped part below.
Status describe_gemm(const Launch& launch, CUtensorMapDataType type, CUtensorMapDataType out, int out_bytes, int box_m,
                     int box_n, TensorGemm* g);

template <typename Element>
Status describe_gemm(const Launch& launch, int box_m, int box_n, TensorGemm* g) {
  return describe_gemm(launch, Element::kMap, Element::kMapOut, sizeof(typename Element::Out), box_m, box_n, g);
}

/// How a rung's kernel is launched. Blocks of a cluster take tiles one below the other and share a tile of B.
struct TensorGrid {
  int tile_m, tile_n, threads;
  size_t shared_bytes;
  bool persistent = false;  ///< as many blocks as run at once; else one a tile
  int cluster = 1;
  bool overlapped = false;  ///< may start before the grid ahead of it has ended (launch.h)
};

/// prepare() and launch() of one kernel.
Status prepare_tensor_gemm(const void* kernel, size_t shared_bytes, const Shape& shape, Plan* plan);
Status launch_tensor_gemm(const void* kernel, const TensorGrid& grid, const Launch& launch, TensorGemm* g);

/// prepare() and launch() of a rung for all types. `kernel(Element{})` gives the kernel for one.
template <typename Kernel>
Status prepare_tensor_gemm(Kernel kernel, const TensorGrid& grid, const Shape& shape, Plan* plan) {
  return device::with_tensor_element(shape.dtype, [&](auto element) {
    return prepare_tensor_gemm(reinterpret_cast<const void*>(kernel(element)), grid.shared_bytes, shape, plan);
  });
}
template <typename Kernel>
Status launch_tensor_gemm(Kernel kernel, const TensorGrid& grid, const Launch& launch) {
  return device::with_tensor_element(launch.shape.dtype, [&]<typename E>(E element) -> Status {
    TensorGemm g;
    const Status s = describe_gemm<E>(launch, grid.tile_m, grid.tile_n / grid.cluster, &g);
    return s.ok() ? launch_tensor_gemm(reinterpret_cast<const void*>(kernel(element)), grid, launch, &g) : s;
  });
}

namespace device {

template <typename Element>
constexpr int kSliceK = kSliceBytes / Element::kBytes;

/// By one thread: n columns of B, one slice of K.
template <typename Element, int n>
__device__ inline void load_b(unsigned char* to, const CUtensorMap* map, int column, int k, uint64_t* full) {
  if constexpr (Element::kNMajorB) {
    // 128 bytes along N are 64 columns: one box each.
    for (int i = 0; i < n; i += 64) {
      tma_load_2d(to + i * kSliceBytes, map, column + i, k, full);
    }
  } else {
    tma_load_2d(to, map, k, column, full);
  }
}

/// d += a * b over the 128 bytes of K that a tile holds: 64 rows from `a`, n columns from `b`,
/// which lies as gemm.h has it for this type. Four instructions; the caller fences before and
/// commits after.
template <typename Element, int n>
__device__ __forceinline__ void wgmma_tile(typename Element::Accumulator (&d)[n / 2], const void* a, const void* b,
                                           bool accumulate) {
  constexpr bool kNMajor = Element::kNMajorB;
  constexpr uint64_t kStepB = kNMajor ? 128 : 2;
  const uint64_t from_a = swizzled_descriptor(a);
  const uint64_t from_b = kNMajor ? swizzled_descriptor_n_major(b) : swizzled_descriptor(b);
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    Wgmma<Element, n, kNMajor>::multiply(d, from_a + 2 * step, from_b + kStepB * step, accumulate || step > 0);
  }
}

/// A warpgroup's 64 x n sums (wgmma.h says who holds what) to C, from registers, inside C only.
/// Pairs are stored together where every row begins at one.
template <typename Element, int n>
__device__ inline void store_registers(const typename Element::Accumulator (&d)[n / 2], const TensorGemm& g, int row0,
                                       int column0) {
  using Out = typename Element::Out;
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  const bool pairs = g.n % 2 == 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = row0 + thread / 32 * 16 + half * 8 + lane / 4;
    if (row >= g.m) return;
    Out* to = static_cast<Out*>(g.c_data) + static_cast<int64_t>(row) * g.n;
#pragma unroll
    for (int j = 0; j < n / 8; ++j) {
      const int column = column0 + 8 * j + lane % 4 * 2;
      const auto first = d[4 * j + 2 * half], second = d[4 * j + 2 * half + 1];
      if (pairs && column < g.n) {
        const auto pair = pack_pair(Out{}, first, second);
        *reinterpret_cast<std::remove_const_t<decltype(pair)>*>(to + column) = pair;
      } else {
        if (column < g.n) to[column] = static_cast<Out>(first);
        if (column + 1 < g.n) to[column + 1] = static_cast<Out>(second);
      }
    }
  }
}

}  // namespace device
}  // namespace ridge
