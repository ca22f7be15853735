// The telemetry of a run: ten moments a second, for hours. Kept by column, because a moment of its own with a map in it
// takes eight times the room.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  std::span<const float> core_busy(size_t i) const;
  /// Why the GPU's clock is held down, in words.
  const std::vector<std::string>& throttle(size_t i) const { return reasons_[throttle_[i]]; }
  TelemetryPoint operator[](size_t i) const;

 private:
  /// Only where something was read: a file with a new name in each line takes no more room than its lines.
  struct Column {
    std::vector<uint32_t> moments;
    std::vector<double> values;
  };
  std::vector<double> t_s_;
  std::map<std::string, Column, std::less<>> readings_;
  std::vector<float> core_busy_;  ///< of all moments
  std::vector<size_t> cores_end_;
  std::vector<std::vector<std::string>> reasons_;  ///< each set of them once
  std::map<std::vector<std::string>, uint32_t> reasons_index_;
  std::vector<uint32_t> throttle_;  ///< index into reasons_
};

}  // namespace ridge
