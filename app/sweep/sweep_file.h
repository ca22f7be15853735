// SWEEP.json, which `ridgepoint sweep` reads: grids of rungs and parameters (docs/sweeps.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/query/list_file.h"
#include "common/core/result.h"
#include "common/record/enums.h"
#include "common/record/types.h"

namespace ridge::sweep {

/// Points of a sweep; a run holds as many results.
inline constexpr size_t kMostPoints = 40'000;

/// Each rung at each combination of values. Its fields are those of SWEEP.json.
struct Grid {
  std::string name;  ///< for a reader; may be empty
  std::string lab;
  std::vector<std::string> rungs;  ///< empty: all that the first worker can run
  std::map<std::string, std::vector<ParamValue>> set;
  int64_t repeats = 1;
  RunMode mode = RunMode::measure;
  CacheMode cache = CacheMode::hot;
  std::optional<double> limit_s, warmup_s;
  bool energy = true;
  int device = 0;
};

/// Errors bad_input, one sentence with the file and the place in it: as of read_list_file(); an unknown field or one of the
/// wrong kind, no lab, an empty list of values, a range that never ends.
Result<std::vector<Grid>> read_sweep_file(const std::string& path);
/// "SWEEP.json: grid 2 (odd sizes)".
std::string grid_place(const std::string& path, size_t index, const Grid& grid);

}  // namespace ridge::sweep
