#include "worker/kinds/rung.h"

#include <algorithm>
#include <random>
#include <sstream>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/disassembly.h"
#include "common/harness/measure/isa.h"
#include "common/record/params.h"

namespace ridge::worker {
namespace {

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

bool gpu_available(const Described& rung, const Machine& machine, std::string* reason) {
  if (machine.gpus().empty()) {
    *reason = machine.no_gpu_reason();
    return false;
  }
  return std::any_of(machine.gpus().begin(), machine.gpus().end(), [&](const GpuInfo& gpu) {
    return measure::capability_suffices(rung.arch, rung.arch_exact, gpu.name, gpu.capability,
                                        reason);
  });
}

Error no_kernel(const Rung& rung, const char* what, const char* hint) {
  return {ErrorCode::usage, what, rung.info().id, hint};
}

}  // namespace

std::string Rung::cannot() const {
  if (info_.available) return "";
  return info_.reason.empty() ? "not available" : info_.reason;
}

Result<SourceText> Rung::source() const {
  return built_in_source(info_.id);
}

Result<AssemblyText> Rung::assembly(int capability, const std::function<bool()>& cancelled) const {
  return measure::disassemble(info_.id, capability, cancelled);
}

Result<void> Rung::has_room(const Job&) const {
  return {};
}

std::vector<std::string> Rung::ceilings(const Params&) const {
  return {};
}

Result<Estimated> Rung::estimate(const Job& job) const {
  return Estimated{{.params = job.params}, 0, "how long it takes is not estimated"};
}

Result<Serving> Rung::serve(const Job&) const {
  return no_kernel(*this, "only a kernel's step is served", "take one of decode");
}

Result<measure::CompareOutcome> Rung::compare(const std::vector<Job>&) const {
  return Error{ErrorCode::usage, "only kernels, trainings and pipelines are compared in pairs",
               info_.id, "it is a " + info_.kind.text() + ": run it by itself"};
}

Result<SourceText> built_in_source(const std::string& kernel) {
  if (const KernelSource* source = find_source(kernel))
    return SourceText{kernel, source->path, source->text, source->flags, source->hash};
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == kernel) return SourceText{kernel, file.path, file.text, "", ""};
  }
  return Error{ErrorCode::usage, "no source of '" + kernel + "' is built into this worker",
               "source",
               "'ridgepoint list --all' names the rungs; a header is asked for by its path"};
}

Series skipped_series(const Rung& rung, const Job& job, const std::string& reason) {
  Series series;
  series.index = job.index;
  series.kernel = rung.info().id;
  series.kind = rung.info().kind;
  series.params = job.params;
  series.dtype = param_text(job.params, "dtype", "fp32");
  series.cache = job.request.cache;
  series.mode = job.request.mode;
  series.status = SeriesStatus::skipped;
  series.reason = reason;
  return series;
}

measure::Options options_of(const WorkRequest& request) {
  measure::Options options;
  options.mode = request.mode;
  options.cache = request.cache;
  options.limit_s = request.limit_s;
  options.energy = request.energy;
  options.warmup_s = request.warmup_s.value_or(options.warmup_s);
  options.count_only = request.count_only;
  options.gate = !request.count_only;  // the awkward shapes were checked by the worker that timed
  if (request.count_only) options.warmup_s = 0.05;
  return options;
}

measure::CompareOptions compare_options_of(const WorkRequest& request) {
  measure::CompareOptions options;
  options.cache = request.cache;
  options.margin = request.margin;
  options.rounds = request.rounds;
  options.goes_on = request.goes_on;
  options.limit_s = request.limit_s;
  options.pairs = request.pairs;
  options.budget = request.budget;
  options.warmup_s = request.warmup_s.value_or(options.warmup_s);
  options.order_seed = std::random_device()();
  options.sustained = request.sustained;
  return options;
}

KernelInfo named_info(std::string_view id, RungKind kind) {
  KernelInfo info;
  info.id = id;
  info.family = family_of(id);
  info.kind = kind;
  if (const KernelSource* source = find_source(id)) {
    info.path = source->path;
    info.flags = source->flags;
    info.hash = source->hash;
    info.stamped = source->stamped;
  }
  return info;
}

KernelInfo describe(const Described& rung, const Machine& machine) {
  KernelInfo info = named_info(rung.id, rung.kind);
  info.backend = rung.backend;
  info.dtypes = words(rung.dtypes);
  // "sm_90", or "sm_90a" for code of that capability and no later one.
  info.needs =
      rung.arch == 0 ? rung.isa : "sm_" + std::to_string(rung.arch) + (rung.arch_exact ? "a" : "");
  if (rung.library != nullptr) info.library = rung.library;
  info.external = rung.external;
  info.available = rung.backend == Backend::cpu ? measure::isa_available(rung.isa, &info.reason)
                                                : gpu_available(rung, machine, &info.reason);
  // Where the rung itself says why it cannot run here.
  const char* missing =
      info.available && rung.unavailable != nullptr ? rung.unavailable() : nullptr;
  if (missing != nullptr) info.available = false, info.reason = missing;
  return info;
}

}  // namespace ridge::worker
