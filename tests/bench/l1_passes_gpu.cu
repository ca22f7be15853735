// Clocks that a warp's read of 4 bytes a lane takes of an SM where all of it lies in L1, against the distance between lanes: what
// tests/l1_passes_h200.csv keeps of an H200. Each read needs the value of the one before it, and 32 warps with four such
// chains each hide what a read alone would wait.
#include <cmath>
#include <cstdio>
#include <limits>

#include "common/harness/kernel/cuda_check.h"

namespace {

constexpr int kWarps = 32, kReads = 4096, kRounds = 5;
constexpr size_t kBytes = size_t{1} << 20;
constexpr long kStrides[] = {8,    16,   32,   64,   96,    128,   160,  192,  256,
                             320,  384,  448,  512,  544,   576,   640,  768,  896,
                             1024, 1152, 1280, 1536, 2048,  2176,  2304, 4080, 4096,
                             4224, 4352, 8192, 8320, 16384, 16416, 16512};

__device__ int read(const int* at) {
  int value;
  asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(value) : "l"(at));
  return value;
}

__global__ void l1_passes(const char* zeros, long stride, int* sums, long long* clocks) {
  const auto* lane = reinterpret_cast<const int*>(zeros + threadIdx.x % 32 * stride);
  int a = 0, b = 1, c = 2, d = 3;
  for (int i = 0; i < 64; ++i) a += read(lane + a);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < kReads; i += 4) {
    a += read(lane + a);
    b += read(lane + b);
    c += read(lane + c);
    d += read(lane + d);
  }
  __syncthreads();
  const long long end = clock64();
  sums[threadIdx.x] = a + b + c + d;
  if (threadIdx.x == 0) *clocks = end - begin;
}

ridge::Status measure() {
  char* zeros = nullptr;
  int* sums = nullptr;
  long long* clocks = nullptr;
  RIDGE_CUDA_CHECK(cudaMalloc(&zeros, kBytes));
  RIDGE_CUDA_CHECK(cudaMemset(zeros, 0, kBytes));
  RIDGE_CUDA_CHECK(cudaMalloc(&sums, 32 * kWarps * sizeof(int)));
  RIDGE_CUDA_CHECK(cudaMallocManaged(&clocks, sizeof(long long)));
  std::printf("stride_bytes,clocks\n");
  for (const long stride : kStrides) {
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      l1_passes<<<1, 32 * kWarps>>>(zeros, stride, sums, clocks);
      RIDGE_CUDA_CHECK(cudaGetLastError());
      RIDGE_CUDA_CHECK(cudaDeviceSynchronize());
      least = std::fmin(least, static_cast<double>(*clocks) / kReads / kWarps);
    }
    std::printf("%ld,%.2f\n", stride, least);
  }
  RIDGE_CUDA_CHECK(cudaFree(clocks));
  RIDGE_CUDA_CHECK(cudaFree(sums));
  RIDGE_CUDA_CHECK(cudaFree(zeros));
  return {};
}

}  // namespace

int main() {
  const ridge::Status status = measure();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s: %s\n", status.expression, status.what);
  return 1;
}
