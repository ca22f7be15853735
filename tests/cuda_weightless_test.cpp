// The weightless lab's GPU rungs through the real gate: every prediction equal to the definition's. What
// needs a GPU says why it was skipped where there is none.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "kernels/runtime/cuda/nvrtc.h"
#include "kernels/runtime/weightless/network.h"
#include "kernels/weightless/lop3_source.h"
#include "tests/cuda_support.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

std::vector<const KernelDesc*> own_rungs() {
  std::vector<const KernelDesc*> rungs;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "weightless") continue;
    if (kernel->arch > capability()) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    rungs.push_back(kernel);
  }
  return rungs;
}

Result<QualityCheck> check_at(const KernelDesc& kernel, Device* device, const Params& wanted) {
  const FamilyDesc* family = find_family("weightless");
  RIDGE_TRY(const Params params, resolve_params(family->params(), wanted, "weightless"));
  RIDGE_TRY(auto instance, make_instance(*family, params, 5, *device));
  RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance));
  return check_rung(&rung, true, to_string(params));
}

LutModel model_of(const weightless::LutNetwork& n) {
  return {.luts = n.luts,
          .bits = n.bits,
          .features = n.features(),
          .luts_per_class = n.luts_per_class(),
          .thresholds = n.thresholds.data(),
          .wiring = n.wiring.data(),
          .tables = n.tables.data()};
}

}  // namespace

TEST_CASE(
    "every CUDA weightless rung predicts as the definition does, ties and odd sizes included") {
  Device* device = gpu();
  if (!device) return;
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : own_rungs()) {
    if (kernel->unavailable && kernel->unavailable()) {
      RIDGE_SKIP_NOTE(kernel->id << ": " << kernel->unavailable());
      continue;
    }
    for (const char* from : {"bits", "pixels"}) {
      INFO(kernel->id << " from " << from);
      const Params params = {{"from", std::string(from)}};
      const auto check =
          checks.get(*kernel, *find_family("weightless"), params, device, Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason);
      CHECK(check->passed);
      CHECK(check->checked > 5000);
    }
    ++tested;
  }
  CHECK(tested >= 2);
}

TEST_CASE("the MLP beside them takes the class that scores best, whatever is left of a piece") {
  Device* device = gpu();
  if (!device) return;
  const KernelDesc* kernel = find_kernel("mlp.cuda.cublaslt");
  REQUIRE(kernel != nullptr);
  FullChecks checks;
  const Params params = {{"dtype", std::string("bf16")}};
  const auto check = checks.get(*kernel, *find_family("mlp"), params, device, Observer());
  if (!check) FAIL(check.error().sentence());
  INFO(check->what << ": " << check->reason);
  CHECK(check->passed);
}

/// More planes than shared memory holds, tiles of 131,072 images and part of one, scores of more bits.
TEST_CASE("CUDA weightless rungs at sizes where what they keep on the chip ends") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : own_rungs()) {
    if (kernel->unavailable && kernel->unavailable()) continue;
    for (const char* from : {"bits", "pixels"}) {
      for (const auto& [luts, bits, images] :
           {std::tuple{int64_t{1500}, int64_t{8}, int64_t{1025}}, {20, 2, 262'145}}) {
        INFO(kernel->id << " from " << from << ", " << luts << " LUTs, " << images << " images");
        const auto check = check_at(*kernel, device,
                                    {{"luts", luts},
                                     {"bits", bits},
                                     {"images", images},
                                     {"epochs", int64_t{0}},
                                     {"from", std::string(from)}});
        if (!check) FAIL(check.error().sentence());
        INFO(check->what << ": " << check->reason);
        CHECK(check->passed);
      }
    }
  }
}

/// For compute-sanitizer: two small networks; blocks that are full and not, words beyond the last tile.
TEST_CASE("every own CUDA weightless rung runs under the sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  if (!device) return;
  int tested = 0;
  for (const KernelDesc* kernel : own_rungs()) {
    for (const char* from : {"bits", "pixels"}) {
      for (const auto& [luts, bits, images] :
           {std::tuple{int64_t{90}, int64_t{3}, int64_t{1537}}, {330, 8, 33}}) {
        INFO(kernel->id << " from " << from << ", " << luts << " LUTs");
        const auto check = check_at(*kernel, device,
                                    {{"luts", luts},
                                     {"bits", bits},
                                     {"images", images},
                                     {"epochs", int64_t{0}},
                                     {"from", std::string(from)}});
        if (!check) FAIL(check.error().sentence());
        CHECK(check->passed);
      }
    }
    ++tested;
    std::printf("%s\n", kernel->id);
    std::fflush(stdout);
  }
  CHECK(tested >= 1);
}

TEST_CASE("planes that a network reads: each once, one for equal features, the most read first") {
  weightless::LutNetwork network = weightless::random_network(20, 3, 4);
  for (int f = 0; f < 784; ++f)
    network.thresholds[size_t(3 * f + 1)] = network.thresholds[size_t(3 * f)];
  for (int j = 0; j < 20; ++j)
    network.wiring[size_t(6 * j)] = 31;  // pixel 10, level 1: as level 0, 30
  network.wiring[1] = 30;
  const LutModel model = model_of(network);
  const weightless::PlaneList list = weightless::planes_read(model);
  CHECK(list.feature[0] / 3 == 10);
  CHECK(list.plane_of[30] == 0);
  CHECK(list.plane_of[31] == 0);
  for (const uint16_t f : network.wiring) {
    const int plane = list.plane_of[f];
    REQUIRE(plane >= 0);
    const int same = list.feature[size_t(plane)];
    CHECK(same / 3 == f / 3);
    CHECK(network.thresholds[size_t(same)] == network.thresholds[f]);
  }
  const auto unread = std::count(list.plane_of.begin(), list.plane_of.end(), -1);
  CHECK(unread > 3 * 784 - 121);
}

TEST_CASE("NVRTC: what does not compile says so, in the compiler's words") {
  if (!gpu()) return;
  if (device::nvrtc_missing()) return;
  device::Program program;
  const Status status = device::compile_program("extern \"C\" __global__ void f() { nonsense(); }",
                                                {}, "f", &program);
  CHECK_FALSE(status.ok());
  CHECK(std::string(status.what).find("nonsense") != std::string::npos);
}
