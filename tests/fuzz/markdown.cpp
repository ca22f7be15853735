// A lesson.
#include "app/study/markdown.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::study::parse_markdown(text))
