// A family's problem as a test poses it: on this machine's CPU, with its inputs in host memory.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "common/record/params.h"
#include "tests/catch.h"

namespace ridge::test {

inline measure::Device* cpu() {
  static Result<std::unique_ptr<measure::Device>> device = measure::make_cpu_device();
  REQUIRE(device.ok());
  return device->get();
}

inline std::unique_ptr<Problem> problem_of(const std::string& family, const Params& given) {
  const FamilyDesc* found = find_family(family);
  REQUIRE(found);
  const auto params = resolve_params(found->params(), given, family);
  REQUIRE(params.ok());
  auto problem = found->make_problem(*params);
  REQUIRE(problem.ok());
  return std::move(*problem);
}

inline HostBuffers inputs_of(const Problem& problem, uint64_t seed) {
  HostBuffers host(problem.buffers().size());
  for (size_t i = 0; i < host.size(); ++i) host[i].resize(problem.buffers()[i].bytes);
  problem.generate(seed, &host);
  return host;
}

}  // namespace ridge::test
