// What a run shows to limit a rung, and where its lesson expects another limit, that the two differ and why that may be.
// The lab's card and a tour's Explain say it in the same words.
#pragma once

#include <string>
#include <vector>

#include "app/window/teach/step_outcome.h"
#include "common/record/diagnosis.h"

namespace ridge::window {

/// Of a limit that is not known: what a user of the window can do about it, or that nothing can be done.
std::string what_would_tell(const State& state, const Series& series, const Run& run,
                            const Diagnosis& diagnosis);

/// "The lesson expects compute; this run shows memory bandwidth: another size or machine may have another limit, and no
/// hardware counters were read." Empty: the lesson names no cause (study::limits_named()), or this one.
std::string limits_differ(const std::vector<Bottleneck>& expected, const Diagnosis& found,
                          const Series& series);
/// Of a limit that is not known: "The lesson expects compute, and this run does not confirm it: its caches were not looked
/// at." Without a cause that the lesson names the reason alone.
std::string unconfirmed_because(const std::vector<Bottleneck>& expected, const Diagnosis& found);

struct MeasuredLimit {
  /// "Measured: L1 bandwidth limits “naive”, by 98.6 % of L1 throughput (counters)." Or why this run cannot confirm what the
  /// lesson expects. Empty: it has no speed.
  std::string text;
  bool is_told = false;  ///< the run names a limit
  std::string for_room;  ///< the same without what would settle it, which is for who measures
  bool is_quiet = false;  ///< no counter was read: it says so, and nothing against the lesson
};
MeasuredLimit measured_limit(const State& state, const LessonBar& bar,
                             const std::vector<Bottleneck>& expected);

}  // namespace ridge::window
