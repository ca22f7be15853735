// A budget, --budget.
#include "common/record/budget.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::parse_budget(text))
