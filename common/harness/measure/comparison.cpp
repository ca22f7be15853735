#include "common/harness/measure/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/core/format.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/measure/range.h"
#include "common/record/clocks.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr int kLeadSlots = 2;
constexpr int kMostRounds = 1'000'000;

}  // namespace

Result<void> check_sides(size_t sides, std::span<const SidePair> pairs) {
  if (sides > kMostSides) {
    return Error{ErrorCode::usage, fmt::format("{} candidates at once", sides - 1), "compare",
                 fmt::format("give at most {}", kMostSides - 1)};
  }
  const int count = static_cast<int>(sides);
  for (const auto& [baseline, candidate] : pairs) {
    const bool is_one = std::min(baseline, candidate) >= 0 &&
                        std::max(baseline, candidate) < count && baseline != candidate;
    if (is_one) continue;
    return Error{ErrorCode::usage,
                 fmt::format("[{}, {}] is no pair of {} sides", baseline, candidate, count),
                 "pairs of compare", "give places in its list of kernels, from 0 on"};
  }
  return {};
}

Phase rounds_phase(size_t done, int wanted, double elapsed_s, double limit_s) {
  const double full_s = elapsed_s * wanted / std::max(1.0, double(done));
  const bool fits = full_s <= limit_s;
  const double end_s = std::min(full_s, limit_s);
  // Where time ends it, the rounds that do not fit are none to wait for.
  const std::string all = fits ? std::to_string(wanted) + " rounds"
                               : fmt::format("about {:.0f} rounds that fit into {:.3g} s",
                                             wanted * limit_s / full_s, limit_s);
  return {.phase = "rounds",
          .text = "interleaved rounds",
          .open = std::to_string(done) + " of " + all,
          .progress = end_s > 0 ? std::min(1.0, elapsed_s / end_s) : 0.0,
          .left_s = std::max(0.0, end_s - elapsed_s)};
}

PairedComparison::PairedComparison(size_t sides, const CompareOptions& options, Observer* observer)
    : options_(options),
      observer_(observer),
      palindromes_(sides, options.order_seed),
      sides_(sides),
      pairs_(options.pairs) {
  for (int side = 1; side < static_cast<int>(sides) && options.pairs.empty(); ++side)
    pairs_.push_back({0, side});
}

bool PairedComparison::ends_request(const Error& error) const {
  return error.code != ErrorCode::invalid && error.code != ErrorCode::cancelled;
}

void PairedComparison::add_reason(const std::string& reason) {
  if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end())
    reasons_.push_back(reason);
}

Result<void> PairedComparison::judge_all(const std::function<Result<void>(size_t)>& judge) {
  Result<void> all;
  for (size_t i = 0; i < sides_; ++i) {
    const auto passed = judge(i);
    if (!passed && (ends_request(passed.error()) || passed.error().code == ErrorCode::cancelled))
      return passed;
    if (all.ok()) all = passed;
  }
  return all;
}

// ---- rounds --------------------------------------------------------------------------------------

RoundsPlan PairedComparison::plan_of(int rounds, double limit_s, int slots) const {
  const double own_s = options_.rounds ? std::numeric_limits<double>::infinity() : limit_s;
  return {
      .wanted = static_cast<int>(std::min<int64_t>(options_.rounds.value_or(rounds), kMostRounds)),
      .limit_s = options_.limit_s.value_or(own_s),
      .slots = slots,
      .goes_on = options_.goes_on && !options_.rounds};
}

bool PairedComparison::is_settled() const {
  for (const SidePair& pair : pairs_) {
    const Comparison judged = compared(pair);
    if (judged.verdict == Verdict::unresolved) return false;
    const auto& demanded = options_.budget.ratio;
    if (demanded && !reaches(judged.ci, *demanded)) return false;
  }
  return true;
}

/// The number of rounds at which the verdict is looked at next; those that there are: it has been looked at for the last
/// time. How often may follow from the time that the rounds took, and from nothing that they say.
int PairedComparison::next_look(const RoundsPlan& plan, double elapsed_s) {
  const int done = static_cast<int>(rounds_.size());
  if (!plan.goes_on) return done;
  if (++look_ == 1) {
    const double fit = plan.limit_s / std::max(elapsed_s, 1e-9);  // as many rounds again
    looks_ = 1 + static_cast<int>(std::lround(std::log2(std::clamp(fit, 1.0, 1e4))));
    if (looks_ > 1)
      add_reason("up to " + std::to_string(looks_) +
                 " looks at the rounds within the limit; the interval allows for all of them");
  }
  if (look_ >= looks_ || is_settled()) return done;
  return look_ + 1 == looks_ ? kMostRounds : std::min(2 * done, kMostRounds);
}

PairedComparison::Block PairedComparison::draw_block(int wanted, int slots) {
  const int round_slots = 2 * static_cast<int>(sides_);
  // Two lead slots narrow a short block's scatter; where one round fills a block they only cost.
  const bool has_lead = slots >= round_slots + kLeadSlots;
  const int left = wanted - static_cast<int>(rounds_.size());
  const int count = std::max(1, (slots - (has_lead ? kLeadSlots : 0)) / round_slots);
  Block block;
  for (int i = 0; has_lead && i < kLeadSlots; ++i) block.lead.push_back(palindromes_.draw_side());
  block.slots = block.lead;
  for (int i = 0; i < std::min(count, left); ++i) {
    block.orders.push_back(palindromes_.draw());
    for (const char side : block.orders.back())
      block.slots.push_back(static_cast<uint8_t>(marked_side(side)));
  }
  return block;
}

void PairedComparison::keep_round(Round round) {
  const auto& clocks = round.sm_clock_hz;
  if (std::all_of(clocks.begin(), clocks.end(), [](double hz) { return hz == 0; }))
    round.sm_clock_hz.clear();
  round.index = static_cast<int>(rounds_.size());
  rounds_.push_back(std::move(round));
}

/// What a failure or a cancel leaves is kept as far as it is whole rounds.
Result<void> PairedComparison::time_block(const Block& block, const TimeSlots& time_slots) {
  std::vector<Sample> samples;
  const auto timed = time_slots(block.slots, &samples);
  std::span<const Sample> rest(samples);
  rest = rest.subspan(std::min(rest.size(), block.lead.size()));
  const size_t done = rounds_.size();
  std::vector<size_t> had;
  for (const Series& series : out_.series) had.push_back(series.samples.size());
  for (const std::string& order : block.orders) {
    if (rest.size() < order.size()) break;
    Round round{.index = 0, .order = order, .t_ns = {}, .sm_clock_hz = {}};
    for (const char side : order) {
      round.t_ns.push_back(rest.front().t_ns);
      round.sm_clock_hz.push_back(rest.front().sm_clock_hz.value_or(0));
      auto& all = out_.series[static_cast<size_t>(marked_side(side))].samples;
      Sample sample = rest.front();
      sample.index = static_cast<int64_t>(all.size());
      all.push_back(sample);
      rest = rest.subspan(1);
    }
    keep_round(std::move(round));
  }
  if (rounds_.size() == done) return timed;
  observer_->rounds(std::span(rounds_).subspan(done));
  for (size_t i = 0; i < out_.series.size(); ++i) {
    observer_->samples(static_cast<int>(i), "call",
                       out_.series[i].samples.from(had[i]));
  }
  return timed;
}

Result<void> PairedComparison::take_rounds(const RoundsPlan& plan, const TimeSlots& time_slots) {
  const Range range("rounds");
  const double start = options_.clock();
  int wanted = plan.wanted;
  while (true) {
    const int done = static_cast<int>(rounds_.size());
    rounds_s_ = options_.clock() - start;
    if (done >= wanted) wanted = next_look(plan, rounds_s_);
    if (done >= wanted) break;
    if (observer_->cancelled()) return cancelled_error();
    const int fewest = std::max(plan.fewest, stats::fewest_for_interval(1 - 0.05 / claims()));
    if (done >= fewest && rounds_s_ >= plan.limit_s) {
      add_reason("stopped at the limit of " + format_tick(plan.limit_s) + " s after " +
                 std::to_string(done) + " rounds");
      break;
    }
    observer_->announce(0);
    RIDGE_TRY_VOID(time_block(draw_block(wanted, plan.slots), time_slots));
    const double elapsed_s = options_.clock() - start;
    const double fit = double(rounds_.size()) * plan.limit_s / std::max(elapsed_s, 1e-9);
    const int shown = wanted < kMostRounds ? wanted : static_cast<int>(std::min(fit, 1e6));
    observer_->phase(
        0, rounds_phase(rounds_.size(), std::max(shown, done + 1), elapsed_s, plan.limit_s));
    if (options_.pauses) gap();
  }
  return {};
}

// ---- the outcome ---------------------------------------------------------------------------------

Comparison PairedComparison::unjudged(const SidePair& pair, double margin) const {
  const Series &baseline = out_.series[static_cast<size_t>(pair.baseline)],
               &candidate = out_.series[static_cast<size_t>(pair.candidate)];
  Comparison comparison;
  comparison.baseline_index = pair.baseline;
  comparison.candidate_index = pair.candidate;
  comparison.baseline = baseline.kernel;
  comparison.candidate = candidate.kernel;
  comparison.baseline_params = baseline.params;
  comparison.candidate_params = candidate.params;
  comparison.cache = options_.cache;
  comparison.margin = margin;
  comparison.rounds_s = rounds_s_;
  return comparison;
}

void PairedComparison::close_series(const Result<void>& outcome, const std::string& name,
                                    Series* series) const {
  const bool refused = !series->checks.empty() && !series->quality_passed();
  const bool is_blamed =
      !outcome && outcome.error().code == ErrorCode::invalid && outcome.error().where == name;
  if (refused) {
    take_error({ErrorCode::invalid, series->quality()->reason, series->quality()->what, ""},
               series);
  } else if (is_blamed) {
    take_error({ErrorCode::invalid, outcome.error().what, "", outcome.error().hint}, series);
  } else if (!outcome) {
    series->status = out_.cancelled ? SeriesStatus::cancelled : SeriesStatus::skipped;
    series->reason = outcome.error().sentence();
  }
  describe_unavailable(series);
}

Result<CompareOutcome> PairedComparison::run() {
  RIDGE_TRY_VOID(check_sides(sides_, options_.pairs));
  const auto outcome = steps();
  if (!outcome && ends_request(outcome.error())) return outcome.error();
  out_.cancelled = !outcome && outcome.error().code == ErrorCode::cancelled;
  const bool has_any = !out_.cancelled || !rounds_.empty();  // else there is nothing to judge
  if (!has_any) pairs_.clear();
  for (const SidePair& pair : pairs_) {
    Comparison comparison = compared(pair);
    if (comparison.verdict != Verdict::invalid)
      comparison.reasons.insert(comparison.reasons.end(), reasons_.begin(), reasons_.end());
    if (out_.cancelled) {
      comparison.reasons.emplace_back(kCancelledReason);
    } else if (!outcome) {
      comparison.verdict = Verdict::invalid;
      comparison.ci.reset();
      comparison.equal_clock.reset();
      comparison.sustained.clear();
      comparison.reasons = {outcome.error().sentence()};
    }
    out_.comparisons.push_back(std::move(comparison));
  }
  close(outcome);
  return std::move(out_);
}

}  // namespace ridge::measure
