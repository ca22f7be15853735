#include "worker/edit/loading.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/core/files.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/device.h"
#include "common/record/derive.h"
#include "common/record/json.h"
#include "common/record/params.h"
#include "worker/edit/sandbox.h"

namespace ridge::worker {
namespace {

namespace fs = std::filesystem;

/// "undefined symbol: ridge::f()" of dlerror's "FILE: undefined symbol: _ZN5ridge1fEv".
std::string why_not_loaded() {
  std::string text = dlerror();
  text = text.substr(text.find(": ") == text.npos ? 0 : text.find(": ") + 2);
  const size_t name = text.rfind(": ") == text.npos ? 0 : text.rfind(": ") + 2;
  int failed = 0;
  char* plain = abi::__cxa_demangle(text.c_str() + name, nullptr, nullptr, &failed);
  if (failed == 0) text = text.substr(0, name) + plain;
  free(plain);
  return text;
}

/// 4096 x 4096 normals take a seventh of a second on 16 cores, which are idle while nvcc works. Where this
/// does not work out the run makes its inputs itself.
void make_instance(const std::string& line) {
  const auto json = parse_json(line, "the problem to come");
  if (!json || !json->is_object()) return;
  const FamilyDesc* family = find_family(text_field(*json, "family"));
  const Json* given = object_field(*json, "params");
  const auto device = measure::make_cpu_device();
  if (family == nullptr || given == nullptr || !device) return;
  (void)instance_ahead().get(*family, params_from_json(*given), 1, **device);
}

}  // namespace

Result<std::string> line_from(int fd) {
  std::string line;
  for (char byte = 0;;) {
    if (read(fd, &byte, 1) != 1) return Error{ErrorCode::worker, "nothing to load", "", ""};
    if (byte == '\n') return line;
    line += byte;
  }
}

measure::InstanceCache& instance_ahead() {
  static measure::InstanceCache instance;
  return instance;
}

Result<void> load_edits(const std::string& folder, const std::vector<std::string>& files) {
  Limits limits{.folder = folder};
  const auto add_folder = [&](const char* variable, const char* below) {
    const char* set = std::getenv(variable);
    if (set != nullptr && *set != '\0') limits.readable.push_back(std::string(set) + below);
  };
  // Data sets and trained models, which problems are made of; not the edits of others, which lie beside them.
  add_folder("XDG_CACHE_HOME", "/ridgepoint");
  add_folder("XDG_DATA_HOME", "/ridgepoint/fashion-mnist");
  add_folder("RIDGEPOINT_DATA", "");
  add_folder("HOME", "/.cache/ridgepoint");
  add_folder("HOME", "/.local/share/ridgepoint/fashion-mnist");
  for (const std::string& file : files)
    limits.gpu |= backend_of(fs::path(file).stem().string()) == Backend::cuda;
  // The locks of GPUs that are timed: made by who started this worker.
  for (const std::string path : limits.gpu ? entries_of("/tmp") : std::vector<fs::path>()) {
    if (path.starts_with("/tmp/ridgepoint-gpu-")) limits.readable.push_back(path);
  }
  if (chdir(folder.c_str()) != 0) return Error{ErrorCode::worker, "its folder is gone", folder, ""};
  limit_process(limits);
  if (limits.gpu) {
    // Its context is made while the compiler still works, and stays; without a GPU Work says why.
    static const auto gpu = measure::make_cuda_device(0);
  }
  (void)kernel_sources();  // reads and hashes the text of every rung, once
  for (;;) {
    RIDGE_TRY(const std::string line, line_from(STDIN_FILENO));
    if (line.empty()) break;
    make_instance(line);
  }
  for (const std::string& file : files) {
    void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) return Error{ErrorCode::worker, why_not_loaded(), "", ""};
    using Kernels = const KernelDesc* const* (*)(int* count);
    const auto kernels = reinterpret_cast<Kernels>(dlsym(object, "ridge_edited_kernels"));
    int count = 0;
    const KernelDesc* const* list = kernels != nullptr ? kernels(&count) : nullptr;
    const auto only = reinterpret_cast<const char* (*)()>(dlsym(object, "ridge_edited_dtype"));
    static std::deque<KernelDesc> loaded;  // addresses stay
    for (int i = 0; i < count; ++i) {
      loaded.push_back(*list[i]);
      if (only != nullptr) loaded.back().dtypes = only();
      add_loaded_kernel(&loaded.back());
    }
  }
  return {};
}

}  // namespace ridge::worker
