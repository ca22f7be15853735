// The telemetry of a run: ten moments a second, for hours. Kept by column, because a moment of its own with a map in it
// takes eight times the room.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/record/few_values.h"
#include "common/record/types.h"

namespace ridge {

class Telemetry {
 public:
  void add(const TelemetryPoint& point);

  bool empty() const { return t_s_.empty(); }
  size_t size() const { return t_s_.size(); }
  /// Some moment has a reading of that name.
  bool has(std::string_view name) const { return readings_.find(name) != readings_.end(); }

  // Of moment `i`, in the order received: 0 to size() - 1.
  double t_s(size_t i) const { return t_s_[i]; }
  /// NaN where it was not read.
  double reading(size_t i, std::string_view name) const;
  /// 0 to 1, one a logical core; empty where it was not read.
  std::vector<float> core_busy(size_t i) const;
  /// Why the GPU's clock is held down, in words.
  const std::vector<std::string>& throttle(size_t i) const;
  TelemetryPoint operator[](size_t i) const;
  /// What some moment has a reading of, in order of the names.
  std::vector<std::string> names() const;
  /// What take(i, value) gets: each reading of that name, by moment.
  template <class Take>
  void for_each(std::string_view name, Take take) const {
    const auto column = readings_.find(name);
    if (column == readings_.end()) return;
    const auto& [runs, values] = column->second;
    for (size_t run = 0; run < runs.size(); ++run) {
      const size_t end = run + 1 < runs.size() ? runs[run + 1].at : values.size();
      for (size_t at = runs[run].at; at < end; ++at)
        take(runs[run].moment + (at - runs[run].at), values[at]);
    }
  }

 private:
  /// A reading of moments that follow each other stands in one run of values; where it was not read a run ends. So a
  /// value takes its own room, and a file with a new name in each line no more than its lines.
  struct Column {
    struct Run {
      uint32_t moment = 0;  ///< of its first value
      uint32_t at = 0;      ///< place in values
    };
    std::vector<Run> runs;
    FewValues values;
    void add(uint32_t moment, double value);
    /// NaN where it was not read.
    double of(size_t moment) const;
  };
  /// Of moments that follow each other and have as many cores.
  struct CoreRun {
    size_t moment = 0, at = 0, cores = 0;
  };
  /// From this moment on.
  struct ThrottleRun {
    size_t moment = 0;
    uint32_t reasons = 0;  ///< index into reasons_
  };
  std::vector<double> t_s_;
  std::map<std::string, Column, std::less<>> readings_;
  FewValues core_busy_;  ///< of all moments
  std::vector<CoreRun> core_runs_;
  std::vector<std::vector<std::string>> reasons_;  ///< each set of them once
  std::map<std::vector<std::string>, uint32_t> reasons_index_;
  std::vector<ThrottleRun> throttle_;
};

}  // namespace ridge
