// Every CPU rung of the worker through the real gate: awkward shapes, three seeds, every element
// against float64, and one shape larger than any block or tile.
#include "common/kernel/registry.h"
#include "common/measure/gate.h"
#include "common/measure/isa.h"
#include "common/record/params.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

/// Shapes beyond the family's awkward ones: more than one cache block with ragged ends.
const std::vector<Params> kLarger = {
    {{"m", int64_t{70}}, {"n", int64_t{1031}}, {"k", int64_t{263}}},
    {{"m", int64_t{257}}, {"n", int64_t{513}}, {"k", int64_t{129}}}};

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
    INFO(kernel->id);
    const auto check = checks.get(*kernel, *family, {}, device->get(), Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(check->what << ": " << check->reason);
    CHECK(check->passed);
    CHECK(check->checked > 100'000);

    for (const Params& shape : kLarger) {
      const auto params = resolve_params(family->params(), shape, family->name);
      REQUIRE(params.ok());
      auto posed = pose(*family, *params, 7, **device);
      REQUIRE(posed.ok());
      auto rung = make_ready(*kernel, device->get(), *posed);
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
