// A case that this machine cannot make is skipped, with the reason: it has neither passed nor failed. tests/skips says
// which skips CI allows.
#pragma once

#include "tests/catch.h"

/// Says so and goes on: for one of many in a loop.
#define RIDGE_SKIP_NOTE(reason) WARN("skipped: " << reason)
/// Ends the case.
#define RIDGE_SKIP(reason)   \
  do {                       \
    RIDGE_SKIP_NOTE(reason); \
    return;                  \
  } while (false)
