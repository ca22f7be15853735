// The first kind of rung: a kernel, timed call by call and judged by its output.
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/energy_pass.h"
#include "common/harness/measure/rung.h"
#include "common/harness/measure/serve.h"
#include "common/record/accuracy.h"
#include "common/record/params.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

class KernelRung : public Rung {
 public:
  KernelRung(KernelInfo info, const KernelDesc& kernel, const FamilyDesc* family)
      : Rung(std::move(info)), kernel_(kernel), family_(family) {}

  Result<void> has_room(const Job& job) const override {
    const auto where = job.machine->device(kernel_.backend, job.request.device);
    const bool is_made_ready = family_ == nullptr || family_->get_ready != nullptr;
    if (!where || is_made_ready) return {};
    RIDGE_TRY(const auto problem, family_->make_problem(job.params));
    return measure::check_memory(*family_, job.params, *problem, **where);
  }

  Result<Series> measure(const Job& job) const override {
    const auto where = job.machine->device(kernel_.backend, job.request.device);
    if (!where) return skipped_series(*this, job, where.error().sentence());
    return measure::measure_kernel(&job.machine->bench, *where, kernel_, job.params,
                                   options_for(job), job.index, job.observer);
  }

  std::vector<std::string> ceilings(const Params& params) const override {
    std::vector<std::string> all;
    if (family_ != nullptr && family_->works != nullptr) all.push_back(family_->works);
    all.push_back(measure::dtype_of(kernel_, params));
    return all;
  }

  bool is_counted_apart() const override {
    return kernel_.backend == Backend::cuda && kernel_.time_calls == nullptr;
  }

  Result<Estimated> estimate(const Job& job) const override {
    RIDGE_TRY(measure::Device * where, job.machine->device(kernel_.backend, job.request.device));
    RIDGE_TRY_VOID(measure::get_ready(*family_, job.params, job.index, job.observer));
    const auto call = measure::estimate_call(kernel_, *family_, job.params, where, true);
    if (!call && call.error().code == ErrorCode::worker) return call.error();
    if (!call) return Estimated{{.params = job.params}, 0, call.error().sentence()};
    const double energy_s = measure::predict_energy_s(where, options_for(job));
    return Estimated{*call, measure::predict_total_s(*call, job.request.mode, energy_s), ""};
  }

  Result<Serving> serve(const Job& job) const override {
    RIDGE_TRY(measure::Device * where, job.machine->device(kernel_.backend, job.request.device));
    return measure::serve(where, kernel_, job.params, job.request.serve, job.observer);
  }

  Result<measure::CompareOutcome> compare(const std::vector<Job>& jobs) const override {
    std::vector<measure::CompareSide> sides;
    for (const Job& job : jobs) {
      // All are kernels, and none is a learner's, which would compare them in its own worker.
      const KernelRung& rung = *static_cast<const KernelRung*>(job.rung);
      RIDGE_TRY(measure::Device * where,
                job.machine->device(rung.kernel_.backend, job.request.device));
      sides.push_back({&rung.kernel_, job.params, where, rung.gpus_of(job)});
    }
    const Job& first = jobs.front();
    return measure::compare(&first.machine->bench, sides, compare_options_of(first.request),
                            first.observer);
  }

 private:
  /// On how many GPUs a call works: each rank of a collective has one.
  int64_t gpus_of(const Job& job) const {
    return kernel_.backend == Backend::cuda ? param_int(job.params, "ranks", 1) : 1;
  }
  measure::Options options_for(const Job& job) const {
    measure::Options options = options_of(job.request);
    options.devices = gpus_of(job);
    return options;
  }

  const KernelDesc& kernel_;
  const FamilyDesc* family_;
};

/// Of the family's types those that this kernel computes; its first is what it runs in when none is
/// asked for.
void narrow_dtype(KernelInfo* info) {
  for (ParamSpec& spec : info->params) {
    if (spec.name != "dtype" || info->dtypes.empty()) continue;
    spec.choices = info->dtypes;
    spec.fallback = info->dtypes.front();
  }
}

std::unique_ptr<Rung> kernel_rung(const KernelDesc& kernel, const Machine& machine) {
  KernelInfo info = describe({.id = kernel.id,
                              .kind = RungKind::kernel,
                              .backend = kernel.backend,
                              .isa = kernel.isa,
                              .arch = kernel.arch,
                              .arch_exact = kernel.arch_exact,
                              .dtypes = kernel.dtypes,
                              .library = kernel.library,
                              .external = kernel.time_calls != nullptr,
                              .unavailable = kernel.unavailable},
                             machine);
  info.accuracy = name_of(kernel.accuracy);
  const FamilyDesc* family = find_family(info.family);
  if (family != nullptr) {
    info.params = family->params_of(kernel.id);
    narrow_dtype(&info);
  } else {
    info.available = false;
    info.reason = "its family is not in this worker";
  }
  return std::make_unique<KernelRung>(std::move(info), kernel, family);
}

}  // namespace

Rungs kernel_rungs(const Machine& machine) {
  Rungs rungs;
  for (const KernelDesc* kernel : registered_kernels()) {
    rungs.push_back(kernel_rung(*kernel, machine));
  }
  for (const KernelDesc* kernel : loaded_kernels()) {
    rungs.push_back(kernel_rung(*kernel, machine));
  }
  return rungs;
}

}  // namespace ridge::worker
