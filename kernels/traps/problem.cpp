// The traps family's problem is matrix300's: the GEMM family's product at n = 300 in double precision,
// and no other. What the traps themselves measure they pose for themselves (kernels/runtime/traps).
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"

namespace ridge {
namespace {

constexpr int64_t kN = 300;

std::vector<ParamSpec> params() {
  return {
      int_param("n", "rows and columns of the matrices: matrix300 has no other size", kN, kN, kN),
      choice_param("dtype", "type of the elements", {"fp64"})};
}

Result<std::unique_ptr<Problem>> make_problem(const Params&) {
  const FamilyDesc* gemm = find_family("gemm");
  if (gemm == nullptr) {
    return Error{ErrorCode::unavailable, "the GEMM family is not in this worker", "traps", ""};
  }
  return gemm->make_problem(
      {{"m", kN}, {"n", kN}, {"k", kN}, {"dtype", std::string("fp64")}, {"threads", int64_t{1}}});
}

/// One shape, three seeds: there is no awkward size where there is one size.
std::vector<Params> awkward() {
  return {{{"n", kN}}};
}

/// Never smaller.
Params shrink(const Params& params, double) {
  return params;
}

}  // namespace

RIDGE_FAMILY(traps, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink);

}  // namespace ridge
