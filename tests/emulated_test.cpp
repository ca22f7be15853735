// CUDA rungs on the CPU: they run right, and what they are counted by is what a count by hand gives.
#include <string>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "tests/catch.h"
#include "tests/family_problem.h"
#include "worker/emulated/emulated_rung.h"

using namespace ridge;
using namespace ridge::test;

namespace {

worker::EmulatedCall call_of(const std::string& kernel, const Params& given) {
  INFO(kernel);
  const auto rung = worker::EmulatedRung::build(kernel);
  INFO((rung ? "" : rung.error().sentence()));
  REQUIRE(rung);
  const FamilyDesc* family = find_family(kernel.substr(0, kernel.find('.')));
  REQUIRE(family);
  const auto params = resolve_params(family->params(), given, kernel);
  REQUIRE(params);
  const auto call = (*rung)->call(*family, *params, cpu());
  INFO((call ? "" : call.error().sentence()));
  REQUIRE(call);
  INFO(call->check.reason);
  CHECK(call->check.passed);
  return *call;
}

}  // namespace

TEST_CASE("GEMM's fp32 ladder runs right, at a whole size and at an edge") {
  for (const char* rung : {"naive", "coalesced", "shared_tile", "register_tile_1d", "register_tile_2d", "vectorised",
                           "cp_async", "warp_tile"}) {
    for (const int64_t n : {128, 77}) call_of("gemm.cuda." + std::string(rung), {{"n", n}});
  }
}
