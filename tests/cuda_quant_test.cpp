// The decode rungs of the quantization lab through the real gate. What needs a GPU says why it was skipped where there
// is none.
#include <cstdlib>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

/// Those of gemv that run here, peers included; RIDGE_SANITIZE names one.
std::vector<const KernelDesc*> gemv_rungs() {
  std::vector<const KernelDesc*> rungs;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "gemv") continue;
    if (kernel->may_sync || kernel->arch > capability()) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    rungs.push_back(kernel);
  }
  return rungs;
}

Result<QualityCheck> check_at(const KernelDesc& kernel, Device* device, Params wanted, bool full) {
  const FamilyDesc* family = find_family("gemv");
  wanted["dtype"] = std::string(kernel.dtypes);
  RIDGE_TRY(const Params params, resolve_params(family->params(), wanted, "gemv"));
  RIDGE_TRY(auto instance, make_instance(*family, params, 5, *device));
  RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance));
  return check_rung(&rung, full, to_string(params));
}

/// cuBLASLt has no fp8 product for some shapes, and says so.
bool is_refused_by_library(const KernelDesc& kernel, const Error& error) {
  return kernel.library != nullptr &&
         error.sentence().find("has no algorithm for this type") != std::string::npos;
}

}  // namespace

TEST_CASE("every CUDA decode rung passes the gate at awkward shapes") {
  Device* device = gpu();
  if (!device) return;
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : gemv_rungs()) {
    ++tested;
    const Params params = {{"dtype", std::string(kernel->dtypes)}};
    const auto check = checks.get(*kernel, *find_family("gemv"), params, device, Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(kernel->id << ", " << check->what << ": " << check->reason);
    CHECK(check->passed);
  }
  CHECK(tested >= 1);
}

/// Shares of an uneven number of rows for each SM, several tiles a block, columns that no stage divides.
TEST_CASE("CUDA decode rungs with many rows and long ones") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : gemv_rungs()) {
    for (const auto& [batch, n, k] : {std::tuple{int64_t{1}, int64_t{14336}, int64_t{4096}},
                                      {1, 4097, 14336},
                                      {7, 6007, 4224},
                                      {16, 2113, 1408}}) {
      const auto check =
          check_at(*kernel, device, {{"batch", batch}, {"n", n}, {"k", k}, {"copies", int64_t{3}}},
                   batch * n < 20'000);
      if (!check && is_refused_by_library(*kernel, check.error())) continue;
      if (!check) FAIL(check.error().sentence());
      INFO(kernel->id << ", " << check->what << ": " << check->reason);
      CHECK(check->passed);
    }
  }
}

TEST_CASE("products of many rows, and rungs for decoding that refuse them in a sentence") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : gemv_rungs()) {
    for (const char* epilogue : {"fused", "none"}) {
      for (const auto& [batch, n, k] : {std::tuple{int64_t{129}, int64_t{257}, int64_t{384}},
                                        {33, 2113, 1408},
                                        {64, 130, 128},
                                        {700, 1000, 1152},
                                        {2049, 3080, 640}}) {
        const auto check = check_at(*kernel, device,
                                    {{"batch", batch},
                                     {"n", n},
                                     {"k", k},
                                     {"copies", int64_t{2}},
                                     {"epilogue", std::string(epilogue)}},
                                    false);
        INFO(kernel->id);
        if (!check) {
          CHECK(check.error().sentence().find("takes at most ") != std::string::npos);
          CHECK(check.error().sentence().find(" rows of x") != std::string::npos);
          continue;
        }
        INFO(check->what << ": " << check->reason);
        CHECK(check->passed);
      }
    }
  }
}

/// Few launches of every rung of ours, for compute-sanitizer: RIDGE_SANITIZE=block_ring_int4 names one.
TEST_CASE("CUDA decode rungs under a sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : gemv_rungs()) {
    if (kernel->library != nullptr) continue;
    for (const auto& [batch, n, k] :
         {std::tuple{int64_t{1}, int64_t{2500}, int64_t{640}}, {11, 150, 2176}}) {
      const auto check = check_at(
          *kernel, device, {{"batch", batch}, {"n", n}, {"k", k}, {"copies", int64_t{2}}}, true);
      if (!check) FAIL(check.error().sentence());
      INFO(kernel->id << ", " << check->what << ": " << check->reason);
      CHECK(check->passed);
    }
  }
}
