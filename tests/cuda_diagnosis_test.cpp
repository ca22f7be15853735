// Resources, counters and diagnosis on a GPU: kernels that are short of one thing by construction.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/cuda/cupti_counters.h"
#include "common/harness/measure/cuda/resources.h"
#include "common/harness/measure/environment.h"
#include "common/harness/measure/harness.h"
#include "common/record/diagnosis.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

Observer silent;

// ---- a family: y = x, n bytes --------------------------------------------------------------------

class Copy : public Problem {
 public:
  explicit Copy(int64_t n) : n_(n) {}
  Shape shape() const override {
    Shape shape;
    shape.dim[0] = n_;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    return {{"x", size_t(n_), false, DType::fp32}, {"y", size_t(n_), true, DType::fp32}};
  }
  double flop() const override { return 0; }
  double bytes_min() const override { return 2.0 * double(n_); }
  void generate(uint64_t seed, HostBuffers* host) const override {
    auto state = static_cast<uint32_t>(seed);
    for (std::byte& byte : (*host)[0]) byte = std::byte((state = state * 1664525u + 1) >> 24);
  }
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    QualityCheck check;
    check.what = "y";
    check.checked = n_;
    check.passed = host[0] == host[1];
    if (!check.passed) check.reason = "y is not x";
    return check;
  }

 private:
  int64_t n_;
};

std::vector<ParamSpec> copy_params() {
  ParamSpec n;
  n.name = "n";
  n.max = int64_t{1} << 30;
  n.fallback = int64_t{64};
  return {n};
}
Result<std::unique_ptr<Problem>> make_copy(const Params& p) {
  return std::unique_ptr<Problem>(new Copy(param_int(p, "n")));
}
std::vector<Params> none() {
  return {};
}
Params as_it_is(const Params& p, double) {
  return p;
}
RIDGE_FAMILY(copying, .params = copy_params, .make_problem = make_copy, .awkward = none,
             .shrink = as_it_is);

Status within_device(const Launch& launch) {
  RIDGE_CUDA_CHECK(cudaMemcpyAsync(launch.buffers[1], launch.buffers[0],
                                   static_cast<size_t>(launch.shape.dim[0]),
                                   cudaMemcpyDeviceToDevice, stream_of(launch)));
  return {};
}
/// There and back through pinned memory.
Status through_host(const Launch& launch) {
  static void* pinned = nullptr;
  const auto bytes = static_cast<size_t>(launch.shape.dim[0]);
  if (pinned == nullptr) RIDGE_CUDA_CHECK(cudaMallocHost(&pinned, bytes));
  RIDGE_CUDA_CHECK(
      cudaMemcpyAsync(pinned, launch.buffers[0], bytes, cudaMemcpyDeviceToHost, stream_of(launch)));
  RIDGE_CUDA_CHECK(
      cudaMemcpyAsync(launch.buffers[1], pinned, bytes, cudaMemcpyHostToDevice, stream_of(launch)));
  return {};
}
const KernelDesc kWithinDevice = {
    .id = "copying.cuda.within_device", .backend = Backend::cuda, .launch = within_device};
const KernelDesc kThroughHost = {
    .id = "copying.cuda.through_host", .backend = Backend::cuda, .launch = through_host};

// ---- running -------------------------------------------------------------------------------------

Bench* bench() {
  static Bench shared;
  return &shared;
}

Series run(Device* device, const KernelDesc& kernel, const Params& params) {
  Options options;
  options.mode = Mode::live;
  options.limit_s = 0.3;
  auto series = measure_kernel(bench(), device, kernel, params, options, 0, &silent);
  REQUIRE(series.ok());
  INFO(series->reason);
  REQUIRE(series->status == SeriesStatus::ok);
  return *series;
}

Series run_probe(Device* device, const char* id, const char* what, int64_t units = 0) {
  const KernelDesc* kernel = find_kernel(id);
  REQUIRE(kernel != nullptr);
  const FamilyDesc* family = find_family("probe");
  Params given = {{"what", std::string(what)}};
  if (units > 0) given["units"] = units;
  const auto params = resolve_params(family->params(), given, "probe");
  REQUIRE(params.ok());
  return run(device, *kernel, *params);
}

const std::vector<Ceiling>& ceilings(Device* device) {
  static const std::vector<Ceiling> all = [&] {
    std::vector<Ceiling> found;
    for (const char* dtype : {"fp32", ""}) {
      const auto some = measure_ceilings(bench(), device, 1, dtype, &silent);
      REQUIRE(some.ok());
      found.insert(found.end(), some->begin(), some->end());
    }
    return found;
  }();
  return all;
}

void expect(Bottleneck wanted, Device* device, const Series& series) {
  const auto diagnosis = diagnose(series, ceilings(device), read_environment());
  REQUIRE(diagnosis);
  INFO(diagnosis->reason << "; " << evidence_text(*diagnosis, 9));
  CHECK(std::string(to_string(diagnosis->bottleneck)) == to_string(wanted));
}

}  // namespace

TEST_CASE("GPU kernels that are short of one thing are diagnosed so", "[alone]") {
  Device* device = gpu();
  if (!device) return;
  SECTION("FMA in every lane") {
    expect(Bottleneck::compute, device, run_probe(device, "probe.cuda.ffma", "ffma"));
  }
  SECTION("one block of it") {
    expect(Bottleneck::latency, device, run_probe(device, "probe.cuda.ffma", "ffma", 256));
  }
  SECTION("reading more than the L2 holds") {
    expect(Bottleneck::memory_bandwidth, device,
           run_probe(device, "probe.cuda.dram_read", "gpu_read"));
  }
  SECTION("64 bytes") {
    expect(Bottleneck::launch_overhead, device, run(device, kWithinDevice, {{"n", int64_t{64}}}));
  }
  SECTION("through the host") {
    const Series series = run(device, kThroughHost, {{"n", int64_t{16} << 20}});
    REQUIRE(series.resources);
    CHECK(series.resources->host_copy_bytes == double(2 * (int64_t{16} << 20)));
    expect(Bottleneck::host_copy, device, series);
  }
}

TEST_CASE("a kernel's resources are those of its function and launch") {
  Device* device = gpu();
  if (!device) return;
  const Series series = run_probe(device, "probe.cuda.ffma", "ffma");
  REQUIRE(series.resources);
  REQUIRE(series.resources->kernels.size() == 1);
  const DeviceKernel& kernel = series.resources->kernels[0];
  CHECK(kernel.name.find("kernel") != std::string::npos);
  CHECK(kernel.registers > 0);
  CHECK(kernel.spill_bytes == 0);
  CHECK((kernel.occupancy > 0 && kernel.occupancy <= 1));
  CHECK(kernel.waves > 0);
  CHECK(series.resources->host_copy_bytes == 0);
}

TEST_CASE("a kernel's name is shortened to what the source calls it") {
  CHECK(short_kernel_name("void ridge::(anonymous namespace)::tile_kernel<float, 4>(float const*, "
                          "int)") == "tile_kernel<float, 4>");
  CHECK(short_kernel_name("naive_kernel(int)") == "naive_kernel");
  CHECK(short_kernel_name("nvjet_hsh_128x256") == "nvjet_hsh_128x256");
}

TEST_CASE("Hopper knows every metric that is asked for") {
  const auto known = known_metrics("GH100");
  if (!known) {  // no libcupti here
    CHECK_FALSE(known.error().hint.empty());
    return;
  }
  CHECK(*known == gpu_metrics());
}

// Last: from here on the profiler is loaded.
TEST_CASE("counters of a kernel that reads DRAM say so, or why there are none") {
  Device* device = gpu();
  if (!device) return;
  Options options;
  options.count_only = true;
  options.warmup_s = 0.01;
  const KernelDesc* read = find_kernel("probe.cuda.dram_read");
  const auto params =
      resolve_params(find_family("probe")->params(), {{"what", std::string("gpu_read")}}, "probe");
  const auto series = measure_kernel(bench(), device, *read, *params, options, 0, &silent);
  REQUIRE(series.ok());
  if (series->counters.empty()) {
    RIDGE_SKIP_NOTE(series->unavailable.at("counters"));
    return;
  }
  double dram = 0, tensor = 0, bytes = 0;
  for (const Counter& counter : series->counters) {
    if (counter.name.rfind("gpu__dram_throughput", 0) == 0) dram = counter.value;
    if (counter.name.rfind("sm__inst_executed_pipe_tensor", 0) == 0) tensor += counter.value;
    if (counter.name == "dram__bytes_read.sum") bytes = counter.value;
  }
  CHECK(dram > 60);
  CHECK(tensor == 0);
  CHECK(bytes > 0.9 * series->bytes_min);
  CHECK(bytes < 1.1 * series->bytes_min);
}
