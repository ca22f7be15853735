// The glossary.
#include "app/study/glossary.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::study::Glossary::parse(text, "fuzz"))
