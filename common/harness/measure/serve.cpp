#include "common/harness/measure/serve.h"

#include <map>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/stats/queue.h"

namespace ridge::measure {
namespace {

/// One kernel with room for the largest batch, and a plan for each batch that came up.
class Stepper {
 public:
  Stepper(Device* device, const FamilyDesc& family, ReadyRung rung)
      : device_(device), family_(family), rung_(std::move(rung)) {}

  /// Wall time of the call; the lengths are sent before it.
  Result<double> step(const std::vector<int64_t>& lengths) {
    const StepInputs inputs = family_.step(rung_.instance->problem->shape(), lengths);
    Side side = rung_.plain_side();
    side.launch.shape = inputs.shape;
    PlanOwner& plan = plans_[int64_t(lengths.size())];
    const bool is_new = plan.plan.state == nullptr;
    if (is_new && rung_.kernel->prepare != nullptr) {
      const Status status = rung_.kernel->prepare(inputs.shape, &plan.plan);
      if (!status.ok()) return to_error(status, *rung_.kernel);
    }
    side.launch.plan_state = plan.plan.state;
    RIDGE_TRY_VOID(device_->upload(rung_.buffers->pointers()[inputs.buffer], inputs.bytes.data(),
                                   inputs.bytes.size()));
    if (is_new) RIDGE_TRY_VOID(device_->call(side));  // a plan's first call faults its pages
    RIDGE_TRY(const Sample sample, device_->time_latency(side));
    return sample.t_ns * 1e-9;
  }

 private:
  Device* device_;
  const FamilyDesc& family_;
  ReadyRung rung_;
  std::map<int64_t, PlanOwner> plans_;
};

}  // namespace

Result<Serving> serve(Device* device, const KernelDesc& kernel, const Params& params,
                      const ServeAsked& asked, Observer* observer) {
  const FamilyDesc* family = find_family(family_of(kernel.id));
  if (family == nullptr || family->step == nullptr) {
    return Error{ErrorCode::unavailable, "this rung makes no step of something longer", kernel.id,
                 "take a rung of decode"};
  }
  if (kernel.time_calls != nullptr) {
    return Error{ErrorCode::unavailable, "its calls are made in another process, many at a time",
                 kernel.id, "take a rung of ours"};
  }
  observer->phase(0, {.phase = "prepare", .text = "filling the cache"});
  const Params room = family->step_room(params, asked.batch_limit, asked.prompt + asked.tokens);
  RIDGE_TRY(auto instance, make_instance(*family, room, 1, *device));
  RIDGE_TRY(ReadyRung rung, make_ready(kernel, device, instance));
  observer->phase(0, {.phase = "check", .text = "the step against float64"});
  RIDGE_TRY(const QualityCheck check, check_rung(&rung, false, "the full batch"));
  if (!check.passed) {
    return Error{ErrorCode::invalid, "the step's output is wrong: " + check.reason, kernel.id, ""};
  }
  Stepper stepper(device, *family, std::move(rung));
  const auto step = [&](const std::vector<int64_t>& keys) -> Result<double> {
    if (observer->cancelled()) return cancelled_error();
    return stepper.step(keys);
  };
  RIDGE_TRY(Serving out,
            stats::serve_loads(asked, step, [&](const std::string& text, double share) {
              observer->phase(0, {.phase = "timing", .text = text, .progress = share});
            }));
  out.kernel = kernel.id;
  out.params = params;
  out.checked = true;
  return out;
}

}  // namespace ridge::measure
