// Libraries of a driver or toolkit that may be absent: opened when first needed, never linked. They stay
// open for the life of the process.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace ridge {

struct SharedLibrary {
  void* handle = nullptr;  ///< null: none of the places has it

  template <class Places = std::initializer_list<const char*>>
  bool open(const Places& places) {
    for (const auto& place : places) {
      if (handle == nullptr) handle = dlopen(std::string(place).c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    return handle != nullptr;
  }
  /// False, and *function null, where this version lacks it.
  template <class Function>
  bool find(Function* function, const char* name) const {
    *function = reinterpret_cast<Function>(dlsym(handle, name));
    return *function != nullptr;
  }
};

}  // namespace ridge
