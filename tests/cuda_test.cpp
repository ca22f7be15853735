// The CUDA device and the GPU rungs through the real gate. Every case that needs a GPU says why it
// was skipped where there is none.
#include <cublas_v2.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/cuda/gpu_lock.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "kernels/runtime/cuda/blas_tuning.h"
#include "kernels/runtime/problems/gemm.h"
#include "tests/cuda_support.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

Result<QualityCheck> check_gemm(const KernelDesc& kernel, Device* device, int64_t m, int64_t n,
                                int64_t k, const std::string& dtype, bool full) {
  const FamilyDesc* family = find_family("gemm");
  RIDGE_TRY(
      const Params params,
      resolve_params(family->params(), {{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}}, "gemm"));
  RIDGE_TRY(auto instance, make_instance(*family, params, 5, *device));
  RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance));
  return check_rung(&rung, full, to_string(params));
}

}  // namespace

TEST_CASE("what is listed is complete, or there is a reason") {
  std::string reason;
  const auto gpus = list_gpus(&reason);
  if (gpus.empty()) {
    CHECK(!reason.empty());
    CHECK(make_cuda_device(0).error().code == ErrorCode::unavailable);
    return;
  }
  for (const GpuInfo& gpu : gpus) {
    CHECK(!gpu.name.empty());
    CHECK(gpu.capability >= 50);
    CHECK(gpu.sm_count > 0);
    CHECK(gpu.l2_bytes > 0);
    CHECK(gpu.memory_bytes > int64_t{1} << 30);
    CHECK(!gpu.driver.empty());
  }
  CHECK(make_cuda_device(999).error().code == ErrorCode::unavailable);
}

TEST_CASE("one worker at a time holds a GPU") {
  const std::string name = "test-" + std::to_string(getpid());
  const GpuLock mine(name), theirs(name);
  std::atomic<bool> entered = false;
  std::thread other;
  {
    const GpuLock::Hold hold(mine);
    other = std::thread([&] {
      const GpuLock::Hold waits(theirs);
      entered = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(!entered);
  }
  other.join();
  CHECK(entered);
  unlink(("/tmp/ridgepoint-gpu-" + name + ".lock").c_str());
}

TEST_CASE("device memory keeps what it is given, at any address and length") {
  Device* device = gpu();
  if (!device) return;
  std::vector<unsigned char> bytes(100'003), back(bytes.size());
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  Block block(device, bytes.size());
  CHECK(reinterpret_cast<uintptr_t>(block.pointer) % 256 == 0);
  REQUIRE(device->upload(block.pointer, bytes.data(), bytes.size()).ok());
  REQUIRE(device->download(back.data(), block.pointer, back.size()).ok());
  CHECK(back == bytes);

  for (const size_t offset : {size_t{0}, size_t{1}, size_t{6}}) {
    for (const size_t length : {size_t{1}, size_t{4}, size_t{7}, size_t{70'001}}) {
      REQUIRE(device->upload(block.pointer, bytes.data(), bytes.size()).ok());
      REQUIRE(device->fill(static_cast<char*>(block.pointer) + offset, 0x44332211u, length).ok());
      REQUIRE(device->download(back.data(), block.pointer, back.size()).ok());
      auto expected = bytes;
      for (size_t i = 0; i < length; ++i)
        expected[offset + i] = static_cast<unsigned char>(0x11 * (1 + i % 4));
      CHECK(back == expected);
    }
  }
  const auto too_much = device->allocate(size_t{1} << 50);
  REQUIRE(!too_much.ok());
  CHECK(too_much.error().code == ErrorCode::unavailable);
  CHECK(device->synchronize().ok());  // the failure left nothing behind
}

namespace {

std::vector<std::string> dtypes_of(const KernelDesc& kernel) {
  std::istringstream list(kernel.dtypes);
  return {std::istream_iterator<std::string>(list), {}};
}

/// On awkward shapes, and with over 65535 tiles along either side, where a grid's second dimension
/// would end.
void check_type(const KernelDesc& kernel, const std::string& dtype, FullChecks* checks,
                Device* device) {
  INFO(kernel.id << " " << dtype);
  const auto check =
      checks->get(kernel, *find_family("gemm"), {{"dtype", dtype}}, device, Observer());
  // A library's older GPUs, and older tensor cores, do not know every type: they have to say so.
  if (!check && check.error().code != ErrorCode::worker && capability() < 90)
    RIDGE_SKIP(kernel.id << " " << dtype << ": " << check.error().sentence());
  if (!check) FAIL(check.error().sentence());
  INFO(check->what << ": " << check->reason);
  CHECK(check->passed);
  for (const auto& [m, n] : {std::pair{int64_t{2'100'000}, int64_t{3}}, {int64_t{3}, 2'100'000}}) {
    const auto large = check_gemm(kernel, device, m, n, 5, dtype, false);
    if (!large) FAIL(large.error().sentence());
    INFO(large->what << ": " << large->reason);
    CHECK(large->passed);
  }
}

}  // namespace

TEST_CASE("every CUDA GEMM rung passes the gate on awkward shapes") {
  Device* device = gpu();
  if (!device) return;
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "gemm") continue;
    if (kernel->arch > capability()) continue;
    for (const std::string& dtype : dtypes_of(*kernel)) check_type(*kernel, dtype, &checks, device);
    ++tested;
  }
  CHECK(tested >= 3);
}

TEST_CASE("the fastest of several ways is found by graphs in rounds") {
  if (!gpu()) return;
  // Ways that fill so many bytes of one buffer; the fourth always fails.
  struct Fills {
    void* memory = nullptr;
    size_t bytes[5] = {64 << 20, 40 << 20, 8 << 20, 1, 16 << 20};
    int calls[5] = {};
  } fills;
  REQUIRE(cudaMalloc(&fills.memory, fills.bytes[0]) == cudaSuccess);
  const auto fill = [](void* context, int index, cudaStream_t stream) -> Status {
    auto* one = static_cast<Fills*>(context);
    ++one->calls[index];
    if (index == 3) return {.what = "no such way"};
    RIDGE_CUDA_CHECK(cudaMemsetAsync(one->memory, index, one->bytes[index], stream));
    return {};
  };
  for (int again = 0; again < 5; ++again) {
    blas::Choice choice;
    REQUIRE(blas::fastest_of(5, fill, &fills, &choice).ok());
    CHECK(choice.index == 2);
    CHECK(choice.tried == 5);
  }
  CHECK(fills.calls[3] == 5);  // asked once each time, and passed over
  blas::Choice only;
  REQUIRE(blas::fastest_of(1, fill, &fills, &only).ok());
  CHECK(only.index == 0);
  cudaFree(fills.memory);
}

TEST_CASE("cuBLASLt says which algorithm it took, of how many tried, and takes it again") {
  if (!gpu()) return;
  for (const char* id : {"gemm.cuda.cublaslt", "gemm.cuda.cublaslt_promoted"}) {
    const KernelDesc* peer = find_kernel(id);
    REQUIRE(peer != nullptr);
    if (peer->arch > capability()) continue;
    Shape shape = {.dim = {2048, 2048, 2048}};
    shape.dtype = peer->arch >= 89 ? DType::fp8 : DType::fp16;
    std::map<std::string, int> notes;
    for (int again = 0; again < 5; ++again) {
      Plan plan;
      REQUIRE(peer->prepare(shape, &plan).ok());
      int index = 0, tried = 0;
      INFO(plan.note);
      CHECK(std::sscanf(plan.note, "algorithm %d of %d tried: id", &index, &tried) == 2);
      CHECK(index >= 1);
      CHECK(index <= tried);
      ++notes[plan.note];
      plan.release(plan.state);
    }
    // Algorithms that are as fast may change places; the choice is no lottery.
    for (const auto& [note, count] : notes) WARN(id << ": " << count << " of 5: " << note);
    CHECK(notes.size() <= 3);
  }
}

/// For compute-sanitizer, which slows shared memory a hundredfold: few shapes, but a ring of stages
/// goes round more than once, and persistent blocks take more than one tile. Libraries are not ours
/// to check. RIDGE_SANITIZE in the environment names one rung, so that a run can be split.
TEST_CASE("every own CUDA GEMM rung runs under the sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  if (!device) return;
  constexpr int64_t kShapes[][3] = {{1, 1, 1}, {129, 127, 65}, {300, 520, 600}, {4300, 1100, 72}};
  const char* only = std::getenv("RIDGE_SANITIZE");
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "gemm") continue;
    if (kernel->arch > capability() || kernel->library) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    ++tested;
    for (const std::string& dtype : dtypes_of(*kernel)) {
      for (const auto& [m, n, k] : kShapes) {
        INFO(kernel->id << " " << dtype << " " << m << " x " << n << " x " << k);
        const auto check = check_gemm(*kernel, device, m, n, k, dtype, false);
        if (!check) FAIL(check.error().sentence());
        CHECK(check->passed);
      }
    }
    std::printf("%s\n", kernel->id);
    std::fflush(stdout);
  }
  CHECK(tested >= 1);
}

TEST_CASE("every CUDA probe did the work that its ceiling counts") {
  Device* device = gpu();
  if (!device) return;
  const FamilyDesc* family = find_family("probe");
  REQUIRE(family != nullptr);
  for (const CeilingRow& row : ceiling_rows()) {
    if (row.backend != Backend::cuda) continue;
    for (const auto& [id, what] : row.choices) {
      const KernelDesc* kernel = find_kernel(id);
      const std::string dtype = std::string(row.dtype).empty() ? "fp32" : row.dtype;
      INFO(id << " " << dtype);
      if (!kernel || !check_supported(*kernel, {{"dtype", dtype}}, *device)) {
        RIDGE_SKIP_NOTE(id << " " << dtype << " does not run here");
        continue;
      }
      for (const int64_t units : {int64_t{1}, int64_t{301}}) {
        const auto params = resolve_params(
            family->params(), {{"what", std::string(what)}, {"units", units}, {"dtype", dtype}},
            "probe");
        REQUIRE(params.ok());
        auto instance = make_instance(*family, *params, 3, *device);
        REQUIRE(instance.ok());
        auto rung = make_ready(*kernel, device, *instance);
        REQUIRE(rung.ok());
        const auto check = check_rung(&*rung, true, what);
        if (!check && dtype == "fp8" && capability() < 89) continue;
        if (!check) FAIL(check.error().sentence());
        INFO(check->reason << " nmse " << check->nmse);
        CHECK(check->passed);
      }
    }
  }
}

// ---- planted wrong kernels -------------------------------------------------------------------------

namespace {

/// cuBLAS on the first `k` of the products, in a given arithmetic.
Status sgemm(const Launch& launch, int64_t k, cublasComputeType_t compute) {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    return made;
  }();
  const Gemm g = gemm_of(launch);
  const float one = 1, zero = 0;
  cublasSetStream(handle, stream_of(launch));
  const auto status = cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, g.n, g.m, k, &one, g.b,
                                      CUDA_R_32F, g.n, g.a, CUDA_R_32F, g.k, &zero, g.c, CUDA_R_32F,
                                      g.n, compute, CUBLAS_GEMM_DEFAULT);
  if (status != CUBLAS_STATUS_SUCCESS)
    return {cublasGetStatusString(status), "sgemm", "", 0, false};
  return {};
}

size_t c_bytes(const Gemm& g) {
  return static_cast<size_t>(g.m * g.n) * sizeof(float);
}

Status launch_honest(const Launch& l) {
  return sgemm(l, gemm_of(l).k, CUBLAS_COMPUTE_32F);
}
Status launch_nan(const Launch& l) {
  const Status status = launch_honest(l);
  RIDGE_CUDA_CHECK(cudaMemsetAsync(gemm_of(l).c, 0xff, sizeof(float), stream_of(l)));
  return status;
}
Status launch_zeros(const Launch& l) {
  RIDGE_CUDA_CHECK(cudaMemsetAsync(gemm_of(l).c, 0, c_bytes(gemm_of(l)), stream_of(l)));
  return {};
}
Status launch_nothing(const Launch&) {
  return {};
}
Status launch_dropped_k(const Launch& l) {
  return sgemm(l, gemm_of(l).k - 1, CUBLAS_COMPUTE_32F);
}
Status launch_tf32(const Launch& l) {
  return sgemm(l, gemm_of(l).k, CUBLAS_COMPUTE_32F_FAST_TF32);
}
Status launch_past_end(const Launch& l) {
  const Status status = launch_honest(l);
  const Gemm g = gemm_of(l);
  RIDGE_CUDA_CHECK(cudaMemsetAsync(g.c + g.m * g.n, 0, sizeof(float), stream_of(l)));
  return status;
}

}  // namespace

TEST_CASE("the gate refuses wrong CUDA kernels") {
  Device* device = gpu();
  if (!device) return;
  const auto passed = [&](const char* id, Status (*launch)(const Launch&)) {
    const KernelDesc kernel = {.id = id, .backend = Backend::cuda, .launch = launch};
    const auto check = check_gemm(kernel, device, 512, 512, 512, "fp32", false);
    if (!check) FAIL(check.error().sentence());
    return check->passed;
  };
  CHECK(passed("gemm.cuda.honest", launch_honest));
  CHECK(!passed("gemm.cuda.nan", launch_nan));
  CHECK(!passed("gemm.cuda.zeros", launch_zeros));
  CHECK(!passed("gemm.cuda.nothing", launch_nothing));
  CHECK(!passed("gemm.cuda.dropped_k", launch_dropped_k));
  CHECK(!passed("gemm.cuda.past_end", launch_past_end));
  if (capability() >= 80) CHECK(!passed("gemm.cuda.tf32", launch_tf32));
}

TEST_CASE("a lost context is told from an ordinary error", "[.sticky]") {
  Device* device = gpu();
  if (!device) return;
  Block block(device, 4096);
  auto launch = block.launch(device, 4096);
  void* nowhere = reinterpret_cast<void*>(uintptr_t{256});
  launch.buffers = &nowhere;
  Side side;
  side.kernel = &kFill;
  side.launch = launch;
  const auto lost = device->call(side);
  REQUIRE(!lost.ok());
  CHECK(lost.error().code == ErrorCode::worker);
  CHECK(device->synchronize().error().code == ErrorCode::worker);
}

TEST_CASE("a lost context is told from an ordinary error, in a process of its own") {
  if (!gpu()) return;
  char path[4096] = "";
  REQUIRE(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
  CHECK(std::system(("'" + std::string(path) + "' '[.sticky]' >/dev/null").c_str()) == 0);
}
