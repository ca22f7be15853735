#include "worker/catalogue.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/disassembly.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/isa.h"
#include "worker/work.h"

namespace ridge::worker {
namespace {

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

/// Value of "key=" in a build line; empty if absent.
std::string flag_value(const std::string& flags, const std::string& key) {
  for (const std::string& word : words(flags.c_str())) {
    if (word.rfind(key + "=", 0) == 0) return word.substr(key.size() + 1);
  }
  return "";
}

class Builder {
 public:
  Builder(const std::vector<GpuInfo>& gpus, const std::string& no_gpu_reason)
      : gpus_(gpus), no_gpu_reason_(no_gpu_reason) {}

  KernelInfo compiled(const char* id, RungKind kind, Backend backend, const char* isa, int arch,
                      const char* dtypes, bool exact = false) {
    KernelInfo info = named(id, kind);
    info.backend = backend;
    info.dtypes = words(dtypes);
    info.needs = arch > 0 ? sm_name(arch, exact) : isa;
    info.available = backend == Backend::cpu ? measure::isa_available(isa, &info.reason)
                                             : gpu_available(arch, exact, &info.reason);
    return info;
  }

  /// Its source is here, its code is not.
  KernelInfo not_compiled(const KernelSource& source) {
    KernelInfo info = named(source.id, source.kind);
    info.backend = backend_of(source.id);
    info.library = source.library;
    // A kernel's parameters are known all the same: a recorded run of it can be browsed.
    const FamilyDesc* family = info.kind == RungKind::kernel ? find_family(info.family) : nullptr;
    if (family != nullptr) info.params = family->params();
    const std::string arch = flag_value(source.flags, "arch");
    info.needs = arch.empty() ? flag_value(source.flags, "isa") : "sm_" + arch;
    const std::string& library = source.needs;
#ifndef RIDGE_HAS_CUDA
    const bool no_cuda = info.backend == Backend::cuda;
#else
    const bool no_cuda = false;
#endif
    info.reason = no_cuda            ? "built without CUDA"
                  : !library.empty() ? "built without " + library
                                     : "not compiled into this worker";
    return info;
  }

 private:
  static KernelInfo named(std::string_view id, RungKind kind) {
    KernelInfo info;
    info.id = id;
    info.family = family_of(id);
    info.kind = kind;
    if (const KernelSource* source = find_source(id)) {
      info.path = source->path;
      info.flags = source->flags;
      info.hash = source->hash;
    }
    return info;
  }

  /// "sm_90", or "sm_90a" for code of that capability and no later one.
  static std::string sm_name(int arch, bool exact) {
    return "sm_" + std::to_string(arch) + (exact ? "a" : "");
  }

  bool gpu_available(int arch, bool exact, std::string* reason) const {
    if (gpus_.empty()) {
      *reason = no_gpu_reason_;
      return false;
    }
    return std::any_of(gpus_.begin(), gpus_.end(), [&](const GpuInfo& gpu) {
      return measure::capability_suffices(arch, exact, gpu.name, gpu.capability, reason);
    });
  }

  const std::vector<GpuInfo>& gpus_;
  const std::string& no_gpu_reason_;
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

/// Where the rung itself says why it cannot run here.
void disable(const char* (*unavailable)(), KernelInfo* info) {
  const char* missing = info->available && unavailable != nullptr ? unavailable() : nullptr;
  if (missing == nullptr) return;
  info->available = false;
  info->reason = missing;
}

}  // namespace

std::vector<KernelInfo> catalogue(const std::vector<GpuInfo>& gpus,
                                  const std::string& no_gpu_reason) {
  Builder builder(gpus, no_gpu_reason);
  std::vector<KernelInfo> list;
  std::vector<const KernelDesc*> kernels(registered_kernels().begin(), registered_kernels().end());
  kernels.insert(kernels.end(), loaded_kernels().begin(), loaded_kernels().end());
  for (const KernelDesc* k : kernels) {
    list.push_back(builder.compiled(k->id, RungKind::kernel, k->backend, k->isa, k->arch, k->dtypes,
                                    k->arch_exact));
    if (k->library != nullptr) list.back().library = k->library;
    list.back().external = k->time_calls != nullptr;
    disable(k->unavailable, &list.back());
    const FamilyDesc* family = find_family(family_of(k->id));
    if (family != nullptr) {
      list.back().params = family->params();
      narrow_dtype(&list.back());
      if (family->narrow != nullptr) family->narrow(k->id, &list.back().params);
    } else {
      list.back().available = false;
      list.back().reason = "its family is not in this worker";
    }
  }
  for (const TrainDesc* t : registered_trainings()) {
    list.push_back(
        builder.compiled(t->id, RungKind::training, t->backend, t->isa, t->arch, t->dtypes));
    if (t->library != nullptr) list.back().library = t->library;
    list.back().external = t->external;
    list.back().params = t->maker->params(*t);
    disable(t->unavailable, &list.back());
  }
  for (const PipelineDesc* p : registered_pipelines()) {
    list.push_back(builder.compiled(p->id, RungKind::pipeline, p->backend, "", p->arch, p->dtypes));
    if (p->library != nullptr) list.back().library = p->library;
    list.back().external = p->external;
    list.back().params = p->maker->params(*p);
    disable(p->unavailable, &list.back());
  }
  for (const TrapDesc* t : registered_traps()) {
    list.push_back(builder.compiled(t->id, RungKind::trap, t->backend, "", t->arch, ""));
  }
  for (const KernelSource& source : kernel_sources()) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const KernelInfo& info) { return info.id == source.id; });
    if (!known) list.push_back(builder.not_compiled(source));
  }
  std::sort(list.begin(), list.end(),
            [](const KernelInfo& a, const KernelInfo& b) { return a.id < b.id; });
  return list;
}

// ---- what is asked about it ----------------------------------------------------------------------

void Work::list(int64_t request) {
  for (const KernelInfo& entry : catalogue_) {
    emitter_->emit("kernel", {{"request", request}, {"kernel", entry}});
  }
  emitter_->emit("end", {{"request", request}});
}

Result<void> Work::source(int64_t request, const std::string& kernel) {
  if (const Edit* edit = edits_.find(kernel)) {
    emitter_->emit("result", {{"request", request}, {"source", edit->source}});
    return {};
  }
  const KernelSource* source = find_source(kernel);
  if (source == nullptr) {
    return Error{ErrorCode::usage, "no source of '" + kernel + "' is built into this worker",
                 "source", "ask for one that `list` names with a path"};
  }
  const SourceText text = {kernel, source->path, source->text, source->flags, source->hash};
  emitter_->emit("result", {{"request", request}, {"source", text}});
  return {};
}

Result<void> Work::assembly(int64_t request, const std::string& kernel) {
  int capability = 0;  // the newest that is built in, where there is no GPU to ask
  for (const GpuInfo& gpu : gpus_) capability = std::max(capability, gpu.capability);
  const Edit* edit = edits_.find(kernel);
  RIDGE_TRY(const AssemblyText text, edit != nullptr ? edits_.disassemble(*edit, capability)
                                                     : measure::disassemble(kernel, capability));
  emitter_->emit("result", {{"request", request}, {"assembly", text}});
  return {};
}

Result<void> Work::build(int64_t request, const std::string& kernel, const std::string& dtype,
                         const std::string& text, std::function<bool()> cancelled) {
  int capability = 0;
  for (const GpuInfo& gpu : gpus_) capability = std::max(capability, gpu.capability);
  // So that its worker finds the GPU's lock, and no run waits for this one's context.
  if (capability > 0 && text.find("__global__") != text.npos) (void)device(Backend::cuda, 0);
  LineObserver observer(emitter_, request, std::move(cancelled));
  RIDGE_TRY(const EditBuild build,
            edits_.build(kernel, dtype, text, info(std::string(original_of(kernel))), capability,
                         &observer));
  if (build.built) {
    const Edit* edit = edits_.find(build.kernel);
    std::erase_if(catalogue_, [&](const KernelInfo& one) { return one.id == build.kernel; });
    catalogue_.push_back(edit->info);
    emitter_->emit("kernel", {{"request", request}, {"kernel", edit->info}});
    emitter_->emit("result", {{"request", request}, {"source", edit->source}});
  }
  emitter_->emit("result", {{"request", request}, {"build", build}});
  return {};
}

}  // namespace ridge::worker
