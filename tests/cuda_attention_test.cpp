// The attention lab's GPU rungs through the real gate. What needs a GPU says why it was skipped where there is
// none.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

/// Ours of a family that run here, and cuBLAS's stored scores; RIDGE_SANITIZE names one.
std::vector<const KernelDesc*> own_rungs(std::string_view family = "attention") {
  std::vector<const KernelDesc*> rungs;
  const char* only = std::getenv("RIDGE_SANITIZE");
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != family) continue;
    if (kernel->may_sync || kernel->arch > capability()) continue;
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    rungs.push_back(kernel);
  }
  return rungs;
}

bool on_tensor_cores(const KernelDesc& kernel) {
  return std::string_view(kernel.dtypes).find("fp32") == std::string_view::npos;
}

std::vector<std::string> types_of(const KernelDesc& kernel) {
  std::istringstream names(kernel.dtypes);
  return {std::istream_iterator<std::string>(names), {}};
}

/// fp8 for the rung that has nothing else.
std::string a_type_of(const KernelDesc& kernel) {
  return std::string_view(kernel.dtypes).find("bf16") == std::string_view::npos ? "fp8" : "bf16";
}

/// A library says in a sentence what it takes; a rung of ours takes every problem.
bool is_refused_by_library(const KernelDesc& kernel, const Error& error) {
  return kernel.library != nullptr && error.sentence().find(": takes ") != std::string::npos;
}

Result<QualityCheck> check_at(const KernelDesc& kernel, Device* device, const Params& wanted,
                              bool full) {
  const std::string name(family_of(kernel.id));
  const FamilyDesc* family = find_family(name);
  RIDGE_TRY(const Params params, resolve_params(family->params(), wanted, name));
  RIDGE_TRY(auto instance, make_instance(*family, params, 5, *device));
  RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance));
  return check_rung(&rung, full, to_string(params));
}

}  // namespace

TEST_CASE("every CUDA attention rung passes the gate: types, head sizes, mask") {
  Device* device = gpu();
  if (!device) return;
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : own_rungs()) {
    ++tested;
    for (const char* dtype : {"bf16", "fp16", "fp32", "fp8"}) {
      if (std::string_view(kernel->dtypes).find(dtype) == std::string_view::npos) continue;
      for (const int64_t d : {64, 128, 40, 256}) {
        if (on_tensor_cores(*kernel) && d != 64 && d != 128) continue;
        for (const char* causal : {"no", "yes"}) {
          INFO(kernel->id << ", " << dtype << ", d = " << d << ", causal " << causal);
          const Params params = {
              {"dtype", std::string(dtype)}, {"d", d}, {"causal", std::string(causal)}};
          const auto check =
              checks.get(*kernel, *find_family("attention"), params, device, Observer());
          if (!check) FAIL(check.error().sentence());
          INFO(check->what << ": " << check->reason);
          CHECK(check->passed);
        }
      }
    }
  }
  CHECK(tested >= 2);
}

/// More tiles than SMs, in several rounds; groups of heads that the L2 holds, the last one smaller; sequences
/// that no tile divides.
TEST_CASE("CUDA attention rungs with many tiles a block") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : own_rungs()) {
    if (!on_tensor_cores(*kernel)) continue;
    for (const auto& [sequence, batch, heads, kv, d] :
         {std::tuple{int64_t{1153}, int64_t{5}, int64_t{12}, int64_t{4}, int64_t{128}},
          {1153, 3, 26, 13, 64},
          {8191, 1, 14, 14, 128},
          {100, 40, 12, 12, 64}}) {
      for (const char* causal : {"no", "yes"}) {
        const auto check = check_at(*kernel, device,
                                    {{"sequence", sequence},
                                     {"batch", batch},
                                     {"heads", heads},
                                     {"heads_kv", kv},
                                     {"d", d},
                                     {"causal", std::string(causal)},
                                     {"dtype", a_type_of(*kernel)}},
                                    false);
        if (!check) FAIL(check.error().sentence());
        INFO(kernel->id << ", " << check->what << ": " << check->reason);
        CHECK(check->passed);
      }
    }
  }
}

TEST_CASE("scores that do not fit on the GPU are a sentence, and the fused rungs go on") {
  Device* device = gpu();
  if (!device) return;
  const Params params = {{"sequence", int64_t{65'536}},
                         {"heads", int64_t{64}},
                         {"heads_kv", int64_t{1}},
                         {"d", int64_t{64}},
                         {"dtype", std::string("bf16")}};
  const auto stored = check_at(*find_kernel("attention.cuda.stored"), device, params, false);
  REQUIRE_FALSE(stored.ok());
  CHECK(stored.error().what.find("the stored scores take 1024.0 GiB, and ") == 0);
}

TEST_CASE("every CUDA decode rung passes the gate: types, head sizes, pages, lengths") {
  Device* device = gpu();
  if (!device) return;
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : own_rungs("decode")) {
    ++tested;
    for (const char* dtype : {"bf16", "fp16", "fp32"}) {
      if (std::string_view(kernel->dtypes).find(dtype) == std::string_view::npos) continue;
      for (const int64_t d : {64, 128, 40, 256}) {
        if (on_tensor_cores(*kernel) && d != 64 && d != 128) continue;
        for (const auto& [page, lengths] :
             {std::pair{int64_t{0}, "equal"}, {0, "mixed"}, {16, "mixed"}, {64, "mixed"}}) {
          INFO(kernel->id << ", " << dtype << ", d = " << d << ", page " << page << ", "
                          << lengths);
          const Params params = {{"dtype", std::string(dtype)},
                                 {"d", d},
                                 {"page", page},
                                 {"lengths", std::string(lengths)}};
          const auto check =
              checks.get(*kernel, *find_family("decode"), params, device, Observer());
          if (!check && is_refused_by_library(*kernel, check.error())) continue;
          if (!check) FAIL(check.error().sentence());
          INFO(check->what << ": " << check->reason);
          CHECK(check->passed);
        }
      }
    }
  }
  CHECK(tested >= 2);
}

/// Fewer pieces than workers, many sequences, more keys than a part, and heads beyond 16 to a head of keys.
TEST_CASE("CUDA decode rungs with long and with many sequences") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : own_rungs("decode")) {
    for (const auto& [batch, length, heads, kv] :
         {std::tuple{int64_t{1}, int64_t{20'011}, int64_t{32}, int64_t{1}},
          {300, 100, 8, 2},
          {9, 3000, 20, 4},
          {2, 5, 1, 1}}) {
      for (const int64_t page : {0, 32}) {
        INFO(kernel->id << ", " << batch << " x " << length << ", page " << page);
        const auto check = check_at(*kernel, device,
                                    {{"batch", batch},
                                     {"length", length},
                                     {"heads", heads},
                                     {"heads_kv", kv},
                                     {"page", page},
                                     {"lengths", std::string("mixed")},
                                     {"dtype", std::string("bf16")}},
                                    true);
        if (!check && is_refused_by_library(*kernel, check.error())) continue;
        if (!check) FAIL(check.error().sentence());
        INFO(check->what << ": " << check->reason);
        CHECK(check->passed);
      }
    }
  }
}

/// For compute-sanitizer: every rung in each of its types; one tile, several, a mask, shared keys, pages.
TEST_CASE("every own CUDA attention rung runs under the sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  if (!device) return;
  int tested = 0;
  const auto run = [&](const KernelDesc& kernel, const Params& params) {
    INFO(kernel.id << ", " << to_string(params));
    const auto check = check_at(kernel, device, params, true);
    if (!check) FAIL(check.error().sentence());
    CHECK(check->passed);
    ++tested;
  };
  for (const KernelDesc* kernel : own_rungs()) {
    for (const std::string& dtype : types_of(*kernel)) {
      for (const auto& [sequence, d] : {std::pair{int64_t{77}, int64_t{128}}, {301, 64}}) {
        for (const char* causal : {"no", "yes"}) {
          run(*kernel, {{"sequence", sequence},
                        {"heads", int64_t{2}},
                        {"heads_kv", int64_t{1}},
                        {"d", d},
                        {"causal", std::string(causal)},
                        {"dtype", dtype}});
        }
      }
    }
    std::printf("%s\n", kernel->id);
    std::fflush(stdout);
  }
  for (const KernelDesc* kernel : own_rungs("decode")) {
    for (const std::string& dtype : types_of(*kernel)) {
      for (const auto& [page, d] : {std::pair{int64_t{0}, int64_t{128}}, {16, 64}}) {
        run(*kernel, {{"batch", int64_t{3}},
                      {"length", int64_t{603}},
                      {"heads", int64_t{4}},
                      {"heads_kv", int64_t{2}},
                      {"page", page},
                      {"d", d},
                      {"lengths", std::string("mixed")},
                      {"dtype", dtype}});
      }
    }
    std::printf("%s\n", kernel->id);
    std::fflush(stdout);
  }
  CHECK(tested >= 1);
}
