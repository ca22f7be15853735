#include "common/core/late_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

namespace ridge {
namespace {

RIDGE_REGISTERED(late_libraries, ridge_late_libraries, LateLibrary)

void call_of_what_is_lacking() {
  std::fputs("ridgepoint: a library was opened whose version lacks a function that is called\n",
             stderr);
  std::abort();
}

std::string open_late(const LateLibrary& library) {
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
