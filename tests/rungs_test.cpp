// Every CPU rung of the worker through the real gate: awkward shapes, three seeds, every element
// against float64, and one shape larger than any block or tile.
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/record/params.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

/// Shapes beyond the family's awkward ones: more than one cache block with ragged ends.
const std::vector<Params> kLarger = {
    {{"m", int64_t{70}}, {"n", int64_t{1031}}, {"k", int64_t{263}}},
    {{"m", int64_t{257}}, {"n", int64_t{513}}, {"k", int64_t{129}}},
    // More than one block of k (1024 and 2048 steps) and of n (2048 columns), last blocks odd.
    {{"m", int64_t{19}}, {"n", int64_t{2083}}, {"k", int64_t{1031}}, {"threads", int64_t{2}}},
    {{"m", int64_t{61}}, {"n", int64_t{47}}, {"k", int64_t{2053}}},
    // Few rows, few columns, and rows that fall into the same sets of a cache.
    {{"m", int64_t{5}}, {"n", int64_t{700}}, {"k", int64_t{515}}, {"threads", int64_t{2}}},
    {{"m", int64_t{75}}, {"n", int64_t{3}}, {"k", int64_t{1030}}},
    {{"m", int64_t{33}}, {"n", int64_t{40}}, {"k", int64_t{1024}}, {"threads", int64_t{2}}}};

/// "fp32" of "fp32 bf16": what the others share with it is the code.
std::string first_dtype(const KernelDesc& kernel) {
  const std::string names = kernel.dtypes;
  return names.substr(0, names.find(' '));
}

}  // namespace

TEST_CASE("every CPU GEMM rung passes the gate on awkward shapes") {
  auto device = make_cpu_device();
  REQUIRE(device.ok());
  const FamilyDesc* family = find_family("gemm");
  REQUIRE(family != nullptr);
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "gemm") continue;
    std::string reason;
    if (!isa_available(kernel->isa, &reason)) continue;
    if (kernel->unavailable != nullptr && kernel->unavailable() != nullptr) continue;
    INFO(kernel->id);
    const Params dtype = {{"dtype", first_dtype(*kernel)}};
    const auto check = checks.get(*kernel, *family, dtype, device->get(), Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(check->what << ": " << check->reason);
    CHECK(check->passed);
    CHECK(check->checked > 100'000);

    for (Params shape : kLarger) {
      shape.insert(dtype.begin(), dtype.end());
      INFO(to_string(shape));
      const auto params = resolve_params(family->params(), shape, family->name);
      REQUIRE(params.ok());
      auto instance = make_instance(*family, *params, 7, **device);
      REQUIRE(instance.ok());
      auto rung = make_ready(*kernel, device->get(), *instance);
      REQUIRE(rung.ok());
      const auto larger = check_rung(&*rung, true, to_string(shape));
      REQUIRE(larger.ok());
      INFO(larger->what << ": " << larger->reason);
      CHECK(larger->passed);
    }
    ++tested;
  }
  CHECK(tested >= 4);
}
