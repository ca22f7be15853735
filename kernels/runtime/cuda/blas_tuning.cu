// ridge: arch=75 needs=cublas
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/blas_tuning.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace ridge::blas {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5, kMaxCalls = 20;
constexpr float kSample_ms = 0.2f;  // the clock of events is good to a few microseconds
constexpr auto kTimeLimit = std::chrono::milliseconds(450);

/// Which bits of a 32-bit word are random, and which are set: numbers of either sign in [0.5, 2),
/// tf32 ones with 10 bits of mantissa; any int8.
struct BitPattern {
  uint32_t random, set;
};
BitPattern pattern_of(DType dtype) {
  switch (dtype) {
    case DType::tf32:
      return {0x80ffe000u, 0x3f000000u};
    case DType::bf16:
      return {0x80ff80ffu, 0x3f003f00u};
    case DType::fp16:
      return {0x87ff87ffu, 0x38003800u};
    case DType::fp8:
      return {0x8f8f8f8fu, 0x30303030u};
    case DType::int8:
      return {0xffffffffu, 0};
    default:
      return {0x80ffffffu, 0x3f000000u};
  }
}

__global__ void gemm_random_bits_kernel(uint32_t* words, int64_t count, BitPattern pattern) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    auto x = static_cast<uint32_t>(i);  // the mixing of MurmurHash3's end (Appleby, public domain)
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    words[i] = ((x ^ x >> 16) & pattern.random) | pattern.set;
  }
}

/// Random A and B and room for C, a stream and two events; whatever was made is freed.
struct Bench {
  void* memory[3] = {};
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  ~Bench() {
    for (void* block : memory) cudaFree(block);
    if (start) cudaEventDestroy(start);
    if (stop) cudaEventDestroy(stop);
    if (stream) cudaStreamDestroy(stream);
  }
};

Status fill_bench(DType dtype, const Product& p, Bench* bench) {
  const auto element = static_cast<int64_t>(dtype_size(dtype));
  const int64_t rows_b = gemm_b_is_transposed(dtype) ? p.n : p.k;
  // C is at most 4 bytes an element. A whole number of words each.
  const int64_t bytes[3] = {p.m * p.lda * element, rows_b * p.ldb * element, p.m * p.ldc * 4};
  RIDGE_CUDA_CHECK(cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking));
  RIDGE_CUDA_CHECK(cudaEventCreate(&bench->start));
  RIDGE_CUDA_CHECK(cudaEventCreate(&bench->stop));
  for (int i = 0; i < 3; ++i) {
    const int64_t words = (bytes[i] + 3) / 4;
    RIDGE_CUDA_CHECK(cudaMalloc(&bench->memory[i], static_cast<size_t>(words) * 4));
    gemm_random_bits_kernel<<<1024, 256, 0, bench->stream>>>(
        static_cast<uint32_t*>(bench->memory[i]), words, pattern_of(dtype));
    if (const Status s = RIDGE_CUDA_LAUNCHED(gemm_random_bits_kernel); !s.ok()) return s;
  }
  return {};
}

/// Milliseconds a call, of `calls` in a row; infinite where one fails.
float time_choice(const Bench& bench, int calls, const Product& product, int index,
                  TryChoice try_choice, void* context) {
  float ms = 0;
  bool good = cudaEventRecord(bench.start, bench.stream) == cudaSuccess;
  for (int i = 0; i < calls && good; ++i)
    good = try_choice(context, index, product, bench.stream).ok();
  good = cudaEventRecord(bench.stop, bench.stream) == cudaSuccess && good;
  good = cudaEventSynchronize(bench.stop) == cudaSuccess && good;
  good = good && cudaEventElapsedTime(&ms, bench.start, bench.stop) == cudaSuccess;
  return good ? ms / static_cast<float>(calls) : std::numeric_limits<float>::infinity();
}

}  // namespace

Status find_fastest(DType dtype, const Product& shape, int count, TryChoice try_choice,
                    void* context, int* best) {
  constexpr int kMaxChoices = 64;
  const Clock::time_point end = Clock::now() + kTimeLimit;
  *best = 0;
  if (count < 2) return {};
  Bench bench;
  if (const Status s = fill_bench(dtype, shape, &bench); !s.ok()) return s.sticky ? s : Status{};
  Product product = shape;
  product.a = bench.memory[0];
  product.b = bench.memory[1];
  product.c = bench.memory[2];
  float least[kMaxChoices], call_ms = 0;
  std::fill(least, least + kMaxChoices, std::numeric_limits<float>::infinity());
  // Round 0 loads each way's code and says how long a call is. Then they take turns, so that a
  // drifting clock meets all of them; a lucky sample is a fair one here, as all have as many.
  for (int round = 0; round <= kRounds; ++round) {
    for (int i = 0; i < std::min(count, kMaxChoices); ++i) {
      if (round > 0 && std::isinf(least[i])) continue;
      if (Clock::now() > end) {
        if (round == 0) count = i;
        break;
      }
      const float wanted = round == 0 ? 1 : std::ceil(kSample_ms / std::max(call_ms, 1e-3f));
      const int calls = std::clamp(static_cast<int>(wanted), 1, kMaxCalls);
      const float ms = time_choice(bench, calls, product, i, try_choice, context);
      least[i] = round == 1 ? ms : std::min(least[i], ms);
      call_ms = i == 0 ? ms : std::min(call_ms, ms);
    }
  }
  *best = static_cast<int>(std::min_element(least, least + kMaxChoices) - least);
  return cuda_status(cudaGetLastError(), "trying algorithms", __FILE__, __LINE__);
}

}  // namespace ridge::blas
