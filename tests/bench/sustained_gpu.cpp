// Whether sustained turns say what a user gets: cuBLASLt's two fastest algorithms for one bf16 product, by our turns and
// by ten seconds each of a plain loop. Not a test: it prints both ratios; exit 1 where they differ by over 1 %.
//   bench_sustained_gpu [N=8192]
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/harness/measure/sustained.h"
#include "common/harness/quality/quality.h"
#include "common/stats/stats.h"

namespace {

using namespace ridge;

constexpr int kPairs = 6;
constexpr double kPlain_s = 10, kAgree = 0.01;
constexpr size_t kWorkspaceBytes = 64 << 20;

void need(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "bench_sustained_gpu: %s failed\n", what);
  std::exit(70);
}
void need(cudaError_t error) {
  need(error == cudaSuccess, cudaGetErrorString(error));
}
void need(cublasStatus_t status) {
  need(status == CUBLAS_STATUS_SUCCESS, cublasGetStatusString(status));
}

struct Products {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;
  void *a = nullptr, *b = nullptr, *c = nullptr, *workspace = nullptr;
  std::vector<cublasLtMatmulAlgo_t> algorithms;

  cublasStatus_t multiply(size_t which, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle, product, &one, a, layout, b, layout, &zero, c, layout, c, layout,
                          &algorithms[which], workspace, kWorkspaceBytes, stream);
  }
};
Products all;

void make_products(uint64_t n) {
  need(cublasLtCreate(&all.handle));
  need(cublasLtMatmulDescCreate(&all.product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  need(cublasLtMatrixLayoutCreate(&all.layout, CUDA_R_16BF, n, n, static_cast<int64_t>(n)));
  std::vector<std::byte> values(n * n * 2);
  for (void** matrix : {&all.a, &all.b, &all.c}) {
    need(cudaMalloc(matrix, values.size()));
    quality::fill_normal(values, DType::bf16, matrix == &all.a ? 1 : 2);
    need(cudaMemcpy(*matrix, values.data(), values.size(), cudaMemcpyHostToDevice));
  }
  need(cudaMalloc(&all.workspace, kWorkspaceBytes));
  cublasLtMatmulPreference_t wish;
  need(cublasLtMatmulPreferenceCreate(&wish));
  need(cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                            &kWorkspaceBytes, sizeof kWorkspaceBytes));
  cublasLtMatmulHeuristicResult_t found[32];
  int count = 0;
  need(cublasLtMatmulAlgoGetHeuristic(all.handle, all.product, all.layout, all.layout, all.layout,
                                      all.layout, wish, 32, found, &count));
  for (int i = 0; i < count; ++i) all.algorithms.push_back(found[i].algo);
}

template <size_t which>
Status launch(const Launch& l) {
  const cublasStatus_t status = all.multiply(which, static_cast<cudaStream_t>(l.stream));
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return {cublasGetStatusString(status), "cublasLtMatmul"};
}

/// Microseconds a call of a plain loop of about `seconds`, an event before and one after it.
double plain_us(size_t which, double seconds, cudaStream_t stream) {
  using Clock = std::chrono::steady_clock;
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) need(cudaEventCreate(&event));
  const auto start = Clock::now();
  int64_t calls = 0;
  need(cudaEventRecord(events[0], stream));
  // A launch blocks while about a thousand are queued, so that the clock read here is the GPU's but for those.
  do {
    for (int i = 0; i < 8; ++i, ++calls) need(all.multiply(which, stream));
  } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
  need(cudaEventRecord(events[1], stream));
  need(cudaEventSynchronize(events[1]));
  float ms = 0;
  need(cudaEventElapsedTime(&ms, events[0], events[1]));
  for (const cudaEvent_t event : events) need(cudaEventDestroy(event));
  return 1e3 * ms / static_cast<double>(calls);
}

/// The two fastest come first.
void sort_by_speed(cudaStream_t stream) {
  std::vector<std::pair<double, size_t>> times;
  for (size_t i = 0; i < all.algorithms.size(); ++i) {
    if (all.multiply(i, stream) != CUBLAS_STATUS_SUCCESS) continue;
    times.emplace_back(plain_us(i, 0.3, stream), i);
  }
  std::sort(times.begin(), times.end());
  std::vector<cublasLtMatmulAlgo_t> sorted;
  for (const auto& [us, i] : times) sorted.push_back(all.algorithms[i]);
  all.algorithms = sorted;
  need(sorted.size() >= 2, "finding two algorithms");
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8192;
  auto device = measure::make_cuda_device(0);
  if (!device) {
    std::fprintf(stderr, "%s\n", device.error().sentence().c_str());
    return 69;
  }
  make_products(n);
  const auto stream = static_cast<cudaStream_t>((*device)->stream());
  sort_by_speed(stream);
  std::vector<KernelDesc> kernels(2);
  std::vector<std::unique_ptr<measure::Side>> sides;
  std::vector<measure::SustainedEntry> entries;
  for (size_t i = 0; i < 2; ++i) {
    kernels[i].id = i == 0 ? "bench.cuda.fastest" : "bench.cuda.second";
    kernels[i].backend = Backend::cuda;
    kernels[i].launch = i == 0 ? launch<0> : launch<1>;
    Launch call;
    call.stream = stream;
    auto side =
        (*device)->make_side(kernels[i], call, measure::Cache::hot, plain_us(i, 0.1, stream) * 1e3);
    need(side.ok(), "making a side");
    sides.push_back(*std::move(side));
    entries.push_back({device->get(), sides.back().get()});
  }
  measure::Observer nobody;
  const auto turns = measure::take_turns(entries, kPairs, {}, &nobody);
  need(turns.ok(), "taking turns");
  const stats::PairedResult ours =
      stats::judge_pairs(measure::log_ratios((*turns)[0], (*turns)[1]), 0.01);
  std::printf("%s, bf16, n = %llu\n", (*device)->name().c_str(),
              static_cast<unsigned long long>(n));
  for (size_t i = 0; i < 2; ++i) {
    const SustainedSide side = measure::summary_of((*turns)[i]);
    std::printf("%-18s  %8.1f us alone, %.0f MHz, %.0f W\n", kernels[i].id, side.call_ns * 1e-3,
                side.sm_clock_hz.value_or(0) * 1e-6, side.power_w.value_or(0));
  }
  const double first = plain_us(0, kPlain_s, stream), second = plain_us(1, kPlain_s, stream);
  const double plain = first / second;
  std::printf("plain loops         %8.1f us, %.1f us\n", first, second);
  std::printf("first / second      %.4f [%.4f, %.4f] by turns, %.4f by plain loops: %+.2f %%\n",
              ours.ratio, ours.ci ? ours.ci->low : 0, ours.ci ? ours.ci->high : 0, plain,
              100 * (ours.ratio / plain - 1));
  return std::fabs(ours.ratio / plain - 1) <= kAgree ? 0 : 1;
}
