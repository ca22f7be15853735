// The metrics that tooltips explain.
#include "app/study/glossary.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::study::parse_metrics(text, "fuzz"))
