#include "app/window/teach/step.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "app/query/recordings.h"
#include "app/window/edit/editing.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/lists.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "common/core/format.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/view/chart/climb.h"
#include "common/view/report/decision.h"

namespace ridge::window {
namespace {

using study::Ask;
using study::StepBar;
using study::StepKind;
using study::TourStep;

constexpr double kNear = 0.98;  // two bars this near are not told apart by a choice

bool is_usable(const Series& series) {
  return series.status == SeriesStatus::ok &&
         (series.trap || (series.stats && series.stats->median_ns > 0 && series.quality_passed()));
}

/// The newest usable result; of a rung on its own before that of a comparison's side.
const Series* live_of(const Run& run, const StepBar& bar, const Params& wanted) {
  const Series* beside = nullptr;
  const auto& all = run.series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->kernel != bar.kernel || it->cache != bar.cache || !is_usable(*it)) continue;
    if (!agrees(asked_params(*it), wanted)) continue;
    const Request* request = run.request(it->request);
    if (!request || request->type != RequestType::compare) return &*it;
    if (!beside) beside = &*it;
  }
  return beside;
}

/// Why the last attempt at it gave nothing.
std::string refusal_of(const Run& run, const StepBar& bar, const Params& wanted) {
  const auto& all = run.series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    const bool is_it = it->kernel == bar.kernel && agrees(asked_params(*it), wanted);
    if (is_it && !it->reason.empty()) return it->reason;
  }
  return {};
}

/// Beyond the spread of one machine from run to run.
bool tells_apart(const Series& a, const Series& b) {
  constexpr double kFelt = 1.25;
  const double ratio = a.stats->median_ns / b.stats->median_ns;
  return chart::are_clear(a, b) && std::max(ratio, 1 / ratio) > kFelt;
}

bool is_same_point(const Series& one, const Series& other) {
  return one.kernel == other.kernel && one.cache == other.cache &&
         asked_params(one) == asked_params(other);
}

/// The newest of the session's earlier results at this point where none of them agrees with this one; null: one does, or
/// there is none.
const Series* contradicting(const Run& run, const Series& series) {
  const Series* newest = nullptr;
  for (const Series& one : run.series()) {
    if (&one == &series) break;
    if (!one.stats || !is_usable(one) || !is_same_point(one, series)) continue;
    if (!tells_apart(one, series)) return nullptr;
    newest = &one;
  }
  return newest;
}

std::string contradiction_of(const Run& run, const Series& series, const std::string& title) {
  const Series* earlier = series.stats ? contradicting(run, series) : nullptr;
  if (!earlier) return {};
  const double now_ns = series.stats->median_ns, before_ns = earlier->stats->median_ns;
  return "“" + title + "” took " + format_time_ns(now_ns) + " now, and " +
         format_time_ns(before_ns) + " when this session measured it before: " +
         format_ratio(std::max(now_ns, before_ns) / std::min(now_ns, before_ns)) +
         (now_ns > before_ns ? " as long now." : " as long before.");
}

/// At these very parameters: a bar of another size or type beside the others would be no comparison.
void take_recorded(const State& state, const KernelInfo* info, LessonBar* bar) {
  const auto wanted_of = [&](const Run& run) {
    const KernelInfo* own = run.kernel(bar->asked.kernel);
    if (!own) own = info;
    if (!own) return bar->asked.set;
    Params wanted = params_of_bar(state, *own, bar->asked);
    if (auto full = resolve_params(own->params, wanted, own->family)) wanted = *std::move(full);
    return wanted;
  };
  const app::Snapped found = app::recorded_series(state.sessions.recordings, bar->asked.kernel,
                                                  wanted_of, bar->asked.cache);
  if (!found.series || !is_usable(*found.series)) return;
  Params wanted = wanted_of(*found.recording->run);
  wanted.erase("threads");
  if (!agrees(asked_params(*found.series), wanted)) return;
  bar->series = found.series;
  bar->run = found.recording->run.get();
  bar->machine = found.recording->machine;
}

/// The step before this one whose run gave it, in the same mode; -1: none.
int measured_before(const State& state, const TourStep& step, const Series& series) {
  const Teaching& teach = state.teaching;
  const auto asked = teach.asked_at.find(series.request);
  const Request* request = state.run().request(series.request);
  const bool is_it = teach.tour && asked != teach.asked_at.end() &&
                     asked->second < teach.tour_step && request &&
                     request->type == RequestType::run && request->mode == step.mode;
  return is_it ? asked->second : -1;
}

/// What this step asked of the worker has ended: what has no result by now gets none.
bool is_over(const State& state) {
  const Teaching& teach = state.teaching;
  const bool is_open = state.requests.is_measuring() || !teach.waiting.empty();
  return teach.beat > Beat::run || (teach.beat == Beat::run && !is_open);
}

std::string machine_of(const Run& run) {
  return run.environment() ? run.environment()->machine() : "a machine that was not recorded";
}

LessonBar make_bar(const State& state, const TourStep& step, const StepBar& asked) {
  LessonBar bar;
  bar.asked = asked;
  const Rung* rung = rung_in(state, asked.kernel);
  bar.title = rung ? rung->title : asked.kernel;
  if (step.kind == StepKind::side_by_side)
    bar.detail = std::exchange(bar.title, asked.label);
  else
    bar.detail = asked.label;
  const KernelInfo* info = find_info(state.sessions, asked.kernel);
  const KernelInfo* built = state.run().kernel(asked.kernel);
  bar.can_run = built && built->available && !state.is_replay();
  Params wanted = info ? params_of_bar(state, *info, asked) : asked.set;
  bar.series = live_of(state.run(), asked, wanted);
  if (bar.series) {
    bar.run = &state.run();
    bar.measured_at = measured_before(state, step, *bar.series);
    if (state.is_replay())
      bar.machine = machine_of(state.run());
    else
      bar.contradiction = contradiction_of(state.run(), *bar.series, bar.title);
    if (is_doubtful(bar)) bar.measured_at = -1;  // it is worth measuring again
  }
  if (!bar.series && (!bar.can_run || is_over(state))) take_recorded(state, info, &bar);
  if (bar.series) return bar;
  bar.reason = refusal_of(state.run(), asked, wanted);
  if (bar.reason.empty() && bar.can_run) bar.reason = "not run yet";
  if (bar.reason.empty() && built && !built->available) bar.reason = built->reason;
  if (bar.reason.empty()) bar.reason = "not measured at this size";
  return bar;
}

/// What all bars can be counted in: FLOP, else bytes, else what a call works off.
std::string unit_of(const std::vector<LessonBar>& bars) {
  std::string unit;
  bool is_one = true, has_bytes = true;
  for (const LessonBar& bar : bars) {
    if (!bar.series) continue;
    if (bar.series->trap) return "×";
    const auto rate = throughput_of(*bar.series);
    if (!rate) continue;
    is_one = is_one && (unit.empty() || unit == rate->unit);
    unit = rate->unit;
    has_bytes = has_bytes && bar.series->bytes_min > 0;
  }
  return is_one ? unit : has_bytes ? "B/s" : "calls/s";
}

double value_of(const Series& series, const std::string& unit) {
  if (series.trap) {
    const double factor = series.trap->factor;
    return factor > 0 ? std::max(factor, 1 / factor) : 0;
  }
  const auto rate = throughput_of(series);
  if (rate && rate->unit == unit) return rate->value;
  if (!series.stats || !(series.stats->median_ns > 0)) return 0;
  const double per_call = unit == "B/s" ? series.bytes_min : unit == "calls/s" ? 1 : 0;
  return per_call / (series.stats->median_ns * 1e-9);
}

/// "“loop order, n = 512”"
std::string quoted(const LessonBar& bar, const TourStep& step) {
  const bool has_size = step.kind == StepKind::sweep && !bar.detail.empty();
  return "“" + bar.title + (has_size ? ", " + bar.detail : "") + "”";
}

std::string plain(const LessonBar& bar, const TourStep& step) {
  const std::string text = quoted(bar, step);
  return text.substr(3, text.size() - 6);  // without the quotes, three bytes each
}

constexpr struct {
  Verdict verdict;
  const char* label;
} kVerdicts[] = {{Verdict::faster, "faster"},
                 {Verdict::same, "the same"},
                 {Verdict::slower, "slower"},
                 {Verdict::unresolved, "unresolved: cannot tell"}};

const Comparison* pair_of(const State& state, const StepBars& bars, std::string* machine) {
  const LessonBar &first = bars.bars.front(), &last = bars.bars.back();
  const auto wanted_of = [&](const LessonBar& bar) {
    const KernelInfo* info = find_info(state.sessions, bar.asked.kernel);
    return info ? params_of_bar(state, *info, bar.asked) : bar.asked.set;
  };
  const Params before = wanted_of(first), wanted = wanted_of(last);
  const auto& all = state.run().comparisons();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    const bool is_it = it->baseline == first.asked.kernel && it->candidate == last.asked.kernel &&
                       it->cache == last.asked.cache && agrees(it->baseline_params, before) &&
                       agrees(it->candidate_params, wanted);
    if (!is_it || is_cancelled(*it)) continue;
    if (state.is_replay()) *machine = machine_of(state.run());
    return &*it;
  }
  if (last.machine.empty() || first.machine != last.machine) return nullptr;
  const app::SnappedComparison found = app::recorded_comparison(
      state.sessions.recordings, first.asked.kernel, last.asked.kernel,
      [&](const Run&) { return last.series->params; }, last.asked.cache);
  if (!found.comparison || found.comparison->candidate_params != last.series->params)
    return nullptr;
  *machine = found.recording->machine;
  return found.comparison;
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

/// The largest of them, and what is as large within kNear; empty: none is above 0.
std::vector<int> largest_of(const std::vector<double>& values) {
  std::vector<int> places;
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  for (size_t i = 0; i < values.size() && most > 0; ++i) {
    if (values[i] >= most * kNear) places.push_back(static_cast<int>(i));
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

std::vector<double> values_asked(const TourStep& step, const StepBars& bars,
                                 Clock clock = Clock::wall) {
  std::vector<double> values;
  if (step.ask == Ask::stage) {
    const LessonBar* last = bars.last();
    return last && last->series ? stages_ns(*last->series, step.choices) : values;
  }
  double before = 0;
  for (const LessonBar& bar : bars.bars) {
    const double value = value_by(bar, clock);
    values.push_back(step.ask == Ask::longest ? value : before > 0 ? value / before : 0);
    if (value > 0) before = value;
  }
  if (step.ask == Ask::largest_step) values.erase(values.begin());
  return values;
}

void judge_choice(const TourStep& step, const StepBars& bars, StepOutcome* out) {
  if (step.ask == Ask::choice) {
    out->right = {step.right};
  } else if (step.ask == Ask::verdict) {
    for (size_t i = 0; out->pair && i < std::size(kVerdicts); ++i) {
      if (kVerdicts[i].verdict == supported_verdict(*out->pair)) out->right = {static_cast<int>(i)};
    }
    if (out->pair && !is_settled(*out->pair)) out->missing = uneven_sentence(*out->pair);
  } else {
    out->right = largest_of(values_asked(step, bars));
    if (has_uneven(bars) && largest_of(values_asked(step, bars, Clock::processor)) != out->right)
      out->missing =
          "Other programs took more of one bar's time than of another's, and by processor time the "
          "answer is another.";
  }
  if (!out->missing.empty()) return out->right.clear();
  const std::vector<std::string> choices = choices_of(step, bars);
  for (const int place : out->right) {
    out->shown += (out->shown.empty() ? "" : " and ") + choices[static_cast<size_t>(place)];
  }
  if (out->right.empty())
    out->missing = step.ask == Ask::verdict ? "No comparison was made." : "Nothing was measured.";
}

/// What has none is marked ≈, however large it stands there.
constexpr const char* kNoInterval = "no interval";
constexpr const char* kApart = "no interval: two medians, not run in turns";

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

/// Of a time too: what other programs took of it is no part of the call.
bool judge_busy_time(const TourStep& step, const LessonBar& bar, StepOutcome* out) {
  const auto share = processor_share(*bar.series);
  const double wall_ns = bar.series->stats ? bar.series->stats->median_ns : 0;
  if (!share || *share * kUnevenShares >= 1 || !(wall_ns > 0)) return false;
  const double processor_ns = wall_ns * *share;
  out->value = wall_ns;
  out->range = Interval{processor_ns, wall_ns};
  out->shown = "between " + format_time_ns(processor_ns) + " and " + format_time_ns(wall_ns);
  out->interval = "by processor and by wall time";
  out->ungraded = "Other programs took the rest of its time: " + quoted(bar, step) +
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
  const auto use = derive(*bar.series, ceilings).compute;
  return use && use->value < 1 ? std::optional(use->value) : std::nullopt;
}

/// Where this run's ceiling is in doubt: the share that a recording of the same rung has, else the most that it can be.
void judge_doubted_share(const State& state, const LessonBar& bar, const std::string& doubt,
                         StepOutcome* out) {
  LessonBar twin;
  twin.asked = bar.asked;
  take_recorded(state, find_info(state.sessions, bar.asked.kernel), &twin);
  const auto recorded =
      twin.series ? derive(*twin.series, twin.run->ceilings()).compute : std::nullopt;
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
  const Derived derived = derive(*bar.series, bar.run->ceilings());
  if (!derived.compute) return judge_doubted_share(state, bar, derived.no_compute_reason, out);
  out->value = derived.compute->value;
  out->shown = format_share(out->value);
  out->range = share_range(bar, out->value);
  out->interval = share_interval(out->range);
}

void judge_factor(const LessonBar& bar, StepOutcome* out) {
  const auto& trap = bar.series->trap;
  out->value = trap ? trap->factor : 0;
  out->shown = trap ? ratio_text(out->value, trap->ci) : format_ratio(out->value);
  if (!trap) return;
  out->range = trap->ci;
  out->interval = interval_text(format_ratio_interval(trap->ci));
}

void judge_pair(const Comparison& pair, StepOutcome* out) {
  out->value = pair.ratio;
  out->shown = pair_headline(pair);
  out->range = pair.ci;
  const std::string interval = ratio_interval_text(pair.ci, pair.margin);
  out->ungraded = uneven_sentence(pair);
  out->interval = (out->ungraded.empty() ? interval_text(interval)
                                         : "by processor and by wall time " + interval) +
                  ", " + rounds_text(pair) + ", run in turns";
}

/// Of two bars that were timed apart.
void judge_apart(const TourStep& step, const LessonBar& first, const LessonBar& last,
                 StepOutcome* out) {
  if (!(first.value > 0) || !(last.value > 0)) {
    out->missing = plain(first, step) + ": " + first.reason + ".";
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
    out->ungraded = uneven->sentence(quoted(first, step), quoted(last, step), out->value);
  } else if (is_doubtful(first) || is_doubtful(last)) {
    out->missing = "The two times are apart, and the machine was busy: they settle no ratio.";
  } else {
    out->shown = format_ratio(out->value);
    out->interval = kApart;
  }
}

/// A share needs a ceiling, a ratio two bars: what lacks is said.
void judge_number(const State& state, const TourStep& step, const StepBars& bars,
                  StepOutcome* out) {
  const LessonBar* last = bars.last();
  if (!last || !last->series)
    out->missing = last ? plain(*last, step) + ": " + last->reason + "." : "Nothing is shown.";
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

/// The fastest library beside this rung: of its part of the ladder, with a result at these parameters or able to run.
const Rung* library_of(const State& state, const Rung& rung, const TourStep& step) {
  const Lab& lab = *state.selection.lab;
  const Section *mine = nullptr, *at = nullptr;
  for (const Rung& one : lab.rungs) {
    if (const Section* here = section_at(lab, one)) at = here;
    if (one.kernel == std::string_view(rung.kernel)) mine = at;
  }
  const Rung* best = nullptr;
  double best_ns = 0;
  at = nullptr;
  for (const Rung& one : lab.rungs) {
    if (const Section* here = section_at(lab, one)) at = here;
    const bool fits = one.peer && at == mine && backend_of(one.kernel) == backend_of(rung.kernel) &&
                      one.kernel != std::string_view(rung.kernel);
    if (!fits) continue;
    const LessonBar bar = make_bar(state, step, {one.kernel, step.set, step.cache, ""});
    const double ns = bar.series && bar.series->stats ? bar.series->stats->median_ns : 0;
    const bool is_better = ns > 0 && (best_ns == 0 || ns < best_ns);
    if (is_better || (!best && bar.can_run)) best = &one, best_ns = ns;
  }
  return best;
}

/// In a saved run the comparison that it holds of the selected rung: the presenter can ask for no other.
const Comparison* kept_pair(const State& state) {
  if (!state.is_replay()) return nullptr;
  const auto& all = state.run().comparisons();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->candidate == state.selection.rung && it->candidate != it->baseline &&
        find_row(state.ladder, it->baseline))
      return &*it;
  }
  return nullptr;
}

}  // namespace

bool is_disturbed(const Series& series) {
  const auto& stats = series.stats;
  const auto has = [&](const char* flag) {
    return std::find(stats->flags.begin(), stats->flags.end(), flag) != stats->flags.end();
  };
  return stats && has("contended");
}

bool is_doubtful(const LessonBar& bar) {
  if (!bar.series || !bar.machine.empty()) return false;
  return !bar.contradiction.empty() || is_disturbed(*bar.series);
}

std::string doubt_of(const StepBars& bars) {
  std::vector<std::string> busy;
  for (const LessonBar& bar : bars.bars) {
    if (!bar.contradiction.empty()) return bar.contradiction;
    if (is_doubtful(bar)) busy.push_back("“" + bar.title + "”");
  }
  if (busy.empty()) return {};
  std::string text = busy.front();
  for (size_t i = 1; i < busy.size(); ++i)
    text += (i + 1 == busy.size() ? " and " : ", ") + busy[i];
  return "While " + text + " ran, other programs took processor time.";
}

Params params_of_bar(const State& state, const KernelInfo& info, const StepBar& bar) {
  Params params = params_for(state, info);
  for (const auto& [name, value] : bar.set) {
    const bool takes =
        std::any_of(info.params.begin(), info.params.end(),
                    [&, wanted = &name](const ParamSpec& spec) { return spec.name == *wanted; });
    if (takes) params[name] = value;
  }
  return params;
}

bool can_be_asked(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  return !state.is_replay() || (row && row->series);
}

std::string asked_at(const State& state) {
  const TourStep step = shown_step(state);
  if (step.kind != StepKind::run && step.kind != StepKind::compare) return "";
  Params asked = shown_params(state);
  for (const auto& [name, value] : step.set) {
    if (asked.contains(name) && name != "dtype") asked[name] = value;
  }
  return params_summary(*state.selection.lab, asked);
}

TourStep shown_step(const State& state) {
  if (const TourStep* step = tour_step(state)) return *step;
  TourStep step;
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row) return step;
  step.lab = state.selection.lab->id;
  step.mode = RunMode::live;  // a room waits for it
  step.cache = state.selection.cache.value().value_or(CacheMode::hot);
  step.ask = Ask::time;
  step.question = std::string("New here: ") + row->rung->change + ". How long does one call take?";
  step.words = row->rung->change;
  const Comparison* kept = kept_pair(state);
  // All of one size and type: those of the result in view, where a recording has another size than was asked for.
  if (kept) {
    step.set = kept->candidate_params;
  } else if (row->series && (row->origin == Origin::recorded || state.is_replay())) {
    step.set = asked_params(*row->series);
    step.set.erase("threads");
  } else if (row->info) {
    step.set = params_for(state, *row->info);
  }
  if (row->info && !row->info->dtypes.empty() && !step.set.contains("dtype"))
    step.set["dtype"] = row->series ? dtype_of(*row->series) : row->info->dtypes.front();
  const Rung* before = row->rung->peer ? nullptr : previous_rung(*state.selection.lab, *row->rung);
  while (before &&
         !(why_no_step(before->kernel, step.set).empty() && can_be_asked(state, before->kernel)))
    before = previous_rung(*state.selection.lab, *before);
  if (const RungView* own = made_from(state)) before = own->rung;  // a learner's: the original
  if (kept) before = find_row(state.ladder, kept->baseline)->rung;
  if (const Rung* library = library_of(state, *row->rung, step))
    step.rungs.emplace_back(library->kernel);
  if (before) {
    step.rungs.insert(step.rungs.begin(), before->kernel);
    step.ask = Ask::ratio;
    step.question = std::string("New here: ") + row->rung->change +
                    ". How many times as fast as “" + before->title + "” is it?";
  }
  if (before && (!row->info || row->info->kind == RungKind::kernel)) step.kind = StepKind::compare;
  step.rungs.push_back(state.selection.rung);
  return step;
}

const Rung* rung_in(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  return row ? row->rung : rung_of(kernel);
}

StepBars step_bars(const State& state, const TourStep& step) {
  StepBars made;
  for (const StepBar& bar : study::bars_of(step)) made.bars.push_back(make_bar(state, step, bar));
  made.unit = unit_of(made.bars);
  for (LessonBar& bar : made.bars) {
    if (!bar.series) continue;
    bar.value = value_of(*bar.series, made.unit);
    bar.title = with_stale(bar.title, bar.series->stale);
  }
  if (const Lab* lab = find_lab(step.lab)) made.unit = unit_in_words(*lab, made.unit);
  return made;
}

std::vector<std::string> choices_of(const TourStep& step, const StepBars& bars) {
  std::vector<std::string> labels;
  switch (step.ask) {
    case Ask::choice:
    case Ask::stage:
      return step.choices;
    case Ask::verdict:
      for (const auto& one : kVerdicts) labels.emplace_back(one.label);
      return labels;
    case Ask::longest:
    case Ask::largest_step:
      for (const LessonBar& bar : bars.bars) labels.push_back(plain(bar, step));
      if (step.ask == Ask::largest_step) labels.erase(labels.begin());
      return labels;
    default:
      return {};
  }
}

std::string asked_for(const TourStep& step, const StepBars& bars) {
  const LessonBar* last = bars.last();
  if (!last) return {};
  const LessonBar& first = bars.bars.front();
  switch (step.ask) {
    case Ask::time:
      return "the time of one call of " + quoted(*last, step);
    case Ask::share:
      return "per cent of the measured ceiling, for " + quoted(*last, step);
    case Ask::factor:
      return "times too high, for " + quoted(*last, step);
    case Ask::ratio:
      return quoted(*last, step) + " is so many times as fast as " + quoted(first, step);
    default:
      return {};
  }
}

std::string read_back(const TourStep& step, const StepBars& bars, double value) {
  const LessonBar* last = bars.last();
  if (!last) return {};
  const std::string one = quoted(*last, step);
  if (step.ask == Ask::time)
    return fmt::format("one call of {} takes {}, so {:.3g} calls a second", one,
                       format_time_ns(value), 1e9 / value);
  if (step.ask != Ask::ratio) return asked_for(step, bars);
  const std::string other = quoted(bars.bars.front(), step);
  if (value == 1) return one + " is exactly as fast as " + other;
  return value > 1 ? fmt::format("{} is faster: {} as fast as {}", one, format_ratio(value), other)
                   : fmt::format("{} is slower: it needs {} the time of {}", one,
                                 format_ratio(1 / value), other);
}

const StepAnswer& answer_here(const State& state) {
  static const StepAnswer kNone;
  const auto found = state.teaching.answers.find(state.teaching.tour_step);
  return found == state.teaching.answers.end() ? kNone : found->second;
}

void type_answer(State& state, const std::string& text) {
  if (state.teaching.beat != Beat::predict) return;
  state.teaching.answers[state.teaching.tour_step].typed = text;
  if (state.notice.text == kDigitsFirst) state.notice = {};
}

void choose_answer(State& state, int choice) {
  const TourStep step = shown_step(state);
  const auto count = std::ssize(choices_of(step, step_bars(state, step)));
  if (state.teaching.beat != Beat::predict || choice < 0 || choice >= count) return;
  state.teaching.answers[state.teaching.tour_step].choice = choice;
  state.notice = {};
}

void answer_digit(State& state, int digit) {
  choose_answer(state, digit - 1);
}

namespace {

/// A number alone is in milliseconds, as in the example beside the field; what it is read as stands there.
Result<double> parse_time(const std::string& text) {
  const bool is_bare = text.find_first_not_of("0123456789. ") == std::string::npos &&
                       text.find_first_of("0123456789") != std::string::npos;
  if (is_bare)  // whichever unit it were read with, somebody would have meant another
    return Error{ErrorCode::usage, "“" + text + "” has no unit", "",
                 "type ns, µs, ms or s behind it"};
  const auto value = parse_prediction(text, {});
  if (value) return value;
  return Error{ErrorCode::usage, "“" + text + "” is no time", "",
               "type digits, then ns, µs, ms or s"};
}

}  // namespace

Result<double> parse_answer(Ask ask, const std::string& text) {
  if (ask == Ask::time) return parse_time(text);
  const size_t from = text.find_first_not_of(' ');
  double value = 0;
  const char* begin = from == std::string::npos ? text.data() + text.size() : &text[from];
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  const char* hint =
      ask == Ask::share ? "type a share of the ceiling, in %" : "type a factor: digits alone";
  if (error != std::errc() || !std::isfinite(value))
    return Error{ErrorCode::usage, "“" + text + "” is no number", "", hint};
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  const bool fits = unit.empty() || (ask == Ask::share ? unit == "%"
                                                       : unit == "x" || unit == "X" ||
                                                             unit == "×" || unit == "times");
  if (!fits) return Error{ErrorCode::usage, "“" + unit + "” is not what is asked for", "", hint};
  if (!(value > 0) || value > 1e9)
    return Error{ErrorCode::usage, "an answer is above zero, and not above a billion", "", hint};
  return ask == Ask::share ? value / 100 : value;
}

bool takes_sign(Ask ask, std::string_view typed, uint32_t sign) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (sign >= '0' && sign <= '9') return true;
  // A clicker's key for a black screen is a point.
  if (std::none_of(typed.begin(), typed.end(), is_digit)) return false;
  if (sign == '.') return true;
  const std::u32string_view units = ask == Ask::time    ? U" numµs"
                                    : ask == Ask::share ? U" %"
                                                        : U" xX×times";
  return units.find(static_cast<char32_t>(sign)) != std::u32string_view::npos;
}

bool asks_for_number(const State& state) {
  if (!is_on_canvas(state) || state.teaching.beat != Beat::predict || has_list(state)) return false;
  const TourStep step = shown_step(state);
  return choices_of(step, step_bars(state, step)).empty();
}

std::string answer_blocker(const State& state) {
  const TourStep step = shown_step(state);
  const StepAnswer& answer = answer_here(state);
  if (!choices_of(step, step_bars(state, step)).empty())
    return answer.choice >= 0 ? "" : "Choose an answer first: it unlocks Run.";
  if (answer.typed.find_first_not_of(' ') == std::string::npos)
    return "Type your answer first: it unlocks Run.";
  const auto value = parse_answer(step.ask, answer.typed);
  return value ? "" : value.error().sentence();
}

std::string answer_text(const TourStep& step, const StepBars& bars, const StepAnswer& answer) {
  const std::vector<std::string> choices = choices_of(step, bars);
  if (!choices.empty()) {
    const bool has = answer.choice >= 0 && answer.choice < std::ssize(choices);
    return has ? choices[static_cast<size_t>(answer.choice)] : "";
  }
  const auto value = parse_answer(step.ask, answer.typed);
  if (!value) return "";
  // As it was meant: a guess of 3 is no 3.00.
  return step.ask == Ask::time    ? format_time_ns(*value)
         : step.ask == Ask::share ? format_tick(*value * 100) + " %"
                                  : format_tick(*value) + "×";
}

StepOutcome outcome_of(const State& state, const TourStep& step, const StepBars& bars) {
  StepOutcome out;
  const bool is_of_two = step.kind == StepKind::compare || step.ask == Ask::ratio;
  if (is_of_two && bars.bars.size() > 1) {
    out.pair = pair_of(state, bars, &out.pair_machine);
    if (!out.pair && is_step_cancelled(state))
      out.missing = "The comparison was cancelled before enough rounds.";
  }
  if (!out.missing.empty()) return out;
  if (choices_of(step, bars).empty())
    judge_number(state, step, bars, &out);
  else
    judge_choice(step, bars, &out);
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

/// The number that was given, where the outcome judges one.
std::optional<double> judged_answer(const TourStep& step, const StepBars& bars,
                                    const StepAnswer& answer, const StepOutcome& outcome) {
  const bool is_judged = outcome.missing.empty() && outcome.ungraded.empty() &&
                         outcome.value > 0 && choices_of(step, bars).empty();
  const auto said = parse_answer(step.ask, answer.typed);
  return is_judged && said ? std::optional(*said) : std::nullopt;
}

/// What was said over the nearer end of the range; 1: it is right.
double missed_by(double said, const StepOutcome& outcome) {
  constexpr double kNear = 1.005;  // of a figure without a range
  if (outcome.range) {
    const auto& [low, high] = *outcome.range;
    return said < low ? said / low : said > high ? said / high : 1;
  }
  const double factor = said / outcome.value;
  return std::max(factor, 1 / factor) <= kNear ? 1 : factor;
}

}  // namespace

std::string how_far(const TourStep& step, const StepBars& bars, const StepAnswer& answer,
                    const StepOutcome& outcome) {
  const auto said = judged_answer(step, bars, answer, outcome);
  if (!said) return {};
  const double factor = missed_by(*said, outcome);
  if (factor == 1) return {};
  return (outcome.range ? "at least " : "") + format_ratio(std::max(factor, 1 / factor)) +
         (factor < 1 ? " too low" : " too high");
}

std::string outcome_sentence(const TourStep& step, const StepBars& bars, const StepAnswer& answer,
                             const StepOutcome& outcome) {
  const std::string said = answer_text(step, bars, answer);
  if (!outcome.missing.empty())
    return (said.empty() ? "" : "You said “" + said + "”. ") + outcome.missing + instead_of(bars);
  if (!outcome.ungraded.empty())
    return (said.empty() ? "No prediction was made. It is " : "You said " + said + ", and it is ") +
           outcome.shown + ". " + outcome.ungraded;
  if (said.empty())
    return outcome.pair && !is_settled(*outcome.pair) && choices_of(step, bars).empty()
               ? "No prediction was made. It is unresolved: " +
                     unresolved_words(outcome.pair->ci, outcome.pair->margin) + "."
               : "No prediction was made. It is " + outcome.shown + ".";
  if (!choices_of(step, bars).empty()) {
    const bool is_right =
        std::find(outcome.right.begin(), outcome.right.end(), answer.choice) != outcome.right.end();
    return "You said “" + said + "”. " +
           (is_right ? "That is right" : "It is “" + outcome.shown + "”") + ".";
  }
  const bool is_interval = outcome.pair && outcome.pair->ci;  // the figure above is a middle
  const std::string is = is_interval ? "." : ". It is " + outcome.shown + ".";
  const std::string far = how_far(step, bars, answer, outcome);
  if (!far.empty()) return "You said " + said + ": " + far + is;
  if (outcome.is_bound) return "You said " + said + ": that can be. It is " + outcome.shown + ".";
  return "You said " + said +
         (outcome.range ? ": inside the interval that was measured" : ": that is right") + is;
}

std::string pair_headline(const Comparison& pair) {
  if (is_settled(pair) || !uneven_reason(pair).empty()) return headline_ratio_text(pair);
  const bool has_one = !pair.ci || (pair.ci->low <= 1 && pair.ci->high >= 1);
  return has_one ? unresolved_words(pair.ci, pair.margin)
                 : headline_ratio_text(pair) + ", not settled";
}

std::string verdict_sentence(const Comparison& pair, const std::string& baseline,
                             const std::string& candidate) {
  const Verdict verdict = supported_verdict(pair);
  const std::string sides = "“" + candidate + "” against “" + baseline + "”";
  const std::string word = verdict == Verdict::faster   ? "faster"
                           : verdict == Verdict::slower ? "slower"
                           : verdict == Verdict::same   ? "the same within the margin"
                           : verdict == Verdict::unresolved
                               ? "unresolved, " + unresolved_words(pair.ci, pair.margin)
                               : "invalid";
  if (!(pair.ratio > 0)) return sides + ": " + word;
  const std::string uneven = uneven_reason(pair);
  return with_stale(sides + ": " + word + ", " + headline_ratio_text(pair) + " as fast, interval " +
                        ratio_interval_text(pair.ci, pair.margin) +
                        (uneven.empty() ? "" : "; " + uneven),
                    pair.stale);
}

std::string contradicted_later(const Run& run, const StepResult& result) {
  for (const auto& [request, index] : result.rests_on) {
    const Series *judged = nullptr, *newest = nullptr;
    for (const Series& one : run.series()) {
      if (one.request == request && one.index == index) judged = newest = &one;
      if (judged && one.stats && is_usable(one) && is_same_point(one, *judged)) newest = &one;
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
  if (outcome.pair) {
    result.verdict = supported_verdict(*outcome.pair);
    result.claim = verdict_sentence(*outcome.pair, bars.bars.front().title, bars.last()->title);
    if (!outcome.pair_machine.empty()) result.claim += ", recorded on " + outcome.pair_machine;
  }
  if (!outcome.missing.empty() || result.said.empty()) return result;
  for (const LessonBar& bar : bars.bars) {
    if (!outcome.pair && bar.series && bar.machine.empty())
      result.rests_on.emplace_back(bar.series->request, bar.series->index);
  }
  if (!choices_of(step, bars).empty()) {
    result.right =
        std::find(outcome.right.begin(), outcome.right.end(), answer.choice) != outcome.right.end();
    return result;
  }
  result.ungraded = outcome.ungraded;
  if (outcome.pair && !is_settled(*outcome.pair)) return result;  // near to nothing that was shown
  const auto said = judged_answer(step, bars, answer, outcome);
  if (!said) return result;
  const double factor = missed_by(*said, outcome);
  if (outcome.is_bound && factor == 1) {
    result.ungraded = "Its ceiling is in doubt: only an answer above the bound is wrong for sure.";
    return result;
  }
  result.off = std::max(factor, 1 / factor);
  result.over = factor;
  return result;
}

std::optional<double> answer_mark(const TourStep& step, const StepBars& bars,
                                  const StepAnswer& answer, const StepOutcome& outcome) {
  const LessonBar* last = bars.last();
  if (!choices_of(step, bars).empty() || !last || !(last->value > 0)) return std::nullopt;
  const auto said = parse_answer(step.ask, answer.typed);
  if (!said || !(outcome.value > 0)) return std::nullopt;
  if (step.ask == Ask::ratio && bars.bars.front().value > 0) return bars.bars.front().value * *said;
  return step.ask == Ask::time ? last->value * outcome.value / *said
                               : last->value * *said / outcome.value;
}

// ---- its run -----------------------------------------------------------------------------------

namespace {

/// The last rung against the first, both on this machine.
bool is_paired_here(const TourStep& step, const StepBars& bars) {
  return step.kind == StepKind::compare && bars.bars.size() > 1 && bars.bars.front().can_run &&
         bars.bars.back().can_run;
}

}  // namespace

bool is_known(const TourStep& step, const StepBars& bars) {
  const auto is_measured = [](const LessonBar& bar) { return bar.measured_at >= 0; };
  return step.kind != StepKind::compare && !bars.bars.empty() &&
         std::all_of(bars.bars.begin(), bars.bars.end(), is_measured);
}

std::vector<WorkRequest> requests_of(const State& state, const TourStep& step,
                                     const StepBars& bars) {
  std::vector<WorkRequest> requests;
  const auto asked = [&](const LessonBar& bar) {
    return KernelRequest{
        bar.asked.kernel,
        params_of_bar(state, *find_info(state.sessions, bar.asked.kernel), bar.asked)};
  };
  const auto begin = [&](RequestType type, CacheMode cache) {
    WorkRequest request;
    request.type = type;
    request.lab = step.lab;
    request.mode = step.mode;
    request.cache = cache;
    return request;
  };
  for (const LessonBar& bar : bars.bars) {
    if (!bar.can_run || bar.measured_at >= 0) continue;
    if (requests.empty() || requests.back().cache != bar.asked.cache)
      requests.push_back(begin(RequestType::run, bar.asked.cache));
    auto& kernels = requests.back().kernels;
    const KernelRequest wanted = asked(bar);
    const bool is_known =
        std::any_of(kernels.begin(), kernels.end(), [&](const KernelRequest& one) {
          return one.kernel == wanted.kernel && one.params == wanted.params;
        });
    if (!is_known) kernels.push_back(wanted);
  }
  if (!is_paired_here(step, bars)) return requests;
  requests.push_back(begin(RequestType::compare, step.cache));
  requests.back().kernels = {asked(bars.bars.front()), asked(bars.bars.back())};
  return requests;
}

namespace {

bool is_sent(const State& state, int64_t request) {
  const auto& sent = state.teaching.sent;
  return std::find(sent.begin(), sent.end(), request) != sent.end();
}

double fraction_of(const State& state, int64_t request, int index) {
  const auto& progress = state.run().progress();
  const bool is_it = progress && progress->request == request && progress->series == index;
  return is_it ? share_of_rung(*progress) : 0;
}

/// Of this step's run; null: it is not there yet.
const Series* sent_series(const State& state, const LessonBar& bar) {
  const KernelInfo* info = find_info(state.sessions, bar.asked.kernel);
  const Params wanted = info ? params_of_bar(state, *info, bar.asked) : bar.asked.set;
  for (const Series& series : state.run().series()) {
    const Request* request = state.run().request(series.request);
    const bool is_it = is_sent(state, series.request) && series.kernel == bar.asked.kernel &&
                       series.cache == bar.asked.cache && request &&
                       request->type == RequestType::run && agrees(asked_params(series), wanted);
    if (is_it) return &series;
  }
  return nullptr;
}

/// The comparison's request of this step's run; null: it was not sent yet.
const Request* sent_pair(const State& state) {
  for (const int64_t id : state.teaching.sent) {
    const Request* request = state.run().request(id);
    if (request && request->type == RequestType::compare) return request;
  }
  return nullptr;
}

double live_progress(const State& state, const LessonBar& bar) {
  const Series* series = sent_series(state, bar);
  if (!series || series->status == SeriesStatus::cancelled) return 0;
  const bool is_open =
      series->status == SeriesStatus::pending || series->status == SeriesStatus::running;
  return is_open ? fraction_of(state, series->request, series->index) : 1;
}

double pair_progress(const State& state) {
  const Request* request = sent_pair(state);
  if (!request || request->status == RequestStatus::cancelled) return 0;
  if (!request->open()) return 1;
  const auto& progress = state.run().progress();
  return progress && progress->request == request->id ? share_of_rung(*progress) : 0;
}

}  // namespace

std::string rounds_so_far(const State& state) {
  const Request* request = sent_pair(state);
  const auto& progress = state.run().progress();
  const bool is_it = request && request->open() && progress && progress->request == request->id &&
                     progress->phase == "rounds";
  if (!is_it || progress->open.empty()) return {};
  // "4 of 12 rounds", "4 of about 17 rounds that fit into 10 s"
  std::string text = "round " + progress->open.substr(0, progress->open.find(" rounds"));
  if (progress->left_s)
    text += fmt::format(", about {:.0f} s left", std::max(1.0, std::ceil(*progress->left_s)));
  return text;
}

namespace {

/// How long measuring it took.
double measured_s(const Series& series) {
  double sum_ns = 0;
  for (const Sample& sample : series.samples)
    sum_ns += sample.t_ns * static_cast<double>(sample.calls);
  return std::clamp(sum_ns * 1e-9, 0.8, 4.0);
}

bool is_played(const State& state, const LessonBar& bar) {
  return bar.series && (!bar.machine.empty() || state.is_replay());
}

}  // namespace

bool is_row_cancelled(const State& state, const StepBars& bars, size_t place) {
  if (place >= bars.bars.size()) {
    const Request* request = sent_pair(state);
    return request ? request->status == RequestStatus::cancelled
                   : is_step_cancelled(state);  // it was never sent
  }
  const Series* series = sent_series(state, bars.bars[place]);
  return series && series->status == SeriesStatus::cancelled;
}

bool is_step_cancelled(const State& state) {
  return std::any_of(state.teaching.sent.begin(), state.teaching.sent.end(), [&](int64_t id) {
    const Request* request = state.run().request(id);
    return request && request->status == RequestStatus::cancelled;
  });
}

double playback_s(const StepBars& bars) {
  constexpr double kMost_s = 8;
  double sum_s = 0;
  for (const LessonBar& bar : bars.bars) sum_s += bar.series ? measured_s(*bar.series) : 0;
  return std::min(sum_s, kMost_s);
}

std::vector<double> progress_of(const State& state, const TourStep& step, const StepBars& bars) {
  const Teaching& teach = state.teaching;
  double sum_s = 0;
  for (const LessonBar& bar : bars.bars)
    sum_s += is_played(state, bar) ? measured_s(*bar.series) : 0;
  const double total_s = playback_s(bars);
  double begins_s = 0;
  std::vector<double> shares;
  for (const LessonBar& bar : bars.bars) {
    if (!is_played(state, bar)) {
      shares.push_back(bar.measured_at >= 0 ? 1 : live_progress(state, bar));
      continue;
    }
    const double takes_s = measured_s(*bar.series) * std::min(1.0, total_s / sum_s);
    const double at_s = teach.playback_from_s < 0 ? 0 : teach.now_s - teach.playback_from_s;
    shares.push_back(std::clamp((at_s - begins_s) / takes_s, 0.0, 1.0));
    begins_s += takes_s;
  }
  if (is_paired_here(step, bars)) shares.push_back(pair_progress(state));
  return shares;
}

}  // namespace ridge::window
