// The device side of wgmma_im2col.cu: a producer that asks the copy engine for pixels and filters, two warpgroups that
// multiply, and how a tile of y leaves.
#pragma once

#include "kernels/conv/rungs/cuda_conv.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tma_store.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

constexpr int kSlice = 64, kSliceRow = 128;  // channels; bytes
constexpr int kConsumers = 2, kThreads = 128 * (kConsumers + 1);

/// The kernel's only argument: the maps are read by the copy engine.
struct ConvMaps {
  CUtensorMap x, f;  ///< f: rows are filters, columns (tap, channel), channels filled up to slices
  CUtensorMap y;     ///< boxes of 64 pixels by 64 filters; usable only if by_engine
  void* y_data;
  const void* bias;
  int pixels, m, p, q, stride, pad, taps, s, slices_c, tiles_m, tiles, relu, by_engine;
};

/// A consumer has kBlocks times 64 pixels; kFilters of a tile. kResident: the filters are few enough to stay in
/// shared memory, and only pixels come by.
template <int kBlocks, int kFilters, bool kResident>
struct ConvShape {
  static constexpr int kPixels = kConsumers * kBlocks * 64;
  static constexpr int kBytesX = kPixels * kSliceRow, kBytesF = kFilters * kSliceRow;
  static constexpr int kBytesY = 64 * kFilters * 2;    // of a consumer
  static constexpr int kSlices = 72 * 1024 / kBytesF;  // of resident filters
  static constexpr int kKept = kResident ? kSlices * kBytesF : 0;
  static constexpr int kStageBytes = kBytesX + (kResident ? 0 : kBytesF);
  static constexpr int kStages = (226 * 1024 - kConsumers * kBytesY - kKept) / kStageBytes;
  struct Shared {
    alignas(1024) unsigned char x[kStages][kBytesX];
    alignas(1024) unsigned char f[kResident ? kSlices : kStages][kBytesF];
    alignas(1024) unsigned char y[kConsumers][kBytesY];
    uint64_t full[kStages], empty[kStages], filters;
  };
};

/// TMA's im2col mode (conv/tensor_map_im2col.h). By one thread: channels c .. c + 63 that tap (r, s) sees, for the run
/// of output pixels that begins at the one
/// whose upper left tap is (h, w) of image n. Completes on `full`.
__device__ inline void tma_load_im2col(void* to, const CUtensorMap* map, int c, int w, int h, int n,
                                       int s, int r, uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(to)),
      "l"(reinterpret_cast<uint64_t>(map)), "r"(c), "r"(w), "r"(h), "r"(n),
      "r"(shared_address(full)), "h"(static_cast<uint16_t>(s)), "h"(static_cast<uint16_t>(r))
      : "memory");
}

template <typename S, int kFilters, bool kResident>
__device__ void produce(typename S::Shared& shared, const ConvMaps& g) {
  RingPosition<S::kStages> at;
  if (kResident) {
    const int slices = g.taps * g.slices_c;
    mbarrier_arrive_expect(&shared.filters, slices * S::kBytesF);
    for (int i = 0; i < slices; ++i) tma_load_2d(shared.f[i], &g.f, i * kSlice, 0, &shared.filters);
  }
  for (int tile = static_cast<int>(blockIdx.x); tile < g.tiles;
       tile += static_cast<int>(gridDim.x)) {
    const int pixel = tile / g.tiles_m * S::kPixels, m = tile % g.tiles_m * kFilters;
    const int w = pixel % g.q * g.stride - g.pad, h = pixel / g.q % g.p * g.stride - g.pad;
    const int n = pixel / g.q / g.p;
    for (int tap = 0; tap < g.taps; ++tap) {
      for (int c = 0; c < g.slices_c; ++c) {
        uint64_t* full = &shared.full[at.stage];
        mbarrier_wait(&shared.empty[at.stage], at.parity ^ 1);
        mbarrier_arrive_expect(full, S::kStageBytes);
        tma_load_im2col(shared.x[at.stage], &g.x, c * kSlice, w, h, n, tap % g.s, tap / g.s, full);
        if (!kResident)
          tma_load_2d(shared.f[at.stage], &g.f, (tap * g.slices_c + c) * kSlice, m, full);
        at.advance();
      }
    }
  }
}

/// Bias and relu for a warpgroup's 64 x n sums (wgmma.h says who holds what).
template <typename Out, int n>
__device__ void finish(float (&d)[n / 2], const ConvMaps& g, int m0) {
  const auto* bias = static_cast<const Out*>(g.bias);
#pragma unroll
  for (int j = 0; j < n / 8; ++j) {
    const int m = m0 + 8 * j + static_cast<int>(threadIdx.x) % 4 * 2;
    const float first = m < g.m ? static_cast<float>(bias[m]) : 0;
    const float second = m + 1 < g.m ? static_cast<float>(bias[m + 1]) : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      d[4 * j + 2 * half] = relu(d[4 * j + 2 * half] + first);
      d[4 * j + 2 * half + 1] = relu(d[4 * j + 2 * half + 1] + second);
    }
  }
}

/// By way of shared memory and the copy engine, which writes whole lines, and inside y only, while the next
/// tile is multiplied. In the swizzled box a warp's 32 words meet 32 banks.
template <typename Out, int n>
__device__ void store(const float (&d)[n / 2], unsigned char* box, const ConvMaps& g, int group,
                      int pixel0, int m0) {
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  if (thread == 0) bulk_wait_read<0>();
  warpgroup_sync(1 + group);
#pragma unroll
  for (int j = 0; j < n / 8; ++j) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = thread / 32 * 16 + half * 8 + lane / 4;
      unsigned char* to = box + j / 8 * 8192 + row * kSliceRow + ((j % 8) ^ (row % 8)) * 16;
      *reinterpret_cast<uint32_t*>(to + lane % 4 * 4) =
          pack_pair(Out{}, d[4 * j + 2 * half], d[4 * j + 2 * half + 1]);
    }
  }
  fence_shared_for_async();
  warpgroup_sync(1 + group);
  if (thread != 0) return;
  for (int i = 0; i < n / 64; ++i)
    if (m0 + 64 * i < g.m) tma_store_2d(&g.y, m0 + 64 * i, pixel0, box + i * 8192);
  bulk_commit();
}

/// From registers, where a pixel of y does not begin at a multiple of 16 bytes.
template <typename Out, int n>
__device__ void store_single(const float (&d)[n / 2], const ConvMaps& g, int pixel0, int m0) {
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
#pragma unroll
  for (int i = 0; i < n / 2; ++i) {
    const int pixel = pixel0 + thread / 32 * 16 + i / 2 % 2 * 8 + lane / 4;
    const int m = m0 + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (pixel < g.pixels && m < g.m)
      static_cast<Out*>(g.y_data)[static_cast<int64_t>(pixel) * g.m + m] = static_cast<Out>(d[i]);
  }
}

template <typename Element, int kBlocks, int kFilters, bool kResident, typename S>
__device__ void consume(typename S::Shared& shared, const ConvMaps& g, int group) {
  RingPosition<S::kStages> at;
  if (kResident) mbarrier_wait(&shared.filters, 0);
  const int slices = g.taps * g.slices_c;
  for (int tile = static_cast<int>(blockIdx.x); tile < g.tiles;
       tile += static_cast<int>(gridDim.x)) {
    float acc[kBlocks][kFilters / 2];
    int before = 0;
    for (int slice = 0; slice < slices; ++slice) {
      mbarrier_wait(&shared.full[at.stage], at.parity);
      const uint64_t f = swizzled_descriptor(shared.f[kResident ? slice : at.stage]);
      wgmma_fence();
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        const uint64_t x =
            swizzled_descriptor(shared.x[at.stage] + (group * kBlocks + block) * 64 * kSliceRow);
#pragma unroll
        for (int step = 0; step < 4; ++step) {
          Wgmma<Element, kFilters, false>::multiply(acc[block], x + 2 * step, f + 2 * step, slice > 0 || step > 0);
        }
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (slice > 0 && threadIdx.x % 128 == 0) mbarrier_arrive(&shared.empty[before]);
      before = at.stage;
      at.advance();
    }
    wgmma_wait<0>();
    wgmma_touch(acc);
    if (threadIdx.x % 128 == 0) mbarrier_arrive(&shared.empty[before]);
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      using Out = typename Element::Out;
      const int pixel = tile / g.tiles_m * S::kPixels + (group * kBlocks + block) * 64;
      const int m = tile % g.tiles_m * kFilters;
      if (g.relu) finish<Out, kFilters>(acc[block], g, m);
      if (g.by_engine) {
        store<Out, kFilters>(acc[block], shared.y[group], g, group, pixel, m);
      } else {
        store_single<Out, kFilters>(acc[block], g, pixel, m);
      }
    }
  }
}

template <typename Element, int kBlocks, int kFilters, bool kResident>
__global__ void __launch_bounds__(kThreads, 1)
    conv_wgmma_im2col_kernel(const __grid_constant__ ConvMaps g) {
  using S = ConvShape<kBlocks, kFilters, kResident>;
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<typename S::Shared*>(raw);
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::kStages; ++s) {
      mbarrier_init(&shared.full[s], 1);
      mbarrier_init(&shared.empty[s], kConsumers);
    }
    mbarrier_init(&shared.filters, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == kConsumers) {
    give_registers<40>();
    if (threadIdx.x % 128 == 0) produce<S, kFilters, kResident>(shared, g);
  } else {
    take_registers<232>();
    consume<Element, kBlocks, kFilters, kResident, S>(shared, g, group);
  }
}

}  // namespace ridge::device
