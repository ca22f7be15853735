// What comparisons of every kind have in common: sides that take their turns in palindromes, rounds until enough are in,
// a verdict for each pair, and what becomes of it where a side fails or a person cancels. A kind (compare.cpp,
// compare_commands.cpp, pipeline_pairs.cpp, training_pairs.cpp) says what its sides are, how a slot is timed, and what
// its verdict holds beside the ratio.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/observer.h"
#include "common/harness/measure/palindromes.h"
#include "common/harness/measure/sustained.h"
#include "common/record/budget.h"
#include "common/record/request.h"
#include "common/record/types.h"

namespace ridge::measure {

struct CompareOptions {
  CacheMode cache = CacheMode::hot;
  std::optional<double> margin;   ///< absent: default_margin()
  std::optional<int64_t> rounds;  ///< judged once; absent: the kind's own
  std::optional<double> limit_s;  ///< of the rounds; absent: the kind's own, none beside `rounds`
  std::vector<SidePair> pairs;    ///< that are judged; empty: each candidate against side 0
  bool goes_on = false;           ///< see RoundsPlan; not beside `rounds`
  double (*clock)() = now_s;      ///< seconds; a simulation has its own
  /// What is demanded is measured: a percentile's calls, a call's energy, time to an accuracy.
  Budget budget;
  double warmup_s = 0.3;    ///< the least, each side
  uint64_t order_seed = 0;  ///< of the random orders; the worker draws a new one each time
  bool sustained = true;    ///< false: no turns alone, whatever the clock does
  SustainedRule turns;
  bool pauses =
      true;  ///< between blocks, for the window to draw; false: a simulation has none to wait for
};

struct CompareOutcome {
  std::vector<Comparison>
      comparisons;             ///< one per pair; none where it was cancelled before its first round
  std::vector<Series> series;  ///< one per side: checks, samples, latency; mode "compare"
  bool cancelled = false;
};

inline constexpr int kRounds = 40;
/// A reason that stands with a verdict.
inline constexpr const char* kContended = "contended: other processes used the CPU meanwhile";

/// Error usage: more sides than a round has marks for, or a pair of what is no side.
Result<void> check_sides(size_t sides, std::span<const SidePair> pairs);

/// How far the rounds are: `done` of `wanted`, `elapsed_s` after the first began, and what is left of them or of the limit.
Phase rounds_phase(size_t done, int wanted, double elapsed_s, double limit_s);

/// How many rounds there are, and what one timed block may hold.
struct RoundsPlan {
  int wanted = kRounds;
  double limit_s = 30;  ///< after which the rounds end, once there are enough for an interval
  int slots = 1;        ///< that a block may have; a round always goes into one block
  int fewest = 0;       ///< before the limit may end them; at least what an interval takes
  /// After `wanted` rounds the verdict is looked at, and again whenever their number has doubled, until every candidate's
  /// is settled or the limit is reached. How many looks there may be is fixed at the first, by the time alone, and the
  /// interval allows for all of them: PairedComparison::claims().
  bool goes_on = false;
};

class PairedComparison {
 public:
  virtual ~PairedComparison() = default;
  PairedComparison(const PairedComparison&) = delete;
  PairedComparison& operator=(const PairedComparison&) = delete;

  /// INVALID verdicts and cancellations are outcomes, and so is a side whose call or check fails in mid-comparison: what
  /// was measured stays. Errors: there is no comparison, see ends_request().
  Result<CompareOutcome> run();

 protected:
  PairedComparison(size_t sides, const CompareOptions& options, Observer* observer);

  // ---- what a kind says --------------------------------------------------------------------------

  /// All of it, up to the last check. Error invalid: a side failed; cancelled: a person asked for it.
  virtual Result<void> steps() = 0;
  /// The verdict on two sides, of the rounds that there are.
  virtual Comparison compared(const SidePair& pair) const = 0;
  /// Status and reasons of the series at the end.
  virtual void close(const Result<void>& outcome) = 0;
  /// Whether this error leaves no comparison but its own sentence.
  virtual bool ends_request(const Error& error) const;

  // ---- what it may use ---------------------------------------------------------------------------

  /// Times these sides, one after the other, and appends a sample for each; after an error those before it stay.
  using TimeSlots =
      std::function<Result<void>(const std::vector<uint8_t>& sides, std::vector<Sample>* samples)>;
  /// The plan of a kind whose own number of rounds and limit these are, with what the options set instead.
  RoundsPlan plan_of(int rounds, double limit_s, int slots) const;
  /// Takes rounds by the plan: draws the orders, keeps and sends whole rounds with their samples, says how far it is.
  Result<void> take_rounds(const RoundsPlan& plan, const TimeSlots& time_slots);
  void keep_round(Round round);
  /// A reason that stands with every verdict, once.
  void add_reason(const std::string& reason);

  /// Every side in turn, so that all that is wrong is said at once; the first refusal ends it.
  Result<void> judge_all(const std::function<Result<void>(size_t side)>& judge);
  /// A comparison with its sides, margin and cache, and no verdict yet.
  Comparison unjudged(const SidePair& pair, double margin) const;
  /// A side whose output was refused, or whom the error names as `name`, has failed and has no speed; the other's figures
  /// are of no comparison where there was none.
  void close_series(const Result<void>& outcome, const std::string& name, Series* series) const;

  size_t sides() const { return sides_; }
  /// How many statements one interval in twenty may be wrong about together: a pair's, at each look at its rounds.
  int claims() const { return static_cast<int>(pairs_.size()) * looks_; }
  std::span<const Round> rounds() const { return rounds_; }
  std::span<const SidePair> pairs() const { return pairs_; }

  const CompareOptions& options_;
  Observer* observer_;
  Palindromes palindromes_;
  CompareOutcome out_;

 private:
  struct Block {
    std::vector<std::string> orders;
    std::vector<uint8_t> lead, slots;  ///< leads come first among the slots
  };
  Block draw_block(int wanted, int slots);
  bool is_settled() const;
  int next_look(const RoundsPlan& plan, double elapsed_s);
  Result<void> time_block(const Block& block, const TimeSlots& time_slots);

  size_t sides_;
  std::vector<SidePair> pairs_;  ///< that are judged
  std::vector<Round> rounds_;
  std::vector<std::string> reasons_;
  int looks_ = 1;  ///< at the rounds, of the whole comparison
  int look_ = 0;   ///< those that were made
  double rounds_s_ = 0;
};

}  // namespace ridge::measure
