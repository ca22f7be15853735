// The noise floor: a rung compared with itself, over and over. Both sides are equal, so every verdict
// but "same" or "unresolved" is false; how far the ratios lie from 1 is what this machine cannot tell
// apart. The comparisons are ordinary ones of a run, so a saved run holds its noise floor.
#pragma once

#include <string>
#include <vector>

#include "common/record/request.h"
#include "common/record/run.h"

namespace ridge {

/// What is compared with itself where nothing else is asked for: about 1 ms a call.
inline constexpr const char* kSelfCheckLab = "gemm";
inline constexpr const char* kSelfCheckRung = "gemm.cpu.cache_blocks";
inline constexpr const char* kSelfCheckSet = "n=232";
inline constexpr int kSelfChecks = 100;

/// One such comparison, at a margin of 0. `sides`: the same one twice, of trainings for each seed.
WorkRequest self_check_request(const std::string& lab, std::vector<KernelRequest> sides);
/// A rung or command against itself at a margin of 0: it says something about the machine, nothing about the rung.
bool is_self_check(const Comparison& comparison);

struct NoiseFloor {
  std::string kernel;
  Params params;
  double margin = 0;  ///< the default one for that rung's backend
  int false_at_zero = 0, false_at_margin = 0;
  std::vector<double> ratios;  ///< of each comparison, in the order made

  int runs() const { return static_cast<int>(ratios.size()); }
  /// At most 5 % false at a margin of 0 (what a 95 % interval allows), none at the default. Nothing
  /// compared is nothing shown.
  bool holds() const;
  /// |ratio - 1| that the share q of the comparisons stays within.
  double within(double q) const;
  /// "Of 100 comparisons ... a difference under 0.8 % is noise here."
  std::string sentence() const;
};

/// Of the run's newest self checks (one rung, one set of parameters); runs() is 0 where there are none.
NoiseFloor noise_floor(const Run& run);

}  // namespace ridge
