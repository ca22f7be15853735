// A described model that decodes, once with each type of weights: tokens and joules beside what the memory's
// bandwidth would allow. Decoding reads every weight once a step, so that floor is what a type is chosen by.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

/// A step makes one token for each sequence. What is missing says why, and is never zero.
struct DecodeRow {
  std::string label{}, rung{};               ///< "int4, a scale for 128", "decode: AVX-512, int4"
  double weight_bytes = 0, cache_bytes = 0;  ///< that a step reads: arithmetic
  std::optional<double> step_s{};            ///< all calls of a step
  std::optional<Interval> step_ci_s{};  ///< the calls' intervals added up: no narrower than theirs
  std::string how{}, why{};             ///< with a time: "measured at each shape"; without one: why
  bool exact = false;                   ///< measured here, each part at its shape
  std::optional<double> floor_s{}, energy_j{};  ///< of a step
  std::string why_no_floor{}, why_no_energy{};
};

struct DecodeOptions {
  std::string title{}, machine{};     ///< machine: empty is this one
  std::string model{};                ///< "32 layers, 32 heads of 128, ..."
  double tokens = 1;                  ///< of a step
  std::optional<double> bytes_per_s;  ///< the measured bandwidth that the floor is reckoned with
  std::string note{};                 ///< closes the summary
};

/// What a cell of the table begins with where there is no figure, before the reason.
inline constexpr std::string_view kUnavailable = "unavailable: ";

/// What is reached of the tokens a second that the bandwidth would allow; none where either is missing.
std::optional<double> share_of_floor(const DecodeRow& row);

ChartModel decode_chart(std::span<const DecodeRow> rows, const DecodeOptions& options);

}  // namespace ridge::chart
