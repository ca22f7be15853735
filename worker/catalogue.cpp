#include "worker/catalogue.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/harness/measure/disassembly.h"
#include "worker/work.h"

namespace ridge::worker {

Rungs catalogue(const Machine& machine) {
  constexpr Rungs (*kKinds[])(const Machine&) = {kernel_rungs, training_rungs, pipeline_rungs,
                                                 trap_rungs};
  Rungs all;
  const auto append = [&](Rungs some) {
    all.insert(all.end(), std::move_iterator(some.begin()), std::move_iterator(some.end()));
  };
  for (const auto rungs_of : kKinds) append(rungs_of(machine));
  append(uncompiled_rungs(machine, all));
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a->info().id < b->info().id; });
  return all;
}

// ---- what is asked about it ----------------------------------------------------------------------

void Work::list(int64_t request) {
  for (const auto& one : catalogue_) {
    emitter_->emit("kernel", {{"request", request}, {"kernel", one->info()}});
  }
  emitter_->emit("end", {{"request", request}});
}

Result<void> Work::source(int64_t request, const std::string& kernel) {
  const Rung* found = rung(kernel);
  RIDGE_TRY(const SourceText text, found != nullptr ? found->source() : built_in_source(kernel));
  emitter_->emit("result", {{"request", request}, {"source", text}});
  return {};
}

Result<void> Work::assembly(int64_t request, const std::string& kernel,
                            const std::function<bool()>& cancelled) {
  // Without a GPU to ask: for the newest that is built in.
  const int capability = machine_.capability();
  const Rung* found = rung(kernel);
  RIDGE_TRY(const AssemblyText text, found != nullptr
                                         ? found->assembly(capability, cancelled)
                                         : measure::disassemble(kernel, capability, cancelled));
  emitter_->emit("result", {{"request", request}, {"assembly", text}});
  return {};
}

Result<void> Work::build(int64_t request, const std::string& kernel, const std::string& dtype,
                         const std::string& text, std::function<bool()> cancelled) {
  const int capability = machine_.capability();
  // So that its worker finds the GPU's lock, and no run waits for this one's context.
  if (capability > 0 && text.find("__global__") != text.npos)
    (void)machine_.device(Backend::cuda, 0);
  const Rung* original = rung(original_of(kernel));
  LineObserver observer(emitter_, request, std::move(cancelled));
  RIDGE_TRY(const EditBuild build,
            edits_.build(kernel, dtype, text, original != nullptr ? &original->info() : nullptr,
                         capability, &observer));
  if (build.built) {
    const Edit* edit = edits_.find(build.kernel);
    std::erase_if(catalogue_, [&](const auto& one) { return one->info().id == build.kernel; });
    catalogue_.push_back(edited_rung(edit->info, &edits_));
    emitter_->emit("kernel", {{"request", request}, {"kernel", edit->info}});
    emitter_->emit("result", {{"request", request}, {"source", edit->source}});
  }
  emitter_->emit("result", {{"request", request}, {"build", build}});
  return {};
}

}  // namespace ridge::worker
