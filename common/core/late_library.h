// A library that machines have in different versions, or not at all: it is opened when it is first needed, never linked.
// cmake/late_library.cmake writes a LateLibrary for it and defines its functions, each a jump through a slot that opening
// fills, so that callers call them by their own names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/core/registration.h"

namespace ridge {

struct LateLibrary {
  const char* name;  ///< as a build line asks for it: "onednn"; cuBLAS is two libraries of one name
  const char* file;  ///< "libdnnl.so.2"
  const char* package;                  ///< what to install: "libdnnl2 (Debian 12)"
  std::span<const char* const> places;  ///< tried in this order
  std::span<const char* const>
      functions;  ///< one that this version lacks ends the program when it is called
  void** slots;   ///< as many
};

/// Opens it, the first time; it stays open. Why it cannot be had: "needs libdnnl.so.2, which is not here: install libdnnl2
/// (Debian 12)". Empty where it can, and for a name that this program does not open late. For any thread.
const std::string& missing_library(std::string_view name);

}  // namespace ridge

// ---- for the file that the build writes ------------------------------------------------------------

/// Defines the function: a jump to slot `index` of `slots`.
#if defined(__x86_64__)
#define RIDGE_LATE_JUMP(slots, index) "jmp *" slots "+8*" #index "(%rip)\n"
#elif defined(__aarch64__)
#define RIDGE_LATE_JUMP(slots, index) \
  "adrp x16, " slots "+8*" #index "\nldr x16, [x16, :lo12:" slots "+8*" #index "]\nbr x16\n"
#endif
#define RIDGE_LATE_FUNCTION(function, slots, index)                           \
  __asm__(".text\n.globl " function "\n.hidden " function "\n.type " function \
          ", %function\n" function ":\n" RIDGE_LATE_JUMP(slots, index) ".previous\n");
