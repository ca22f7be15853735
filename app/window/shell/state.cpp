#include "app/window/shell/state.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "app/query/nearest.h"
#include "app/window/edit/editing.h"
#include "app/window/inspect/inspect_view.h"
#include "app/window/panels/fold.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/history.h"
#include "app/window/teach/presenter.h"
#include "app/window/views/self_check.h"
#include "app/window/views/view.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::window {
namespace {

constexpr double kEstimateDelay_s = 0.25;  // a slider drag asks once, at its end
constexpr double kSummary_s = 0.1;         // what samples come to so far, ten times a second

/// The parameters that a series was asked for: its own, or those that it was reduced from ("n=4096").
Params asked_params(const Series& series) {
  Params asked = series.params;
  std::istringstream words(series.reduced_from);
  std::vector<std::string> assignments;
  for (std::string word; words >> word;) assignments.push_back(word);
  if (const auto from = parse_params(assignments)) {
    for (const auto& [name, value] : *from) asked[name] = value;
  }
  return asked;
}

/// The newest live series for a rung at the parameters it is asked for. One that has produced nothing yet
/// does not hide an older result; a side of a comparison hides none, whatever became of it: its rounds
/// are for the quotient, and a side's own time is another than that of the rung on its own.
const Series* live_series(const Run& run, const std::string& kernel, const Params& wanted,
                          const OpenEnum<CacheMode>& cache) {
  const auto& all = run.series();
  const Series *under_way = nullptr, *compared = nullptr;
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->kernel != kernel || it->cache != cache || !agrees(asked_params(*it), wanted)) continue;
    const bool has_data = it->stats || it->trap || !it->samples.empty() || is_emulated(*it);
    const bool refused = it->status == SeriesStatus::failed || it->status == SeriesStatus::skipped;
    const Request* request = run.request(it->request);
    if (request && request->type == RequestType::compare) {
      if ((has_data || refused) && !compared) compared = &*it;
      continue;
    }
    if (has_data || refused) return &*it;
    const bool open = it->status == SeriesStatus::pending || it->status == SeriesStatus::running;
    if (open && !under_way) under_way = &*it;
  }
  return under_way ? under_way : compared;
}

/// What the samples of a running series come to so far: once for each of its versions.
void summarize_running(RungView* row) {
  if (row->running && row->running->version == row->kept->version) return;
  auto running = std::make_shared<Series>();
  static_cast<SeriesFacts&>(*running) = *row->kept;
  running->stats = stats::summarize(row->kept->samples);
  row->running = std::move(running);
}

/// `before`: the ladder until now, whose summaries may still hold.
void fill_live(const State& state, const std::vector<RungView>& before, RungView* row,
               const Params& wanted) {
  row->kept = row->series = live_series(state.run(), row->rung->kernel, wanted, state.view.cache);
  if (!row->series) return;
  row->origin = Origin::live;
  row->run = &state.run();
  if (!row->kept->stats && !row->kept->samples.empty()) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const RungView& other) {
      return other.kept == row->kept && other.running;
    });
    if (known != before.end()) row->running = known->running;
    summarize_running(row);
    row->series = row->running.get();
  }
  row->greyed = state.session->state() == app::WorkerState::lost;
  if (!row->series->reduced_from.empty())
    row->shown_size = size_text(row->series->params, row->series->size_param);
}

/// The size of a result where it is not what the parameters above it say.
std::string other_size(const Series& series, const Params& shown) {
  return app::size_difference(asked_params(series), shown, series.size_param);
}

void fill_recorded(const State& state, RungView* row) {
  for (const Recording& recording : state.recordings) {
    // Its own catalogue knows the kernel's types; a worker built without CUDA does not.
    const KernelInfo* info = recording.run->kernel(row->rung->kernel);
    const Params wanted = view_params(state, info ? info : row->info);
    const Snapped snapped =
        nearest_series(*recording.run, row->rung->kernel, wanted, state.view.cache);
    if (!snapped.series) continue;
    row->kept = row->series = snapped.series;
    row->run = recording.run.get();
    row->origin = Origin::recorded;
    row->machine = recording.machine;
    row->stale = is_stale(state, *snapped.series);
    return;
  }
}

std::string no_result_reason(const State& state, const RungView& row) {
  if (state.session->state() == app::WorkerState::starting) return "waiting for the worker";
  if (row.can_run) return "not run yet";
  if (is_edit(row.rung->kernel)) return state.is_replay() ? "not at this size" : "not built yet";
  if (state.session->state() == app::WorkerState::lost && !row.info) return "no worker";
  const bool no_run =
      state.is_replay() && !state.run().environment() && state.run().series().empty();
  if (no_run) return "not recorded";
  if (row.info && !row.info->reason.empty()) return row.info->reason;
  if (state.is_replay()) return "not in this saved run";
  if (row.info && row.info->available) return "does not take this data type";
  return state.run().catalogue_complete() ? "not built into this worker" : "waiting for the worker";
}

bool takes_dtype(const State& state, const KernelInfo& info) {
  const std::string dtype = param_text(state.view.params, "dtype", kOwnType);
  return dtype == kOwnType || info.dtypes.empty() ||
         std::find(info.dtypes.begin(), info.dtypes.end(), dtype) != info.dtypes.end();
}

RungView make_row(const State& state, const std::vector<RungView>& before, const Rung& rung,
                  const Params& shown) {
  RungView row;
  row.rung = &rung;
  row.info = find_info(state, rung.kernel);
  const bool built = state.run().kernel(rung.kernel) != nullptr;
  row.can_run = built && !state.is_replay() && row.info->available && takes_dtype(state, *row.info);
  const Params wanted = view_params(state, row.info);
  fill_live(state, before, &row, wanted);
  if (!row.series && !row.can_run) fill_recorded(state, &row);
  if (!row.series) row.reason = no_result_reason(state, row);
  if (row.series && row.shown_size.empty()) row.shown_size = other_size(*row.series, shown);
  for (const Estimate& estimate : state.run().estimates()) {
    const bool current = estimate.request == state.estimate_request && !state.estimates_due;
    if (current && estimate.kernel == rung.kernel) row.estimate = estimate;
  }
  return row;
}

void ask_for_sources(State& state) {
  for (const Rung& rung : state.view.lab->rungs) {
    if (!state.run().kernel(rung.kernel) || state.run().source(rung.kernel)) continue;
    if (!state.sources_asked.insert(rung.kernel).second) continue;
    // A refusal shows up in the log; the Source tab then says that the text is not known.
    (void)state.session->source(rung.kernel);
  }
}

/// Only where it is looked at: a GPU's disassembler takes seconds.
void ask_for_assembly(State& state) {
  const std::string& kernel = state.view.rung;
  if (state.view.tab != Tab::source || !state.view.assembly || find_assembly(state, kernel)) return;
  if (!state.run().kernel(kernel) || state.assembly_asked.count(kernel)) return;
  const auto id = state.session->assembly(kernel);
  state.assembly_asked[kernel] = id ? *id : 0;
}

void ask_for_estimates(State& state) {
  cancel_estimates(state);  // those of other parameters, or of another lab
  WorkRequest request;
  request.type = RequestType::probe;
  request.lab = state.view.lab->id;
  for (const RungView& row : state.ladder) {
    if (!row.can_run) continue;
    request.kernels.push_back({row.rung->kernel, params_for(state, *row.info)});
  }
  state.estimates_due = false;
  if (request.kernels.empty()) return;
  if (const auto id = state.session->send(request)) state.estimate_request = *id;
}

/// Hot or cold, as the saved run of this lab begins.
OpenEnum<CacheMode> first_cache(const State& state) {
  for (const Series& series : state.run().series()) {
    if (series.lab == state.view.lab->id && !series.cache.empty()) return series.cache;
  }
  return CacheMode::hot;
}

/// Where a rung that was measured in this saved run begins: at the first look, where it was measured there.
const Series* first_measured(const State& state, const std::string& kernel, const Params& look) {
  const Series* first = nullptr;
  for (const Series& series : state.run().series()) {
    if (series.lab != state.view.lab->id || series.kernel != kernel) continue;
    if (agrees(asked_params(series), look)) return &series;
    if (!first) first = &series;
  }
  return first;
}

/// Of a rung without a result in this saved run: with what the others were measured first.
Params measured_elsewhere(const State& state) {
  Params measured;
  for (const Series& series : state.run().series()) {
    if (series.lab != state.view.lab->id) continue;
    const Params asked = asked_params(series);
    measured.insert(asked.begin(), asked.end());
  }
  return measured;
}

Params starting_params(const State& state, const KernelInfo& info) {
  const Lab& lab = *state.view.lab;
  Params look = info.backend == Backend::cuda ? lab.first_look_gpu : lab.first_look_cpu;
  if (!state.is_replay()) return look;
  const Series* first = first_measured(state, info.id, look);
  Params start = first ? asked_params(*first) : measured_elsewhere(state);
  if (!first) start.erase("dtype");  // another rung's
  start.insert(look.begin(), look.end());
  return start;
}

/// Of the rows whose samples are still coming in, those that have new ones. True if there are any.
bool summarize_again(State& state) {
  bool changed = false;
  for (RungView& row : state.ladder) {
    if (!row.running || row.running->version == row.kept->version) continue;
    summarize_running(&row);
    row.series = row.running.get();
    changed = true;
  }
  if (changed) ++state.ladder_version;
  return changed;
}

/// The first rung of the ladder that has a result; else its first.
std::string first_to_see(const State& state) {
  const auto first = std::find_if(state.ladder.begin(), state.ladder.end(),
                                  [](const RungView& row) { return row.series != nullptr; });
  return first == state.ladder.end() ? state.view.lab->rungs.front().kernel : first->rung->kernel;
}

}  // namespace

Params view_params(const State& state, const KernelInfo* info) {
  if (!info) return shown_params(state);
  Params wanted = params_for(state, *info);
  if (auto full = resolve_params(info->params, wanted, info->family)) wanted = *std::move(full);
  return wanted;
}

bool is_stale(const State& state, const Series& recorded) {
  const KernelInfo* built = state.is_replay() ? nullptr : state.run().kernel(recorded.kernel);
  return built && !built->hash.empty() && !recorded.hash.empty() && built->hash != recorded.hash;
}

void take_recordings(State& state, std::vector<Recording> recordings) {
  const bool is_as_opened = state.is_replay() && state.view.lab && state.view.baseline.empty() &&
                            state.view.rung == first_to_see(state);
  state.recordings = std::move(recordings);
  rebuild_ladder(state);
  state.dirty = true;
  if (!is_as_opened) return;
  state.view.rung = first_to_see(state);
  unfold_for(state, state.view.rung);
}

void leave_lab(State& state) {
  if (state.view.lab && !state.is_replay())
    state.left_params[state.view.lab->id] = state.view.params;
}

void open_lab(State& state, const std::string& lab_id) {
  const auto labs = all_labs();
  const Lab* lab = lab_id.empty() ? nullptr : find_lab(lab_id);
  if (!lab && !state.run().series().empty()) lab = find_lab(state.run().series().front().lab);
  if (!lab && !labs.empty()) lab = labs.front();
  if (lab != state.view.lab) {
    leave_lab(state);
    cancel_estimates(state);  // of a lab that trains a network for them, they take a minute
    state.view.params = lab && !state.is_replay() ? state.left_params[lab->id] : Params();
    state.view.baseline.clear();
    state.view.rung.clear();
    state.sources_asked.clear();
    state.assembly_asked.clear();
    if (state.view.chart->blocker) state.view.chart = &kLadderView;  // not every lab has it
  }
  state.view.lab = lab;
  state.dirty = true;
  if (!lab || lab->rungs.empty()) return;
  if (state.is_replay()) state.view.cache = first_cache(state);
  for (const Request& request : state.run().requests()) {
    if (state.is_replay() && !request.model.empty()) state.model = model_shape(request.model);
  }
  const auto& compared = state.run().comparisons();
  if (state.is_replay() && !compared.empty() && compared.back().lab == lab->id) {
    state.view.baseline = compared.back().baseline;
    state.view.rung = compared.back().candidate;
  }
  if (state.view.rung.empty()) {
    state.view.rung = lab->rungs.front().kernel;
    if (state.is_replay()) {  // nothing can be run: begin where there is something to see
      rebuild_ladder(state);
      state.view.rung = first_to_see(state);
    }
  }
  for (const std::string& shown : {state.view.rung, state.view.baseline}) unfold_for(state, shown);
  if (!state.is_replay() && !state.list_request) {
    if (const auto id = state.session->list()) {
      state.list_request = *id;
    } else {
      state.notice = {id.error().sentence(), true};
    }
  }
  state.estimates_due = true;
}

void rebuild_ladder(State& state) {
  const std::vector<RungView> before = std::exchange(state.ladder, {});
  ++state.ladder_version;
  if (!state.view.lab) return;
  Params shown = shown_params(state);
  shown.erase("dtype");  // is no size
  for (const Rung& rung : state.view.lab->rungs) {
    state.ladder.push_back(make_row(state, before, rung, shown));
    if (state.editing && state.editing->kernel == rung.kernel)
      state.ladder.push_back(make_row(state, before, state.editing->rung, shown));
    for (const Rung* kept : kept_edits(state, rung))
      state.ladder.push_back(make_row(state, before, *kept, shown));
  }
}

bool refresh(State& state, double now_s) {
  open_wanted_run(state);
  const bool ticked = tick_tour(state, now_s) | tick_editing(state, now_s);
  bool moved = state.dirty || state.seen_version != state.run().version() ||
               state.seen_state != state.session->state();
  if (moved) {
    state.dirty = false;
    state.seen_version = state.run().version();
    state.seen_state = state.session->state();
    rebuild_ladder(state);
    state.summarized_s = now_s;
    if (state.estimates_due) state.estimates_due_s = now_s + kEstimateDelay_s;
  } else if (now_s - state.summarized_s >= kSummary_s) {
    moved = summarize_again(state);
    if (moved) state.summarized_s = now_s;
  }
  const bool live = !state.is_replay() && state.view.lab && state.run().catalogue_complete();
  if (live && state.session->state() != app::WorkerState::lost) {
    ask_for_sources(state);
    ask_for_assembly(state);
  }
  if (live && state.estimates_due && !state.run_request && !state.compare_request &&
      state.session->state() == app::WorkerState::idle && now_s >= state.estimates_due_s) {
    ask_for_estimates(state);
  }
  for (int64_t* open : {&state.run_request, &state.compare_request}) {
    const Request* request = *open ? state.run().request(*open) : nullptr;
    if (!request || request->open()) continue;
    if (request->error)
      state.notice = {request->error->sentence(), true};
    else if (request->status == RequestStatus::cancelled &&
             !(state.editing && state.editing->cancels))
      state.notice = {"Cancelled; what was measured stays.", false};
    else if (request->status == RequestStatus::failed && !state.session->reason().empty()) {
      state.notice = {state.session->reason(), true};
    } else if (state.notice.text == kBusyNotice) {
      state.notice = {};
    }
    *open = 0;
    state.dirty = true;
    if (!state.run().has_hello()) {  // what else it was asked for has gone with the worker
      state.estimates_due = true;
      build_again(state);
    }
    next_self_check(state, *request);
    if (state.aa_left == 0)
      remember_run(state);  // a hundred times the same file would be too often
  }
  keep_run(state);
  const bool looked = tick_inspect(state, now_s);
  return moved || ticked || looked || state.dirty;
}

const RungView* find_row(const State& state, const std::string& kernel) {
  for (const RungView& row : state.ladder) {
    if (kernel == row.rung->kernel) return &row;
  }
  return nullptr;
}

std::string rung_title(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state, kernel);
  if (row) return row->rung->title;
  // Of a saved run of another lab.
  row = is_edit(kernel) ? find_row(state, std::string(original_of(kernel))) : nullptr;
  return row ? "edited: " + std::string(row->rung->title) : kernel;
}

const KernelInfo* find_info(const State& state, const std::string& kernel) {
  if (const KernelInfo* info = state.run().kernel(kernel)) return info;
  for (const Recording& recording : state.recordings) {
    if (const KernelInfo* info = recording.run->kernel(kernel)) return info;
  }
  return nullptr;
}

Params params_beside(const State& state, const KernelInfo& info, const KernelInfo& other) {
  Params wanted = state.view.params;
  const Params start = starting_params(state, other);
  wanted.insert(start.begin(), start.end());
  Params params;
  for (const auto& [name, value] : wanted) {
    const bool taken = std::any_of(info.params.begin(), info.params.end(),
                                   [&](const ParamSpec& spec) { return spec.name == name; });
    const bool own = name == "dtype" && value == ParamValue(std::string(kOwnType));
    if (taken && !own) params[name] = value;
  }
  return params;
}

Params params_for(const State& state, const KernelInfo& info) {
  return params_beside(state, info, info);
}

Params shown_params(const State& state) {
  Params shown = state.view.params;
  if (!state.view.lab) return shown;
  const KernelInfo* selected = find_info(state, state.view.rung);
  const Params asked = selected ? view_params(state, selected) : Params();
  for (const ParamView& param : state.view.lab->params) {
    if (shown.count(param.name)) continue;
    const ParamSpec* spec = find_spec(state, param.name);
    if (param.name == std::string_view("dtype")) {
      shown["dtype"] = std::string(kOwnType);
    } else if (const auto found = asked.find(param.name); found != asked.end()) {
      shown[param.name] = found->second;
    } else if (spec) {
      shown[param.name] = spec->fallback;
    }
  }
  return shown;
}

}  // namespace ridge::window
