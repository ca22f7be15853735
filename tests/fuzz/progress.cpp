// What was learned, study.json.
#include "app/study/cards.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::study::parse_progress(text, "fuzz"))
