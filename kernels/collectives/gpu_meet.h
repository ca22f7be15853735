// What the kernels of a collective say to each other: block b of one GPU waits for block b of every other.
//
// A meeting orders memory: what threads of a block wrote before it, to any GPU, is seen behind it by the same block of every
// rank. Blocks of a rank do not wait for each other, so a grid has to be as large on every rank, and all of it has to run.
#pragma once

#include <type_traits>

#include "kernels/collectives/gpus.h"

namespace ridge::device {

/// Longer than any call, at 2 GHz: a rank that does not come ends the kernel with an error rather than never.
constexpr long long kPatience = 20'000'000'000;

__device__ inline void wait_for_signal(const uint32_t* signal, uint32_t value) {
  const long long begin = clock64();
  uint32_t seen;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(signal) : "memory");
    if (clock64() - begin > kPatience) __trap();
  } while (static_cast<int32_t>(seen - value) < 0);
}

/// The meetings of one block. All of its threads call the same functions.
class Meetings {
 public:
  __device__ explicit Meetings(const GpuRank& rank)
      : rank_(rank), met_(rank.meetings[blockIdx.x]) {}

  /// Until this block of every rank has come.
  __device__ void meet() {
    ++met_;
    __syncthreads();
    if (threadIdx.x < static_cast<unsigned>(rank_.ranks)) {
      uint32_t* there = rank_.signals[threadIdx.x] + blockIdx.x * kMostRanks + rank_.me;
      asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(there), "r"(met_) : "memory");
      wait_for_signal(rank_.signals[rank_.me] + blockIdx.x * kMostRanks + threadIdx.x, met_);
    }
    __syncthreads();
  }
  /// As the last: the next call goes on counting.
  __device__ void end() const {
    if (threadIdx.x == 0) rank_.meetings[blockIdx.x] = met_;
  }

 private:
  const GpuRank& rank_;
  uint32_t met_;
};

/// Of another GPU's memory: not from a cache of this one.
__device__ inline float4 load_there(const float* from) {
  float4 v;
  asm volatile("ld.relaxed.sys.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(from)
               : "memory");
  return v;
}

__device__ inline void store_there(float* to, float4 v) {
  asm volatile("st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y),
               "f"(v.z), "f"(v.w)
               : "memory");
}

__device__ inline float4 operator+(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

/// Vectors of 16 bytes in a buffer, the last one whole.
__host__ __device__ inline int64_t vectors_of(int64_t count) {
  return (count + 3) / 4;
}

/// Blocks of kThreads for so many vectors a rank: as many on every rank.
constexpr int kThreads = 512;
inline unsigned blocks_for(int64_t vectors, int most) {
  const int64_t wanted = (vectors + kThreads - 1) / kThreads;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

/// `start` with the number of ranks as a constant: what a thread has of each rank then lies in registers.
template <class Start>
Status by_ranks(int ranks, Start start) {
  switch (ranks) {
    case 2:
      return start(std::integral_constant<int, 2>());
    case 3:
      return start(std::integral_constant<int, 3>());
    case 4:
      return start(std::integral_constant<int, 4>());
    case 5:
      return start(std::integral_constant<int, 5>());
    case 6:
      return start(std::integral_constant<int, 6>());
    case 7:
      return start(std::integral_constant<int, 7>());
    default:
      return start(std::integral_constant<int, 8>());
  }
}

}  // namespace ridge::device
