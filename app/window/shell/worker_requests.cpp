#include "app/window/shell/worker_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/query/selection.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/state.h"
#include "app/window/teach/predict.h"
#include "app/window/views/training_view.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/edit.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"
#include "common/view/report/content.h"

namespace ridge::window {

const Request* asked_by(const State& state, const std::map<std::string, int64_t>& asked,
                        const std::string& key) {
  const auto found = asked.find(key);
  return found == asked.end() ? nullptr : state.run().request(found->second);
}

std::string why_not_done(const State& state, const Request& request) {
  if (request.error) return request.error->sentence();
  if (request.status == RequestStatus::ok) return "";
  return request.status == RequestStatus::cancelled ? "Cancelled." : state.sessions.shown->reason();
}

bool is_broken_off(const Request& request) {
  const bool has_gone = request.error && request.error->code == ErrorCode::worker;
  return has_gone || request.status == RequestStatus::cancelled;
}

bool must_ask(const State& state, const std::map<std::string, int64_t>& asked,
              const std::string& key) {
  if (!asked.contains(key)) return true;
  if (!state.run().has_hello()) return false;
  const Request* request = asked_by(state, asked, key);
  if (!request) return asked.at(key) == 0;  // it could not be sent
  return is_broken_off(*request);
}

std::string leave_saved_run(const State& state, const std::string& to_do) {
  return state.sessions.opened
             ? "This is a saved run: “Back to measuring here” on Home leads to where you can " +
                   to_do + "."
             : "This is a saved run; start ridgepoint without --replay to " + to_do + ".";
}

std::string work_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  if (state.is_replay()) return leave_saved_run(state, "measure");
  if (state.requests.is_measuring()) return kBusyNotice;
  if (!state.run().catalogue_complete() &&
      state.sessions.shown->state() != app::WorkerState::lost) {
    return "The worker has not listed its rungs yet.";
  }
  return {};
}

WorkRequest request_for(const State& state, RequestType type) {
  WorkRequest request;
  request.type = type;
  request.lab = state.selection.lab->id;
  request.mode = state.selection.mode;
  request.cache = state.selection.cache.value().value_or(CacheMode::hot);
  request.counters = request.type == RequestType::run && state.selection.counters;
  return request;
}

void cancel_estimates(State& state) {
  const Request* estimates = state.run().request(state.requests.estimates);
  if (!estimates || !estimates->open()) return;
  state.sessions.shown->cancel(state.requests.estimates);
  state.requests.estimates_due = true;
}

void send(State& state, WorkRequest request, int64_t* id_out) {
  state.notice = {};
  if (!lock_drafts(state, &request)) return;
  cancel_estimates(state);
  const auto id = state.sessions.shown->send(std::move(request));
  if (id)
    *id_out = *id;
  else
    state.notice = {id.error().sentence(), true};
  state.ladder.dirty = true;
}

std::string RunEstimate::text() const {
  constexpr double kMinutesFrom_s = 100;
  if (!is_here || rungs == unknown) return "";
  const char* how = unknown > 0 ? "over " : "about ";
  if (seconds < 1) return unknown > 0 ? "over a second" : "under a second";
  return seconds < kMinutesFrom_s ? how + format_number(seconds, 2) + " s"
                                  : how + format_number(seconds / 60, 2) + " min";
}

namespace {

/// Of the ladder what is predicted, else all that is shown.
std::vector<const RungView*> rows_to_run(const State& state,
                                         const std::set<std::string>& predicted) {
  std::vector<const RungView*> rows;
  for (const RungView& row : state.ladder.rows) {
    const bool runs =
        predicted.empty() ? !is_folded(state, *row.rung) : predicted.contains(row.rung->kernel);
    if (row.can_run && runs) rows.push_back(&row);
  }
  return rows;
}

}  // namespace

RunEstimate estimate_of_ladder(const State& state) {
  RunEstimate estimate;
  estimate.is_here = true;
  for (const RungView* one : rows_to_run(state, predicted_rungs(state))) {
    const RungView& row = *one;
    ++estimate.rungs;
    if (!row.estimate) {
      estimate.is_here = estimate.is_here && is_edit(row.rung->kernel);
      ++estimate.unknown;
    } else if (!row.estimate->reason.empty()) {
      ++estimate.unknown;
    } else {
      estimate.seconds += row.estimate->total_s;
    }
  }
  if (estimate.rungs > estimate.unknown) estimate.seconds += state.run().estimates_around_s();
  return estimate;
}

namespace {

/// Where in its rung's time a phase lies: it begins at `from` and ends at `to`.
struct PhaseSpan {
  const char* phase;
  double from, to;
};
constexpr PhaseSpan kRunSpans[] = {
    {"prepare", 0, 0.1},    {"check", 0.1, 0.2},   {"warmup", 0.2, 0.25},   {"timing", 0.25, 0.75},
    {"latency", 0.75, 0.9}, {"energy", 0.9, 0.95}, {"counters", 0.95, 0.99}};
/// Of a comparison the rounds are nearly all.
constexpr PhaseSpan kPairSpans[] = {{"prepare", 0, 0.04},   {"check", 0.04, 0.08},
                                    {"warmup", 0.08, 0.12}, {"rounds", 0.12, 0.85},
                                    {"latency", 0.85, 0.9}, {"sustained", 0.85, 0.95},
                                    {"energy", 0.95, 0.98}};

/// Of a phase that does not say how far it is: it moves all the time, and never arrives.
double moving_share(double since_s, double usual_s) {
  return 1 - std::exp(-std::max(0.0, since_s) / usual_s);
}

/// Of the time of its rung, or of its comparison, by its phase and by how long that has lasted.
double share_of_phase(const Request& request, const Progress& progress, double since_s) {
  constexpr double kUsual_s = 3;
  const bool is_pair = request.type == RequestType::compare;
  const auto spans = is_pair ? std::span<const PhaseSpan>(kPairSpans) : kRunSpans;
  for (const PhaseSpan& span : spans) {
    if (progress.phase != span.phase) continue;
    const double done = progress.fraction ? std::clamp(*progress.fraction, 0.0, 1.0)
                                          : moving_share(since_s, kUsual_s);
    return span.from + done * (span.to - span.from);
  }
  return 0;
}

/// A comparison is one thing with one share, whichever side is at work.
int share_place(const Request& request, int series) {
  return request.type == RequestType::compare ? 0 : series;
}

/// The newest estimate of its time; 0: there is none.
double estimated_s(const Run& run, const std::string& kernel) {
  const auto& all = run.estimates();
  const auto known = std::find_if(all.rbegin(), all.rend(), [&](const Estimate& one) {
    return one.kernel == kernel && one.total_s > 0;
  });
  return known == all.rend() ? 0 : known->total_s;
}

bool is_estimated(const Run& run, const Request& request) {
  return std::all_of(request.kernels.begin(), request.kernels.end(),
                     [&](const std::string& kernel) { return estimated_s(run, kernel) > 0; });
}

/// What each rung of a request takes of it: seconds where all are estimated, else the same.
std::vector<double> weights_of(const Run& run, const Request& request) {
  if (!is_estimated(run, request)) return std::vector<double>(request.kernels.size(), 1.0);
  std::vector<double> weights;
  for (const std::string& kernel : request.kernels) weights.push_back(estimated_s(run, kernel));
  return weights;
}

/// Rungs one after another, each by its phase. A comparison has its sides in turns.
double share_now(const Run& run, const Request& request, const Progress& progress, double since_s) {
  const bool in_turn = request.type == RequestType::run && !request.kernels.empty();
  const double of_rung = share_of_phase(request, progress, since_s);
  if (!in_turn) return of_rung;
  const std::vector<double> weights = weights_of(run, request);
  double before = 0, all = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    all += weights[i];
    const auto at = static_cast<size_t>(progress.series);
    if (i < at) before += weights[i];
    if (i == at) before += weights[i] * of_rung;
  }
  return all > 0 ? before / all : 0;
}

}  // namespace

/// Of a run that a comparison follows: one bar for both.
constexpr double kFirstOfTwo = 0.65;

namespace {

/// How long the phase that is under way has lasted.
double phase_s(Requests& requests, const Progress& progress, double now_s) {
  const std::string phase =
      fmt::format("{} {} {}", progress.request, progress.series, progress.phase);
  if (phase != std::exchange(requests.phase, phase)) requests.phase_since_s = now_s;
  return now_s - requests.phase_since_s;
}

/// What a machine's ceilings take of the bar: they are measured once, after the first rungs of a run. The worker's own
/// estimate where there is one; never so much that nothing is left to see of the rungs.
double part_of_ceilings(const Run& run, const Request& request) {
  constexpr double kUsual = 0.1, kLeast = 0.05, kMost = 0.5;
  if (request.kernels.empty()) return 1;
  const double around_s = run.estimates_around_s();
  if (request.type != RequestType::run || !(around_s > 0) || !is_estimated(run, request))
    return kUsual;
  const std::vector<double> weights = weights_of(run, request);
  const double rungs_s = std::accumulate(weights.begin(), weights.end(), 0.0);
  return std::clamp(around_s / (rungs_s + around_s), kLeast, kMost);
}

/// How far the open request is: its rungs, and beside them the ceilings, which begin when the last rung may be over.
void note_parts(const Run& run, const Request& request, const Progress& progress, double since_s,
                Requests* requests) {
  constexpr double kUsual_s = 15;
  if (progress.series < 0) {
    const double around_s = std::max(run.estimates_around_s(), kUsual_s);
    requests->ceilings_done = std::max(requests->ceilings_done, moving_share(since_s, around_s));
    requests->ceilings_s = since_s;
    return;
  }
  if (requests->ceilings_done > 0) requests->ceilings_done = 1;
  double& furthest = requests->furthest[share_place(request, progress.series)];
  furthest = std::max(furthest, share_of_phase(request, progress, since_s));
  requests->rungs_done = std::max(requests->rungs_done,
                                  std::clamp(share_now(run, request, progress, since_s), 0.0, 1.0));
}

}  // namespace

void note_progress(State& state, double now_s) {
  Requests& requests = state.requests;
  const auto& progress = state.run().progress();
  const int64_t open = requests.run ? requests.run : requests.compare;
  if (requests.share_of != open) {
    const bool goes_on = requests.share_of && open && requests.share_to < 1;
    const bool is_first = (requests.run && requests.compare) ||
                          state.first_climb.stage == FirstClimb::Stage::climbing;
    requests.share = requests.share_from = goes_on ? requests.share_to : 0;
    requests.share_to = is_first && !goes_on ? kFirstOfTwo : 1;
    requests.share_of = open;
    requests.rungs_done = requests.ceilings_done = 0;
    requests.furthest.clear();
  }
  const Request* request = state.run().request(open);
  if (!request || !progress || progress->request != open) return;
  Progress at = *progress;
  if (at.series < 0) at.phase.clear();  // each ceiling has phases of its own
  note_parts(state.run(), *request, at, phase_s(requests, at, now_s), &requests);
  const double part = part_of_ceilings(state.run(), *request);
  const double done = (1 - part) * requests.rungs_done + part * requests.ceilings_done;
  requests.share = std::max(requests.share,
                            requests.share_from + done * (requests.share_to - requests.share_from));
}

double share_of_rung(const State& state, const Request& request, int place) {
  const Requests& requests = state.requests;
  const auto known = requests.furthest.find(share_place(request, place));
  const bool is_it = requests.share_of == request.id && known != requests.furthest.end();
  return is_it ? known->second : 0;
}

std::optional<double> share_of_ceilings(const State& state, const Request& request) {
  const auto& progress = state.run().progress();
  const bool are_measured = progress && progress->request == request.id && progress->series < 0 &&
                            request.open() && state.requests.share_of == request.id &&
                            state.requests.ceilings_done > 0;
  return are_measured ? std::optional(state.requests.ceilings_done) : std::nullopt;
}

std::string ceilings_words(const State& state, const Request& request) {
  if (!share_of_ceilings(state, request)) return "";
  const std::string& text = state.run().progress()->text;
  const size_t colon = text.find(": ");
  return fmt::format("{}{:.0f} s", colon == std::string::npos ? "" : text.substr(colon + 2) + ", ",
                     std::floor(state.requests.ceilings_s));
}

std::string progress_headline(const State& state) {
  const Sequence& sequence = state.requests.sequence;
  if (sequence.is_open())
    return sequence.name + " " + std::to_string(sequence.number()) + " of " +
           std::to_string(sequence.all);
  const auto& progress = state.run().progress();
  if (!progress) return state.requests.compare ? "Starting the comparison" : "Starting the run";
  static const std::map<std::string, std::string> kVerbs = {{"prepare", "Preparing"},
                                                            {"check", "Checking"},
                                                            {"warmup", "Warming up"},
                                                            {"timing", "Measuring"},
                                                            {"latency", "Timing single calls of"},
                                                            {"energy", "Reading the energy of"},
                                                            {"rounds", "Comparing"},
                                                            {"sustained", "Alone:"},
                                                            {"waiting", "Waiting for"}};
  // Of no rung: a ceiling, say. The whole of it stands in the line below.
  if (progress->series < 0 && !progress->text.empty())
    return report::capitalised(progress->text.substr(0, progress->text.find(':')));
  const auto verb = kVerbs.find(progress->phase);
  std::string text = verb == kVerbs.end() ? progress->phase : verb->second;
  if (const Series* series = state.run().series_of_request(progress->request, progress->series))
    return text + " " + rung_title(state.ladder, series->kernel);
  const Request* request = state.run().request(progress->request);
  const auto index = static_cast<size_t>(std::max(progress->series, 0));
  if (request && index < request->kernels.size()) {
    return text + " " + rung_title(state.ladder, request->kernels[index]);
  }
  return text;  // what it is about stands in the line below, which has room for it
}

bool must_list_again(const State& state) {
  return state.sessions.shown->state() == app::WorkerState::lost &&
         !state.run().catalogue_complete();
}

namespace {

void run_rungs(State& state, const std::set<std::string>& predicted) {
  if (must_list_again(state)) {
    state.requests.list = 0;
    state.requests.sources.clear();
    state.requests.assembly.clear();
    return open_lab(state, state.selection.lab->id);
  }
  WorkRequest request = request_for(state, RequestType::run);
  for (const RungView* row : rows_to_run(state, predicted))
    request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  send(state, std::move(request), &state.requests.run);
}

}  // namespace

void run_ladder(State& state) {
  run_rungs(state, predicted_rungs(state));
}

void climb(State& state) {
  state.selection.params.clear();
  choose_mode(state, RunMode::live);
  state.selection.cache = CacheMode::hot;
  state.selection.view = &kLadderView;
  state.view.screen = ScreenId::lab;
  rebuild_ladder(state);
  run_rungs(state, {});
}

void run_selected(State& state) {
  WorkRequest request = request_for(state, RequestType::run);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  // A training is watched as it climbs; the ladder has nothing of it before its end.
  if (row->info->kind == RungKind::training && state.selection.view == &kLadderView)
    state.selection.view = &kTrainingView;
  send(state, std::move(request), &state.requests.run);
}

void probe(State& state) {
  WorkRequest request;
  request.type = RequestType::probe;
  request.anew = true;
  send(state, std::move(request), &state.requests.run);
}

WorkRequest comparison_of(const State& state, const RungView& baseline, const RungView& candidate) {
  WorkRequest request = request_for(state, RequestType::compare);
  for (const RungView* side : {&baseline, &candidate}) {
    request.kernels.push_back(
        {side->rung->kernel, params_beside(state, *side->info, *candidate.info)});
  }
  request.kernels = app::with_seeds(state.run(), request.kernels);
  return request;
}

std::string budget_blocker(const State& state) {
  const auto said = [](const Error& error) {
    const std::string text =
        "The budget: " + error.what + (error.hint.empty() ? "" : "; " + error.hint);
    return text + (text.ends_with('?') ? "" : ".");
  };
  const auto budget = parse_budget(state.selection.budget);
  if (!budget) return said(budget.error());
  const RungView* candidate = find_row(state.ladder, state.selection.rung);
  const auto kind = candidate && candidate->info ? candidate->info->kind.value() : std::nullopt;
  const bool has_accuracy =
      state.selection.lab &&
      std::string_view(state.selection.lab->quality_metric) == kAccuracyMetric;
  if (!kind) return "";
  const auto checked = check_budget(*budget, *kind, has_accuracy);
  return checked ? "" : said(checked.error());
}

void compare(State& state) {
  const RungView &baseline = *find_row(state.ladder, state.selection.baseline),
                 &candidate = *find_row(state.ladder, state.selection.rung);
  WorkRequest request = comparison_of(state, baseline, candidate);
  if (const auto budget = parse_budget(state.selection.budget)) request.budget = *budget;
  send(state, std::move(request), &state.requests.compare);
}

std::string again_blocker(const State& state, const Comparison& comparison) {
  if (std::string why = work_blocker(state); !why.empty()) return why;
  for (const std::string& kernel : {comparison.baseline, comparison.candidate}) {
    const KernelInfo* info = state.run().kernel(kernel);
    if (!info || !info->available)
      return rung_title(state.ladder, kernel) + " cannot run on this machine.";
  }
  return {};
}

void measure_rounds(State& state, const Comparison& comparison, int rounds) {
  WorkRequest request = request_for(state, RequestType::compare);
  request.cache = comparison.cache.value().value_or(CacheMode::hot);
  request.margin = comparison.margin;
  request.budget = comparison.budget;
  request.rounds = rounds;
  request.kernels = {{comparison.baseline, comparison.baseline_params},
                     {comparison.candidate, comparison.candidate_params}};
  state.selection.baseline = comparison.baseline;
  state.selection.rung = comparison.candidate;
  send(state, std::move(request), &state.requests.compare);
}

// ---- runs that follow from a choice ------------------------------------------------------------

namespace {

const ParamSpec* number_named(const KernelInfo& info, std::string_view name) {
  const auto found =
      std::find_if(info.params.begin(), info.params.end(),
                   [&](const ParamSpec& spec) { return spec.name == name && !spec.is_choice; });
  return found == info.params.end() ? nullptr : &*found;
}

/// The stops that the rung takes, smallest first; empty: it has no size.
std::vector<int64_t> stops_for(const KernelInfo& info, const ParamView* param) {
  std::vector<int64_t> stops;
  if (!param) return stops;
  const ParamSpec& spec = *number_named(info, param->name);
  for (const int64_t stop : param->stops) {
    if (stop >= spec.min && stop <= spec.max) stops.push_back(stop);
  }
  std::sort(stops.begin(), stops.end());
  return stops;
}

template <class Wanted>
void sweep(State& state, Wanted wanted) {
  if (!swept_param(*state.selection.lab)) {
    state.notice = {"This lab has no size to sweep over.", false};
    return;
  }
  WorkRequest request = request_for(state, RequestType::run);
  // What takes longest comes last, when the curve is there.
  bool is_left = true;
  for (size_t at = 0; is_left; ++at) {
    is_left = false;
    for (const RungView& row : state.ladder.rows) {
      if (!row.can_run || !wanted(row)) continue;
      const ParamView* param = swept_param(*state.selection.lab, row.info);
      const std::vector<int64_t> stops = stops_for(*row.info, param);
      if (at >= stops.size()) continue;
      is_left = true;
      Params params = params_for(state, *row.info);
      params[param->name] = stops[at];
      request.kernels.push_back({row.rung->kernel, std::move(params)});
    }
  }
  if (request.kernels.empty()) {
    state.notice = {"Nothing of this can run on this machine.", false};
    return;
  }
  send(state, std::move(request), &state.requests.run);
  state.selection.view = &sweep_view(state);
}

}  // namespace

const ParamView* swept_param(const Lab& lab, const KernelInfo* info) {
  for (const ParamView& param : lab.params) {
    if (param.stops.size() < 2 || param.name == std::string_view("threads")) continue;
    if (!info || number_named(*info, param.name)) return &param;
  }
  return nullptr;
}

void sweep_selected(State& state) {
  sweep(state, [&](const RungView& row) { return row.rung->kernel == state.selection.rung; });
}

void sweep_all(State& state) {
  sweep(state, [&](const RungView& row) { return !is_folded(state, *row.rung); });
}

void rerun_live(State& state) {
  if (!state.teaching.reruns || state.is_replay() || !state.run().catalogue_complete()) return;
  rebuild_ladder(state);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row || !row->can_run) return;
  // The worker takes requests in turn: the new one waits for the cancelled one's last sample only.
  for (const int64_t open : {state.requests.run, state.requests.compare}) {
    if (open) state.sessions.shown->cancel(open);
  }
  WorkRequest request = request_for(state, RequestType::run);
  request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  send(state, std::move(request), &state.requests.run);
}

void toggle_reruns(State& state) {
  state.teaching.reruns = !state.teaching.reruns;
  if (state.teaching.reruns) choose_mode(state, RunMode::live);
  state.notice = {state.teaching.reruns
                      ? "Live: a change of a parameter runs the selected rung again."
                      : "Changes wait for Run again.",
                  false};
  state.ladder.dirty = true;
}

// ---- requests that follow one another -----------------------------------------------------------

namespace {

void send_first(State& state) {
  const WorkRequest& next = state.requests.sequence.left.front();
  const bool is_pair = next.type == RequestType::compare;
  send(state, next, is_pair ? &state.requests.compare : &state.requests.run);
}

}  // namespace

void start_sequence(State& state, Sequence sequence) {
  sequence.all = sequence.left.size();
  state.requests.sequence = std::move(sequence);
  if (state.requests.sequence.is_open()) send_first(state);
}

void go_on(State& state, const Request& ended) {
  Sequence& sequence = state.requests.sequence;
  if (!sequence.is_open()) return;
  const bool goes_on = sequence.goes_on
                           ? sequence.goes_on(state, ended)
                           : ended.status != RequestStatus::cancelled && state.run().has_hello();
  sequence.left.erase(sequence.left.begin());
  if (!goes_on) sequence.left.clear();
  if (sequence.is_open()) return send_first(state);
  if (sequence.over) sequence.over(state, ended);
}

// ---- the A/A check -----------------------------------------------------------------------------

namespace {

Result<KernelRequest> side_of(const State& state) {
  RIDGE_TRY(const Lab* lab, app::require_lab(kSelfCheckLab));
  RIDGE_TRY(const Params given, parse_params({kSelfCheckSet}));
  return app::select_side(*lab, state.run(), kSelfCheckRung, given);
}

const Comparison* made_by(const State& state, const Request& ended) {
  const auto& all = state.run().comparisons();
  const auto made = std::find_if(all.rbegin(), all.rend(),
                                 [&](const Comparison& one) { return one.request == ended.id; });
  return made == all.rend() ? nullptr : &*made;
}

bool was_judged(const State& state, const Request& ended) {
  const Comparison* made = made_by(state, ended);
  return ended.status == RequestStatus::ok && made && made->ci;
}

void tell_noise_floor(State& state, const Request& last) {
  if (last.status != RequestStatus::ok) return;  // the notice says why
  const Comparison* made = made_by(state, last);
  const bool judged = made && made->ci;
  state.notice = {judged                           ? noise_floor(state.run()).sentence()
                  : made && !made->reasons.empty() ? made->reasons.front()
                                                   : "The comparison gave no interval.",
                  !judged};
}

}  // namespace

std::string self_checks_blocker(const State& state) {
  if (std::string why = work_blocker(state); !why.empty()) return why;
  if (state.sessions.shown->state() == app::WorkerState::lost) return {};
  const auto side = side_of(state);
  return side ? std::string() : side.error().sentence();
}

void run_self_checks(State& state) {
  if (must_list_again(state)) return run_ladder(state);
  const auto side = side_of(state);
  if (!side) {
    state.notice = {side.error().sentence(), true};
    return;
  }
  const WorkRequest check = self_check_request(kSelfCheckLab, {*side, *side});
  start_sequence(state, {.name = "A/A",
                         .left = std::vector<WorkRequest>(size_t{kSelfChecks}, check),
                         .goes_on = was_judged,
                         .over = tell_noise_floor});
}

bool self_checks_under_way(const State& state) {
  const Sequence& sequence = state.requests.sequence;
  return sequence.is_open() && sequence.over == tell_noise_floor;
}

}  // namespace ridge::window
