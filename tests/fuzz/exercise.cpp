// An exercise.
#include "app/query/editing.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::app::parse_exercise("assets/exercises/gemm/fuzz.cpp", text))
