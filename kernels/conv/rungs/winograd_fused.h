// Winograd's F(2 x 2, 3 x 3) in one kernel, for winograd.cu. A block makes 64 filters at 32 tiles of 2 x 2 outputs:
// for each of the 16 elements of a transformed tile a product 64 x 32, channels in steps of 8.
//
//   Warps 8 .. 11 produce: they read patches of x, transform them and leave them in a ring of stages; the copy
//   engine brings the filters, packed as a stage has them. Warps 0 .. 7 multiply: half a warp has an element, a
//   thread 16 filters at 8 tiles of it (ffma_tile.h's outer product). When the channels are through they turn the
//   sums, 16 filters at a time, by way of shared memory: a thread then has all 16 elements of two tiles.
//
// Shared memory: 3 stages of 50 KB (33 of filters), 64 KB to turn the sums, 214 KB in all. Registers: 208 for a
// thread that multiplies (128 sums, 48 operands), 88 for one that produces. For each step 1,024 FFMAs of a warp
// come with 48 loads from shared memory; the producers add 160 in each of their four.
//
// Banks: an element's matrices are 16 floats longer than a multiple of 32, so that the halves of a warp read
// different ones. Channel k of a stage has its tiles in groups of four at group ^ k: threads that hold eight
// channels of the same pixel (nhwc) write to different banks, and so do those that hold neighbouring pixels.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/cuda_conv.h"
#include "kernels/runtime/cuda/bulk.h"
#include "kernels/runtime/cuda/ffma_tile.h"
#include "kernels/runtime/cuda/pipeline.h"

namespace ridge::device {

constexpr int kWinoM = 64, kWinoTiles = 32, kWinoStep = 8, kWinoStages = 3;
constexpr int kWinoU = kWinoStep * kWinoM + 16,
              kWinoV = kWinoStep * kWinoTiles + 16;  // floats of an element
constexpr int kWinoWarps = 8, kWinoThreads = kWinoWarps * 32 + 128;

struct WinogradStage {
  float u[16][kWinoU], v[16][kWinoV];
};
struct WinogradShared {
  WinogradStage stages[kWinoStages];
  float transposed[2][16][16][kWinoTiles];  // by turns: [element][filter][tile]
  uint64_t full[kWinoStages], empty[kWinoStages];
};

struct WinogradWork {
  Conv v;
  const float* u;                  // [block of filters][step] of a stage's u
  int across, tiles_image, tiles;  // tiles of a row, of an image, of all
  int blocks_m, count, steps;      // count: blocks of work
};

/// Where a tile of 2 x 2 outputs begins; n < 0: there is none.
struct WinogradTile {
  int n, p, q;
};

__device__ inline WinogradTile winograd_tile(const WinogradWork& g, int tile) {
  if (tile >= g.tiles) return {-1, 0, 0};
  const int in_image = tile % g.tiles_image;
  return {tile / g.tiles_image, in_image / g.across * 2, in_image % g.across * 2};
}

/// *to = *from, or *to stays. In C++ the compiler would keep a copy of each value for the case that it stays.
__device__ inline void load_if(uint32_t yes, const float* from, float* to) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.nc.f32 %0, [%1]; }"
               : "+f"(*to)
               : "l"(from), "r"(yes));
}
__device__ inline void load_4_if(uint32_t yes, const float* from, float* to) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %5, 0;"
      " @p ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4]; }"
      : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
      : "l"(from), "r"(yes));
}

/// Two tiles' patches of one channel. Aligned (nchw, padding 1, rows in fours): neighbours in a row, and their
/// patches share two columns. Elements outside of the image stay zero: no load ever writes to them.
template <bool aligned>
struct WinogradPatches {
  static constexpr int kColumns = aligned ? 6 : 8;
  float d[4][kColumns];
  const float* from[2];  // of channel 0
  uint32_t inside[2];    // a bit for each element: row * 4 + column

  __device__ void zero() {
#pragma unroll
    for (int i = 0; i < 4 * kColumns; ++i) d[i / kColumns][i % kColumns] = 0;
  }

  __device__ void begin(const WinogradWork& g, int tile) {
    zero();
    const int h_all = static_cast<int>(g.v.h), w_all = static_cast<int>(g.v.w);
#pragma unroll
    for (int i = 0; i < (aligned ? 1 : 2); ++i) {
      const WinogradTile at = winograd_tile(g, tile + i);
      const int h0 = at.p - static_cast<int>(g.v.pad), w0 = at.q - static_cast<int>(g.v.pad);
      from[i] = g.v.x + at.n * g.v.x_at.image + h0 * g.v.x_at.row + w0 * g.v.x_at.pixel;
      inside[i] = 0;
      for (int e = 0; e < 16 && at.n >= 0; ++e) {
        const int h = h0 + e / 4, w = w0 + (aligned && e % 4 == 3 ? 5 : e % 4);
        inside[i] |= uint32_t{h >= 0 && h < h_all && w >= 0 && w < w_all} << e;
      }
    }
  }

  __device__ void load(const WinogradWork& g, int c) {
    if (c >= g.v.c) return;  // what is left meets filters of zeros
    const ConvPlaces& at = g.v.x_at;
    const int64_t channel = (c >> at.shift) * at.outer + (c & at.mask);
    const int row = static_cast<int>(at.row), pixel = static_cast<int>(at.pixel);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      if constexpr (aligned) {
        const float* x = from[0] + channel + r * row;
        load_if(inside[0] & 1u << 4 * r, x, &d[r][0]);
        load_4_if(inside[0] & 2u << 4 * r, x + 1, d[r] + 1);
        load_if(inside[0] & 8u << 4 * r, x + 5, &d[r][5]);
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i)
          load_if(inside[i / 4] & 1u << (4 * r + i % 4),
                  from[i / 4] + channel + r * row + i % 4 * pixel, &d[r][i]);
      }
    }
  }

  /// B' d B of both, next to each other, to to[element].
  __device__ void transform(float* to) const {
    float t[4][kColumns];
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      t[0][j] = d[0][j] - d[2][j];
      t[1][j] = d[1][j] + d[2][j];
      t[2][j] = d[2][j] - d[1][j];
      t[3][j] = d[1][j] - d[3][j];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float *a = t[i], *b = t[i] + kColumns - 4;
      const auto store = [&](int j, float first, float second) {
        *reinterpret_cast<float2*>(to + (4 * i + j) * kWinoV) = make_float2(first, second);
      };
      store(0, a[0] - a[2], b[0] - b[2]);
      store(1, a[1] + a[2], b[1] + b[2]);
      store(2, a[2] - a[1], b[2] - b[1]);
      store(3, a[1] - a[3], b[1] - b[3]);
    }
  }
};

template <bool aligned>
__device__ void winograd_produce(WinogradShared* shared, const WinogradWork& g) {
  const int thread = static_cast<int>(threadIdx.x) - kWinoWarps * 32;
  // A warp reads neighbouring pixels, or channels that lie together.
  const bool planes = g.v.layout == kConvNchw;
  const int k = planes ? thread / 16 : thread % 8, pair = planes ? thread % 16 : thread / 8;
  const int place = k * kWinoTiles + ((2 * pair) ^ (4 * k));
  const int blocks = static_cast<int>(gridDim.x);
  RingPosition<kWinoStages> at;
  WinogradPatches<aligned> patches;
  int work = static_cast<int>(blockIdx.x);
  patches.begin(g, work / g.blocks_m * kWinoTiles + 2 * pair);
  patches.load(g, k);
  while (work < g.count) {
    const float* u = g.u + int64_t{work % g.blocks_m} * g.steps * (16 * kWinoU);
    for (int step = 0; step < g.steps; ++step) {
      mbarrier_wait(shared->empty + at.stage, at.parity ^ 1);
      WinogradStage* stage = shared->stages + at.stage;
      if (thread == 0) {
        mbarrier_arrive_expect(shared->full + at.stage, sizeof(stage->u));
        bulk_load(stage->u, u + int64_t{step} * (16 * kWinoU), sizeof(stage->u),
                  shared->full + at.stage);
      }
      patches.transform(stage->v[0] + place);
      mbarrier_arrive(shared->full + at.stage);
      at.advance();
      if (step + 1 < g.steps) patches.load(g, (step + 1) * kWinoStep + k);
    }
    work += blocks;
    if (work >= g.count) return;
    patches.begin(g, work / g.blocks_m * kWinoTiles + 2 * pair);
    patches.load(g, k);
  }
}

/// Where a thread's two tiles go, but for the filter.
struct WinogradOutputs {
  float* y[2];
  bool tile[2], below[2], right[2];  // there is one; it has a second row, a second column

  __device__ void begin(const WinogradWork& g, int first) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const WinogradTile at = winograd_tile(g, first + i);
      y[i] = g.v.y + at.n * g.v.y_at.image + at.p * g.v.y_at.row + at.q * g.v.y_at.pixel;
      tile[i] = at.n >= 0, below[i] = at.p + 1 < g.v.p, right[i] = at.q + 1 < g.v.q;
    }
  }
};

/// A' P A of all 16 elements of two tiles, the second one first (winograd_transpose), to y.
template <bool aligned>
__device__ void winograd_store(const float2 (&p)[16], const WinogradWork& g, int m,
                               const WinogradOutputs& to) {
  float2 t[2][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    t[0][j] = {p[j].y + p[4 + j].y + p[8 + j].y, p[j].x + p[4 + j].x + p[8 + j].x};
    t[1][j] = {p[4 + j].y - p[8 + j].y - p[12 + j].y, p[4 + j].x - p[8 + j].x - p[12 + j].x};
  }
  if (m >= g.v.m) return;
  const ConvPlaces& at = g.v.y_at;
  const int64_t channel = (m >> at.shift) * at.outer + (m & at.mask);
  float4 out[2];  // rows
#pragma unroll
  for (int r = 0; r < 2; ++r)
    out[r] = {t[r][0].x + t[r][1].x + t[r][2].x, t[r][1].x - t[r][2].x - t[r][3].x,
              t[r][0].y + t[r][1].y + t[r][2].y, t[r][1].y - t[r][2].y - t[r][3].y};
  if (g.v.relu) {
    const float bias = g.v.bias[m];
#pragma unroll
    for (auto& row : out) row = {relu(row.x + bias), relu(row.y + bias), relu(row.z + bias), relu(row.w + bias)};
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    if constexpr (aligned) {
      if (to.tile[0] && (r == 0 || to.below[0]))
        *reinterpret_cast<float4*>(to.y[0] + channel + r * at.row) = out[r];
    } else {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        if (!to.tile[i] || (r == 1 && !to.below[i])) continue;
        float* y = to.y[i] + channel + r * at.row;
        *y = i == 0 ? out[r].x : out[r].z;
        if (to.right[i]) y[at.pixel] = i == 0 ? out[r].y : out[r].w;
      }
    }
  }
}

/// A barrier among the warps that multiply.
__device__ inline void winograd_sync() {
  asm volatile("bar.sync 1, %0;" ::"n"(kWinoWarps * 32) : "memory");
}

/// A thread's sums of filters 16 * part + 4 * y .. + 3 to shared memory. Neighbours change places: registers of 16
/// bytes that are stored at once follow each other, and so each sum lies in another register bank than the operand
/// it meets, which was loaded the same way (in order: 900 of 1,024 FFMAs ask one bank twice, so: 100).
__device__ inline void winograd_transpose(float (*transposed)[kWinoTiles], const float (&acc)[kThreadM][kThreadN],
                                          int part, int x, int y) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* s = acc[4 * part + i] + 4 * half;
      const int place = (4 * half + x) ^ (y % 2 * 4 + i);
      *reinterpret_cast<float4*>(&transposed[4 * y + i][4 * place]) = make_float4(s[1], s[0], s[3], s[2]);
    }
  }
}

/// Turns the sums by way of shared memory, 16 filters at a time, and stores what they come to.
template <bool aligned>
__device__ void winograd_finish(WinogradShared* shared, const WinogradWork& g, int work,
                                const float (&acc)[kThreadM][kThreadN], int element, int x, int y) {
  const int thread = static_cast<int>(threadIdx.x);
  const bool planes = g.v.layout == kConvNchw;
  const int filter = planes ? thread / 16 : thread % 16, pair = planes ? thread % 16 : thread / 16;
  // Groups of four tiles at group ^ (4 * (filter / 4 % 2) + filter % 4): see "Banks".
  const int group = (pair / 2) ^ (filter / 4 % 2 * 4 + filter % 4);
  WinogradOutputs to;
  to.begin(g, work / g.blocks_m * kWinoTiles + 2 * pair);
  winograd_transpose(shared->transposed[0][element], acc, 0, x, y);
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    winograd_sync();  // this part is there, and all have read the one before
    const float* from = &shared->transposed[part % 2][0][filter][4 * group + pair % 2 * 2];
    float2 p[16];
#pragma unroll
    for (int i = 0; i < 16; ++i)
      p[i] = *reinterpret_cast<const float2*>(from + i * 16 * kWinoTiles);
    if (part < 3) winograd_transpose(shared->transposed[(part + 1) % 2][element], acc, part + 1, x, y);
    winograd_store<aligned>(p, g, work % g.blocks_m * kWinoM + 16 * part + filter, to);
  }
}

/// A thread's operands of channel k: 8 tiles, 16 filters. b[j]: where group j of four tiles would be.
__device__ inline void winograd_operands(float (&fa)[kThreadM], float (&fb)[kThreadN], uint32_t a,
                                         const uint32_t (&b)[4], uint32_t stage, int k) {
#pragma unroll
  for (int h = 0; h < 2; ++h)
    load_shared_4(fb + 4 * h, b[k % 4] + stage + (k * kWinoTiles + (h ^ k / 4) * 16) * 4);
#pragma unroll
  for (int h = 0; h < 4; ++h) load_shared_4(fa + 4 * h, a + stage + (k * kWinoM + h * 16) * 4);
}

template <bool aligned>
__device__ void winograd_multiply(WinogradShared* shared, const WinogradWork& g) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int element = static_cast<int>(threadIdx.x) / 16;
  const int x = lane % 4, y = lane / 4 % 4;
  const uint32_t a = shared_address(shared->stages[0].u[element] + 4 * y);
  uint32_t b[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) b[j] = shared_address(shared->stages[0].v[element] + 4 * (x ^ j));
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  int left = (g.count - block + blocks - 1) / blocks * g.steps;  // stages not yet waited for

  RingPosition<kWinoStages> at, next;
  float fa[2][kThreadM], fb[2][kThreadN];
  mbarrier_wait(shared->full, 0);
  winograd_operands(fa[0], fb[0], a, b, 0, 0);
  --left;
  for (int work = block; work < g.count; work += blocks) {
    float acc[kThreadM][kThreadN] = {};
#pragma unroll 1
    for (int step = 0; step < g.steps; ++step) {
      next.advance();
      const uint32_t here = at.stage * static_cast<uint32_t>(sizeof(WinogradStage));
#pragma unroll
      for (int k = 0; k < kWinoStep; ++k) {
        if (k + 1 < kWinoStep) {
          winograd_operands(fa[(k + 1) % 2], fb[(k + 1) % 2], a, b, here, k + 1);
        } else {  // the first of the next step
          if (left-- > 0) mbarrier_wait(shared->full + next.stage, next.parity);
          winograd_operands(fa[0], fb[0], a, b,
                            next.stage * static_cast<uint32_t>(sizeof(WinogradStage)), 0);
          mbarrier_arrive(shared->empty + at.stage);
          at = next;
        }
        multiply<Walk::rows>(acc, fa[k % 2], fb[k % 2]);
      }
    }
    winograd_finish<aligned>(shared, g, work, acc, element, x, y);
  }
}

/// aligned: see WinogradPatches.
template <bool aligned>
__global__ void __launch_bounds__(kWinoThreads, 1)
    conv_winograd_kernel(const __grid_constant__ WinogradWork g) {
  extern __shared__ __align__(128) unsigned char bytes[];
  auto* shared = reinterpret_cast<WinogradShared*>(bytes);
  if (threadIdx.x == 0) {
    for (int s = 0; s < kWinoStages; ++s) {
      mbarrier_init(shared->full + s, 128 + 1);  // those who produce, and the expectation
      mbarrier_init(shared->empty + s, kWinoWarps * 32);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= kWinoWarps * 32) {
    give_registers<88>();
    winograd_produce<aligned>(shared, g);
  } else {
    take_registers<208>();
    winograd_multiply<aligned>(shared, g);
  }
}

/// U = G f G' of each filter and channel, to where a stage has it; zero beyond the last ones.
__global__ void conv_winograd_filters_kernel(const float* __restrict__ f, float* __restrict__ u,
                                             int m_all, int c_all, int steps) {
  const int m = static_cast<int>(blockIdx.x) * kWinoM + static_cast<int>(threadIdx.x);
  const int c = static_cast<int>(blockIdx.y);
  float* to = u + (int64_t{blockIdx.x} * steps + c / kWinoStep) * (16 * kWinoU) +
              c % kWinoStep * kWinoM + threadIdx.x;
  const bool inside = m < m_all && c < c_all;
  float half[4][3];
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    const float* at = f + (int64_t{m} * c_all + c) * 9 + j;
    const float f0 = inside ? at[0] : 0, f1 = inside ? at[3] : 0, f2 = inside ? at[6] : 0;
    half[0][j] = f0, half[3][j] = f2;
    half[1][j] = (f0 + f1 + f2) / 2, half[2][j] = (f0 - f1 + f2) / 2;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float f0 = half[i][0], f1 = half[i][1], f2 = half[i][2];
    to[(4 * i + 0) * kWinoU] = f0;
    to[(4 * i + 1) * kWinoU] = (f0 + f1 + f2) / 2;
    to[(4 * i + 2) * kWinoU] = (f0 - f1 + f2) / 2;
    to[(4 * i + 3) * kWinoU] = f2;
  }
}

}  // namespace ridge::device
