// CUDA rungs on the CPU: they run right, and what they are counted by is what a count by hand gives.
#include <set>
#include <string>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "tests/catch.h"
#include "tests/family_problem.h"
#include "worker/emulated/emulated_rung.h"

using namespace ridge;
using namespace ridge::test;
using emulated::FaultKind;
using emulated::Traffic;

namespace {

using Rung = std::shared_ptr<const worker::EmulatedRung>;

Rung rung_of(const std::string& kernel) {
  static std::map<std::string, Rung> built;
  if (built.contains(kernel)) return built[kernel];
  const auto rung = worker::EmulatedRung::build(kernel);
  INFO((rung ? "" : rung.error().sentence()));
  REQUIRE(rung);
  return built[kernel] = *rung;
}

/// "race rung.cu:12 rung.cu:14 thread 3 of block 0 ...", a line each.
std::string faults_of(const worker::EmulatedRung& rung, const std::vector<emulated::LaunchCounts>& launches) {
  std::string text;
  for (const auto& launch : launches) {
    for (const emulated::Fault& fault : launch.faults) {
      const auto lines = emulated::lines_of(rung.object(), {fault.at, fault.other});
      REQUIRE(lines);
      for (const emulated::Site site : {fault.at, fault.other}) {
        const auto& at = lines->at(site).innermost;
        if (site != nullptr) text += at.file + ":" + std::to_string(at.line) + " ";
      }
      text += fault.detail + "\n";
    }
  }
  return text;
}

/// A call that passes its check and has no fault.
worker::EmulatedCall call_of(const std::string& kernel, const Params& given) {
  INFO(kernel);
  const Rung rung = rung_of(kernel);
  const FamilyDesc* family = find_family(kernel.substr(0, kernel.find('.')));
  REQUIRE(family);
  const auto params = resolve_params(family->params(), given, kernel);
  REQUIRE(params);
  std::vector<emulated::LaunchCounts> stopped;
  const auto call = rung->call(*family, *params, cpu(), &stopped);
  const std::string faults = faults_of(*rung, call ? call->launches : stopped);
  INFO(faults);
  INFO((call ? "" : call.error().sentence()));
  REQUIRE(call);
  INFO(call->check.reason);
  CHECK(call->check.passed);
  CHECK(faults.empty());
  return *call;
}

Traffic sum_of(const worker::EmulatedCall& call, Traffic emulated::SiteCounts::*part) {
  Traffic all;
  for (const auto& [site, counts] : call.launches.back().sites) all.add(counts.*part);
  return all;
}

}  // namespace

TEST_CASE("GEMM's fp32 ladder runs right, at a whole size and at an edge") {
  for (const char* rung : {"naive", "coalesced", "shared_tile", "register_tile_1d", "register_tile_2d", "vectorised",
                           "cp_async", "warp_tile"}) {
    for (const int64_t n : {128, 77}) {
      const auto call = call_of("gemm.cuda." + std::string(rung), {{"n", n}});
      const Traffic g = sum_of(call, &emulated::SiteCounts::global_reads);
      const Traffic s = sum_of(call, &emulated::SiteCounts::shared_reads);
      const auto blocks = emulated::flop_of_blocks(rung_of("gemm.cuda." + std::string(rung))->object());
      REQUIRE(blocks);
      WARN(rung << " " << n << ": global reads " << g.requests << " requests, " << g.sectors_per_request()
                << " sectors each; shared reads " << s.requests << ", wavefronts " << s.wavefronts << ", conflicts "
                << s.conflicts << ", flop " << emulated::flop_of(call.launches.back(), *blocks) << " of "
                << 2 * n * n * n);
    }
  }
}
