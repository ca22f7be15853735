#include "app/window/teach/step.h"

#include <algorithm>
#include <utility>

#include "app/query/recordings.h"
#include "app/window/edit/editing.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step_run.h"
#include "common/core/format.h"
#include "common/record/budget.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "common/view/chart/climb.h"
#include "common/view/report/decision.h"

namespace ridge::window {
namespace {

using study::Ask;
using study::StepBar;
using study::StepKind;
using study::TourStep;

/// The newest usable result; of a rung on its own before that of a comparison's side.
const Series* live_of(const Run& run, const StepBar& bar, const Params& wanted) {
  const Series* beside = nullptr;
  const auto& all = run.series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->kernel != bar.kernel || it->cache != bar.cache || !is_result(*it)) continue;
    if (!agrees(asked_params(*it), wanted)) continue;
    const Request* request = run.request(it->request);
    if (!request || request->type != RequestType::compare) return &*it;
    if (!beside) beside = &*it;
  }
  return beside;
}

/// The newest result of the bar at these parameters, alone or beside another rung, where that failed its check; null: it
/// passed, or there is none.
const Series* failed_check(const Run& run, const StepBar& bar, const Params& wanted) {
  const auto& all = run.series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    const bool is_it = it->kernel == bar.kernel && it->cache == bar.cache && !it->checks.empty() &&
                       !it->trap && agrees(asked_params(*it), wanted);
    if (is_it) return it->quality_passed() ? nullptr : &*it;
  }
  return nullptr;
}

std::string invalid_reason(const Series& series) {
  return "failed its check, so it has no speed" +
         (series.reason.empty() ? "" : ": " + series.reason);
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

/// The newest of the session's earlier results at this point where none of them agrees with this one; null: one does, or
/// there is none.
const Series* contradicting(const Run& run, const Series& series) {
  const Series* newest = nullptr;
  for (const Series& one : run.series()) {
    if (&one == &series) break;
    if (!one.stats || !is_result(one) || !is_same_point(one, series)) continue;
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
  if (!found.series || !is_result(*found.series)) return;
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
  const Beat beat = state.teaching.beat;
  return beat > Beat::run || (beat == Beat::run && !waits_for_results(state));
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
  if (const Series* failed = failed_check(state.run(), asked, wanted)) {
    bar.is_invalid =
        true;  // neither an earlier result nor a recording stands for what is wrong here
    bar.reason = invalid_reason(*failed);
    return bar;
  }
  bar.series = live_of(state.run(), asked, wanted);
  if (bar.series) {
    bar.run = &state.run();
    bar.measured_at = measured_before(state, step, *bar.series);
    if (state.is_replay())
      bar.machine = machine_named(state.run());
    else
      bar.contradiction = contradiction_of(state.run(), *bar.series, bar.title);
    // It is worth measuring again; not for a step that draws what an earlier step measured, and asks for no figure.
    if (is_doubtful(bar) && !(step.ask == Ask::choice && !step.figure.empty()))
      bar.measured_at = -1;
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

/// The part of the ladder that the rung, or the one that it was made from, stands in; null: the lab has no parts.
const Section* part_of(const Lab& lab, std::string_view kernel) {
  const Section* at = nullptr;
  for (const Rung& one : lab.rungs) {
    if (const Section* here = section_at(lab, one)) at = here;
    if (one.kernel == original_of(kernel)) return at;
  }
  return nullptr;
}

/// A choice that the rung does not have, as a type that is another rung's, is none of its own.
bool has_choice(const ParamSpec& spec, const ParamValue& value) {
  return !spec.is_choice ||
         std::any_of(spec.choices.begin(), spec.choices.end(),
                     [&](const std::string& one) { return value == ParamValue(one); });
}

bool takes_type(const State& state, const std::string& kernel, const TourStep& step) {
  const KernelInfo* info = find_info(state.sessions, kernel);
  const auto wanted = step.set.find("dtype");
  return !info || wanted == step.set.end() ||
         std::none_of(info->params.begin(), info->params.end(), [&](const ParamSpec& spec) {
           return spec.name == "dtype" && !has_choice(spec, wanted->second);
         });
}

/// The fastest library beside this rung: of its part of the ladder and its type, with a result at these parameters or able
/// to run. One that runs here comes before any recording.
const Rung* library_of(const State& state, const Rung& rung, const TourStep& step) {
  const Lab& lab = *state.selection.lab;
  const Section* mine = part_of(lab, rung.kernel);
  const Rung* best = nullptr;
  bool runs_here = false;
  double best_ns = 0;
  for (const Rung& one : lab.rungs) {
    const bool fits = one.peer && part_of(lab, one.kernel) == mine &&
                      backend_of(one.kernel) == backend_of(rung.kernel) &&
                      one.kernel != std::string_view(rung.kernel) &&
                      takes_type(state, one.kernel, step);
    if (!fits) continue;
    const LessonBar bar = make_bar(state, step, {one.kernel, step.set, step.cache, ""});
    // What can run here is run: no recording of it, and none of another library, stands in its place.
    const bool is_measured =
        bar.series && bar.series->stats && (!bar.can_run || bar.machine.empty());
    const double ns = is_measured ? bar.series->stats->median_ns : 0;
    if (bar.can_run && !runs_here) best = nullptr, best_ns = 0;
    runs_here |= bar.can_run;
    if (runs_here && !bar.can_run) continue;
    const bool is_better = ns > 0 && (best_ns == 0 || ns < best_ns);
    if (is_better || (!best && bar.can_run)) best = &one, best_ns = ns;
  }
  return best;
}

/// An error against float64 has a limit of its own, and no image may be out of place: neither is a price of speed.
bool may_cost_quality(const Lab& lab) {
  return lab.quality_metric == kAccuracyMetric;
}

/// Whether a step to this rung may cost what its lab judges by.
bool can_cost(const Lab& lab, const RungView& row) {
  const Series* series = row.held().series;
  const QualityCheck* check = series ? series->quality() : nullptr;
  return check && check->task.contains(lab.quality_metric) && judged_against(lab, row.rung->kernel);
}

/// Of ours the rung before it on the ladder was the baseline.
bool is_ladder_step(const State& state, const Comparison& pair) {
  const RungView* row = find_row(state.ladder, pair.candidate);
  const Rung* before =
      row && !row->rung->peer ? previous_rung(*state.selection.lab, *row->rung) : nullptr;
  return before && before->kernel == pair.baseline;
}

/// At the problem that the lab shows of its candidate.
bool is_in_view(const State& state, const Comparison& pair) {
  const RungView* row = find_row(state.ladder, pair.candidate);
  return row && row->held().series && row->held().series->params == pair.candidate_params;
}

/// In a saved run the comparison that it holds of the selected rung with one of its part of the ladder, best of the problem
/// in view and with the previous rung: the presenter cannot ask for another one.
const Comparison* kept_pair(const State& state) {
  if (!state.is_replay()) return nullptr;
  const auto rank = [&](const Comparison& pair) {
    return 2 * is_in_view(state, pair) + is_ladder_step(state, pair);
  };
  const Comparison* best = nullptr;
  for (const Comparison& pair : state.run().comparisons()) {
    const Lab& lab = *state.selection.lab;
    const bool is_of_it = pair.candidate == state.selection.rung &&
                          pair.candidate != pair.baseline &&
                          find_row(state.ladder, pair.baseline) &&
                          part_of(lab, pair.baseline) == part_of(lab, pair.candidate);
    if (is_of_it && (!best || rank(pair) >= rank(*best))) best = &pair;  // the newest of a rank
  }
  return best;
}

}  // namespace

bool is_result(const Series& series) {
  return series.status == SeriesStatus::ok &&
         (series.trap || (series.stats && series.stats->median_ns > 0 && series.quality_passed()));
}

bool tells_apart(const Series& a, const Series& b) {
  const double ratio = a.stats->median_ns / b.stats->median_ns;
  return chart::are_clear(a, b) && std::max(ratio, 1 / ratio) > kFelt;
}

bool is_same_point(const Series& one, const Series& other) {
  return one.kernel == other.kernel && one.cache == other.cache &&
         asked_params(one) == asked_params(other);
}

std::string machine_named(const Run& run) {
  return run.environment() ? app::machine_name(*run.environment())
                           : "a machine that was not recorded";
}

std::string quoted_bar(const LessonBar& bar, const TourStep& step) {
  const bool has_size = step.kind == StepKind::sweep && !bar.detail.empty();
  return "“" + bar.title + (has_size ? ", " + bar.detail : "") + "”";
}

std::string bar_name(const LessonBar& bar, const TourStep& step) {
  const std::string text = quoted_bar(bar, step);
  return text.substr(3, text.size() - 6);  // without the quotes, three bytes each
}

LessonBar recorded_bar(const State& state, const StepBar& asked) {
  LessonBar bar;
  bar.asked = asked;
  take_recorded(state, find_info(state.sessions, asked.kernel), &bar);
  return bar;
}

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
    const bool takes = std::any_of(info.params.begin(), info.params.end(),
                                   [&, wanted = &name, is = &value](const auto& spec) {
                                     return spec.name == *wanted && has_choice(spec, *is);
                                   });
    if (takes) params[name] = value;
  }
  return params;
}

bool can_be_asked(const State& state, const std::string& kernel) {
  if (!state.is_replay()) return true;
  const RungView* row = find_row(state.ladder, kernel);
  return row && row->held().series && row->held().run == &state.run();
}

namespace {

/// What a rung takes where nothing is asked for; a parameter that follows another has none of its own.
bool is_fallback(const ParamSpec& spec, const ParamValue& value) {
  return !spec.same_as.empty() || spec.fallback == value;
}

/// Whether a step's head says this parameter of its lab: one of the step's rungs takes it, and the step sets it, a learner's
/// bar has it, or it is another than what the rung takes by itself. The rest is the lab's, of its other rungs. A choice that
/// one of the rungs does not have is no common one: the bars of such a step name it.
bool says_param(const State& state, const TourStep& step, const std::string& name,
                const ParamValue& value) {
  bool is_taken = false, is_usual = true;
  for (const std::string& kernel : step.rungs) {
    if (name == "threads" && backend_of(kernel) != Backend::cpu) continue;
    const KernelInfo* info = find_info(state.sessions, kernel);
    if (!info) return true;
    const auto spec = std::find_if(info->params.begin(), info->params.end(),
                                   [&](const ParamSpec& one) { return one.name == name; });
    if (spec == info->params.end()) continue;
    if (name == "dtype" && step.set.contains(name) && !has_choice(*spec, step.set.at(name)))
      return false;
    is_taken = true;
    is_usual = is_usual && is_fallback(*spec, value);
  }
  const auto& params = state.selection.lab->params;
  return is_taken &&
         (!is_usual || name == "dtype" || name == "threads" || step.set.contains(name) ||
          std::any_of(params.begin(), params.end(), [&](const ParamView& param) {
            return param.name == name && param.level == Level::kLearn;
          }));
}

/// What both sides of a step are asked at.
Params shared_set(const TourStep& step) {
  Params shared;
  for (const auto& [name, value] : step.set) {
    const bool is_shared = std::all_of(step.sides.begin(), step.sides.end(),
                                       [&, wanted = &name, is = &value](const StepBar& side) {
                                         const auto own = side.set.find(*wanted);
                                         return own != side.set.end() && own->second == *is;
                                       });
    if (is_shared) shared[name] = value;
  }
  return shared;
}

}  // namespace

std::string asked_at(const State& state) {
  const TourStep step = shown_step(state);
  if (step.kind == StepKind::side_by_side)
    return params_summary(*state.selection.lab, shared_set(step));
  if (step.kind != StepKind::run && step.kind != StepKind::compare) return "";
  Params asked = shown_params(state);
  for (const auto& [name, value] : step.set) {
    if (asked.contains(name) && name != "dtype") asked[name] = value;
  }
  asked.erase_if(
      [&](const auto& param) { return !says_param(state, step, param.first, param.second); });
  return params_summary(*state.selection.lab, asked);
}

namespace {

/// What is asked about: of a rung its change. A library changes nothing: it is there to compare with.
std::string begins_question(const Rung& rung) {
  return rung.peer ? std::string("To compare with: “") + rung.title + "”, " + rung.change + "."
                   : std::string("New here: ") + rung.change + ".";
}

/// The size that the question names: " at n = 512". Empty: the rung has none.
std::string size_asked(const State& state, const TourStep& step) {
  const Lab& lab = *state.selection.lab;
  const ParamView* size = swept_param(lab, find_info(state.sessions, state.selection.rung));
  const auto found = size ? step.set.find(size->name) : step.set.end();
  return found == step.set.end() ? "" : " at " + param_in_words(lab, found->first, found->second);
}

std::string asks_for_call(const Rung& rung, bool trains, const std::string& at) {
  return begins_question(rung) + " How long does one call of “" + rung.title + "”" +
         (trains ? ", a step of training," : "") + " take" + at + "?";
}

}  // namespace

std::string largest_step(const State& state) {
  const Comparison* best = nullptr;
  for (const Comparison& pair : state.run().comparisons()) {
    const bool is_gain = supported_verdict(pair) == Verdict::faster;
    if (!is_gain || !is_ladder_step(state, pair) || !is_in_view(state, pair)) continue;
    if (!best || pair.ratio > best->ratio) best = &pair;
  }
  return best ? best->candidate : "";
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
  const bool trains = row->info && row->info->kind == RungKind::training;
  step.words = row->rung->change;
  const Comparison* kept = kept_pair(state);
  const RungView::Held held = row->held();
  // All of one size and type: those of the result in view, where a recording has another size than was asked for.
  if (kept) {
    step.set = kept->candidate_params;
  } else if (held.series && (held.origin == Origin::recorded || state.is_replay())) {
    step.set = asked_params(*held.series);
    step.set.erase("threads");
  } else if (row->info) {
    step.set = params_for(state, *row->info);
  }
  if (row->info && !row->info->dtypes.empty() && !step.set.contains("dtype"))
    step.set["dtype"] = held.series ? dtype_of(*held.series) : row->info->dtypes.front();
  if (row->info && row->info->kind == RungKind::trap) {  // it goes on from nothing but itself
    step.ask = Ask::factor;
    step.question = std::string("The trap: ") + row->rung->change + ". By which factor is “" +
                    row->rung->title + "” off, too high or too low?";
    step.rungs = {state.selection.rung};
    return step;
  }
  const Rung* before = row->rung->peer ? nullptr : previous_rung(*state.selection.lab, *row->rung);
  while (before &&
         !(why_no_step(before->kernel, step.set).empty() && can_be_asked(state, before->kernel)))
    before = previous_rung(*state.selection.lab, *before);
  if (const RungView* own = made_from(state)) before = own->rung;  // a learner's: the original
  if (kept) before = find_row(state.ladder, kept->baseline)->rung;
  const std::string at = size_asked(state, step);
  step.question = asks_for_call(*row->rung, trains, at);
  const Rung* library = library_of(state, *row->rung, step);
  if (library && library != before) step.rungs.emplace_back(library->kernel);
  if (before) {
    step.rungs.insert(step.rungs.begin(), before->kernel);
    step.ask = Ask::ratio;
    step.question = begins_question(*row->rung) + " How many times as fast as “" + before->title +
                    "” is “" + row->rung->title + "”" + at + "?";
  }
  if (before && (!row->info || row->info->kind == RungKind::kernel)) step.kind = StepKind::compare;
  const Lab& lab = *state.selection.lab;
  if (can_cost(lab, *row)) {
    const Rung* against = judged_against(lab, state.selection.rung);
    const bool is_there =
        std::find(step.rungs.begin(), step.rungs.end(), against->kernel) != step.rungs.end();
    if (!is_there) step.rungs.insert(step.rungs.begin() + (before ? 1 : 0), against->kernel);
    step.question += std::string(" And what does it cost in ") + lab.quality_metric + "?";
  }
  step.rungs.push_back(state.selection.rung);
  return step;
}

const Rung* judged_against(const Lab& lab, const std::string& kernel) {
  if (!may_cost_quality(lab)) return nullptr;
  const auto first = std::find_if(lab.rungs.begin(), lab.rungs.end(), [&](const Rung& rung) {
    return !rung.peer && !rung.wrong && family_of(rung.kernel) == family_of(kernel) &&
           backend_of(rung.kernel) == backend_of(kernel);
  });
  return first == lab.rungs.end() || first->kernel == kernel ? nullptr : &*first;
}

std::optional<SeedMean> task_of(const LessonBar& bar) {
  const QualityCheck* check = bar.series ? bar.series->quality() : nullptr;
  const Lab* lab = check ? find_lab(bar.series->lab) : nullptr;
  if (!lab || !may_cost_quality(*lab) || !check->task.contains(lab->quality_metric))
    return std::nullopt;
  const auto mean = seed_mean(bar.run->series().pointers(), bar.series->kernel, bar.series->params,
                              lab->quality_metric);
  return mean ? mean : SeedMean{1, check->task.at(lab->quality_metric)};
}

const Rung* rung_in(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  return row ? row->rung : rung_of(kernel);
}

StepBars StepBars::drawn() const {
  const bool is_one = bars.size() == 1 && bars.front().series && bars.front().series->trap;
  if (!is_one) return *this;
  const TrapOutcome& trap = *bars.front().series->trap;
  StepBars both{{bars.front(), bars.front()}, unit};
  LessonBar &honest = both.bars.front(), &lie = both.bars.back();
  honest.title = "true";
  honest.reading = &trap.honest;
  lie.title = "reported";
  lie.reading = &trap.lie;
  for (LessonBar& bar : both.bars) {
    bar.detail = trap.quantity;
    bar.value = bar.reading->median;
  }
  return both;
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
  if (const Lab* lab = find_lab(step.lab); lab && !made.bars.empty())
    made.unit = unit_in_words(*lab, made.unit, made.bars.back().asked.kernel);
  return made;
}

}  // namespace ridge::window
