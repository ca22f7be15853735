#include "app/window/shell/history.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>

#include "app/window/shell/settings.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

bool note_verified(State& state) {
  bool changed = false;
  for (const Series& series : state.run().series()) {
    if (series.status != SeriesStatus::ok || !series.quality_passed()) continue;
    changed |= state.history.verified[series.lab].insert(series.kernel).second;
  }
  return changed;
}

/// Only files that this program made: they lie in its own folder.
void forget_old(State& state) {
  while (state.history.recent.size() > kKeptRuns) {
    const fs::path path(state.history.recent.back().path);
    std::error_code ignored;
    if (!state.history.runs_folder.empty() &&
        path.parent_path() == fs::path(state.history.runs_folder))
      fs::remove(path, ignored);
    state.history.recent.pop_back();
  }
}

void start_over(State& state, const std::string& lab) {
  state.selection.lab = nullptr;
  state.selection.rung.clear();
  state.selection.baseline.clear();
  state.ladder.rows.clear();  // of the other run
  state.requests.estimates = 0;
  state.ladder.seen_version = ~0ull;
  open_lab(state, lab);
  rebuild_ladder(state);
}

}  // namespace

std::string default_runs_folder() {
  if (const char* folder = std::getenv("XDG_STATE_HOME"); folder && *folder)
    return (fs::path(folder) / "ridgepoint/runs").string();
  const char* home = std::getenv("HOME");
  return home && *home ? (fs::path(home) / ".local/state/ridgepoint/runs").string() : "";
}

void list_recent(State& state, const std::string& path, const Run& run) {
  RecentRun recent;
  recent.path = path;
  recent.title = app::title_of_run(run);
  if (run.environment()) {
    recent.machine = run.environment()->machine();
    recent.time_utc = run.environment()->time_utc;
  }
  std::erase_if(state.history.recent, [&](const RecentRun& other) { return other.path == path; });
  state.history.recent.insert(state.history.recent.begin(), recent);
  forget_old(state);
  save_settings(&state);
}

void remember_run(State& state) {
  if (state.is_replay()) return;
  if (note_verified(state)) save_settings(&state);
  if (state.history.run_file.empty()) return keep_run(state);
  state.sessions.shown->keep(state.history.run_file);
  list_recent(state, state.history.run_file, state.run());
}

void keep_run(State& state) {
  if (const auto error = state.sessions.shown->take_keep_error()) {
    state.notice = {"This run is not kept. " + error->sentence(), true};
    std::erase_if(state.history.recent,
                  [&](const RecentRun& run) { return run.path == state.history.run_file; });
  }
  if (state.is_replay() || state.history.runs_folder.empty() || !state.history.run_file.empty())
    return;
  const auto& all = state.run().series();
  const bool is_measured = std::any_of(
      all.begin(), all.end(), [](const Series& s) { return s.stats || !s.samples.empty(); });
  if (!is_measured && state.run().comparisons().empty()) return;
  std::error_code failed;
  fs::create_directories(state.history.runs_folder, failed);
  state.history.run_file = (fs::path(state.history.runs_folder) /
                            fmt::format("{}-{:%Y%m%d-%H%M%S}.jsonl", state.selection.lab->id,
                                        fmt::gmtime(std::time(nullptr))))
                               .string();
  state.sessions.shown->keep(state.history.run_file);
  list_recent(state, state.history.run_file, state.run());
}

void open_run(State& state, const std::string& path) {
  if (state.requests.is_measuring()) {
    state.notice = {kBusyNotice, false};
    return;
  }
  state.sessions.wanted_run = path;
  state.ladder.dirty = true;
}

void open_wanted_run(State& state) {
  if (!state.sessions.wanted_run) return;
  const std::string path = *std::exchange(state.sessions.wanted_run, std::nullopt);
  const std::string lab = state.selection.lab ? state.selection.lab->id : "";
  leave_lab(state);
  if (path.empty()) {
    if (!state.sessions.opened) return;
    state.sessions.shown = state.sessions.own;
    state.sessions.opened.reset();
    state.sessions.opened_path.clear();
    return start_over(state, lab);
  }
  auto replay = app::Session::replay(path);
  if (!replay) {
    std::erase_if(state.history.recent,
                  [&](const RecentRun& recent) { return recent.path == path; });
    save_settings(&state);
    state.notice = {replay.error().sentence(), true};
    return;
  }
  if (!state.sessions.opened) state.sessions.own = state.sessions.shown;
  state.sessions.opened = *std::move(replay);
  state.sessions.opened_path = path;
  state.sessions.shown = state.sessions.opened.get();
  state.sessions.shown->poll();
  state.view.screen = ScreenId::lab;
  start_over(state, "");
  state.notice = {};
  const bool shipped =
      std::any_of(state.sessions.recordings.begin(), state.sessions.recordings.end(),
                  [&](const Recording& one) { return one.path == path; });
  if (!shipped) list_recent(state, path, state.run());
}

LabProgress lab_progress(const State& state, const Lab& lab) {
  LabProgress progress;
  if (state.is_replay() && !state.sessions.own)
    return progress;  // another machine's catalogue, perhaps
  const Run& run = state.sessions.own ? state.sessions.own->run() : state.run();
  const auto known = state.history.verified.find(lab.id);
  for (const Rung& rung : lab.rungs) {
    const KernelInfo* info = run.kernel(rung.kernel);
    if (!info || !info->available) continue;
    ++progress.runnable;
    progress.verified += known != state.history.verified.end() && known->second.count(rung.kernel);
  }
  return progress;
}

}  // namespace ridge::window
