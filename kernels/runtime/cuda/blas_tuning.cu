// ridge: arch=75 needs=cublas
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/blas_tuning.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace ridge::blas {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 21, kMaxCalls = 100;
constexpr float kGraph_ms = 0.5f;  // the clock of events is good to a few microseconds
constexpr auto kTimeLimit = std::chrono::milliseconds(1500);

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

struct Operand {
  void* memory = nullptr;
  ~Operand() { cudaFree(memory); }
};

/// Random A and B, and room for C.
Status fill_operands(DType dtype, const Product& p, Operand* operand) {
  const auto element = static_cast<int64_t>(dtype_size(dtype));
  const int64_t rows_b = gemm_b_is_transposed(dtype) ? p.n : p.k;
  // C is at most 4 bytes an element. A whole number of words each.
  const int64_t bytes[3] = {p.m * p.lda * element, rows_b * p.ldb * element, p.m * p.ldc * 4};
  for (int i = 0; i < 3; ++i) {
    const int64_t words = (bytes[i] + 3) / 4;
    RIDGE_CUDA_CHECK(cudaMalloc(&operand[i].memory, static_cast<size_t>(words) * 4));
    gemm_random_bits_kernel<<<1024, 256>>>(static_cast<uint32_t*>(operand[i].memory), words, pattern_of(dtype));
    if (const Status s = RIDGE_CUDA_LAUNCHED(gemm_random_bits_kernel); !s.ok()) return s;
  }
  return {};
}

/// A way as a graph, and its times in milliseconds a call.
struct Trial {
  int index = 0;
  cudaGraphExec_t graph = nullptr;
  std::vector<float> times_ms;
  float median_ms() const {
    std::vector<float> sorted = times_ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

/// What trials need; whatever was made is freed.
struct Trials {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  int calls = 1;
  std::vector<Trial> all;
  ~Trials() {
    for (Trial& one : all)
      if (one.graph) cudaGraphExecDestroy(one.graph);
    if (start) cudaEventDestroy(start);
    if (stop) cudaEventDestroy(stop);
    if (stream) cudaStreamDestroy(stream);
  }
  Status make() {
    RIDGE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    RIDGE_CUDA_CHECK(cudaEventCreate(&start));
    RIDGE_CUDA_CHECK(cudaEventCreate(&stop));
    RIDGE_CUDA_CHECK(cudaDeviceSynchronize());  // operands are made on other streams, for which this one does not wait
    return {};
  }
};

/// Milliseconds of what `queue` puts on the stream; infinite where it fails.
template <class Queue>
float time_ms(const Trials& trials, Queue queue) {
  float ms = 0;
  bool good = cudaEventRecord(trials.start, trials.stream) == cudaSuccess;
  good = queue() && good;
  good = cudaEventRecord(trials.stop, trials.stream) == cudaSuccess && good;
  good = cudaEventSynchronize(trials.stop) == cudaSuccess && good;
  good = good && cudaEventElapsedTime(&ms, trials.start, trials.stop) == cudaSuccess;
  return good ? ms : std::numeric_limits<float>::infinity();
}

/// Null where the way cannot be recorded.
cudaGraphExec_t record(const Trials& trials, int index, Attempt attempt, void* context) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  if (cudaStreamBeginCapture(trials.stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return nullptr;
  bool good = true;
  for (int i = 0; i < trials.calls && good; ++i) good = attempt(context, index, trials.stream).ok();
  good = cudaStreamEndCapture(trials.stream, &graph) == cudaSuccess && good;
  if (good && cudaGraphInstantiate(&ready, graph, 0) != cudaSuccess) ready = nullptr;
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError();  // a way that fails is passed over
  return ready;
}

/// One replay; a way that fails leaves.
void time_trial(const Trials& trials, Trial* one) {
  const float ms = time_ms(trials, [&] { return cudaGraphLaunch(one->graph, trials.stream) == cudaSuccess; });
  one->times_ms.push_back(ms / static_cast<float>(trials.calls));
}

/// Loads each way's code, records it and times it once. Returns how many were reached before `end`.
int begin_trials(int count, Attempt attempt, void* context, Clock::time_point end, Trials* trials) {
  int tried = 0;
  for (; tried < count && (tried < 2 || Clock::now() < end); ++tried) {
    const auto call = [&] { return attempt(context, tried, trials->stream).ok(); };
    if (std::isinf(time_ms(*trials, call))) {
      cudaGetLastError();
      continue;
    }
    if (trials->all.empty()) {  // the first way says how long a call is
      const float ms = time_ms(*trials, call);
      trials->calls = std::clamp(static_cast<int>(std::ceil(kGraph_ms / std::max(ms, 1e-3f))), 1, kMaxCalls);
    }
    Trial one = {tried, record(*trials, tried, attempt, context), {}};
    if (!one.graph) continue;
    trials->all.push_back(one);
    time_trial(*trials, &trials->all.back());  // uploads the graph: not counted below
  }
  return tried;
}

/// Those who are behind the best by more than `share` leave.
void drop_slow(Trials* trials, float share) {
  float best = std::numeric_limits<float>::infinity();
  for (const Trial& one : trials->all) best = std::min(best, one.median_ms());
  std::erase_if(trials->all, [&](Trial& one) {
    const bool is_slow = !(one.median_ms() <= best * (1 + share));
    if (is_slow) cudaGraphExecDestroy(one.graph);
    return is_slow;
  });
}

void run_rounds(Trials* trials, Clock::time_point end) {
  for (int round = 0; round < kRounds && trials->all.size() > 1; ++round) {
    const auto begin = Clock::now();
    if (round > 0 && begin > end) return;
    if (round == 0)
      for (Trial& one : trials->all) one.times_ms.clear();
    if (round == 3) drop_slow(trials, 0.2f);
    if (round == 7) drop_slow(trials, 0.06f);
    if (round == 13) drop_slow(trials, 0.03f);
    const size_t size = trials->all.size();
    for (size_t i = 0; i < size; ++i) time_trial(*trials, &trials->all[round % 2 == 0 ? i : size - 1 - i]);
  }
}

}  // namespace

Status fastest_of(int count, Attempt attempt, void* context, Choice* choice) {
  *choice = {0, 1};
  if (count < 2) return {};
  const Clock::time_point begin = Clock::now(), end = begin + kTimeLimit;
  Trials trials;
  if (const Status s = trials.make(); !s.ok()) return s.sticky ? s : Status{};
  choice->tried = begin_trials(count, attempt, context, begin + kTimeLimit / 2, &trials);
  run_rounds(&trials, end);
  float best = std::numeric_limits<float>::infinity();
  for (const Trial& one : trials.all) {
    if (const float ms = one.median_ms(); ms < best) best = ms, choice->index = one.index;
  }
  return cuda_status(cudaGetLastError(), "trying ways", __FILE__, __LINE__);
}

Status find_fastest(DType dtype, const Product& shape, int count, TryChoice try_choice, void* context, Choice* choice) {
  *choice = {0, 1};
  if (count < 2) return {};
  Operand operand[3];
  if (const Status s = fill_operands(dtype, shape, operand); !s.ok()) return s.sticky ? s : Status{};
  struct Context {
    Product product;
    TryChoice try_choice;
    void* context;
  } product = {shape, try_choice, context};
  product.product.a = operand[0].memory;
  product.product.b = operand[1].memory;
  product.product.c = operand[2].memory;
  return fastest_of(
      count,
      [](void* all, int index, cudaStream_t stream) {
        const auto* one = static_cast<const Context*>(all);
        return one->try_choice(one->context, index, one->product, stream);
      },
      &product, choice);
}

}  // namespace ridge::blas
