#include "worker/trace/traced_rung.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/measure/rung.h"
#include "common/record/params.h"
#include "worker/edit/build.h"
#include "worker/edit/scratch.h"

namespace ridge::worker {
namespace {

/// 64 MB of log; three loops of n = 96 have 1.8 million.
constexpr size_t kMostAccesses = 4'000'000;

Error not_recorded(const std::string& kernel, std::string why, std::string hint = "") {
  return {ErrorCode::unavailable, "its memory accesses are not recorded: " + std::move(why), kernel,
          std::move(hint)};
}

/// A text and the kernel headers that it includes, whatever they are needed for.
std::string with_headers(const std::string& text, std::vector<std::string>* seen) {
  constexpr std::string_view kInclude = "#include \"kernels/";
  std::string all = text;
  for (size_t at = text.find(kInclude); at != text.npos; at = text.find(kInclude, at + 1)) {
    const size_t begin = at + kInclude.size() - std::string_view("kernels/").size();
    const std::string path = text.substr(begin, text.find('"', begin) - begin);
    if (std::find(seen->begin(), seen->end(), path) != seen->end()) continue;
    seen->push_back(path);
    for (const EmbeddedFile& file : embedded_files()) {
      if (path == file.path) all += with_headers(std::string(file.text), seen);
    }
  }
  return all;
}

/// Rungs whose tile this one calls, "extern const PanelKernel gemm_panels_avx512;": their texts are compiled with it.
std::vector<const KernelSource*> lenders_of(const std::string& flat, const std::string& own) {
  constexpr std::string_view kExtern = "\nextern const ";
  std::vector<const KernelSource*> found;
  for (size_t at = flat.find(kExtern); at != flat.npos; at = flat.find(kExtern, at + 1)) {
    const size_t begin = at + std::string_view("\nextern ").size();
    const std::string declared = flat.substr(begin, flat.find(';', begin) - begin);
    const std::string defined = "\n" + declared + " = ";
    if (own.find(defined) != own.npos) continue;
    for (const KernelSource& source : kernel_sources()) {
      std::string missing;
      if (source.text.find(defined) == source.text.npos ||
          !measure::isa_available(source.isa, &missing))
        continue;
      if (std::none_of(found.begin(), found.end(),
                       [&](const KernelSource* one) { return one->path == source.path; }))
        found.push_back(&source);
    }
  }
  return found;
}

/// The rung's text first, then those that it needs.
Result<std::vector<EditText>> texts_of(const std::string& kernel) {
  const KernelSource* source = find_source(kernel);
  if (source == nullptr) return not_recorded(kernel, "its source is not in this worker");
  if (!source->needs.empty() || !source->library.empty())
    return not_recorded(kernel, "its work is done by a library, whose source is not here",
                        "choose a rung of ours");
  std::vector<std::string> seen;
  const std::string flat = with_headers(source->text, &seen);
  if (flat.find(": \"m\"(") != flat.npos || flat.find("\"m\"(*") != flat.npos)
    return not_recorded(kernel, "assembly in its text reads memory, which no compiler announces");
  std::vector<EditText> texts;
  RIDGE_TRY(EditText own, read_edit(kernel, "", source->text));
  own.dtype.clear();  // all of its types, as in this worker
  texts.push_back(std::move(own));
  for (const KernelSource* lender : lenders_of(flat, source->text)) {
    RIDGE_TRY(EditText text, read_edit(lender->id, "", lender->text));
    text.dtype.clear();
    texts.push_back(std::move(text));
  }
  return texts;
}

/// The traced rungs of this worker: an object stays loaded.
const KernelDesc* loaded_before(const std::string& kernel, const KernelDesc* add = nullptr) {
  static std::map<std::string, const KernelDesc*> loaded;
  if (add != nullptr) loaded[kernel] = add;
  const auto found = loaded.find(kernel);
  return found == loaded.end() ? nullptr : found->second;
}

Result<const KernelDesc*> load(const std::string& kernel, const std::string& file) {
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return not_recorded(kernel, dlerror());
  using Kernels = const KernelDesc* const* (*)(int* count);
  const auto kernels = reinterpret_cast<Kernels>(dlsym(object, "ridge_edited_kernels"));
  using Sink = void (*)(const void*, unsigned long, int);
  auto* hook = static_cast<Sink*>(dlsym(object, "ridge_trace_sink"));
  int count = 0;
  const KernelDesc* const* list = kernels != nullptr ? kernels(&count) : nullptr;
  const std::string wanted = kernel + std::string(kEditSuffix);
  for (int i = 0; i < count && hook != nullptr; ++i) {
    if (list[i]->id != wanted) continue;
    *hook = take_access;
    return loaded_before(kernel, list[i]);
  }
  return not_recorded(kernel, "its traced object has no such rung");
}

Result<const KernelDesc*> traced_kernel(const std::string& kernel, measure::Observer* observer) {
  if (const KernelDesc* before = loaded_before(kernel)) return before;
  RIDGE_TRY(const auto texts, texts_of(kernel));
  const Scratch scratch;
  if (scratch.path().empty()) return not_recorded(kernel, "no temporary folder could be made");
  observer->phase(-1, {.phase = "prepare", .text = "compiling with hooks before each access"});
  EditBuild build;
  const auto cancelled = [&] { return observer->cancelled(); };
  const std::string artifact = scratch.path() + "/traced.so";
  const bool built = compile_together(
      texts, scratch.path(), artifact,
      {"-include", source_folder() + "/worker/trace/hooks.h", "-fsanitize=thread"},
      {"-Xlinker", "--wrap=memcpy", "-Xlinker", "--wrap=memset"}, cancelled, &build);
  if (observer->cancelled()) return measure::cancelled_error();
  if (!built)
    return not_recorded(kernel, build.reason,
                        "it is compiled once more for that, with the compiler of this build");
  return load(kernel, artifact);
}

/// Whether each output was written and each input that every method reads was read: what the hooks miss would leave
/// gaps. The name of the buffer with one; empty: none.
std::string gap_in(const TracedCall& call) {
  for (const TracedBuffer& buffer : call.buffers) {
    if (!buffer.is_output && !buffer.grid.is_read_whole) continue;
    std::vector<bool> seen(buffer.bytes);
    for (const Access& access : call.log.accesses) {
      if (access.is_write != buffer.is_output || access.at < buffer.at) continue;
      const size_t begin = access.at - buffer.at;
      for (size_t i = begin; i < std::min(begin + access.bytes, buffer.bytes); ++i) seen[i] = true;
    }
    if (std::find(seen.begin(), seen.end(), false) != seen.end()) return buffer.name;
  }
  return "";
}

Result<TracedCall> recorded_call(const KernelDesc& kernel, measure::ReadyRung* ready) {
  TracedCall call;
  const std::string id(original_of(kernel.id));
  const auto grids = ready->instance->problem->grids();
  const auto& specs = ready->instance->specs;
  for (size_t i = 0; i < specs.size() && i < grids.size(); ++i) {
    call.buffers.push_back(
        {specs[i].name, reinterpret_cast<uintptr_t>(ready->buffers->pointers()[i]), specs[i].bytes,
         dtype_size(specs[i].dtype), specs[i].is_output, grids[i]});
  }
  call.flop = ready->instance->problem->flop();
  call.log.accesses.reserve(size_t{1} << 20);
  Result<QualityCheck> check = QualityCheck();
  {
    const Recording recording(&call.log, kMostAccesses);
    check = measure::check_rung(ready, true, "the recorded call");
  }
  if (!check) return check.error();
  if (!check->passed) return not_recorded(id, "its result fails its check, " + check->reason);
  if (call.log.is_full)
    return not_recorded(id, "there are more than " + std::to_string(kMostAccesses),
                        "choose a smaller size");
  if (call.log.has_threads) return not_recorded(id, "it starts threads of its own");
  if (const std::string gap = gap_in(call); !gap.empty())
    return not_recorded(id, "some of those to " + gap + " come from code that is not in its file");
  return call;
}

}  // namespace

Result<TracedCall> trace_rung(const std::string& kernel, const FamilyDesc& family,
                              const Params& params, measure::Device* cpu,
                              measure::Observer* observer) {
  if (backend_of(kernel) != Backend::cpu)
    return not_recorded(kernel, "a GPU's loads and stores are not seen from here",
                        "choose a rung of the CPU");
  RIDGE_TRY(const KernelDesc* traced, traced_kernel(kernel, observer));
  observer->phase(-1, {.phase = "prepare", .text = "recording one call"});
  RIDGE_TRY(auto instance, measure::make_instance(family, params, 1, *cpu));
  RIDGE_TRY(measure::ReadyRung ready, measure::make_ready(*traced, cpu, instance));
  return recorded_call(*traced, &ready);
}

}  // namespace ridge::worker
