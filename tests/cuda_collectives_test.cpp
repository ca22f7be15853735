// The collectives' GPU rungs through the real gate, on as many GPUs as this machine has. What needs two of them says why it
// was skipped.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

int gpus_here() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// Those that can run here, the library among them; RIDGE_SANITIZE names one.
std::vector<const KernelDesc*> rungs() {
  std::vector<const KernelDesc*> found;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "collectives") continue;
    if (kernel->unavailable && kernel->unavailable()) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    found.push_back(kernel);
  }
  return found;
}

void check_at(const KernelDesc& kernel, int64_t ranks, int64_t count) {
  Device* device = gpu();
  const Params given = {{"ranks", ranks}, {"bytes", 4 * count}};
  const FamilyDesc* family = find_family("collectives");
  const auto params = resolve_params(family->params(), given, kernel.id);
  REQUIRE(params);
  INFO(kernel.id << " " << to_string(*params));
  auto instance = make_instance(*family, *params, 3, *device);
  REQUIRE(instance.ok());
  auto rung = make_ready(kernel, device, *instance);
  INFO((rung.ok() ? "" : rung.error().sentence()));
  REQUIRE(rung.ok());
  // Again and again: what one call leaves behind, signals and slots, is what the next begins with.
  for (int call = 0; call < 4; ++call) CHECK(check_rung(&*rung, true, "again")->passed);
}

}  // namespace

TEST_CASE("every GPU collective adds up at awkward sizes, with every number of ranks") {
  if (!gpu()) return;
  if (gpus_here() < 2) RIDGE_SKIP("a collective needs two GPUs");
  const int most = std::min<int>(gpus_here(), 8);
  int tested = 0;
  FullChecks checks;
  for (const KernelDesc* kernel : rungs()) {
    for (int64_t ranks = 2; ranks <= most; ++ranks) {
      INFO(kernel->id << " " << ranks << " ranks");
      const Params params = {{"ranks", ranks}};
      const auto check =
          checks.get(*kernel, *find_family("collectives"), params, gpu(), Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason);
      CHECK(check->passed);
      check_at(*kernel, ranks, 131'072);
      ++tested;
    }
    if (!std::string_view(kernel->id).ends_with("one_shot")) check_at(*kernel, most, 5'000'003);
  }
  CHECK(tested >= 6 * (most - 1));
}

TEST_CASE("more ranks than GPUs, and other operations, are refused in a sentence") {
  Device* device = gpu();
  if (!device) return;
  if (gpus_here() < 2) RIDGE_SKIP("a collective needs two GPUs");
  const FamilyDesc* family = find_family("collectives");
  for (const Params& given :
       {Params{{"ranks", int64_t{8}}}, Params{{"op", std::string("broadcast")}}}) {
    if (gpus_here() >= 8 && given.contains("ranks")) continue;
    const auto params = resolve_params(family->params(), given, "two_shot");
    REQUIRE(params);
    auto instance = make_instance(*family, *params, 3, *device);
    REQUIRE(instance.ok());
    const auto rung = make_ready(*find_kernel("collectives.cuda.two_shot"), device, *instance);
    REQUIRE_FALSE(rung.ok());
    CHECK(rung.error().sentence().find("takes a") != std::string::npos);
  }
}

TEST_CASE("small collectives for compute-sanitizer", "[.sanitizer]") {
  REQUIRE(gpu());
  if (gpus_here() < 2) RIDGE_SKIP("a collective needs two GPUs");
  for (const KernelDesc* kernel : rungs()) {
    for (const int64_t count : {1, 4099}) check_at(*kernel, std::min<int>(gpus_here(), 4), count);
  }
}
