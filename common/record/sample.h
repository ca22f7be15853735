// One timed sample, as it is measured, sent and saved. A series holds many of them by column (samples.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ridge {

/// One timed sample. Times are per call: a sample of `calls` calls took t_ns * calls.
struct Sample {
  int64_t index = 0;
  double t_ns = 0;
  double cpu_ns = 0;  ///< thread CPU time per call; 0 where it has no meaning (GPU)
  int64_t calls = 1;
  std::optional<double> sm_clock_hz;
  std::optional<double> temp_c;
  std::optional<double> power_w;
  std::vector<std::string> flags;  ///< "stolen" (CPU share < 0.98), "outlier", "clock_mismatch"
};

}  // namespace ridge
