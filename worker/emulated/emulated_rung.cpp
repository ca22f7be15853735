#include "worker/emulated/emulated_rung.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <deque>
#include <future>
#include <utility>

#include "common/core/background.h"
#include "common/core/files.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/measure/rung.h"
#include "worker/edit/build.h"
#include "worker/edit/scratch.h"
#include "worker/emulated/emulator.h"
#include "worker/emulated/rewrite.h"

namespace ridge::worker {
namespace {

using emulated::Emulator;

Error not_emulated(const std::string& kernel, ErrorCode code, std::string why) {
  return {code, "it is not emulated: " + std::move(why), kernel, ""};
}

/// The .cu files that define what the kernel headers of a text declare: padding.cu of padding.h.
void add_companions(const std::string& text, std::vector<std::string>* seen,
                    std::vector<EmbeddedFile>* companions) {
  constexpr std::string_view kInclude = "#include \"kernels/";
  for (size_t at = text.find(kInclude); at != text.npos; at = text.find(kInclude, at + 1)) {
    const size_t begin = at + std::string_view("#include \"").size();
    const std::string header = text.substr(begin, text.find('"', begin) - begin);
    if (std::find(seen->begin(), seen->end(), header) != seen->end()) continue;
    seen->push_back(header);
    const std::string definer = header.substr(0, header.rfind('.')) + ".cu";
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.path != header && file.path != definer) continue;
      if (file.path == definer) companions->push_back(file);
      add_companions(std::string(file.text), seen, companions);
    }
  }
}

/// The .cu files that define what a kernel header declares and the text calls: direct.cu, whose launch other rungs fall
/// back to.
void add_definers(const EditText& text, std::vector<std::string>* seen,
                  std::vector<EmbeddedFile>* companions) {
  constexpr std::string_view kFunction = "\nStatus ";
  const auto add_definer = [&](const std::string& name) {
    for (const EmbeddedFile& file : embedded_files()) {
      const std::string_view path = file.path;
      const auto is_it = [&](const EmbeddedFile& one) { return one.path == path; };
      if (!path.ends_with(".cu") || path == text.source.path ||
          std::any_of(companions->begin(), companions->end(), is_it) ||
          std::string_view(file.text).find(std::string(kFunction) + name + "(") ==
              std::string_view::npos)
        continue;
      companions->push_back(file);
      add_companions(std::string(file.text), seen, companions);
    }
  };
  const std::vector<std::string> headers = *seen;
  for (const EmbeddedFile& file : embedded_files()) {
    if (std::find(headers.begin(), headers.end(), file.path) == headers.end()) continue;
    const std::string_view header = file.text;
    for (size_t at = header.find(kFunction); at != header.npos;
         at = header.find(kFunction, at + 1)) {
      const size_t begin = at + kFunction.size();
      const std::string name(header.substr(begin, header.find('(', begin) - begin));
      if (text.source.text.find(name + "(") != std::string::npos) add_definer(name);
    }
  }
}

std::vector<std::string> preprocessor_flags(const EditText& text) {
  const std::string arch = text.source.arch.empty() ? "75" : text.source.arch;
  const std::string source = source_folder();
  return {"-I" + source + "/worker/emulated/device",
          "-I" + source,
          "-DRIDGE_ISA=\"\"",
          "-DRIDGE_ARCH=" + std::to_string(std::atoi(arch.c_str())),
          "-DRIDGE_VARIANT=\"" + text.variant + std::string(kEditSuffix) + "\"",
          "-include",
          "cuda_runtime.h",
          "-include",
          source + "/common/harness/kernel/edited.h"};
}

/// With calls before each access and at each basic block; without what would merge accesses that a GPU makes one by one.
std::vector<std::string> compiler_flags() {
  std::vector<std::string> flags = {
      "-w", "-g1", "-fsanitize=thread", "-fsanitize-coverage=trace-pc",
      // A call in place of a return would name the line of who called.
      "-fno-optimize-sibling-calls"};
#ifdef __clang__
  flags.insert(flags.end(), {"-fno-vectorize", "-fno-slp-vectorize"});
#else
  flags.insert(flags.end(), {"--param=tsan-instrument-func-entry-exit=0", "-fno-tree-vectorize",
                             "-fno-tree-slp-vectorize", "-fno-store-merging",
                             "-fno-tree-tail-merge", "-fdisable-rtl-loop2_unroll"});
#endif
  if (measure::usable_isa() >= measure::IsaLevel::avx2) flags.push_back("-mfma");
  return flags;
}

/// file.cu to file.cu.o.
bool compile_one(const EditText& text, const std::string& folder, const std::string& name,
                 const std::string& contents, const std::function<bool()>& cancelled,
                 EditBuild* build) {
  const std::string file = folder + "/" + name;
  if (const auto written = write_whole(file, contents); !written)
    return build->refuse(BuildEnd::machine, written.error().sentence());
  const std::string preprocessed = file + ".ii";
  std::vector<std::string> first = preprocessor_flags(text);
  first.insert(first.end(), {"-x", "c++", "-E", file, "-o", preprocessed});
  if (!run_rung_compiler(first, folder, file, cancelled, build)) return false;
  const auto plain = read_whole(preprocessed);
  if (!plain || !write_whole(preprocessed, emulated::rewritten(*plain)))
    return build->refuse(BuildEnd::machine, "its rewritten text could not be written");
  std::vector<std::string> second = compiler_flags();
  second.insert(second.end(), {"-c", preprocessed, "-o", file + ".o"});
  return run_rung_compiler(second, folder, file, cancelled, build);
}

bool build_object(const EditText& text, const std::string& folder, const std::string& object,
                  const std::function<bool()>& cancelled, EditBuild* build) {
  const std::string own = text.source.path.substr(text.source.path.rfind('/') + 1);
  std::vector<std::pair<std::string, std::string>> files = {{own, text.source.text}};
  std::vector<std::string> seen;
  std::vector<EmbeddedFile> companions;
  add_companions(text.source.text, &seen, &companions);
  add_definers(text, &seen, &companions);
  for (size_t i = 0; i < companions.size(); ++i)
    files.emplace_back("with_" + std::to_string(i) + ".cu", companions[i].text);
  // Side by side: a rung of several files is as soon there as its longest.
  std::vector<EditBuild> builds(files.size());
  std::vector<std::future<bool>> compiled;
  for (size_t i = 0; i < files.size(); ++i) {
    compiled.push_back(in_background([&, i] {
      return compile_one(text, folder, files[i].first, files[i].second, cancelled, &builds[i]);
    }));
  }
  std::vector<std::string> link = {"-shared", "-Xlinker", "-Bsymbolic"};
  bool all = true;
  for (size_t i = 0; i < files.size(); ++i) {
    const bool good = compiled[i].get();
    if (!good && std::exchange(all, false)) *build = std::move(builds[i]);
    link.push_back(folder + "/" + files[i].first + ".o");
  }
  if (!all) return false;
  link.insert(link.end(), {"-o", object});
  return run_rung_compiler(link, folder, object, cancelled, build);
}

/// What the object has in memory beside its code: constants that device code may read.
void allow_constants(const void* handle) {
  const auto* map = static_cast<const link_map*>(handle);
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* base) {
        if (reinterpret_cast<void*>(info->dlpi_addr) != base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type == PT_LOAD)
            Emulator::get().memory.add_constant(
                reinterpret_cast<void*>(info->dlpi_addr + part.p_vaddr), part.p_memsz,
                "the program");
        }
        return 1;
      },
      reinterpret_cast<void*>(map->l_addr));
}

Status (*own_launch)(const Launch&) = nullptr;  // of the rung that is called

/// The gate calls a rung that failed again, to find where it is wrong: the first call is what is counted.
Status launch_first(const Launch& launch) {
  auto& launches = Emulator::get().launches;
  const size_t before = launches.size();
  const Status status = own_launch(launch);
  if (before > 0) launches.resize(before);
  return status;
}

}  // namespace

Result<EmulatedBuild> compile_emulated(const std::string& kernel, const std::string& text,
                                       const std::string& folder,
                                       const std::function<bool()>& cancelled) {
  RIDGE_TRY(const EditText edit, read_edit(kernel, "", text));
  if (!edit.is_cuda) return not_emulated(kernel, ErrorCode::usage, "it is no CUDA rung");
  if (folder.empty())
    return not_emulated(kernel, ErrorCode::unavailable, "no temporary folder could be made");
  EmulatedBuild made{edit.id(), edit.source.path, edit.source.hash, folder + "/emulated.so"};
  EditBuild build;
  if (build_object(edit, folder, made.artifact, cancelled, &build)) return made;
  if (cancelled()) return measure::cancelled_error();
  // A text of ours compiles where the compiler can do it; in a text of the user's a line is wrong.
  const KernelSource* own = find_source(kernel);
  const bool is_own = own != nullptr && own->text == text;
  if (build.ended_at != BuildEnd::compile || !is_own)
    return not_emulated(
        kernel, build.ended_at == BuildEnd::compile ? ErrorCode::usage : ErrorCode::unavailable,
        build.reason);
  return Error{ErrorCode::unavailable,
               "this machine's compiler cannot build it for the CPU: " + build.reason, kernel,
               "name another rung, or count this one where another compiler is"};
}

Result<std::shared_ptr<const EmulatedRung>> EmulatedRung::load(const EmulatedBuild& build) {
  void* handle = dlopen(build.artifact.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return not_emulated(build.kernel, ErrorCode::usage, dlerror());
  auto* machine = static_cast<const emulated::Machine**>(dlsym(handle, "ridge_emulated_machine"));
  using Kernels = const KernelDesc* const* (*)(int* count);
  const auto kernels = reinterpret_cast<Kernels>(dlsym(handle, "ridge_edited_kernels"));
  int count = 0;
  const KernelDesc* const* list = kernels != nullptr ? kernels(&count) : nullptr;
  const auto* own = std::find_if(list, list + count,
                                 [&](const KernelDesc* one) { return one->id == build.kernel; });
  if (machine == nullptr || own == list + count)
    return not_emulated(build.kernel, ErrorCode::usage, "it registers no kernel");
  *machine = emulated::machine();
  allow_constants(handle);
  auto rung = std::make_shared<EmulatedRung>();
  rung->kernel_ = **own;
  rung->kernel_.backend = Backend::cpu;  // its buffers are this machine's memory
  rung->object_ = {build.artifact, build.path.substr(build.path.rfind('/') + 1),
                   static_cast<const link_map*>(handle)->l_addr};
  return std::shared_ptr<const EmulatedRung>(rung);
}

Result<std::shared_ptr<const EmulatedRung>> EmulatedRung::build(
    const std::string& kernel, const std::string& text, const std::function<bool()>& cancelled) {
  static std::deque<Scratch> folders;  // the object's lines are read later
  RIDGE_TRY(const EmulatedBuild made,
            compile_emulated(kernel, text, folders.emplace_back().path(), cancelled));
  return load(made);
}

Result<std::shared_ptr<const EmulatedRung>> EmulatedRung::build(const std::string& kernel) {
  const KernelSource* source = find_source(kernel);
  if (source == nullptr)
    return not_emulated(kernel, ErrorCode::usage, "its source is not in this worker");
  return build(kernel, std::string(source->text), [] { return false; });
}

Result<EmulatedCall> EmulatedRung::call(const FamilyDesc& family, const Params& params,
                                        measure::Device* cpu,
                                        std::vector<emulated::LaunchCounts>* stopped) const {
  Emulator& emulator = Emulator::get();
  RIDGE_TRY(auto instance, measure::make_instance(family, params, 1, *cpu));
  own_launch = kernel_.launch;
  KernelDesc counted = kernel_;
  counted.launch = launch_first;
  RIDGE_TRY(measure::ReadyRung ready, measure::make_ready(counted, cpu, instance));
  const auto& specs = instance->specs;
  for (size_t i = 0; i < specs.size(); ++i)
    emulator.memory.add(ready.buffers->pointers()[i], specs[i].bytes, specs[i].name,
                        static_cast<uint32_t>(dtype_size(specs[i].dtype)));
  emulator.launches.clear();
  emulator.l2.clear();
  auto check = measure::check_rung(&ready, true, "the emulated call");
  emulator.memory.forget_buffers();
  if (!check && stopped != nullptr) *stopped = std::move(emulator.launches);
  if (!check) return check.error();
  return EmulatedCall{std::move(*check), std::move(emulator.launches)};
}

}  // namespace ridge::worker
