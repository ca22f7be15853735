// Benchmarks of other programs.
#include "common/record/import.h"

#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ((void)ridge::import_benchmarks(ridge::fuzz::file_with(text)))
