// ridge: needs=jpeg
//
// Each stage alone, all others resting: what the pipeline is held against.
#include <algorithm>

#include "kernels/pipeline/engine.h"

namespace ridge::pipeline {
namespace {

constexpr size_t kLoad = 0, kCopy = 1, kStep = 2;

}  // namespace

std::vector<PipelineStage> Engine::stages() const {
  const bool own = setup_.loader.by != LoadedBy::the_step;
  const double hidden = setup_.device->hidden_share();
  const std::string per = setup_.device->step_is_fixed() ? "/batch" : "";
  return {{"load", own ? setup_.workers : 1, {{"pixels", 1.0}}},
          {setup_.device->decodes() ? "copy and decode" : "copy", 1, {{"pixels", 1.0}}},
          {"step", 1, {{"pixels" + per, 1 - hidden}, {"layers" + per, hidden}}}};
}

double Engine::stage_bytes(size_t stage) const {
  const bool has_bus = setup_.device->copy_s() > 0;
  const bool has_pictures = setup_.geometry.image_bytes > 0;
  return stage == kCopy && has_bus && has_pictures && !setup_.device->decodes()
             ? double(setup_.geometry.batch_bytes()) / double(setup_.geometry.batch)
             : 0;
}

/// Loading alone is the pipeline whose batches pass copy and step untouched. Copies alone and steps alone
/// go back to back over the batches that are there, with another queued behind the one under way. Else
/// the device waits for its host between them, and for an idle host longer than for a busy one: steps of
/// 685 us on an H200 took 830 to 1,050 us one by one, but 742 where others kept the cores awake, and
/// 685 us queued in pairs either way. A bound that an idle host inflates is none.
Result<PipelineWindow> Engine::run_stage(size_t stage, double window_s) {
  if (stage == kLoad) return run(window_s, false, false);
  if (next_step_ == 0) RIDGE_TRY_VOID(run(0, true, true));
  TrainDevice& device = *setup_.device;
  const auto there = [&](int buffers) { return std::min<int64_t>(next_step_, buffers); };
  const auto queue = [&](int64_t i) {
    if (stage == kStep) return device.queue_step(static_cast<int>(i % there(device_buffers())));
    const auto host = static_cast<size_t>(i % there(host_buffers()));
    return device.queue_copy(device_buffers(), {host_[host], &setup_.geometry});
  };
  PipelineWindow window;
  const double start = now_ns();
  int64_t queued = 0, finished = 0;
  while (window.took_s < window_s || finished < queued) {
    for (; window.took_s < window_s && queued < finished + TrainDevice::kMaxQueued; ++queued)
      RIDGE_TRY_VOID(queue(queued));
    RIDGE_TRY_VOID(stage == kStep ? device.finish_step() : device.finish_copy());
    if (stage == kCopy) window.bus_s += device.copy_s();
    ++finished;
    window.took_s = (now_ns() - start) * 1e-9;
  }
  window.items = finished * setup_.geometry.batch;
  return window;
}

}  // namespace ridge::pipeline
