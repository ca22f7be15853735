// The line that shows what a long request is doing: on a terminal only, redrawn in place.
#pragma once

#include <chrono>
#include <string>

#include "common/record/run.h"

namespace ridge::app {

/// "gemm.cpu.naive_o3 (2 of 5) · timing · 40 samples · 271 µs ±0.4 % · 3 s left · interval ±0.9 %".
std::string progress_text(const Run& run);

class ProgressLine {
 public:
  ProgressLine();  ///< shows nothing unless stderr is a terminal
  ~ProgressLine() { clear(); }
  /// Redraws at most ten times a second.
  void update(const Run& run);
  void clear();

 private:
  bool enabled_ = false, shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace ridge::app
