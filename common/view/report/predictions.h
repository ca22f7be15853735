// Predictions against what was measured: what the learner wrote down before the run, what the roofline
// model allows, and what the run showed. The window, the report and the JSON document read this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "common/view/report/report.h"

namespace ridge::report {

/// The least time of one call under ceilings measured on its machine: the largest of FLOP / FLOP
/// ceiling, bytes / DRAM ceiling and exponentials / theirs (Williams, Waterman and Patterson 2009, the roofline).
struct LeastTime {
  std::optional<double> time_ns;
  std::string ceiling;  ///< the one that binds: "FMA fp32, 1 thread"
  std::string reason;   ///< why there is none
};
LeastTime least_time(const Series& series, const Run& run);

struct Revealed {
  const Prediction* prediction = nullptr;
  /// The first valid result after it with its kernel and parameters; null: none came.
  const Series* series = nullptr;
  /// As it was said; of a factor its reference's time over it. Empty: the reference has no result.
  std::optional<double> predicted_ns;
  std::optional<double> measured_ns;
  std::optional<double> factor;  ///< measured / predicted: 2 took twice as long as predicted
  std::optional<double>
      ratio;  ///< where a factor was said: how many times as fast as its reference it is
  /// The comparison that the ratio is of; null: that of two medians, each side timed alone. The pair that judged it first
  /// stays; one with an interval takes the place of two medians.
  const Comparison* pair = nullptr;
  const Comparison* later_pair = nullptr;  ///< another that was made since; null: none
  bool is_rough = false;                   ///< two medians, of which one scatters or was disturbed
  /// "between 26.9× and 70.0×", the ratio where other programs took more of one's time than of the other's: what was said
  /// is not judged then. Empty: they did not.
  std::string range;
  LeastTime least;
  bool after_the_fact = false;  ///< a result for these parameters was there already
  std::string machine;          ///< a recording's, which answers it; empty: the run's own
  std::string reason;           ///< why there is nothing to hold it against
};

/// One for each prediction of the run, in the order they were made.
std::vector<Revealed> reveal(const Run& run);
/// The latest of this kernel at these parameters; none was made: empty.
std::optional<Revealed> reveal(const Run& run, const std::string& kernel, const Params& params);

/// One that no run answers, held against a result of a recording.
Revealed reveal_recorded(const Run& recording, const Prediction& prediction, const Series& series,
                         const std::string& machine);

/// As it was said: "8×", "12.0 ms".
std::string said_text(const Prediction& prediction);
/// How far off it was and which way, in the unit that it was said in: "You said 8×, it is ≈ 19.2×: faster than you
/// said, by 2.40×." That it was made after the fact comes first.
std::string prediction_sentence(const Revealed& revealed);
/// What the model says: "No faster than 0.9 ms by FMA fp32, 1 thread, measured here." or why nothing.
std::string model_sentence(const Revealed& revealed);

/// The report's section; none where nothing was predicted.
std::vector<Section> prediction_sections(std::span<const Input> inputs, const Options& options);
/// A sentence for each prediction, with the rung's name before it.
std::vector<std::string> prediction_lines(std::span<const Input> inputs, const Options& options);
Json prediction_json(const Revealed& revealed);

}  // namespace ridge::report
