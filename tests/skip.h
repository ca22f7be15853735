// A case that this machine cannot make is skipped, with the reason: it has neither passed nor failed. tests/skips says
// which skips CI allows.
#pragma once

#include <cstdlib>

#include "tests/catch.h"

/// Says so and goes on: for one of many in a loop.
#define RIDGE_SKIP_NOTE(reason) WARN("skipped: " << reason)
/// Ends the case.
#define RIDGE_SKIP(reason)   \
  do {                       \
    RIDGE_SKIP_NOTE(reason); \
    return;                  \
  } while (false)
/// Ends the case where the CPU is emulated (tests/aarch64), and QEMU does otherwise than a kernel.
#define RIDGE_SKIP_EMULATED(reason)                                          \
  do {                                                                       \
    if (std::getenv("RIDGE_EMULATED")) RIDGE_SKIP("emulated: " << (reason)); \
  } while (false)

namespace ridge::test {

inline constexpr const char* kNoExecError =
    "QEMU starts a program by a fork, and an exec that fails is not reported";
inline constexpr const char* kNoEmulatedCeilings =
    "a ceiling measured under QEMU lies below what rungs reach there, and their results are "
    "refused";
inline constexpr const char* kNoAdoption =
    "QEMU lets no process adopt what its commands leave behind";

}  // namespace ridge::test
