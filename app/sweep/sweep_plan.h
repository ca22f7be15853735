// The points of a sweep in their order. The same file and the same program give the same plan, so a sweep that is
// begun again, or in shares, knows each point by its key.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "app/sweep/sweep_file.h"
#include "common/core/result.h"
#include "common/record/request.h"
#include "common/record/run.h"

namespace ridge::sweep {

struct Point {
  std::string
      key;  ///< "gemm gemm.cpu.naive_o3 dtype=fp32 n=64 live hot #1": one line, of this point alone
  WorkRequest request;  ///< what a worker is asked
};

struct Plan {
  std::vector<Point> points;
  std::map<std::string, std::string> hashes;  ///< of the rungs' sources, by id
  /// Of all keys in order.
  std::string fingerprint() const;
};

/// All points once, then those that are repeated again: a repeat lies far from the point it repeats. A point that two
/// grids name is in it once. Errors, with the grid's place: bad_input for an unknown lab, rung or parameter, or one out of
/// range, and for over kMostPoints points; unavailable for a rung that this worker cannot run. `path` is the file's.
Result<Plan> make_plan(const std::vector<Grid>& grids, const std::string& path,
                       const Run& catalogue);

/// Of `count` points those of share K of N: each N-th, so that all shares take about as long.
struct Share {
  size_t number = 1, of = 1;
  bool is_whole() const { return of == 1; }
  bool has(size_t point) const { return point % of == number - 1; }
};
/// "2/8". Error usage.
Result<Share> parse_share(const std::string& text);

}  // namespace ridge::sweep
