// From a paired comparison to a decision. One function behind the report, the window and the JSON
// document, so that no two of them can recommend different things.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "common/record/types.h"
#include "common/view/report/budget_rows.h"

namespace ridge {

/// Kernel id -> the lab's name for the rung. Labs are not known here; a caller that knows them
/// passes their titles, else the id is printed.
using Titles = std::map<std::string, std::string>;

struct Throughput {
  double value = 0;
  std::string unit;  ///< "FLOP/s", "B/s", "items/s" or "calls/s"
};

struct Decision {
  std::string change;  ///< "naive_o1 → loop_order at k=512 m=512 n=512, hot cache"
  Verdict verdict = Verdict::unresolved;  ///< the comparison's, or invalid where a check failed
  std::optional<Throughput> throughput;   ///< of the candidate; absent: unavailable
  std::optional<double> p95_latency_ns;   ///< of the candidate; absent: too few latency samples
  std::optional<double> quality_delta;    ///< candidate - baseline, in `quality_metric`
  std::optional<Interval> quality_ci;     ///< trainings: 95 %, over the paired seeds
  std::string quality_metric;             ///< "nmse", the task metric ("accuracy"), or "output"
  std::string quality_limit;              ///< in words: "NMSE ≤ 2.05e-12 against float64"
  /// As MLPerf divides: "closed", one data type and class of accuracy, or another with a quality target that is met;
  /// "open": another without one. Empty: commands.
  std::string division;
  std::string division_reason;    ///< "data type bf16 instead of fp32"; empty: nothing differs
  std::vector<BudgetRow> budget;  ///< a row for each line that was demanded; empty: none was set
  std::string decision;           ///< "adopt", "keep", "measure_more" or "reject"
  std::string reason;             ///< one sentence
  /// Adopted, and what the size of the gain has to be taken with: "other processes used the CPU meanwhile"; empty: nothing.
  std::string reserve;
  bool is_baseline_wrong = false;       ///< it failed its check: no measurement settles that
  bool is_unchecked = false;            ///< faster, and nothing checked the candidate's output
  bool lacks_sustained = false;  ///< faster at one clock for both; each side alone was not measured
  bool is_at_margin = false;     ///< unresolved, and more rounds will hardly settle it
  bool is_out_of_reach = false;  ///< unresolved, and it would take far more rounds to settle it
  std::vector<std::string> not_tested;  ///< what this comparison says nothing about
};

/// Candidate failed a check anywhere in the run (same source, same parameters): reject, INVALID,
/// whatever the times say. Faster and verified: adopt.
/// Of trainings the accuracy decides as well: adopt only where its interval stays within the limit, reject beyond it.
/// A budget that was set has to be met: a line that is not, rejects; one that was not measured asks for more. In the open
/// division the reason says so. Slower or the same: keep the baseline. Unresolved, an unverified candidate, or a baseline that
/// failed: measure more. Never recommends on NaN: every test is phrased so that NaN fails it.
Decision decide(const Run& run, const Comparison& comparison, const Titles& titles = {});

/// A side of a comparison as a series: that of its own request, else the latest with the same kernel and parameters;
/// null where the run has none.
const Series* side_series(const Run& run, const Comparison& comparison, bool candidate);
/// Its reasons without what is said of other candidates of its request: recordings of an older worker have those too.
std::vector<std::string> own_reasons(const Comparison& comparison);
/// "adopt", "adopt in the open division", "adopt, with a reserve", "keep the baseline", "reject", "measure more", "measure it
/// sustained", "check its output first", "mend the baseline first, or take another", "too close to the margin to settle", "over 10 times the rounds
/// needed"; empty: there is none.
std::string decision_words(const Decision& decision);
/// "closed: the same mathematics", "open: data type bf16 instead of fp32, and no quality target is met".
std::string division_words(const Decision& decision);

/// Work per second from the median time per call: FLOP/s where the work is counted, else B/s, else
/// calls/s; items/s for pipelines and trainings. None without a usable time or on a failed series.
std::optional<Throughput> throughput_of(const Series& series);

/// The unit as people read it: of a rung that computes in integers "OP/s" is what "FLOP/s" is of another.
std::string unit_in_type(const std::string& unit, const Series& series);

/// How the speed of a comparison's side came about: in its rounds, alone, or in turns with a third.
enum class SideTiming { in_turns, alone, with_another };
struct SideSpeed {
  Throughput throughput;
  SideTiming timing = SideTiming::alone;
};
/// Of sustained turns where these were taken, which are of the side alone; else of the comparison's rounds where the run
/// has them, else of the side's newest result. None where the side has no verified speed.
std::optional<SideSpeed> side_speed(const Run& run, const Comparison& comparison, bool candidate);

/// Why a series may not be recommended ("its check failed: ..."); empty when every check passed.
std::string quality_problem(const Series& series);

/// The side that wins the comparisons of a request, by pairs: the candidate with the largest ratio, else the
/// baseline. Empty where one of them has no ratio: it is not known who would have won.
std::string fastest_side(const Run& run, int64_t request);

}  // namespace ridge
