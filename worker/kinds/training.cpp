// The second kind of rung: a training, timed step by step and judged by the model that comes of it.
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/training_pairs.h"
#include "common/record/params.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

class TrainingRung : public Rung {
 public:
  TrainingRung(KernelInfo info, const TrainDesc& training)
      : Rung(std::move(info)), training_(training) {}

  Result<Series> measure(const Job& job) const override {
    const auto device = job.machine->device(training_.backend, job.request.device);
    return measure::measure_training(training_, job.params, device ? *device : nullptr,
                                     options_of(job.request), job.index, job.observer);
  }

  Result<Estimated> estimate(const Job& job) const override {
    if (info_.external) return Estimated{{.params = job.params}, 0, "it trains in another process"};
    const auto device = job.machine->device(training_.backend, job.request.device);
    const auto total = measure::predict_training_s(
        training_, job.params, device ? *device : nullptr, options_of(job.request));
    if (!total && total.error().code == ErrorCode::worker) return total.error();
    if (!total) return Estimated{{.params = job.params}, 0, total.error().sentence()};
    return Estimated{{.params = job.params}, *total, ""};
  }

  Result<measure::CompareOutcome> compare(const std::vector<Job>& jobs) const override {
    std::vector<measure::PairedTraining> all;
    for (const Job& job : jobs) {
      const TrainDesc& training = static_cast<const TrainingRung*>(job.rung)->training_;
      const auto device = job.machine->device(training.backend, job.request.device);
      all.push_back({&training, job.params, device ? *device : nullptr});
    }
    return measure::compare_trainings(all, compare_options_of(jobs.front().request),
                                      jobs.front().observer);
  }

  std::vector<std::string> ceilings(const Params& params) const override {
    return {param_text(params, "dtype", "fp32")};
  }

 private:
  const TrainDesc& training_;
};

}  // namespace

Rungs training_rungs(const Machine& machine) {
  Rungs rungs;
  for (const TrainDesc* training : registered_trainings()) {
    KernelInfo info = describe({.id = training->id,
                                .kind = RungKind::training,
                                .backend = training->backend,
                                .isa = training->isa,
                                .arch = training->arch,
                                .dtypes = training->dtypes,
                                .library = training->library,
                                .external = training->external,
                                .unavailable = training->unavailable},
                               machine);
    info.params = training->maker->params(*training);
    rungs.push_back(std::make_unique<TrainingRung>(std::move(info), *training));
  }
  return rungs;
}

}  // namespace ridge::worker
