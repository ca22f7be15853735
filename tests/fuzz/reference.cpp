// A figure that a text names.
#include "common/view/figure/reference.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::figure::parse_reference(text))
