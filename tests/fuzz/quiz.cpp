// A quiz.
#include "app/study/quiz.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::study::parse_quiz(text, "fuzz"))
