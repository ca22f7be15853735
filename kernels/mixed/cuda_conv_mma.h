// Convolutions on the tensor cores: fp16, bf16 and tf32; mma.sync on rows that ldmatrix takes from the pixels as
// they are: nothing is unfolded, a tap is another address.
//
// In shared memory lie 16 bytes of channels a pixel, even columns apart from odd ones, so that eight windows side
// by side are 128 bytes; two rows of pixels take 7 (14) of 8 banks more, and windows go on from row to row. A warp
// makes 16 windows: their pixels are its 64 rows, eight windows' first pixels, then their second, so that a lane
// holds all four of a window and pools in registers. A column of the product is such a channel that a lane's are
// neighbours.
#pragma once

#include "kernels/runtime/cuda/mma.h"
#include "kernels/mixed/cuda_conv.h"

namespace ridge::mixed {

/// Runs of 16 bytes of channels at a time at most; a block's threads, and the windows that it makes at a time.
constexpr int kMmaDeep = 4, kMmaThreads = 256, kMmaWindows = 128;

template <class T>
__host__ __device__ constexpr int runs_of(int channels) {
  constexpr int kItems = 16 / sizeof(T);
  return ((channels + kItems - 1) / kItems + 1) / 2 * 2;  // by twos: 32 bytes are one product deep
}
template <class T>
__host__ __device__ constexpr int staged_runs(int channels) {
  return runs_of<T>(channels) < kMmaDeep ? runs_of<T>(channels) : kMmaDeep;
}

/// Places of 16 bytes.
template <int half>
struct MmaTile {
  static constexpr int kRows = kMmaWindows / half;  ///< of windows
  static constexpr int kQuarter = half + 1;         ///< every other column of a row of pixels
  static constexpr int kPair = 4 * kQuarter + ((half - 4 * kQuarter) % 8 + 8) % 8;  ///< two rows
  static constexpr int kPlane = (kRows + 1) * kPair;
  /// Of row i and column j of pixels, from that of a window on.
  __host__ __device__ static constexpr int at(int i, int j) {
    return i / 2 * kPair + i % 2 * 2 * kQuarter + j % 2 * kQuarter + j / 2;
  }
};

__device__ inline void store_16(uint32_t shared, const uint32_t (&v)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(v[0]), "r"(v[1]),
               "r"(v[2]), "r"(v[3])
               : "memory");
}

/// 16 bytes of numbers from behind a pool: what of them belongs to each of the four pixels.
template <class T, class Store>
__device__ inline void unpool_16(const ConvInput<T>& in, int64_t at, bool inside,
                                 const Store& store) {
  constexpr int kItems = Pack<T>::kItems;
  Run<T, kItems> value = {};
  Run<uint8_t, kItems> place = {};
  if (inside) {
    value = *reinterpret_cast<const Run<T, kItems>*>(in.x + at);
    place = *reinterpret_cast<const Run<uint8_t, kItems>*>(in.places + at);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    Run<T, kItems> some;
#pragma unroll
    for (int i = 0; i < kItems; ++i) some.v[i] = place.v[i] == k ? value.v[i] : narrow<T>(0.0f);
    store(k, reinterpret_cast<const uint32_t(&)[4]>(some));
  }
}

/// Rows 2 first - 1 to 2 (first + kRows) of `runs` runs of channels from c0 on.
template <class T, int half>
__device__ inline void stage_mma(const ConvInput<T>& in, int channels, int64_t rows, int64_t first,
                                 int c0, int runs, uint32_t to) {
  using Tile = MmaTile<half>;
  constexpr int kSide = 2 * half, kItems = Pack<T>::kItems;
  const int shift = runs == 2 ? 1 : 2;
  if (in.places == nullptr) {
    for (int i = static_cast<int>(threadIdx.x); i < (2 * Tile::kRows + 2) * kSide << shift;
         i += static_cast<int>(blockDim.x)) {
      const int run = i & (runs - 1), pixel = i >> shift;
      const int row = pixel / kSide, column = pixel % kSide + 1, c = c0 + run * kItems;
      const int64_t from = 2 * first - 1 + row;
      const bool inside = from >= 0 && from < 2 * rows && c < channels;
      device::cp_async_16(to + 16u * uint32_t(run * Tile::kPlane + Tile::at(row, column)),
                          inside ? in.x + (from * kSide + column - 1) * channels + c : in.x,
                          inside);
    }
    return;
  }
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < (Tile::kRows + 2) * half << shift;
       i += static_cast<int>(blockDim.x)) {
    const int run = i & (runs - 1), window = i >> shift;
    const int row = window / half, column = window % half, c = c0 + run * kItems;
    const int64_t from = first - 1 + row;
    const bool inside = from >= 0 && from < rows && c < channels;
    unpool_16(in, (from * half + column) * channels + c, inside,
              [&](int k, const uint32_t(&some)[4]) {
                const int y = 2 * row - 1 + k / 2, x = 2 * column + k % 2 + 1;
                if (y < 0 || y >= 2 * Tile::kRows + 2) return;
                store_16(to + 16u * uint32_t(run * Tile::kPlane + Tile::at(y, x)), some);
              });
  }
}

__device__ inline void multiply_32_bytes(__half, float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  device::mma_m16n8k16(device::Fp16{}, d, a, b0, b1);
}
__device__ inline void multiply_32_bytes(__nv_bfloat16, float (&d)[4], const uint32_t (&a)[4],
                                         uint32_t b0, uint32_t b1) {
  device::mma_m16n8k16(device::Bf16{}, d, a, b0, b1);
}
__device__ inline uint32_t to_tf32(uint32_t bits) {
  uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  return rounded;
}
/// m16n8k8: the same lanes hold the same bytes. Rounded here: the tensor cores would cut.
__device__ inline void multiply_32_bytes(float, float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(to_tf32(a[0])), "r"(to_tf32(a[1])), "r"(to_tf32(a[2])), "r"(to_tf32(a[3])),
        "r"(to_tf32(b0)), "r"(to_tf32(b1)));
}

template <class T, int half, int tiles>
size_t mma_conv_bytes(int in) {
  const int runs = staged_runs<T>(in);
  return 16 * size_t(1 + runs * MmaTile<half>::kPlane + 8 * tiles * ((9 * runs) | 1));
}

/// 128 windows by 8 `tiles` channels a block at a time; `weights` are [out][tap][in].
template <class T, int half, int tiles>
__global__ void __launch_bounds__(kMmaThreads, 2)
    mma_conv_kernel(ConvShape shape, ConvInput<T> in, const T* weights, ConvOutput<T> out) {
  using Tile = MmaTile<half>;
  constexpr int kItems = Pack<T>::kItems;
  extern __shared__ __align__(16) uint4 zero_and_more[];
  const int runs = staged_runs<T>(shape.in), pitch = 9 * runs | 1;
  const uint32_t zero = device::shared_address(zero_and_more), pixels = zero + 16;
  const uint32_t staged_w = pixels + 16u * uint32_t(runs * Tile::kPlane);
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32, warp = tid / 32;
  const int o0 = static_cast<int>(blockIdx.y) * 8 * tiles;
  for (int i = tid; i < 1 + runs * Tile::kPlane; i += kMmaThreads) zero_and_more[i] = uint4{};
  // A lane's address of A: a window, its first or second pixel of a row, one of two runs of channels.
  uint32_t base[2], column_at[3];
  int row_of[2];
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    int window = warp * 16 + m * 8 + lane % 8;
    if (window >= Tile::kRows * half) window = 0;
    row_of[m] = window / half;
    base[m] =
        pixels + 16u * uint32_t(row_of[m] * Tile::kPair + window % half + lane / 16 * Tile::kPlane);
  }
#pragma unroll
  for (int j = 0; j < 3; ++j)
    column_at[j] = 16u * uint32_t(lane / 8 % 2 ? Tile::at(0, j + 1) : Tile::at(0, j));
  const uint32_t w_row =
      staged_w + 16u * uint32_t((lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2);
  const int64_t all_tiles = (shape.rows + Tile::kRows - 1) / Tile::kRows;
  const bool once = runs_of<T>(shape.in) <= runs;
  for (int64_t tile = blockIdx.x; tile < all_tiles; tile += gridDim.x) {
    const int64_t first = tile * Tile::kRows;
    float acc[4][tiles][4] = {};
    bool is_top[2], is_bottom[2];
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      const auto of_image = static_cast<int>((first + row_of[m]) % half);
      is_top[m] = of_image == 0, is_bottom[m] = of_image == half - 1;
    }
    for (int c0 = 0; c0 < shape.in; c0 += runs * kItems) {
      __syncthreads();
      stage_mma<T, half>(in, shape.in, shape.rows, first, c0, runs, pixels);
      for (int i = tid; (!once || tile == blockIdx.x) && i < 8 * tiles * 9 * runs;
           i += kMmaThreads) {
        const int run = i % runs, tap = i / runs % 9, n = i / runs / 9, c = c0 + run * kItems;
        const int o = o0 + 2 * tiles * (n % 8 / 2) + 2 * (n / 8) + n % 2;
        const bool inside = o < shape.out && c < shape.in;
        device::cp_async_16(staged_w + 16u * uint32_t(n * pitch + tap * runs + run),
                            inside ? weights + (int64_t{o} * 9 + tap) * shape.in + c : weights,
                            inside);
      }
      device::cp_async_commit();
      device::cp_async_wait<0>();
      __syncthreads();
      for (int two = 0; two < runs; two += 2) {
        const uint32_t deep = 16u * uint32_t(two * Tile::kPlane);
#pragma unroll
        for (int t = 0; t < 9; ++t) {
          uint32_t b[tiles / 2][4];
#pragma unroll
          for (int n = 0; n < tiles / 2; ++n)
            device::load_matrices(b[n], w_row + 16u * uint32_t(n * 16 * pitch + t * runs + two));
#pragma unroll
          for (int m = 0; m < 4; ++m) {
            const int i = m % 2 + t / 3;
            const bool outside = (i == 0 && is_top[m / 2]) || (i == 3 && is_bottom[m / 2]);
            uint32_t a[4];
            device::load_matrices(a, outside ? zero
                                             : base[m / 2] + deep + column_at[t % 3] +
                                                   16u * uint32_t(Tile::at(i, 0)));
#pragma unroll
            for (int n = 0; n < tiles; ++n)
              multiply_32_bytes(T{}, acc[m][n], a, b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
          }
        }
      }
    }
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      const int window = warp * 16 + m * 8 + lane / 4, channel = o0 + 2 * tiles * (lane % 4);
      if (window >= Tile::kRows * half || first + window / half >= shape.rows ||
          channel >= shape.out)
        continue;
      float four[4][2 * tiles];
#pragma unroll
      for (int k = 0; k < 4; ++k)
#pragma unroll
        for (int n = 0; n < 2 * tiles; ++n) four[k][n] = acc[2 * m + k / 2][n / 2][k % 2 * 2 + n % 2];
      write_window<T, 2 * tiles>(four, out, half, first + window / half, window % half, channel,
                                 shape.out);
    }
  }
}

}  // namespace ridge::mixed
