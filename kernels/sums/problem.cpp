// The sums family: the probe's problem of reading, with a working set in KiB and a stride.
#include <algorithm>
#include <string>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/runtime/problems/posed.h"
#include "kernels/runtime/problems/working_set.h"
#include "kernels/sums/sums.h"

namespace ridge {
namespace {

class SumsProblem : public PosedProblem {
 public:
  SumsProblem(std::unique_ptr<Problem> read, double words, int64_t stride)
      : PosedProblem(std::move(read), words), stride_(stride) {}
  Shape shape() const override {
    Shape shape = PosedProblem::shape();
    shape.dim[kSumsStride] = stride_;
    return shape;
  }

 private:
  int64_t stride_;
};

std::vector<ParamSpec> sums_params() {
  return {extent_param("kib", kWorkingSetHelp, kMostKib, kUsualKib),
          int_param("stride", "words of 8 bytes from one visit to the next", 1, 4096, 8),
          threads_param()};
}

Result<std::unique_ptr<Problem>> make_sums(const Params& params) {
  const int64_t bytes = param_int(params, "kib", kUsualKib) * 1024;
  RIDGE_TRY(auto read,
            find_family("probe")->make_problem({{"what", std::string("read")},
                                                {"n", bytes},
                                                {"threads", param_int(params, "threads", 1)}}));
  return std::unique_ptr<Problem>(std::make_unique<SumsProblem>(std::move(read), double(bytes) / 8,
                                                                param_int(params, "stride", 8)));
}

/// Each rung has the parameters that it looks at.
void narrow_sums(std::string_view kernel, std::vector<ParamSpec>* specs) {
  std::erase_if(*specs, [&](const ParamSpec& spec) {
    return (spec.name == "stride" && !kernel.ends_with(".stride")) ||
           (spec.name == "threads" && !kernel.ends_with(".threads"));
  });
  past_gpu_caches(kernel, specs);
}

/// Strides within a line, of a line, that divide nothing, and past the end.
std::vector<Params> awkward_sums() {
  std::vector<Params> all;
  for (const int64_t kib : {1, 3, 37}) {
    for (const int64_t stride : {1, 7, 8, 4096}) all.push_back({{"kib", kib}, {"stride", stride}});
  }
  return all;
}

Params shrink_sums(const Params& params, double share) {
  return with_share(params, "kib", share);
}

RIDGE_FAMILY(sums, .params = sums_params, .make_problem = make_sums, .awkward = awkward_sums,
             .shrink = shrink_sums, .narrow = narrow_sums);

}  // namespace
}  // namespace ridge
