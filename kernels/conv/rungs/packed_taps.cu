// ridge: arch=90a
//
// Idea      Few channels: the taps of a filter's row are neighbours in memory, so they can share a slice of K. Rows of
//           x come to shared memory with channels filled up, so that stride x channels are 16 bytes. Then im2col's
//           matrix is already there: its row q + 1 begins 16 bytes after row q, which is just how wgmma reads a
//           matrix without a swizzle. The next 8 of K are 16 bytes further on as well: the matrix overlaps itself.
// Changed   K is 7 x 32 instead of 49 slices of 64 channels, 3 of them used. Filters are the rows of the product, an
//           output row its columns; each row of x is read once by a block and serves all filter rows that see it.
// Limits    Neither products nor bytes alone: the Tensor Cores wait most of the time. Most bytes are y: 103 MB of the
//           stem's 123. The last, unused tap of a row is multiplied by zero, so that an infinity in x reaches one
//           pixel too far (as NaN).
// Look at   The stem. What does not fit (stride x channels over 8, strides but 1, 2, 4) runs as the rung before.
// Source    PTX ISA, "wgmma.mma_async", matrix layout without swizzling. The overlap is this lab's.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/transposed_acc.h"
#include "kernels/runtime/cuda/pipeline.h"
#include "kernels/runtime/cuda/tma_stack.h"
#include "kernels/runtime/cuda/upload.h"
#include "kernels/runtime/cuda/wgmma.h"

namespace ridge::device {

// ---- the device side: rows of the image in shared memory that wgmma reads as the matrix of im2col ---

constexpr int kTapThreads = 128, kTapGroups = 4, kTapFilters = 64, kChunkBytes = 16, kMaxChunks = 8;

/// The kernel's only argument: the map is read by the copy engine.
struct TapGrid {
  CUtensorMap y;  ///< rows of y's images a matrix each; boxes of a tile's pixels by 64 filters
  const void *x, *f, *bias;
  void* y_data;
  int n, h, w, c, m, r, pad, p, q;
  int chunks;         ///< of a filter's row, even
  int strips, parts;  ///< of an output row; of an image's rows
  int relu, by_engine;
};

/// A chunk is 16 bytes: kStride pixels of kChannels each, so that the next output begins a chunk further on.
template <int pixels, int stride>
struct TapTile {
  static constexpr int kPixels = pixels, kStride = stride, kChannels = 8 / stride;
  static constexpr int kOfThread = ((kPixels + kMaxChunks) * kStride + kTapThreads - 1) / kTapThreads;
  static __host__ __device__ int row_bytes(int chunks) { return (kPixels + chunks) * kChunkBytes; }
  static __host__ __device__ int slots(int r) { return r + kStride; }
  static __host__ __device__ int filter_bytes(int r, int chunks) { return r * chunks * kTapFilters * kChunkBytes; }
  static __host__ __device__ int ring_bytes(int r, int chunks) { return slots(r) * row_bytes(chunks); }
  static int shared_bytes(int r, int chunks) {
    return kTapGroups * (kPixels * kTransposedRow + ring_bytes(r, chunks)) + filter_bytes(r, chunks);
  }
};

/// kStride rows of x on their way to shared memory, channels filled up with zeros.
template <typename Tile>
struct TapRows {
  static constexpr int kWords = Tile::kChannels / 2;
  uint32_t words[Tile::kStride][Tile::kOfThread][kWords];
  const uint16_t* from;  ///< this thread's first pixel of the row to come
  int h, w, row;         ///< where that is, inside or not; elements from row to row
  int thread;

  __device__ TapRows(const TapGrid& g, int n, int h0, int w0)
      : h(h0), row(g.w * g.c), thread(static_cast<int>(threadIdx.x) % kTapThreads) {
    w = w0 + thread;
    from = static_cast<const uint16_t*>(g.x) + (int64_t{n} * g.h + h) * row + w * g.c;
  }
  __device__ __forceinline__ void load(const TapGrid& g) {
#pragma unroll
    for (int down = 0; down < Tile::kStride; ++down) {
      const bool inside_h = h >= 0 && h < g.h;
#pragma unroll
      for (int i = 0; i < Tile::kOfThread; ++i) {
        const int at = w + i * kTapThreads;
        const bool inside = inside_h && at >= 0 && at < g.w;
        const uint16_t* pixel = from + i * kTapThreads * g.c;
#pragma unroll
        for (int word = 0; word < kWords; ++word) {
          const uint32_t first = inside && 2 * word < g.c ? __ldg(pixel + 2 * word) : 0;
          const uint32_t second = inside && 2 * word + 1 < g.c ? __ldg(pixel + 2 * word + 1) : 0;
          words[down][i][word] = first | second << 16;
        }
      }
      ++h;
      from += row;
    }
  }
  __device__ void back(int rows) {
    h -= rows;
    from -= rows * row;
  }
  /// Into the slots from `slot` on, round the ring.
  __device__ __forceinline__ void store(unsigned char* ring, int slot, int slots, int row_bytes) const {
#pragma unroll
    for (int down = 0; down < Tile::kStride; ++down) {
      const int at = slot + down < slots ? slot + down : slot + down - slots;
#pragma unroll
      for (int i = 0; i < Tile::kOfThread; ++i) {
        const int place = (thread + i * kTapThreads) * Tile::kChannels * 2;
        if (place >= row_bytes) continue;
        auto* to = reinterpret_cast<uint32_t*>(ring + at * row_bytes + place);
        const auto& from_words = words[down][i];
        if constexpr (kWords == 4) {
          *reinterpret_cast<uint4*>(to) = make_uint4(from_words[0], from_words[1], from_words[2], from_words[3]);
        } else if constexpr (kWords == 2) {
          *reinterpret_cast<uint2*>(to) = make_uint2(from_words[0], from_words[1]);
        } else {
          *to = from_words[0];
        }
      }
    }
  }
};

/// From registers, where a pixel of y does not begin at a multiple of 16 bytes: to `pixels` rows of m filters.
template <typename Out, int n>
__device__ __forceinline__ void store_transposed(const float (&d)[n / 2], Out* y, int pixels, int m, int m0) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
#pragma unroll
  for (int i = 0; i < n / 2; ++i) {
    const int pixel = i / 4 * 8 + lane % 4 * 2 + i % 2, at = m0 + warp * 16 + i / 2 % 2 * 8 + lane / 4;
    if (pixel < pixels && at < m) y[int64_t{pixel} * m + at] = static_cast<Out>(d[i]);
  }
}

/// Without a swizzle: eight rows of 16 bytes follow each other, so do groups of eight; `next` bytes further on are
/// the next 16 bytes of K.
__device__ inline uint64_t plain_descriptor(const void* tile, int next) {
  return ((shared_address(tile) & 0x3ffff) >> 4) | (static_cast<uint64_t>(next >> 4) << 16) |
         (uint64_t{128 >> 4} << 32);
}

template <typename Element, typename Tile>
__device__ __forceinline__ void multiply_row(float (&acc)[Tile::kPixels / 2], const TapGrid& g,
                                             const unsigned char* filters, const unsigned char* ring, int first) {
  const int row_bytes = Tile::row_bytes(g.chunks), slots = Tile::slots(g.r);
  uint64_t f = plain_descriptor(filters, kTapFilters * kChunkBytes);
  wgmma_fence();
  for (int r = 0; r < g.r; ++r) {
    const int slot = first + r < slots ? first + r : first + r - slots;
    // The next 8 of K are one chunk further on, where the next output begins: the matrix overlaps itself.
    const uint64_t x = plain_descriptor(ring + slot * row_bytes, kChunkBytes);
    for (int chunk = 0; chunk < g.chunks; chunk += 2) {
      Wgmma<Element, Tile::kPixels, false>::multiply(acc, f, x + chunk, r > 0 || chunk > 0);
      f += 2 * kTapFilters;
    }
  }
  wgmma_commit();
}

/// A warpgroup's part: a strip of columns of some rows of an image.
struct TapPart {
  int n, q0, p0, p_end;
};
template <typename Tile>
__device__ TapPart part_of(const TapGrid& g, int group) {
  const int at = static_cast<int>(blockIdx.x) * kTapGroups + group;
  const int strip = at % g.strips, part = at / g.strips % g.parts, n = at / g.strips / g.parts;
  if (n >= g.n) return {0, 0, 0, 0};
  return {n, strip * Tile::kPixels, part * g.p / g.parts, (part + 1) * g.p / g.parts};
}

template <typename Element, typename Tile>
__device__ void convolve_part(const TapGrid& g, const TapPart& at, unsigned char* box, const unsigned char* filters,
                              unsigned char* ring, int group) {
  using Out = typename Element::Out;
  const int row_bytes = Tile::row_bytes(g.chunks), slots = Tile::slots(g.r);
  const int m0 = static_cast<int>(blockIdx.y) * kTapFilters;
  const bool leader = threadIdx.x % kTapThreads == 0;
  TapRows<Tile> rows(g, at.n, at.p0 * Tile::kStride - g.pad, at.q0 * Tile::kStride - g.pad);
  int r = 0;
  for (; r < g.r; r += Tile::kStride) {
    rows.load(g);
    rows.store(ring, r, slots, row_bytes);
  }
  rows.back(r - g.r);
  fence_shared_for_async();
  warpgroup_sync(1 + group);
  int first = 0;  // the slot of the first row that this output row sees
  for (int p = at.p0; p < at.p_end; ++p) {
    const bool last = p + 1 == at.p_end;
    float acc[Tile::kPixels / 2];
    multiply_row<Element, Tile>(acc, g, filters, ring, first);
    if (!last) {
      rows.load(g);
      const int behind = first + g.r < slots ? first + g.r : first + g.r - slots;
      rows.store(ring, behind, slots, row_bytes);
    }
    first = first + Tile::kStride < slots ? first + Tile::kStride : first + Tile::kStride - slots;
    if (leader) bulk_wait_read<0>();  // the box is free again
    warpgroup_sync(1 + group);
    wgmma_wait<0>();
    wgmma_touch(acc);
    if (g.relu) finish_transposed<Out, Tile::kPixels>(acc, g.bias, g.m, m0);
    const int row = at.n * g.p + p;
    if (g.by_engine) {
      fill_transposed<Out, Tile::kPixels>(acc, box);
    } else {
      auto* y = static_cast<Out*>(g.y_data) + (int64_t{row} * g.q + at.q0) * g.m;
      store_transposed<Out, Tile::kPixels>(acc, y, g.q - at.q0, g.m, m0);
    }
    fence_shared_for_async();
    warpgroup_sync(1 + group);
    if (leader && g.by_engine) {
      tma_store_3d(&g.y, m0, at.q0, row, box);
      bulk_commit();
    }
  }
  if (leader) bulk_wait_read<0>();
}

template <typename Element, typename Tile>
__global__ void __launch_bounds__(kTapThreads* kTapGroups, 1)
    conv_packed_taps_kernel(const __grid_constant__ TapGrid g) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const int group = static_cast<int>(threadIdx.x) / kTapThreads;
  unsigned char *boxes = shared, *filters = boxes + kTapGroups * Tile::kPixels * kTransposedRow;
  unsigned char* rings = filters + Tile::filter_bytes(g.r, g.chunks);
  const int pieces = Tile::filter_bytes(g.r, g.chunks) / 16;
  const auto* from = static_cast<const uint4*>(g.f) + int64_t{blockIdx.y} * pieces;
  for (int i = static_cast<int>(threadIdx.x); i < pieces; i += kTapThreads * kTapGroups)
    reinterpret_cast<uint4*>(filters)[i] = __ldg(from + i);
  fence_shared_for_async();
  __syncthreads();
  const TapPart at = part_of<Tile>(g, group);
  if (at.p0 == at.p_end) return;
  convolve_part<Element, Tile>(g, at, boxes + group * Tile::kPixels * kTransposedRow, filters,
                               rings + group * Tile::ring_bytes(g.r, g.chunks), group);
}

}  // namespace ridge::device

namespace ridge {
namespace {

using namespace device;

constexpr int kMaxShared = 220 * 1024;

/// 16-byte chunks of a filter's row, in pairs.
int chunks_of(const Conv& v) {
  return 2 * static_cast<int>(ceil_div(v.s * (8 / v.stride), 16));
}

/// Calls run.template operator()<Tile>(): the tile with the fewest columns outside of an output row.
template <typename Run>
auto with_tap_tile(const Conv& v, Run run) {
  const bool wide = round_up(v.q, 112) <= round_up(v.q, 64);
  const auto with_stride = [&]<int stride>() {
    return wide ? run.template operator()<TapTile<112, stride>>() : run.template operator()<TapTile<64, stride>>();
  };
  if (v.stride == 1) return with_stride.template operator()<1>();
  return v.stride == 2 ? with_stride.template operator()<2>() : with_stride.template operator()<4>();
}

int shared_bytes_of(const Conv& v) {
  return with_tap_tile(v, [&]<typename Tile>() { return Tile::shared_bytes(static_cast<int>(v.r), chunks_of(v)); });
}

bool takes(const Conv& v) {
  return v.layout == kConvNhwc && v.groups == 1 && (v.stride == 1 || v.stride == 2 || v.stride == 4) &&
         v.c * v.stride <= 8 && v.s <= 64 && chunks_of(v) <= kMaxChunks && v.r <= 64 &&
         shared_bytes_of(v) <= kMaxShared;
}

/// [64 filters' block][filter row][chunk][filter][8 of (tap, channel)], zeros where there is none.
Status pack_taps(const Conv& v, const uint16_t* f, void** packed, size_t* bytes) {
  const int64_t blocks = ceil_div(v.m, kTapFilters), chunks = chunks_of(v);
  const int64_t stored = 8 / v.stride;
  *bytes = static_cast<size_t>(blocks * kTapFilters * v.r * chunks * kChunkBytes);
  std::vector<uint16_t> host(*bytes / 2);
  for (int64_t m = 0; m < v.m; ++m)
    for (int64_t c = 0; c < v.c; ++c)
      for (int64_t r = 0; r < v.r; ++r)
        for (int64_t s = 0; s < v.s; ++s) {
          const int64_t k = s * stored + c, row = m / kTapFilters * v.r + r;
          host[((row * chunks + k / 8) * kTapFilters + m % kTapFilters) * 8 + k % 8] =
              f[((m * v.c + c) * v.r + r) * v.s + s];
        }
  return device::upload(host.data(), *bytes, packed);
}

Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (!takes(v)) return prepare_conv_wgmma(shape, plan);
  const auto* constants = static_cast<const ConvConstants*>(shape.constants);
  const Status packed = pack_taps(v, static_cast<const uint16_t*>(constants->f), &plan->state, &plan->workspace_bytes);
  plan->release = [](void* filters) { cudaFree(filters); };
  if (!packed.ok()) return packed;
  return with_tap_tile(v, [&]<typename Tile>() -> Status {
    std::snprintf(plan->note, sizeof plan->note, "%d pixels x 64 filters, K of %d a filter row", Tile::kPixels,
                  8 * chunks_of(v));
    return with_element<Bf16, Fp16>(shape.dtype, [&](auto element) -> Status {
      RIDGE_CUDA_CHECK(cudaFuncSetAttribute(conv_packed_taps_kernel<decltype(element), Tile>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_of(v)));
      return {};
    });
  });
}

template <typename Element, typename Tile>
Status launch_as(const Launch& launch, const Conv& v) {
  TapGrid g = {};
  g.x = launch.buffers[kConvX], g.f = launch.plan_state, g.bias = launch.buffers[kConvBias];
  g.y_data = launch.buffers[kConvY];
  g.n = static_cast<int>(v.n), g.h = static_cast<int>(v.h), g.w = static_cast<int>(v.w), g.c = static_cast<int>(v.c);
  g.m = static_cast<int>(v.m), g.r = static_cast<int>(v.r), g.pad = static_cast<int>(v.pad);
  g.p = static_cast<int>(v.p), g.q = static_cast<int>(v.q);
  g.chunks = chunks_of(v);
  g.relu = v.relu;
  g.by_engine = g.m % 8 == 0;
  g.strips = ceil_div(g.q, Tile::kPixels);
  const int blocks_m = ceil_div(g.m, kTapFilters), shared_bytes = Tile::shared_bytes(g.r, g.chunks);
  // An image's rows in parts: one for each warpgroup that the SMs hold.
  const int64_t parts = int64_t{sm_count()} * kTapGroups / (v.n * g.strips * blocks_m);
  g.parts = static_cast<int>(std::clamp<int64_t>(parts, 1, v.p));
  TensorMap2d y = {Element::kMap, g.y_data, v.q, v.m, v.m * 2, Tile::kPixels, kTapFilters, CU_TENSOR_MAP_SWIZZLE_128B};
  y.matrices = v.n * v.p;
  const Status encoded = g.by_engine ? encode_tensor_map(y, &g.y) : Status();
  if (!encoded.ok()) return encoded;
  const dim3 grid(static_cast<unsigned>(ceil_div(g.n * g.parts * g.strips, kTapGroups)),
                  static_cast<unsigned>(blocks_m));
  conv_packed_taps_kernel<Element, Tile>
      <<<grid, kTapThreads * kTapGroups, static_cast<size_t>(shared_bytes), static_cast<cudaStream_t>(v.stream)>>>(g);
  return RIDGE_CUDA_LAUNCHED(conv_packed_taps_kernel);
}

Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  if (!takes(v)) return launch_conv_wgmma(launch);
  return with_tap_tile(v, [&]<typename Tile>() {
    return with_element<Bf16, Fp16>(launch.shape.dtype,
                                    [&](auto element) { return launch_as<decltype(element), Tile>(launch, v); });
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, packed_taps, .dtypes = "bf16 fp16", .prepare = ridge::prepare, .launch = ridge::launch);
