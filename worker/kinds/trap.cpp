// The fourth kind of rung: a trap, measured its own way and the harness's.
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {
namespace {

class TrapRung : public Rung {
 public:
  TrapRung(KernelInfo info, const TrapDesc& trap) : Rung(std::move(info)), trap_(trap) {}

  Result<Series> measure(const Job& job) const override {
    const auto where = job.machine->device(trap_.backend, job.request.device);
    if (!where) return skipped_series(*this, job, where.error().sentence());
    return measure::measure_trap(trap_, job.params, *where, options_of(job.request), job.index,
                                 job.observer);
  }

  Result<Estimated> estimate(const Job& job) const override {
    const auto device = job.machine->device(trap_.backend, job.request.device);
    return Estimated{
        {.params = job.params},
        measure::predict_trap_s(trap_, device ? *device : nullptr, options_of(job.request)),
        ""};
  }

 private:
  const TrapDesc& trap_;
};

}  // namespace

Rungs trap_rungs(const Machine& machine) {
  Rungs rungs;
  for (const TrapDesc* trap : registered_traps()) {
    KernelInfo info = describe(
        {.id = trap->id, .kind = RungKind::trap, .backend = trap->backend, .arch = trap->arch},
        machine);
    rungs.push_back(std::make_unique<TrapRung>(std::move(info), *trap));
  }
  return rungs;
}

}  // namespace ridge::worker
