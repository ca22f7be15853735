// A launch command, --worker.
#include "app/session/session.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::app::split_command(text))
