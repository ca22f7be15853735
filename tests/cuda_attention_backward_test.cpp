// The GPU's rungs of attention's gradients through the real gate. What needs a GPU says why it was skipped where
// there is none.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

const FamilyDesc& family() {
  return *find_family("attention_backward");
}

/// Ours that run here; RIDGE_SANITIZE names one.
std::vector<const KernelDesc*> own_rungs() {
  std::vector<const KernelDesc*> rungs;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "attention_backward") continue;
    if (kernel->library || kernel->arch > capability()) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    rungs.push_back(kernel);
  }
  return rungs;
}

Result<QualityCheck> check_at(const KernelDesc& kernel, Device* device, const Params& wanted,
                              bool full) {
  RIDGE_TRY(const Params params, resolve_params(family().params(), wanted, "attention_backward"));
  RIDGE_TRY(auto instance, make_instance(family(), params, 5, *device));
  RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance));
  return check_rung(&rung, full, to_string(params));
}

}  // namespace

TEST_CASE("every CUDA backward rung passes the gate: types, head sizes, mask") {
  Device* device = gpu();
  if (!device) return;
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : own_rungs()) {
    ++tested;
    const std::string_view dtypes = kernel->dtypes;
    for (const char* dtype : {"bf16", "fp16", "fp32"}) {
      if (dtypes.find(dtype) == std::string_view::npos) continue;
      for (const int64_t d : {64, 128, 40}) {
        if (dtypes.find("fp32") == std::string_view::npos && d == 40) continue;
        for (const char* causal : {"no", "yes"}) {
          INFO(kernel->id << ", " << dtype << ", d = " << d << ", causal " << causal);
          const Params params = {
              {"dtype", std::string(dtype)}, {"d", d}, {"causal", std::string(causal)}};
          const auto check = checks.get(*kernel, family(), params, device, Observer());
          if (!check) FAIL(check.error().sentence());
          INFO(check->what << ": " << check->reason);
          CHECK(check->passed);
        }
      }
    }
  }
  CHECK(tested >= 1);
}

/// More blocks than SMs, heads in several groups, shared keys, sequences that no tile divides.
TEST_CASE("CUDA backward rungs with many blocks") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : own_rungs()) {
    for (const auto& [sequence, batch, heads, kv, d] :
         {std::tuple{int64_t{1153}, int64_t{5}, int64_t{12}, int64_t{4}, int64_t{128}},
          {1153, 2, 26, 13, 64},
          {100, 40, 12, 12, 128}}) {
      for (const char* causal : {"no", "yes"}) {
        const auto check = check_at(*kernel, device,
                                    {{"sequence", sequence},
                                     {"batch", batch},
                                     {"heads", heads},
                                     {"heads_kv", kv},
                                     {"d", d},
                                     {"causal", std::string(causal)},
                                     {"dtype", std::string("bf16")}},
                                    false);
        if (!check) FAIL(check.error().sentence());
        INFO(kernel->id << ", " << check->what << ": " << check->reason);
        CHECK(check->passed);
      }
    }
  }
}

/// For compute-sanitizer: every rung in each of its types; one tile, several, a mask, shared keys.
TEST_CASE("every own CUDA backward rung runs under the sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  if (!device) return;
  int tested = 0;
  for (const KernelDesc* kernel : own_rungs()) {
    std::istringstream dtypes(kernel->dtypes);
    for (std::string dtype; dtypes >> dtype;) {
      for (const auto& [sequence, d] : {std::pair{int64_t{77}, int64_t{128}}, {301, 64}}) {
        for (const char* causal : {"no", "yes"}) {
          const Params params = {{"sequence", sequence},          {"heads", int64_t{2}},
                                 {"heads_kv", int64_t{1}},        {"d", d},
                                 {"causal", std::string(causal)}, {"dtype", dtype}};
          INFO(kernel->id << ", " << to_string(params));
          const auto check = check_at(*kernel, device, params, true);
          if (!check) FAIL(check.error().sentence());
          CHECK(check->passed);
        }
      }
    }
    ++tested;
    std::printf("%s\n", kernel->id);
    std::fflush(stdout);
  }
  CHECK(tested >= 1);
}
