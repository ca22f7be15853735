// The puzzles' references on a GPU, through the real gate: what a CPU counted there is right here. What needs a GPU says why
// it was skipped where there is none.
#include <cstdlib>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

std::vector<const KernelDesc*> puzzles() {
  std::vector<const KernelDesc*> found;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "puzzles") continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    found.push_back(kernel);
  }
  return found;
}

/// At its usual size, where `n` is 0.
Params params_of(const KernelDesc& kernel, int64_t n) {
  const FamilyDesc& family = *find_family("puzzles");
  const Params given = n > 0 ? Params{{"n", n}} : Params();
  const auto full = resolve_params(family.params_of(kernel.id), given, family.name);
  REQUIRE(full);
  return *full;
}

void check_all(const std::vector<int64_t>& sizes, Device* device) {
  for (const KernelDesc* kernel : puzzles()) {
    for (const int64_t n : sizes) {
      const Params params = params_of(*kernel, n);
      INFO(kernel->id << " " << to_string(params));
      auto instance = make_instance(*find_family("puzzles"), params, 1, *device);
      REQUIRE(instance);
      auto rung = make_ready(*kernel, device, *instance);
      REQUIRE(rung);
      const auto check = check_rung(&*rung, true, "test");
      REQUIRE(check);
      INFO(check->reason);
      CHECK(check->passed);
    }
  }
}

}  // namespace

TEST_CASE(
    "every puzzle's reference is right on a GPU, at its own size, at awkward ones and at a large "
    "one") {
  Device* device = gpu();
  if (!device) return;
  CHECK(puzzles().size() == 25);
  FullChecks checks;
  for (const KernelDesc* kernel : puzzles()) {
    const auto full =
        checks.get(*kernel, *find_family("puzzles"), params_of(*kernel, 0), device, Observer());
    INFO(kernel->id);
    REQUIRE(full);
    INFO(full->reason);
    CHECK(full->passed);
  }
  check_all({0, 257, 1000}, device);
}

TEST_CASE("small puzzles for compute-sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  REQUIRE(device);
  check_all({33, 70}, device);
}
