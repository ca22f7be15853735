// A GPU's clock against plain CUDA-event timing of a graph, from 5 us to 50 ms a call. Not a test: it
// prints medians and ratios, for docs/measuring.md.
//   bench_agreement_gpu
// `plain` is what one would write by hand: a graph of 4 to 4000 calls, an event before and after,
// their difference divided by the calls. Between two nodes of a graph the GPU spends part of a
// microsecond, which stands in that figure; ours takes the time of a graph of as many empty kernels
// off. `less null` is the plain figure less the same, by this program's own null graph.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "common/harness/measure/device.h"
#include "common/harness/measure/range.h"
#include "common/stats/stats.h"

namespace {

using namespace ridge;

constexpr int kPasses = 15;
constexpr double kPlainNs = 20e6;  ///< of one plain measurement, 4 calls at least

__global__ void spin_kernel(float* out, int64_t steps) {
  float x = 1.0f + 1e-7f * static_cast<float>(threadIdx.x);
  for (int64_t i = 0; i < steps; ++i) x = fmaf(x, 0.999999f, 1e-6f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void empty_kernel() {}

void need(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_agreement_gpu: %s\n", cudaGetErrorString(error));
  std::exit(70);
}

Status launch_spin(const Launch& l) {
  spin_kernel<<<132, 256, 0, static_cast<cudaStream_t>(l.stream)>>>(
      static_cast<float*>(l.buffers[0]), l.shape.dim[0]);
  return {};
}

class PlainGraph {
 public:
  template <class Queue>
  PlainGraph(cudaStream_t stream, int calls, Queue queue) : stream_(stream), calls_(calls) {
    cudaGraph_t graph;
    need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < calls; ++i) queue();
    need(cudaStreamEndCapture(stream, &graph));
    need(cudaGraphInstantiate(&exec_, graph, 0));
    need(cudaGraphDestroy(graph));
    need(cudaEventCreate(&start_));
    need(cudaEventCreate(&stop_));
    call_ns();
  }
  ~PlainGraph() {
    cudaGraphExecDestroy(exec_);
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  double call_ns() {
    float ms = 0;
    need(cudaGraphLaunch(exec_, stream_));  // untimed: the first after idle finds a lower clock
    need(cudaEventRecord(start_, stream_));
    need(cudaGraphLaunch(exec_, stream_));
    need(cudaEventRecord(stop_, stream_));
    need(cudaEventSynchronize(stop_));
    need(cudaEventElapsedTime(&ms, start_, stop_));
    return 1e6 * ms / calls_;
  }

 private:
  cudaStream_t stream_;
  int calls_;
  cudaGraphExec_t exec_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

void compare_at(measure::Device* device, double wanted_ns, double step_ns, float* out) {
  KernelDesc kernel;
  kernel.id = "bench.cuda.spin";
  kernel.backend = Backend::cuda;
  kernel.launch = launch_spin;
  void* buffers[] = {out};
  Launch launch;
  launch.shape.dim[0] = static_cast<int64_t>(wanted_ns / step_ns);
  launch.buffers = buffers;
  launch.stream = device->stream();
  const auto stream = static_cast<cudaStream_t>(device->stream());
  const int calls = static_cast<int>(std::clamp(kPlainNs / wanted_ns, 4.0, 4000.0));
  PlainGraph plain(stream, calls, [&] { launch_spin(launch); });
  PlainGraph null(stream, calls, [&] { empty_kernel<<<1, 1, 0, stream>>>(); });
  auto side = device->make_side(kernel, launch, measure::Cache::hot, wanted_ns);
  if (!side) return (void)std::fprintf(stderr, "%s\n", side.error().sentence().c_str());
  measure::Side* sides[] = {side->get()};
  const int slots = std::min(20, device->slots_per_block(sides));

  std::vector<double> ours, theirs, nulls, ratios;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<double> block;
    const auto time_ours = [&] {
      const auto samples = device->time(sides, std::vector<uint8_t>(slots, 0));
      if (!samples) return;
      for (const Sample& sample : *samples) block.push_back(sample.t_ns);
    };
    if (pass % 2 == 0) time_ours();
    const double by_hand = plain.call_ns();
    if (pass % 2 == 1) time_ours();
    if (block.empty()) return;
    ours.insert(ours.end(), block.begin(), block.end());
    theirs.push_back(by_hand);
    nulls.push_back(null.call_ns());
    ratios.push_back(stats::median(block) / by_hand);
  }
  const double mine = stats::median(ours), hand = stats::median(theirs),
               less = hand - stats::median(nulls);
  std::printf("%9.2f us  %12.3f  %12.3f  %+7.2f %%  %12.3f  %+7.2f %%  %lld\n", wanted_ns * 1e-3,
              mine * 1e-3, hand * 1e-3, 100 * (stats::median(ratios) - 1), less * 1e-3,
              100 * (mine / less - 1), static_cast<long long>(sides[0]->calls));
}

void print_range_cost() {
  constexpr int kRanges = 1'000'000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRanges; ++i) const measure::Range range("cost");
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("an NVTX range with no tool attached: %.1f ns\n", took.count() / kRanges);
}

}  // namespace

int main() {
  auto device = measure::make_cuda_device(0);
  if (!device) {
    std::fprintf(stderr, "%s\n", device.error().sentence().c_str());
    return 69;
  }
  float* out = nullptr;
  need(cudaMalloc(&out, 132 * 256 * sizeof(float)));
  print_range_cost();
  // One step's time, from a call of about a millisecond, once the clock has settled.
  double step_ns = 0;
  {
    constexpr int64_t kSteps = 500'000;
    const auto stream = static_cast<cudaStream_t>((*device)->stream());
    PlainGraph probe(stream, 20, [&] { spin_kernel<<<132, 256, 0, stream>>>(out, kSteps); });
    for (int i = 0; i < 20; ++i) step_ns = probe.call_ns() / kSteps;
  }
  std::printf("%s\n%12s  %12s  %12s  %9s  %12s  %9s  calls\n", (*device)->name().c_str(), "asked",
              "ours us", "plain us", "ours", "less null us", "ours");
  for (const double wanted_us : {5.0, 10.0, 15.0, 25.0, 50.0, 100.0, 1000.0, 10000.0, 50000.0})
    compare_at(device->get(), wanted_us * 1e3, step_ns, out);
  return 0;
}
