#include "common/core/late_library.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

namespace ridge {
namespace {

RIDGE_REGISTERED(late_libraries, ridge_late_libraries, LateLibrary)

void call_of_what_is_lacking() {
  std::fputs("ridgepoint: a library was opened whose version lacks a function that is called\n",
             stderr);
  std::abort();
}

/// OpenBLAS allocates a buffer for each of its threads while it is opened, and tries for ever where it may not.
std::string why_no_room(const LateLibrary& library) {
  rlimit limit{};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (!is_limited || std::string_view(library.name) != "openblas") return "";
  constexpr rlim_t kBuffer_bytes = 128 << 20;
  rlim_t mapped_pages = 0;
  std::ifstream("/proc/self/statm") >> mapped_pages;
  const rlim_t mapped_bytes = mapped_pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlim_t needed_bytes =
      mapped_bytes + (std::thread::hardware_concurrency() + 1) * kBuffer_bytes;
  if (needed_bytes <= limit.rlim_cur) return "";
  return std::string("needs ") + std::to_string(needed_bytes >> 20) +
         " MiB of addresses, more than the limit (ulimit -v) leaves";
}

std::string open_late(const LateLibrary& library) {
  if (const std::string why = why_no_room(library); !why.empty()) {
    for (size_t i = 0; i < library.functions.size(); ++i)
      library.slots[i] = reinterpret_cast<void*>(call_of_what_is_lacking);
    return why;
  }
  void* handle = nullptr;
  std::string why;
  for (const char* place : library.places) {
    if (handle == nullptr) handle = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr && place == library.places.back()) why = dlerror();
  }
  for (size_t i = 0; i < library.functions.size(); ++i) {
    void* found = handle != nullptr ? dlsym(handle, library.functions[i]) : nullptr;
    library.slots[i] = found != nullptr ? found : reinterpret_cast<void*>(call_of_what_is_lacking);
  }
  if (handle != nullptr) return "";
  // "libX11.so.6: cannot open shared object file": what the library itself needs may be what is missing.
  const std::string missing = why.substr(0, why.find(':'));
  const bool is_itself = missing.find(library.file) != std::string::npos;
  return std::string("needs ") + library.file + ", which " +
         (is_itself ? "is not here" : "cannot be loaded (" + why + ")") + ": install " +
         library.package;
}

}  // namespace

const std::string& missing_library(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::string, std::less<>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  std::string& why = known[std::string(name)];
  for (const LateLibrary* library : late_libraries()) {
    if (why.empty() && library->name == name) why = open_late(*library);
  }
  return why;
}

}  // namespace ridge
