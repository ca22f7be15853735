// The third kind of rung: a pipeline, scored by what leaves it in a second.
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/pipeline_pairs.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

/// Held to its own stages, not to a ceiling.
class PipelineRung : public Rung {
 public:
  PipelineRung(KernelInfo info, const PipelineDesc& pipeline)
      : Rung(std::move(info)), pipeline_(pipeline) {}

  Result<Series> measure(const Job& job) const override {
    const auto device = job.machine->device(pipeline_.backend, job.request.device);
    return measure::measure_pipeline(pipeline_, job.params, device ? *device : nullptr,
                                     options_of(job.request), job.index, job.observer);
  }

  Result<Estimated> estimate(const Job& job) const override {
    const auto device = job.machine->device(pipeline_.backend, job.request.device);
    return Estimated{{.params = job.params},
                     measure::predict_pipeline_s(device ? *device : nullptr,
                                                 options_of(job.request)),
                     ""};
  }

  Result<measure::CompareOutcome> compare(const std::vector<Job>& jobs) const override {
    const Job& first = jobs.front();
    std::vector<measure::PipelineSide> sides;
    for (const Job& job : jobs)
      sides.push_back({&static_cast<const PipelineRung*>(job.rung)->pipeline_, job.params});
    return measure::compare_pipelines(sides, compare_options_of(first.request), first.observer);
  }

 private:
  const PipelineDesc& pipeline_;
};

}  // namespace

Rungs pipeline_rungs(const Machine& machine) {
  Rungs rungs;
  for (const PipelineDesc* pipeline : registered_pipelines()) {
    KernelInfo info = describe({.id = pipeline->id,
                                .kind = RungKind::pipeline,
                                .backend = pipeline->backend,
                                .arch = pipeline->arch,
                                .dtypes = pipeline->dtypes,
                                .library = pipeline->library,
                                .external = pipeline->external,
                                .unavailable = pipeline->unavailable},
                               machine);
    info.params = pipeline->maker->params(*pipeline);
    rungs.push_back(std::make_unique<PipelineRung>(std::move(info), *pipeline));
  }
  return rungs;
}

}  // namespace ridge::worker
