// The fusion lab's GPU rungs through the real gate. What needs a GPU says why it was skipped where there
// is none.
#include <cstdlib>
#include <set>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

const std::set<std::string_view> kFamilies = {"rows", "copy", "transpose", "chain"};

std::vector<const KernelDesc*> rungs() {
  std::vector<const KernelDesc*> found;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || !kFamilies.contains(family_of(kernel->id))) continue;
    if (kernel->arch > capability() || kernel->time_calls) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    found.push_back(kernel);
  }
  return found;
}

/// The choices that a family's rungs are tried with.
std::vector<Params> choices_of(const KernelDesc& kernel) {
  const std::string_view family = family_of(kernel.id);
  if (family == "chain") return {Params{}};
  std::vector<Params> all;
  for (const char* dtype : {"fp32", "bf16"}) {
    const Params params = {{"dtype", std::string(dtype)}};
    if (family != "rows") {
      all.push_back(params);
      continue;
    }
    for (const char* op : {"softmax", "layernorm", "rmsnorm", "gelu"}) {
      all.push_back(params);
      all.back()["op"] = std::string(op);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("every CUDA rung of the fusion lab is right at awkward sizes, in both types") {
  Device* device = gpu();
  if (!device) return;
  int tested = 0;
  for (const KernelDesc* kernel : rungs()) {
    for (const Params& params : choices_of(*kernel)) {
      INFO(kernel->id << " " << to_string(params));
      FullChecks checks;
      const auto check =
          checks.get(*kernel, *find_family(family_of(kernel->id)), params, device, Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason << ", worst " << check->worst_bound_share);
      CHECK(check->passed);
      ++tested;
    }
  }
  CHECK(tested >= 15);
}

TEST_CASE("a replayed graph follows its buffers, and repeats") {
  Device* device = gpu();
  if (!device) return;
  const FamilyDesc* family = find_family("chain");
  for (const char* id : {"chain.cuda.graph", "chain.cuda.overlapped", "chain.cuda.persistent"}) {
    const KernelDesc* kernel = find_kernel(id);
    if (!kernel || kernel->arch > capability()) continue;
    INFO(id);
    const auto params = resolve_params(family->params(), {}, "chain");
    auto instance = make_instance(*family, *params, 3, *device);
    REQUIRE(instance.ok());
    auto rung = make_ready(*kernel, device, *instance);
    REQUIRE(rung.ok());
    for (int i = 0; i < 3; ++i) CHECK(check_rung(&*rung, true, "again")->passed);
    auto other = make_ready(*kernel, device, *instance);  // a plan and buffers of its own
    REQUIRE(other.ok());
    CHECK(check_rung(&*other, true, "other buffers")->passed);
    std::swap(rung->buffers, other->buffers);
    CHECK(check_rung(&*rung, true, "buffers exchanged")->passed);
  }
}

/// compute-sanitizer slows shared memory a hundredfold: small shapes, one of each kind.
TEST_CASE("small shapes for compute-sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  REQUIRE(device);
  for (const KernelDesc* kernel : rungs()) {
    const std::string family(family_of(kernel->id));
    const bool chain = family == "chain";
    for (Params params : choices_of(*kernel)) {
      for (const int64_t n : {136, 257, 2048}) {
        params[chain ? "width" : "n"] = n;
        params[chain ? "height" : "m"] = int64_t{n == 2048 ? 24 : 40};
        const auto full = resolve_params(find_family(family)->params(), params, family);
        REQUIRE(full.ok());
        auto instance = make_instance(*find_family(family), *full, 1, *device);
        REQUIRE(instance.ok());
        auto rung = make_ready(*kernel, device, *instance);
        REQUIRE(rung.ok());
        INFO(kernel->id << " " << to_string(*full));
        CHECK(check_rung(&*rung, true, "small")->passed);
      }
    }
  }
}
