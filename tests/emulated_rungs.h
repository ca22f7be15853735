// Emulated rungs as tests run them: compiled once, called on a problem, with their faults as text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "tests/catch.h"
#include "tests/family_problem.h"
#include "worker/emulated/emulated_rung.h"
#include "worker/emulated/line_counts.h"

namespace ridge::test {

using Rung = std::shared_ptr<const worker::EmulatedRung>;

inline Rung rung_of(const std::string& kernel) {
  static std::map<std::string, Rung> built;
  if (built.contains(kernel)) return built[kernel];
  const auto rung = worker::EmulatedRung::build(kernel);
  INFO((rung ? "" : rung.error().sentence()));
  REQUIRE(rung);
  return built[kernel] = *rung;
}

/// "race rung.cu:12 rung.cu:14 thread 3 of block 0 ...", a line each.
inline std::string faults_of(const worker::EmulatedRung& rung,
                             const std::vector<emulated::LaunchCounts>& launches) {
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
inline worker::EmulatedCall call_of(const std::string& kernel, const Params& given) {
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

/// Of a call whose result does not matter.
inline std::vector<emulated::LaunchCounts> launches_of(const worker::EmulatedRung& rung) {
  const FamilyDesc* family = find_family("gemm");
  REQUIRE(family);
  const auto params = resolve_params(family->params(), {{"n", int64_t{16}}}, "gemm");
  REQUIRE(params);
  std::vector<emulated::LaunchCounts> stopped;
  const auto call = rung.call(*family, *params, cpu(), &stopped);
  return call ? call->launches : stopped;
}

/// Line `number` of a text, from 1, without white space before it.
inline std::string line_text(const std::string& text, int number) {
  size_t begin = 0;
  for (int line = 1; line < number && begin != text.npos; ++line) {
    begin = text.find('\n', begin);
    if (begin != text.npos) ++begin;
  }
  if (number < 1 || begin == text.npos) return "";
  begin = text.find_first_not_of(' ', begin);
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace ridge::test
