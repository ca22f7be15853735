#include "app/window/teach/step_outcome.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>

#include "app/query/recordings.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/step_run.h"
#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/view/report/closeness.h"
#include "labs/lab.h"

namespace ridge::window {
namespace {

using study::Ask;
using study::StepKind;
using study::TourStep;

constexpr const char* kSaysLittle = "that is so wide that it says little";
constexpr double kNear = 0.98;  // two readings this near are not told apart by a choice

std::optional<Comparison> pair_between(const State& state, const LessonBar& first,
                                       const LessonBar& last, std::string* machine) {
  const auto wanted_of = [&](const LessonBar& bar) {
    const KernelInfo* info = find_info(state.sessions, bar.asked.kernel);
    return info ? params_of_bar(state, *info, bar.asked) : bar.asked.set;
  };
  const Params before = wanted_of(first), wanted = wanted_of(last);
  const auto own = weightiest_either_way(
      state.run(), [&](const PairSide& from, const PairSide& to, const Comparison& one) {
        return from.kernel == first.asked.kernel && to.kernel == last.asked.kernel &&
               one.cache == last.asked.cache && agrees(from.params, before) &&
               agrees(to.params, wanted) && !is_cancelled(one);
      });
  if (own) {
    if (state.is_replay()) *machine = machine_named(state.run());
    return own;
  }
  const bool is_recorded = first.series && last.series && !last.machine.empty();
  if (!is_recorded || first.machine != last.machine) return std::nullopt;
  // A ratio of another machine beside these bars would contradict them.
  app::RecordedAnswer found = app::recorded_answer(state.sessions.recordings, *first.series,
                                                   *last.series, last.asked.cache, last.machine);
  if (found.comparison) *machine = last.machine;
  return std::move(found.comparison);
}

std::optional<Comparison> pair_of(const State& state, const StepBars& bars, std::string* machine) {
  return pair_between(state, bars.bars.front(), bars.bars.back(), machine);
}

/// A pair whose sides shared a clock that was held down does not say how fast each is alone.
std::string sustained_words(const State& state, const Comparison& pair,
                            const std::string& machine) {
  if (!lacks_sustained(pair)) return {};
  const app::RecordedPair found = app::recorded_sustained(
      state.sessions.recordings, machine.empty() ? machine_named(state.run()) : machine, pair);
  if (!found.comparison) return {};
  const auto title = [](const std::string& kernel) {
    const Rung* rung = rung_of(kernel);
    return rung ? std::string(rung->title) : kernel;
  };
  const Comparison& one = *found.comparison;
  return "Sustained, each alone at its own clock: " +
         verdict_sentence(one, title(one.baseline), title(one.candidate)) + ", recorded on " +
         found.recording->machine;
}

/// A wrong result has no speed, and so no ratio; empty: both sides passed their checks.
std::string invalid_words(const StepBars& bars, const std::optional<Comparison>& pair) {
  for (const LessonBar* bar : {&bars.bars.front(), bars.last()}) {
    if (bar->is_invalid) return "“" + bar->title + "” " + bar->reason + ".";
  }
  if (!pair || supported_verdict(*pair) != Verdict::invalid) return {};
  return "The comparison is invalid: " +
         (pair->reasons.empty() ? "a check failed" : pair->reasons.front()) + ".";
}

bool is_settled(const Comparison& pair) {
  return supported_verdict(pair) != Verdict::unresolved;
}

/// Of each stage by its name: its time alone where all of them were measured so, else that of its spans in the timeline.
std::vector<double> stages_ns(const Series& series, const std::vector<std::string>& names) {
  std::map<std::string, double> alone, spans;
  if (series.pipeline) {
    for (const StageTime& stage : series.pipeline->stages) alone[stage.name] = stage.alone_ns;
  }
  for (const Span& span : series.spans) spans[span.stage] += span.end_ns - span.start_ns;
  const bool all_alone = std::all_of(names.begin(), names.end(),
                                     [&](const std::string& name) { return alone.contains(name); });
  std::vector<double> values;
  for (const std::string& name : names) values.push_back((all_alone ? alone : spans)[name]);
  return values;
}

/// The largest of them, and what is as large within `near`; empty: none is above 0.
std::vector<int> largest_of(const std::vector<double>& values, double near) {
  std::vector<int> places;
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  for (size_t i = 0; i < values.size() && most > 0; ++i) {
    if (values[i] >= most * near) places.push_back(static_cast<int>(i));
  }
  return places;
}

/// What of a bar counts: its rate by wall time, or by the time that it had the processor.
enum class Clock { wall, processor };

double value_by(const LessonBar& bar, Clock clock) {
  const auto share =
      clock == Clock::processor && bar.series ? processor_share(*bar.series) : std::nullopt;
  return bar.value / share.value_or(1);
}

/// Other programs took more of one bar's time than of another's.
bool has_uneven(const StepBars& bars) {
  for (const LessonBar& one : bars.bars) {
    for (const LessonBar& other : bars.bars) {
      if (one.series && other.series && uneven_shares(*one.series, *other.series)) return true;
    }
  }
  return false;
}

/// Over the bar before it: of a pair run in turns where there is one, else of the two times alone.
double gain_over(const State& state, const StepBars& bars, size_t place, double before,
                 Clock clock) {
  const auto pair = clock == Clock::wall ? gain_pair(state, bars, place) : std::nullopt;
  return pair ? pair->ratio : before > 0 ? value_by(bars.bars[place], clock) / before : 0;
}

std::vector<double> values_asked(const State& state, const TourStep& step, const StepBars& bars,
                                 Clock clock = Clock::wall) {
  std::vector<double> values;
  if (step.ask == Ask::stage) {
    const LessonBar* last = bars.last();
    return last && last->series ? stages_ns(*last->series, step.choices) : values;
  }
  double before = 0;
  for (size_t i = 0; i < bars.bars.size(); ++i) {
    const double value = value_by(bars.bars[i], clock);
    values.push_back(step.ask == Ask::longest ? value : gain_over(state, bars, i, before, clock));
    if (value > 0) before = value;
  }
  if (step.ask == Ask::largest_step) values.erase(values.begin());
  return values;
}

/// Times that were taken apart differ from run to run by a factor of kFelt: a choice between nearer ones is a toss-up.
double near_of(const State& state, const TourStep& step, const StepBars& bars) {
  if (bars.is_factor() || step.ask == Ask::stage) return kNear;
  const auto has_pair = [&](size_t place) { return gain_pair(state, bars, place).has_value(); };
  bool are_pairs = step.ask == Ask::largest_step;
  for (size_t i = 1; i < bars.bars.size(); ++i) are_pairs = are_pairs && has_pair(i);
  return are_pairs ? kNear : 1 / kFelt;
}

void judge_bars(const State& state, const TourStep& step, const StepBars& bars, StepOutcome* out) {
  const double near = near_of(state, step, bars);
  out->right = largest_of(values_asked(state, step, bars), near);
  const auto first_by = [&](Clock clock) {
    return largest_of(values_asked(state, step, bars, clock), kNear);
  };
  if (has_uneven(bars) && first_by(Clock::processor) != first_by(Clock::wall))
    out->missing =
        "Other programs took more of one bar's time than of another's, and by processor time the "
        "answer is another.";
  if (near < kNear && out->right.size() > 1)
    out->toss_up =
        "They were timed apart (≈), and two runs of one machine may differ as much: only runs in "
        "turns would settle which.";
}

void judge_choice(const State& state, const TourStep& step, const StepBars& bars,
                  StepOutcome* out) {
  if (step.ask == Ask::choice) {
    out->right = {step.right};
  } else if (step.ask == Ask::verdict) {
    for (size_t i = 0; out->pair && i < std::size(kVerdictChoices); ++i) {
      if (kVerdictChoices[i].verdict == supported_verdict(*out->pair))
        out->right = {static_cast<int>(i)};
    }
    if (out->pair && !is_settled(*out->pair)) out->missing = uneven_sentence(*out->pair);
  } else {
    judge_bars(state, step, bars, out);
  }
  if (!out->missing.empty()) return out->right.clear();
  const std::vector<std::string> choices = choices_of(step, bars);
  for (const int place : out->right) {
    const char* join = out->toss_up.empty() ? " and " : " or ";
    out->shown += (out->shown.empty() ? "" : join) + choices[static_cast<size_t>(place)];
  }
  // That the rounds show none of the other three may be all, or they show a difference.
  if (step.ask == Ask::verdict && out->pair && !is_settled(*out->pair))
    out->shown = "unresolved: " + unresolved_words(out->pair->ci, out->pair->margin);
  if (out->right.empty())
    out->missing = step.ask == Ask::verdict ? "No comparison was made." : "Nothing was measured.";
}

/// What has none is marked ≈, however large it stands there.
constexpr const char* kNoInterval = "no interval";
constexpr const char* kApart = "no interval of the ratio: two medians, not run in turns";

std::string interval_text(const std::string& interval) {
  return interval == kNone ? "no interval: too few samples" : "95 % interval " + interval;
}

/// Of the share, that of the median time it was made from.
std::optional<Interval> share_range(const LessonBar& bar, double share) {
  const auto& stats = bar.series->stats;
  if (!stats || !stats->ci_ns || !(stats->ci_ns->low > 0)) return std::nullopt;
  return Interval{share * stats->median_ns / stats->ci_ns->high,
                  share * stats->median_ns / stats->ci_ns->low};
}

std::string share_interval(const std::optional<Interval>& range) {
  if (!range) return interval_text(kNone);
  return "95 % interval " + format_share(range->low) + " to " + format_share(range->high);
}

/// "between 9.9 ms and 44.3 ms": both ends with the unit and the decimals of the larger.
std::string time_range(double low_ns, double high_ns) {
  const std::string high = format_time_ns(high_ns);
  const size_t space = high.find(' '), point = high.find('.');
  const double shown = space == std::string::npos ? 0 : std::strtod(high.c_str(), nullptr);
  if (!(shown > 0) || high.find('e') < space)
    return "between " + format_time_ns(low_ns) + " and " + high;
  const size_t decimals = point < space ? space - point - 1 : 0;
  return fmt::format("between {:.{}f}{} and {}", low_ns / high_ns * shown, decimals,
                     high.substr(space), high);
}

/// Of a time too: what other programs took of it is no part of the call.
bool judge_busy_time(const TourStep& step, const LessonBar& bar, StepOutcome* out) {
  const auto share = processor_share(*bar.series);
  const double wall_ns = bar.series->stats ? bar.series->stats->median_ns : 0;
  if (!share || *share * kUnevenShares >= 1 || !(wall_ns > 0)) return false;
  const double processor_ns = wall_ns * *share;
  out->value = wall_ns;
  out->range = Interval{processor_ns, wall_ns};
  out->is_between_clocks = true;
  out->shown = time_range(processor_ns, wall_ns);
  out->interval = "by processor and by wall time";
  out->ungraded = "Other programs took the rest of its time: " + quoted_bar(bar, step) +
                  " had the processor for " + format_share(*share) + " of it.";
  return true;
}

void judge_time(const TourStep& step, const LessonBar& bar, StepOutcome* out) {
  if (judge_busy_time(step, bar, out)) return;
  const auto& stats = bar.series->stats;
  out->value = stats ? stats->median_ns : 0;
  out->shown = format_time_ns(out->value);
  out->range = stats ? stats->ci_ns : std::nullopt;
  out->interval = interval_text(format_time_interval(out->range));
}

/// Of a measured ceiling that is in doubt: the true one is higher (common/harness/measure/ceiling_rules.h), so that the
/// share of it is the most that the bar can have. Absent: there is none, or the bar passed it.
std::optional<double> most_share(const LessonBar& bar) {
  std::vector<Ceiling> ceilings = bar.run->ceilings();
  for (Ceiling& one : ceilings) one.doubt.clear();
  const auto use = derive(*bar.series, ceilings, bar.run->environment()).compute;
  return use && use->value < 1 ? std::optional(use->value) : std::nullopt;
}

/// Where this run's ceiling is in doubt: the share that a recording of the same rung has, else the most that it can be.
void judge_doubted_share(const State& state, const LessonBar& bar, const std::string& doubt,
                         StepOutcome* out) {
  const LessonBar twin = recorded_bar(state, bar.asked);
  const auto recorded = twin.series ? derive(*twin.series, *twin.run).compute : std::nullopt;
  if (recorded) {
    out->value = recorded->value;
    out->shown = format_share(out->value) + ", recorded";
    out->range = share_range(twin, out->value);
    out->interval =
        "recorded on " + twin.machine + ", " + share_interval(out->range) + "; here " + doubt;
  } else if (const auto most = most_share(bar)) {
    out->value = *most;
    out->shown = "at most " + format_share(*most);
    out->range = Interval{0, *most};
    out->is_bound = true;
    out->interval = "a bound: " + doubt;
  } else {
    out->missing = "No share: " + doubt + ".";
  }
}

void judge_share(const State& state, const LessonBar& bar, StepOutcome* out) {
  const Derived derived = derive(*bar.series, *bar.run);
  if (!derived.compute) return judge_doubted_share(state, bar, derived.no_compute_reason, out);
  out->value = derived.compute->value;
  out->shown = format_share(out->value);
  out->range = share_range(bar, out->value);
  out->interval = share_interval(out->range);
}

void judge_factor(const LessonBar& bar, StepOutcome* out) {
  const auto& trap = bar.series->trap;
  if (!trap || !(trap->factor > 0)) return;
  const bool is_low = trap->factor < 1;
  out->value = is_low ? 1 / trap->factor : trap->factor;
  out->range = is_low ? inverse(trap->ci) : trap->ci;
  out->shown = ratio_text(out->value, out->range);
  const bool is_settled = trap->bias == "high" || trap->bias == "low";
  out->interval = interval_text(ratio_interval_text(out->range, trap->margin)) +
                  (!is_settled ? "; that it is off is not settled"
                   : is_low    ? "; it reads too low"
                               : "; it reads too high");
}

void judge_pair(const Comparison& pair, StepOutcome* out) {
  out->value = pair.ratio;
  out->shown = pair_headline(pair);
  out->range = pair.ci;
  const std::string interval = ratio_interval_text(pair.ci, pair.margin);
  out->ungraded = uneven_sentence(pair);
  out->is_between_clocks = !out->ungraded.empty();
  out->interval = (out->ungraded.empty() ? interval_text(interval)
                                         : "by processor and by wall time " + interval) +
                  ", " + rounds_text(pair) + ", run in turns";
}

/// Of two bars that were timed apart.
void judge_apart(const TourStep& step, const LessonBar& first, const LessonBar& last,
                 StepOutcome* out) {
  if (!(first.value > 0) || !(last.value > 0)) {
    out->missing = bar_name(first, step) + ": " + first.reason + ".";
    return;
  }
  const auto uneven = first.contradiction.empty() && last.contradiction.empty()
                          ? uneven_shares(*first.series, *last.series)
                          : std::nullopt;
  out->value = last.value / first.value;
  if (uneven) {
    out->shown = uneven->range_text(out->value);
    out->range = uneven->range(out->value);
    out->interval = "by processor and by wall time, not run in turns";
    out->ungraded = uneven->sentence(quoted_bar(first, step), quoted_bar(last, step), out->value);
  } else if (is_doubtful(first) || is_doubtful(last)) {
    out->missing = "The two times are apart, and the machine was busy: they settle no ratio.";
  } else {
    out->shown = format_ratio(out->value);
    out->interval = kApart;
    out->is_apart = true;
    out->range = Interval{out->value / kFelt, out->value * kFelt};
    out->ungraded =
        "Two times that were taken apart (≈) judge no answer near them: only runs in turns do.";
  }
}

/// A share needs a ceiling, a ratio two bars: what lacks is said.
void judge_number(const State& state, const TourStep& step, const StepBars& bars,
                  StepOutcome* out) {
  const LessonBar* last = bars.last();
  if (!last || !last->series)
    out->missing = last ? bar_name(*last, step) + ": " + last->reason + "." : "Nothing is shown.";
  else if (step.ask == Ask::time)
    judge_time(step, *last, out);
  else if (step.ask == Ask::share)
    judge_share(state, *last, out);
  else if (step.ask == Ask::factor)
    judge_factor(*last, out);
  else if (out->pair && out->pair->ratio > 0)
    judge_pair(*out->pair, out);
  else
    judge_apart(step, bars.bars.front(), *last, out);
  if (out->missing.empty() && !(out->value > 0)) out->missing = "It has no such figure.";
  const bool is_rough = out->interval.starts_with(kNoInterval) && !out->shown.starts_with("≈") &&
                        (!out->pair || is_settled(*out->pair));
  if (is_rough) out->shown = "≈ " + out->shown;
}

/// The rungs' title in a list: "three loops, -O1 → loop order".
std::string title_of(const TourStep& step, const StepBars& bars) {
  if (bars.bars.empty()) return "a question";
  if (bars.bars.size() == 1) return bars.bars.front().title;
  return bars.bars.front().title + " → " + bars.bars.back().title +
         (step.kind == StepKind::sweep ? ", several sizes" : "");
}

}  // namespace

bool is_unsettled(const StepOutcome& outcome) {
  return !outcome.ungraded.empty() || (outcome.pair && !is_settled(*outcome.pair));
}

std::optional<Comparison> gain_pair(const State& state, const StepBars& bars, size_t place) {
  if (place == 0 || !bars.bars[place].series || !bars.bars[place - 1].series) return std::nullopt;
  std::string machine;
  auto pair = pair_between(state, bars.bars[place - 1], bars.bars[place], &machine);
  const bool is_one = pair && pair->ratio > 0 && supported_verdict(*pair) != Verdict::invalid;
  return is_one ? pair : std::nullopt;
}

namespace {

/// "15.9 to 43.3 ms" of "between 15.9 ms and 43.3 ms"; any other text as it is.
std::string short_range(const std::string& text) {
  constexpr std::string_view kBetween = "between ", kAnd = " and ";
  const size_t at = text.find(kAnd);
  if (!text.starts_with(kBetween) || at == std::string::npos) return text;
  std::string low = text.substr(kBetween.size(), at - kBetween.size());
  const std::string high = text.substr(at + kAnd.size());
  const size_t unit = low.rfind(' ');
  if (unit != std::string::npos && high.ends_with(low.substr(unit))) low.resize(unit);
  return low + " to " + high;
}

}  // namespace

std::string outcome_figure(const StepOutcome& outcome) {
  return short_range(outcome.pair && outcome.pair->ratio > 0 ? headline_ratio_text(*outcome.pair)
                                                             : outcome.shown);
}

namespace {

std::string task_words(const TourStep& step, const StepBars& bars) {
  const Lab* lab = find_lab(step.lab);
  if (!lab || !bars.last()) return {};
  const auto said = [](const SeedMean& mean) {
    const std::string seeds = seed_mean_text(mean.seeds);
    return format_number(mean.mean, 4) + (seeds.empty() ? "" : ", " + seeds);
  };
  const auto own = task_of(*bars.last());
  if (!own) return {};
  const Rung* against = judged_against(*lab, bars.last()->asked.kernel);
  const std::string text = lab->quality_metric + (" " + said(*own));
  for (const LessonBar& bar : bars.bars) {
    const auto other = task_of(bar);
    if (against && bar.asked.kernel == against->kernel && other)
      return text + "; “" + bar.title + "” has " + said(*other);
  }
  return text;
}

}  // namespace

namespace {

/// A pair before a ratio of two times alone, also where the step asks for neither.
std::string words_beside(const State& state, const StepBars& bars) {
  std::string machine;
  auto pair = pair_of(state, bars, &machine);
  if (!pair || !(pair->ratio > 0)) return {};
  const bool is_turned = pair->ratio < 1 && can_turn(*pair);
  const std::string first = bars.bars.front().title, last = bars.last()->title;
  return (is_turned ? verdict_sentence(turned_round(*pair), last, first)
                    : verdict_sentence(*pair, first, last)) +
         ". Run in turns" + (machine.empty() ? "." : ", recorded on " + machine + ".");
}

}  // namespace

StepOutcome outcome_of(const State& state, const TourStep& step, const StepBars& bars) {
  StepOutcome out;
  out.task = task_words(step, bars);
  const bool is_of_two = step.kind == StepKind::compare || step.ask == Ask::ratio;
  if (is_of_two && bars.bars.size() > 1) {
    out.pair = pair_of(state, bars, &out.pair_machine);
    if (out.pair) out.sustained = sustained_words(state, *out.pair, out.pair_machine);
    out.missing = invalid_words(bars, out.pair);
    out.is_invalid = !out.missing.empty();
    if (out.is_invalid) out.pair.reset();
    if (!out.pair && !out.is_invalid && is_step_cancelled(state))
      out.missing = "The comparison was cancelled before enough rounds.";
  }
  if (!is_of_two && bars.bars.size() > 1) out.beside = words_beside(state, bars);
  if (!out.missing.empty()) return out;
  if (choices_of(step, bars).empty())
    judge_number(state, step, bars, &out);
  else
    judge_choice(state, step, bars, &out);
  return out;
}

namespace {

/// What stands in the place of an outcome that is missing: only what can run here can run again.
std::string instead_of(const StepBars& bars) {
  const auto stays_away = std::find_if(bars.bars.begin(), bars.bars.end(),
                                       [](const LessonBar& bar) { return !bar.can_run; });
  if (stays_away == bars.bars.end()) return " Run it again.";
  const std::string rung = " “" + stays_away->title + "” does not run on this machine";
  return stays_away->series
             ? rung + ": its bar is a recording of " + stays_away->machine + "."
             : rung + ", and no recording has it at this size: the step goes on without it.";
}

/// An answer outside of a range is wrong by what its nearer end says, also where nothing inside is judged.
bool is_judged_by(const StepOutcome& outcome, double said) {
  if (outcome.ungraded.empty()) return true;
  return outcome.range && (said < outcome.range->low || said > outcome.range->high);
}

/// The number that was given, where the outcome judges one.
std::optional<double> judged_answer(const TourStep& step, const StepBars& bars,
                                    const StepAnswer& answer, const StepOutcome& outcome) {
  const bool is_number =
      outcome.missing.empty() && outcome.value > 0 && choices_of(step, bars).empty();
  const auto said = parse_answer(step.ask, answer.typed);
  return is_number && said && is_judged_by(outcome, *said) ? std::optional(*said) : std::nullopt;
}

/// What was said over the nearer end of the range; 1: it is right.
double missed_by(double said, const StepOutcome& outcome) {
  return report::miss_factor(said, outcome.value, outcome.range);
}

}  // namespace

std::string how_far(const TourStep& step, const StepBars& bars, const StepAnswer& answer,
                    const StepOutcome& outcome) {
  const auto said = judged_answer(step, bars, answer, outcome);
  if (!said) return {};
  const double factor = missed_by(*said, outcome);
  if (factor == 1) return {};
  const double off = std::max(factor, 1 / factor);
  return (outcome.range ? "at least " : "") + format_ratio(rounded_down(off)) +
         (factor < 1 ? " too low" : " too high");
}

namespace {

/// Of an outcome that other programs made a range, or left without a verdict.
std::string busy_words(const std::string& said, const std::string& far, const StepOutcome& outcome,
                       bool is_choice) {
  const std::string answer = said.empty()  ? "No prediction was made."
                             : is_choice   ? "You said “" + said + "”."
                             : far.empty() ? "You said " + said + "."
                                           : "You said " + said + ": " + far + ".";
  const bool is_graded = !far.empty() || said.empty();
  return answer + (!outcome.missing.empty() ? " Busy machine: not settled."
                   : is_graded              ? " Busy machine: a range."
                                            : " Busy machine: a range, not graded.");
}

}  // namespace

namespace {

bool is_among_right(const StepOutcome& outcome, const StepAnswer& answer) {
  return std::find(outcome.right.begin(), outcome.right.end(), answer.choice) !=
         outcome.right.end();
}

/// The direction that was chosen is shown by the rounds, and not that it is beyond the margin.
bool is_half_shown(const TourStep& step, const StepOutcome& outcome, const StepAnswer& answer) {
  const bool is_open = step.ask == Ask::verdict && outcome.pair && !is_settled(*outcome.pair);
  if (!is_open || !outcome.pair->ci || answer.choice < 0 ||
      answer.choice >= std::ssize(kVerdictChoices) || !outcome.ungraded.empty() ||
      !outcome.missing.empty())
    return false;
  const Verdict said = kVerdictChoices[answer.choice].verdict;
  return (said == Verdict::faster && outcome.pair->ci->low > 1) ||
         (said == Verdict::slower && outcome.pair->ci->high < 1);
}

/// Whatever part of speech the choices of a step have, "this fits" goes before them. `said` is the choice that was made.
std::string choice_sentence(const TourStep& step, const StepAnswer& answer, const std::string& said,
                            const StepOutcome& outcome) {
  const bool is_open = outcome.pair && !is_settled(*outcome.pair);
  const std::string begin = said.empty() ? "No prediction was made." : "You said “" + said + "”.";
  const std::string more = outcome.toss_up.empty() ? "" : " " + outcome.toss_up;
  if (!said.empty() && is_among_right(outcome, answer))
    return begin + (more.empty() ? " That is right." : more);
  if (is_half_shown(step, outcome, answer))
    return begin + " It is, perhaps by less than the margin: so the verdict is “unresolved”.";
  if (is_open) return begin + (said.empty() ? "" : " The rounds do not show that.");
  return begin + (step.ask == Ask::choice ? " This fits: “" : " Measured: “") + outcome.shown +
         "”." + more;
}

}  // namespace

std::string outcome_sentence(const TourStep& step, const StepBars& bars, const StepAnswer& answer,
                             const StepOutcome& outcome, bool is_brief) {
  const std::string said = answer_text(step, bars, answer);
  if (is_brief && tells_uneven(outcome))
    return busy_words(said, how_far(step, bars, answer, outcome), outcome,
                      !choices_of(step, bars).empty());
  if (!outcome.missing.empty())
    return (said.empty() ? "" : "You said “" + said + "”. ") + outcome.missing +
           (outcome.is_invalid ? "" : instead_of(bars));
  const std::string far = how_far(step, bars, answer, outcome);
  if (!outcome.ungraded.empty() && !far.empty())
    return "You said " + said + ": " + far + ". It is " + outcome.shown + ". " + outcome.ungraded;
  if (!outcome.ungraded.empty())
    return (said.empty() ? "No prediction was made. It is " : "You said " + said + ", and it is ") +
           outcome.shown + ". " + outcome.ungraded;
  if (!choices_of(step, bars).empty()) return choice_sentence(step, answer, said, outcome);
  // The verdict stands beside this sentence, with what an open one lacks.
  const bool is_open = outcome.pair && !is_settled(*outcome.pair);
  if (said.empty())
    return is_open ? "No prediction was made."
                   : "No prediction was made. It is " + outcome.shown + ".";
  const bool is_interval = outcome.pair && outcome.pair->ci;  // the figure above is a middle
  const std::string is = is_interval ? "." : ". It is " + outcome.shown + ".";
  if (!far.empty()) return "You said " + said + ": " + far + is;
  if (outcome.is_bound) return "You said " + said + ": that can be. It is " + outcome.shown + ".";
  if (is_wide(outcome.range))
    return "You said " + said + ": inside the interval that was measured, but " + kSaysLittle + is;
  return "You said " + said +
         (outcome.range ? ": inside the interval that was measured" : ": that is right") + is;
}

std::string pair_headline(const Comparison& pair) {
  if (is_settled(pair) || !uneven_reason(pair).empty()) return headline_ratio_text(pair);
  // A class asks for the number all the same: the words and the interval beside it say what it is worth.
  return pair.ratio > 0 ? headline_ratio_text(pair) + ", not settled"
                        : unresolved_words(pair.ci, pair.margin);
}

std::string verdict_sentence(const Comparison& pair, const std::string& baseline,
                             const std::string& candidate, bool says_open, bool says_uneven) {
  const Verdict verdict = supported_verdict(pair);
  const std::string sides = "“" + candidate + "” against “" + baseline + "”";
  const std::string word =
      verdict == Verdict::faster   ? "faster"
      : verdict == Verdict::slower ? "slower"
      : verdict == Verdict::same   ? "the same within the margin"
      : verdict == Verdict::unresolved
          ? (says_open ? "unresolved: " : "") + unresolved_words(pair.ci, pair.margin)
          : "invalid";
  if (!(pair.ratio > 0)) return sides + ": " + word;
  const std::string uneven = says_uneven ? uneven_reason(pair) : "";
  const char* clock =
      lacks_sustained(pair) ? " as fast at equal clock, interval " : " as fast, interval ";
  return with_stale(sides + ": " + word + (verdict == Verdict::unresolved ? "; " : ", ") +
                        headline_ratio_text(pair) + clock +
                        ratio_interval_text(pair.ci, pair.margin) +
                        (uneven.empty() ? "" : "; " + uneven),
                    pair.stale);
}

bool tells_uneven(const StepOutcome& outcome) {
  if (!outcome.ungraded.empty()) return !outcome.is_apart;
  return outcome.pair && !outcome.missing.empty() &&
         outcome.missing == uneven_sentence(*outcome.pair);
}

std::string contradicted_later(const Run& run, const StepResult& result) {
  for (const auto& [request, index] : result.rests_on) {
    const Series *judged = nullptr, *newest = nullptr;
    for (const Series& one : run.series()) {
      if (one.request == request && one.index == index) judged = newest = &one;
      if (judged && one.stats && is_result(one) && is_same_point(one, *judged)) newest = &one;
    }
    if (!judged || !judged->stats || !newest->stats || !tells_apart(*judged, *newest)) continue;
    const Rung* rung = rung_of(judged->kernel);
    return "“" + (rung ? std::string(rung->title) : judged->kernel) + "” took " +
           format_time_ns(judged->stats->median_ns) + " when this was judged, and " +
           format_time_ns(newest->stats->median_ns) + " when it was measured later.";
  }
  return {};
}

StepResult result_of(const TourStep& step, const StepBars& bars, const StepAnswer& answer,
                     const StepOutcome& outcome) {
  StepResult result;
  result.title = title_of(step, bars);
  result.said = answer_text(step, bars, answer);
  result.measured = outcome.missing.empty() ? outcome.shown : outcome.missing;
  result.is_told = step.ask == Ask::choice;
  if (outcome.pair) {
    result.verdict = supported_verdict(*outcome.pair);
    result.claim = verdict_sentence(*outcome.pair, bars.bars.front().title, bars.last()->title);
    if (!outcome.pair_machine.empty()) result.claim += ", recorded on " + outcome.pair_machine;
    if (!outcome.sustained.empty()) result.claim += ". " + outcome.sustained;
  }
  if (!outcome.missing.empty() || result.said.empty()) return result;
  for (const LessonBar& bar : bars.bars) {
    if (!outcome.pair && bar.series && bar.machine.empty())
      result.rests_on.emplace_back(bar.series->request, bar.series->index);
  }
  if (!choices_of(step, bars).empty()) {
    const bool is_right = is_among_right(outcome, answer);
    if (is_right && !outcome.toss_up.empty())
      result.ungraded = outcome.toss_up;
    else if (is_half_shown(step, outcome, answer))
      result.ungraded = "The rounds show that direction, and not that it is beyond the margin.";
    else
      result.right = is_right;
    return result;
  }
  const auto said = judged_answer(step, bars, answer, outcome);
  if (!said) result.ungraded = outcome.ungraded;
  if (!said) return result;
  const double factor = missed_by(*said, outcome);
  // Inside an interval that settles nothing it is near to nothing that was shown; outside it is refuted all the same.
  const bool is_open = outcome.pair && !is_settled(*outcome.pair);
  if (is_open && (!outcome.range || factor == 1)) return result;
  if (outcome.is_bound && factor == 1) {
    result.ungraded = "Its ceiling is in doubt: only an answer above the bound is wrong for sure.";
    return result;
  }
  if (factor == 1 && is_wide(outcome.range)) {
    result.ungraded = std::string("It is inside the interval, but ") + kSaysLittle + ".";
    return result;
  }
  result.off = std::max(factor, 1 / factor);
  result.over = factor;
  return result;
}

std::optional<double> answer_mark(const TourStep& step, const StepBars& bars,
                                  const StepAnswer& answer, const StepOutcome& outcome) {
  const LessonBar* last = bars.last();
  if (!choices_of(step, bars).empty() || !last) return std::nullopt;
  const auto said = parse_answer(step.ask, answer.typed);
  if (!said || !(outcome.value > 0)) return std::nullopt;
  // Their bars are shares, and times.
  if (step.ask == Ask::share || step.ask == Ask::time) return *said;
  if (!(last->value > 0)) return std::nullopt;
  if (step.ask == Ask::ratio && bars.bars.front().value > 0) return bars.bars.front().value * *said;
  const bool is_under = last->reading && last->series->trap->factor < 1;
  return is_under ? last->value * outcome.value / *said : last->value * *said / outcome.value;
}

}  // namespace ridge::window
