#include "app/window/shell/ladder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/query/editing.h"
#include "app/query/faster.h"
#include "app/query/recordings.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/saves.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/state.h"
#include "app/window/teach/predict.h"
#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::window {
namespace {

/// The newest live series for a rung at the parameters it is asked for. One that has produced nothing yet
/// does not hide an older result; a side of a comparison hides none, whatever became of it: its rounds
/// are for the quotient, and a side's own time is another than that of the rung on its own.
const Series* live_series(const Run& run, const std::string& kernel, const Params& wanted,
                          const OpenEnum<CacheMode>& cache) {
  const auto& all = run.series_of_kernel(kernel);
  const Series *under_way = nullptr, *compared = nullptr;
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    const Series* it = *at;
    if (it->cache != cache || !agrees(asked_params(*it), wanted)) continue;
    const bool has_data = it->stats || it->trap || !it->samples.empty() || is_emulated(*it);
    const bool refused = it->status == SeriesStatus::failed || it->status == SeriesStatus::skipped;
    const Request* request = run.request(it->request);
    if (request && request->type == RequestType::compare) {
      // Nor does a side that was skipped because the other failed its check.
      const bool hides = !compared || (compared->status == SeriesStatus::skipped && has_data);
      if ((has_data || refused) && hides) compared = it;
      continue;
    }
    if (has_data || refused) return it;
    if (it->is_under_way() && !under_way) under_way = it;
  }
  return under_way ? under_way : compared;
}

/// What the samples of a running series come to so far: once for each of its versions.
void summarize_running(RungView* row) {
  if (row->running && row->running->version == row->kept->version) return;
  auto running = std::make_shared<Series>();
  static_cast<SeriesFacts&>(*running) = *row->kept;
  running->stats = stats::summarize_times(row->kept->samples.times_ns());
  row->running = std::move(running);
}

/// `before`: the ladder until now, whose summaries may still hold.
void fill_live(const State& state, const std::vector<RungView>& before, RungView* row,
               const Params& wanted) {
  row->kept = row->series =
      live_series(state.run(), row->rung->kernel, wanted, state.selection.cache);
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
  row->greyed = state.sessions.shown->state() == app::WorkerState::lost;
  if (!row->series->reduced_from.empty())
    row->shown_size = size_text(row->series->params, row->series->size_param);
}

/// The size of a result where it is not what the parameters above it say.
std::string other_size(const Series& series, const Params& shown) {
  return app::size_difference(series.lab, asked_params(series), shown, series.size_param);
}

void fill_recorded(const State& state, RungView* row) {
  // A recording's own catalogue knows the kernel's types; a worker built without CUDA does not.
  const auto wanted = [&](const Run& run) {
    const KernelInfo* info = run.kernel(row->rung->kernel);
    return view_params(state, info ? info : row->info);
  };
  const app::Snapped snapped = app::recorded_series(state.sessions.recordings, row->rung->kernel,
                                                    wanted, state.selection.cache);
  if (!snapped.series) return;
  row->kept = row->series = snapped.series;
  row->run = snapped.recording->run.get();
  row->origin = Origin::recorded;
  row->machine = snapped.recording->machine;
}

std::string no_result_reason(const State& state, const RungView& row) {
  if (state.sessions.shown->state() == app::WorkerState::starting) return "waiting for the worker";
  if (row.can_run) return "not run yet";
  if (is_edit(row.rung->kernel)) return state.is_replay() ? "not at this size" : "not built yet";
  if (state.sessions.shown->state() == app::WorkerState::lost && !row.info) return "no worker";
  const bool no_run =
      state.is_replay() && !state.run().environment() && state.run().series().empty();
  if (no_run) return "not recorded";
  if (row.info && !row.info->reason.empty()) return row.info->reason;
  if (state.is_replay()) return "not in this saved run";
  if (row.info && row.info->available) return "does not take this data type";
  return state.run().catalogue_complete() ? "not built into this worker" : "waiting for the worker";
}

/// Why a row is covered, said on the row that is asked about and on the first that waits for it: a sentence in each of
/// twelve rows would be read in none.
std::string cover_reason(const State& state, const std::string& kernel) {
  const std::string& asked = state.selection.rung;
  const auto& above = state.ladder.rows;
  const bool is_said = std::any_of(above.begin(), above.end(), [&](const RungView& row) {
    return row.covered && row.rung->kernel != asked;
  });
  if (awaits_reveal(state, kernel)) return "? covered until the tour's step reveals it";
  if (kernel != asked) return is_said ? "?" : "? covered while a rung before it is asked about";
  return awaits_answer(state, kernel) ? "? covered: answer its lesson's question, or click here"
                                      : "? covered while you predict it: a click on it shows it";
}

/// What is asked for is not given away beside the question.
void cover(RungView* row, std::string why) {
  row->hidden = row->held();
  row->covered = true;
  row->series = row->kept = nullptr;
  row->running.reset();
  row->run = nullptr;
  row->origin = Origin::none;
  row->shown_size.clear();
  row->reason = std::move(why);
}

bool takes_dtype(const State& state, const KernelInfo& info) {
  const std::string dtype = param_text(state.selection.params, "dtype", kOwnType);
  return dtype == kOwnType || info.dtypes.empty() ||
         std::find(info.dtypes.begin(), info.dtypes.end(), dtype) != info.dtypes.end();
}

/// The last save of the open copy came to nothing: the times of an earlier text are not its own.
void leave_out_earlier(const State& state, RungView* row) {
  const bool is_open = state.editing && row->rung->kernel == state.editing->id;
  const EditBuild* build = is_open && !state.editing->is_recorded ? last_build(state) : nullptr;
  if (!build || build->built) return;
  row->series = row->kept = nullptr;
  row->running.reset();
  row->origin = Origin::none;
  row->shown_size.clear();
  row->reason = std::string("✗ ") + refused_headline(*build);
}

RungView make_row(const State& state, const std::vector<RungView>& before, const Rung& rung,
                  const Params& shown) {
  RungView row;
  row.rung = &rung;
  row.info = find_info(state.sessions, rung.kernel);
  const bool built = state.run().kernel(rung.kernel) != nullptr;
  row.can_run = built && !state.is_replay() && row.info->available && takes_dtype(state, *row.info);
  const Params wanted = view_params(state, row.info);
  fill_live(state, before, &row, wanted);
  if (!row.series && !row.can_run) fill_recorded(state, &row);
  if (row.series && hides_result(state, *row.series)) cover(&row, cover_reason(state, rung.kernel));
  if (!row.series && !row.covered) row.reason = no_result_reason(state, row);
  if (!row.covered) leave_out_earlier(state, &row);
  if (row.series && row.shown_size.empty()) row.shown_size = other_size(*row.series, shown);
  for (const Estimate& estimate : state.run().estimates()) {
    const bool current =
        estimate.request == state.requests.estimates && !state.requests.estimates_due;
    if (current && estimate.kernel == rung.kernel) row.estimate = estimate;
  }
  return row;
}

}  // namespace

void rebuild_ladder(State& state) {
  const std::vector<RungView> before = std::exchange(state.ladder.rows, {});
  ++state.ladder.version;
  if (!state.selection.lab) return;
  Params shown = shown_params(state);
  shown.erase("dtype");  // is no size
  for (const Rung& rung : state.selection.lab->rungs) {
    RungView row = make_row(state, before, rung, shown);
    if (rung.branch && !row.can_run && !row.series) continue;
    state.ladder.rows.push_back(std::move(row));
    if (state.editing && state.editing->kernel == rung.kernel)
      state.ladder.rows.push_back(make_row(state, before, state.editing->rung, shown));
    for (const Rung* kept : kept_edits(state, rung))
      state.ladder.rows.push_back(make_row(state, before, *kept, shown));
  }
}

bool summarize_again(Ladder& ladder) {
  bool changed = false;
  for (RungView& row : ladder.rows) {
    if (!row.running || row.running->version == row.kept->version) continue;
    summarize_running(&row);
    row.series = row.running.get();
    changed = true;
  }
  if (changed) ++ladder.version;
  return changed;
}

const RungView* find_row(const Ladder& ladder, const std::string& kernel) {
  for (const RungView& row : ladder.rows) {
    if (kernel == row.rung->kernel) return &row;
  }
  return nullptr;
}

std::string rung_title(const Ladder& ladder, const std::string& kernel) {
  if (std::string command = command_title(kernel); !command.empty()) return command;
  if (const RungView* row = find_row(ladder, kernel)) return row->rung->title;
  // Of another lab than the one in view: a session and a saved run may hold several.
  if (const Rung* rung = rung_of(kernel)) return rung->title;
  return is_edit(kernel) ? app::edit_title(kernel) : kernel;
}

// ---- folds ----

bool is_folded(const State& state, const Rung& rung) {
  return rung.expert && !state.view.show_experts;
}

Fold fold_at(const State& state, size_t row) {
  const auto& ladder = state.ladder.rows;
  const auto is_expert = [&](size_t at) { return at < ladder.size() && ladder[at].rung->expert; };
  Fold fold{.first = row};
  if (row > 0 && is_expert(row - 1)) return fold;
  for (; is_expert(row); ++row, ++fold.count) {
    const bool has_result = ladder[row].series && ladder[row].series->stats;
    fold.results += has_result;
    fold.can_show = fold.can_show || has_result || ladder[row].can_run;
  }
  return fold;
}

bool has_folds(const Ladder& ladder) {
  return std::any_of(ladder.rows.begin(), ladder.rows.end(),
                     [](const RungView& row) { return row.rung->expert; });
}

std::string fold_text(const Fold& fold) {
  const std::string text =
      std::to_string(fold.count) + (fold.count == 1 ? " expert rung" : " expert rungs");
  if (fold.results == 0) return text;
  return text + ", " + std::to_string(fold.results) + (fold.results == 1 ? " result" : " results");
}

void unfold_for(State& state, const std::string& kernel) {
  const auto rung = find_rung(*state.selection.lab, kernel);
  if (!rung || !is_folded(state, **rung)) return;
  state.view.show_experts = true;
  state.ladder.dirty = true;
}

void toggle_folds(State& state) {
  state.view.show_experts = !state.view.show_experts;
  state.ladder.dirty = true;
  save_settings(&state);
  const RungView* selected = find_row(state.ladder, state.selection.rung);
  if (!selected || !is_folded(state, *selected->rung)) return;
  const Rung* before = nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (&row == selected && before) break;
    if (!row.rung->expert) before = row.rung;
  }
  if (before) select_rung(state, before->kernel);
}

// ---- what is behind the rows -------------------------------------------------------------------

const KernelInfo* find_info(const Sessions& sessions, const std::string& kernel) {
  if (const KernelInfo* info = sessions.run().kernel(kernel)) return info;
  for (const Recording& recording : sessions.recordings) {
    if (const KernelInfo* info = recording.run->kernel(kernel)) return info;
  }
  return nullptr;
}

std::string faster_words(const State& state, const Series& series, const Run& run) {
  if (!state.selection.lab) return "";
  auto ladder = app::ladder_after(*state.selection.lab, series.kernel, series.params);
  std::erase_if(ladder, [&](const LadderRung& rung) {
    const RungView* row = find_row(state.ladder, rung.kernel);
    return row && row->covered;
  });
  std::vector<FasterSource> sources = app::faster_sources(
      run, is_learning(state) ? std::span<const Recording>() : state.sessions.recordings);
  if (&run != &state.run() && run.environment())
    sources.front().machine = run.environment()->machine();
  return faster_sentence(faster_options(sources, series, ladder), [&](const std::string& kernel) {
    return "“" + rung_title(state.ladder, kernel) + "”";
  });
}

const Comparison* shown_comparison(const State& state, std::string* where, const Run** run) {
  const Selection& selection = state.selection;
  const auto wanted = [&](const Run& in) { return view_params(state, in.kernel(selection.rung)); };
  if (where) where->clear();
  const auto is_hidden = [&](const Comparison& found) {
    return hides_result(state, found.baseline, found.baseline_params) ||
           hides_result(state, found.candidate, found.candidate_params);
  };
  const app::SnappedComparison own = app::nearest_pair(
      state.run(), selection.baseline, selection.rung, wanted(state.run()), selection.cache);
  if (own.exact) {
    if (run) *run = &state.run();
    return is_hidden(*own.comparison) ? nullptr : own.comparison;
  }
  const RungView* row = find_row(state.ladder, selection.rung);
  if (row && row->can_run) return nullptr;
  const auto recorded = [&](const std::string& baseline, const std::string& candidate) {
    return app::recorded_comparison(state.sessions.recordings, baseline, candidate, wanted,
                                    selection.cache);
  };
  app::SnappedComparison found = recorded(selection.baseline, selection.rung);
  if (!found.exact) {
    const app::SnappedComparison turned = recorded(selection.rung, selection.baseline);
    if (turned.exact) found = turned;
  }
  if (!found.comparison || is_hidden(*found.comparison)) return nullptr;
  if (where) *where = found.recording->machine;
  if (run) *run = found.recording->run.get();
  return found.comparison;
}

const SourceText* find_source(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  if (row && row->origin == Origin::recorded) {
    if (const SourceText* source = row->run->source(kernel)) return source;
    // Recordings made together hold a text once between them: the same hash, the same text.
    for (const Recording& recording : state.sessions.recordings) {
      const SourceText* source = recording.run->source(kernel);
      if (source && row->series && source->hash == row->series->hash) return source;
    }
  }
  if (const SourceText* source = state.run().source(kernel)) return source;
  for (const Recording& recording : state.sessions.recordings) {
    if (const SourceText* source = recording.run->source(kernel)) return source;
  }
  return nullptr;
}

const AssemblyText* find_assembly(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  if (row && row->origin == Origin::recorded) {
    if (const AssemblyText* text = row->run->assembly(kernel)) return text;
  }
  return state.run().assembly(kernel);
}

const std::vector<Ceiling>& shown_ceilings(const State& state, std::string* where) {
  where->clear();
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && row->origin == Origin::recorded) {
    *where = row->machine;
    return row->run->ceilings();
  }
  if (state.is_replay() && state.run().environment()) *where = state.run().environment()->machine();
  return state.run().ceilings();
}

std::string device_label(const Sessions& sessions) {
  if (!sessions.run().environment()) {
    switch (sessions.shown->state()) {
      case app::WorkerState::starting:
        return "starting the worker";
      case app::WorkerState::lost:
        return "no worker";
      case app::WorkerState::replay:
        return "recordings";
      default:
        return "this machine";
    }
  }
  std::string machine = sessions.run().environment()->machine();
  if (sessions.is_replay()) machine += " · replay";
  return machine;
}

}  // namespace ridge::window
