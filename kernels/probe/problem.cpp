// The probe family: one parameter says which resource, and the CPU's or the GPU's problem judges what
// each probe must have done, so that one that skips work has no ceiling.
#include <algorithm>
#include <string>

#include "common/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/probe/probe.h"
#include "kernels/probe/problem_cpu.h"
#include "kernels/probe/problem_cuda.h"

namespace ridge {
namespace {

std::vector<ParamSpec> probe_params() {
  std::vector<ParamSpec> specs(5);
  specs[0].name = "what";
  specs[0].help = "the resource to use up";
  specs[0].is_choice = true;
  specs[0].choices = {"fma",      "dot",     "logic",        "l2",         "read",
                      "copy",     "ffma",    "tensor_wgmma", "tensor_mma", "gpu_read",
                      "gpu_copy", "l2_read", "gpu_launch"};
  specs[0].fallback = std::string("fma");
  specs[1].name = "n";
  specs[1].help = "fma, dot, logic, l2: passes; read, copy: bytes, a multiple of 8, of 64";
  specs[1].min = 8;
  specs[1].max = int64_t{1} << 36;
  specs[1].fallback = int64_t{256};
  specs[2].name = "units";
  specs[2].help = "independent pieces of work; 0: what suits the problem";
  specs[2].min = 0;
  specs[2].max = int64_t{1} << 26;
  specs[2].fallback = int64_t{0};
  specs[3].name = "threads";
  specs[3].help = "CPU threads";
  specs[3].max = 1024;
  specs[3].fallback = int64_t{1};
  specs[4].name = "dtype";
  specs[4].help = "type of the elements; a tensor core's choice";
  specs[4].is_choice = true;
  specs[4].choices = {"fp32", "tf32", "bf16", "fp16", "fp8", "int8", "bits"};
  specs[4].fallback = std::string("fp32");
  return specs;
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
