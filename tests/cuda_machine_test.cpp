// The GPU rungs of "Reading a machine" through the real gate. What needs a GPU says why it was skipped where there is
// none.
#include <cstdlib>
#include <map>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

/// What the families' awkward sizes leave out, each with what its GPU rungs ask for.
const std::map<std::string_view, std::vector<Params>> kMore = {
    {"chains",
     {{{"width", int64_t{32}}, {"chains", int64_t{13}}},
      {{"width", int64_t{32}}, {"chains", int64_t{32}}}}},
    {"chase",
     {{{"kib", int64_t{64}}, {"chases", int64_t{1024}}},
      {{"kib", int64_t{37}}, {"chases", int64_t{97}}},
      {{"kib", int64_t{65'536}}, {"chases", int64_t{33}}}}},
    {"sums", {{{"kib", int64_t{65'536}}}, {{"kib", int64_t{65'539}}, {"stride", int64_t{7}}}}},
    {"roofline",
     {{{"kib", int64_t{65'536}}, {"fmas", int64_t{7}}},
      {{"kib", int64_t{65'539}}, {"fmas", int64_t{256}}}}}};

const std::map<std::string_view, std::vector<Params>> kSmall = {
    {"chains", {{{"width", int64_t{32}}, {"chains", int64_t{3}}}}},
    {"chase", {{{"kib", int64_t{5}}, {"chases", int64_t{67}}}}},
    {"sums", {{{"kib", int64_t{3}}, {"stride", int64_t{7}}}, {{"kib", int64_t{2049}}}}},
    {"roofline",
     {{{"kib", int64_t{1}}, {"fmas", int64_t{3}}}, {{"kib", int64_t{37}}, {"fmas", int64_t{9}}}}}};

std::vector<const KernelDesc*> rungs() {
  std::vector<const KernelDesc*> found;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || !kMore.contains(family_of(kernel->id))) continue;
    if (kernel->arch > capability()) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    found.push_back(kernel);
  }
  return found;
}

Result<ReadyRung> ready(const KernelDesc& kernel, const Params& params, Device* device) {
  const FamilyDesc& family = *find_family(family_of(kernel.id));
  RIDGE_TRY(const Params full, resolve_params(family.params(), params, family.name));
  RIDGE_TRY(auto instance, make_instance(family, full, 1, *device));
  return make_ready(kernel, device, instance);
}

void check_all(const std::map<std::string_view, std::vector<Params>>& sizes, Device* device) {
  for (const KernelDesc* kernel : rungs()) {
    for (const Params& params : sizes.at(family_of(kernel->id))) {
      INFO(kernel->id << " " << to_string(params));
      auto rung = ready(*kernel, params, device);
      if (!rung) FAIL(rung.error().sentence());
      const auto check = check_rung(&*rung, true, "one size");
      if (!check) FAIL(check.error().sentence());
      INFO(check->reason << ", worst " << check->worst_bound_share);
      CHECK(check->passed);
    }
  }
}

}  // namespace

TEST_CASE("every CUDA rung of the machine lab is right at awkward sizes") {
  Device* device = gpu();
  if (!device) return;
  int tested = 0;
  for (const KernelDesc* kernel : rungs()) {
    INFO(kernel->id);
    const std::string_view family = family_of(kernel->id);
    Params params;
    if (family == "chains") params["width"] = int64_t{32};
    FullChecks checks;
    const auto check = checks.get(*kernel, *find_family(family), params, device, Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(check->what << ": " << check->reason << ", worst " << check->worst_bound_share);
    CHECK(check->passed);
    CHECK(check->checked > 100);
    ++tested;
  }
  CHECK(tested >= 1);
}

TEST_CASE("every CUDA rung of the machine lab is right where a CPU's rungs do not go") {
  Device* device = gpu();
  if (device) check_all(kMore, device);
}

TEST_CASE("a warp's chains are not a vector's") {
  Device* device = gpu();
  if (!device) return;
  for (const char* id : {"chains.cuda.one_chain", "chains.cuda.chains", "chains.cuda.warps"}) {
    const KernelDesc* kernel = find_kernel(id);
    REQUIRE(kernel);
    const auto rung = ready(*kernel, {{"width", int64_t{8}}}, device);
    REQUIRE_FALSE(rung.ok());
    CHECK(rung.error().sentence().find("width=32") != std::string::npos);
  }
}

/// Few lines: a chase alone of 2^18 steps is slow enough under compute-sanitizer.
TEST_CASE("small sizes for compute-sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  REQUIRE(device);
  check_all(kSmall, device);
}
