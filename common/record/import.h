// Benchmarks of other programs, read as if a worker had measured them: the JSON of Google Benchmark
// (--benchmark_out=FILE.json) and of nvbench (--json, --jsonbin). Each of its benchmarks is a series, each repetition or
// sample one of its samples. Nothing of them was taken in pairs, and nothing was checked.
#pragma once

#include <string>
#include <vector>

#include "common/record/json.h"

namespace ridge {

/// In place of a lab's id, in what was imported.
inline constexpr const char* kImportedLab = "imported";

/// The lines of a run (docs/protocol.md). Errors: bad_input, the file is of neither program, or holds no time.
Result<std::vector<Json>> import_benchmarks(const std::string& path);

}  // namespace ridge
