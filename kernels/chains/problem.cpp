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

/// A call of one chain takes 16,384 latencies: 20 us at 4 cycles and 3 GHz. On a GPU four times as many, since
/// starting a kernel takes 2 us.
int64_t passes_of(int64_t width) {
  return width == kWarpWidth ? 16 : 4;
}

class ChainsProblem : public PosedProblem {
 public:
  ChainsProblem(std::unique_ptr<Problem> fma, double instructions, int64_t width)
      : PosedProblem(std::move(fma), instructions), width_(width) {}
  Shape shape() const override {
    Shape shape = PosedProblem::shape();
    shape.dim[kChainsWidth] = width_;
    return shape;
  }

 private:
  int64_t width_;
};

std::vector<ParamSpec> chains_params() {
  return {extent_param("chains", "independent chains of multiply-adds", kMostWarpChains, 8),
          int_param("width", "floats of an instruction: 8 of a vector, 32 of a warp", kChainWidth,
                    kWarpWidth, kChainWidth)};
}

/// The width is the processor's, so there is no choice.
void narrow_chains(std::string_view kernel, std::vector<ParamSpec>* specs) {
  const bool is_cuda = kernel.find(".cuda.") != std::string_view::npos;
  if (!is_cuda) std::erase_if(*specs, [](const ParamSpec& spec) { return spec.name == "width"; });
  for (ParamSpec& spec : *specs) {
    if (spec.name == "width") spec.fallback = spec.min = kWarpWidth;
    if (spec.name == "chains" && !is_cuda) spec.max = kMostChains;
  }
}

Result<std::unique_ptr<Problem>> make_chains(const Params& params) {
  const int64_t chains = param_int(params, "chains", 1);
  const int64_t width = param_int(params, "width", kChainWidth), passes = passes_of(width);
  RIDGE_TRY(auto problem,
            find_family("probe")->make_problem(
                {{"what", std::string("fma")}, {"n", passes}, {"units", chains * width}}));
  return std::unique_ptr<Problem>(std::make_unique<ChainsProblem>(
      std::move(problem), double(kFmaSteps) * double(passes) * double(chains), width));
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
             .awkward = awkward_chains, .shrink = shrink_chains, .narrow = narrow_chains);

}  // namespace
}  // namespace ridge
