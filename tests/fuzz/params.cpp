// A setting, --set.
#include "common/record/params.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::parse_params({text}))
