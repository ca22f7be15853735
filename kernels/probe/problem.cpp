// The probe family: one parameter says which resource, and the CPU's or the GPU's problem judges what
// each probe must have done, so that one that skips work has no ceiling.
#include <algorithm>
#include <string>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/probe/probe.h"
#include "kernels/probe/problem_cpu.h"
#include "kernels/probe/problem_cuda.h"

namespace ridge {
namespace {

std::vector<ParamSpec> probe_params() {
  return {
      choice_param("what", "the resource to use up",
                   {"fma", "dot", "logic", "exp", "l2", "read", "copy", "ffma", "gpu_exp",
                    "tensor_wgmma", "tensor_mma", "gpu_read", "gpu_copy", "l2_read", "gpu_launch"}),
      int_param("n", "fma, dot, logic, exp, l2: passes; read, copy: bytes, a multiple of 8, of 64",
                8, int64_t{1} << 36, 256),
      int_param("units", "independent pieces of work; 0: what suits the problem", 0,
                int64_t{1} << 26, 0),
      int_param("threads", "CPU threads", 1, 1024, 1),
      choice_param("dtype", "type of the elements; a tensor core's choice",
                   {"fp32", "tf32", "bf16", "fp16", "fp8", "int8", "bits"})};
}

Result<std::unique_ptr<Problem>> make_probe(const Params& params) {
  const std::string what = param_text(params, "what", "fma");
  const int64_t units = param_int(params, "units");
  DType dtype = DType::fp32;
  parse_dtype(param_text(params, "dtype", "fp32"), &dtype);
  if (auto on_gpu = probe::make_cuda_problem(what, dtype, units)) return on_gpu;
  Shape shape;
  shape.threads = static_cast<int>(param_int(params, "threads", 1));
  shape.dim[kProbeDimWhat] = what == "read"         ? kProbeRead
                             : what == "copy"       ? kProbeCopy
                             : what == "l2"         ? kProbeL2
                             : what == "logic"      ? kProbeLogic
                             : what == "exp"        ? kProbeExp
                             : what != "dot"        ? kProbeFma
                             : dtype == DType::int8 ? kProbeDotInt8
                                                    : kProbeDot;
  shape.dim[kProbeDimN] = param_int(params, "n");
  const int64_t a_thread = what == "read" || what == "l2" || what == "copy" ? 1
                           : what == "logic"                                ? kLogicLanes
                                                                            : kProbeLanes;
  shape.dim[kProbeDimUnits] = units > 0 ? units : a_thread * shape.threads;
  const int64_t whole = what == "read" ? 8 : what == "copy" ? 64 : 1;
  if (shape.dim[kProbeDimN] % whole != 0) {
    return Error{ErrorCode::usage,
                 "n = " + std::to_string(shape.dim[kProbeDimN]) + " is not a multiple of " +
                     std::to_string(whole),
                 "parameter n of probe", "choose whole words, or cache lines"};
  }
  return probe::make_cpu_problem(shape);
}

Params shrink_probe(const Params& params, double share) {
  Params small = params;
  const double n = double(param_int(params, "n")) * std::clamp(share, 0.0, 1.0);
  small["n"] = std::max<int64_t>(64, static_cast<int64_t>(n / 64) * 64);
  return small;
}

RIDGE_FAMILY(probe, .params = probe_params, .make_problem = make_probe, .awkward = nullptr,
             .shrink = shrink_probe);

}  // namespace
}  // namespace ridge
