// The chains family: the probe's chains of multiply-adds, a given number of them.
#include "kernels/chains/chains.h"

#include <algorithm>
#include <string>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/runtime/problems/posed.h"
#include "kernels/runtime/problems/working_set.h"

namespace ridge {
namespace {

/// A call of one chain takes 16,384 latencies: 20 us at 4 cycles and 3 GHz.
constexpr int64_t kPasses = 4;

std::vector<ParamSpec> chains_params() {
  return {extent_param("chains", "independent chains of multiply-adds", kMostChains, 8)};
}

Result<std::unique_ptr<Problem>> make_chains(const Params& params) {
  const int64_t chains = param_int(params, "chains", 1);
  RIDGE_TRY(auto problem,
            find_family("probe")->make_problem(
                {{"what", std::string("fma")}, {"n", kPasses}, {"units", chains * kChainWidth}}));
  return std::unique_ptr<Problem>(std::make_unique<PosedProblem>(
      std::move(problem), double(kFmaSteps) * double(kPasses) * double(chains)));
}

std::vector<Params> awkward_chains() {
  std::vector<Params> all;
  for (int64_t chains = 1; chains <= kMostChains; ++chains) all.push_back({{"chains", chains}});
  return all;
}

Params shrink_chains(const Params& params, double share) {
  return with_share(params, "chains", share);
}

RIDGE_FAMILY(chains, .params = chains_params, .make_problem = make_chains,
             .awkward = awkward_chains, .shrink = shrink_chains);

}  // namespace
}  // namespace ridge
