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
    changed |= state.verified[series.lab].insert(series.kernel).second;
  }
  return changed;
}

/// Only files that this program made: they lie in its own folder.
void forget_old(State& state) {
  while (state.recent.size() > kKeptRuns) {
    const fs::path path(state.recent.back().path);
    std::error_code ignored;
    if (!state.runs_folder.empty() && path.parent_path() == fs::path(state.runs_folder))
      fs::remove(path, ignored);
    state.recent.pop_back();
  }
}

void start_over(State& state, const std::string& lab) {
  state.view.lab = nullptr;
  state.view.rung.clear();
  state.view.baseline.clear();
  state.ladder.clear();  // of the other run
  state.estimate_request = 0;
  state.seen_version = ~0ull;
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
  std::erase_if(state.recent, [&](const RecentRun& other) { return other.path == path; });
  state.recent.insert(state.recent.begin(), recent);
  forget_old(state);
  save_settings(&state);
}

void remember_run(State& state) {
  if (state.is_replay()) return;
  if (note_verified(state)) save_settings(&state);
  if (state.run_file.empty()) return keep_run(state);
  state.session->keep(state.run_file);
  list_recent(state, state.run_file, state.run());
}

void keep_run(State& state) {
  if (const auto error = state.session->take_keep_error()) {
    state.notice = {"This run is not kept. " + error->sentence(), true};
    std::erase_if(state.recent, [&](const RecentRun& run) { return run.path == state.run_file; });
  }
  if (state.is_replay() || state.runs_folder.empty() || !state.run_file.empty()) return;
  const auto& all = state.run().series();
  const bool is_measured = std::any_of(
      all.begin(), all.end(), [](const Series& s) { return s.stats || !s.samples.empty(); });
  if (!is_measured && state.run().comparisons().empty()) return;
  std::error_code failed;
  fs::create_directories(state.runs_folder, failed);
  state.run_file =
      (fs::path(state.runs_folder) / fmt::format("{}-{:%Y%m%d-%H%M%S}.jsonl", state.view.lab->id,
                                                 fmt::gmtime(std::time(nullptr))))
          .string();
  state.session->keep(state.run_file);
  list_recent(state, state.run_file, state.run());
}

void open_run(State& state, const std::string& path) {
  if (state.run_request || state.compare_request) {
    state.notice = {kBusyNotice, false};
    return;
  }
  state.wanted_run = path;
  state.dirty = true;
}

void open_wanted_run(State& state) {
  if (!state.wanted_run) return;
  const std::string path = *std::exchange(state.wanted_run, std::nullopt);
  const std::string lab = state.view.lab ? state.view.lab->id : "";
  leave_lab(state);
  if (path.empty()) {
    if (!state.opened) return;
    state.session = state.own;
    state.opened.reset();
    state.opened_path.clear();
    return start_over(state, lab);
  }
  auto replay = app::Session::replay(path);
  if (!replay) {
    std::erase_if(state.recent, [&](const RecentRun& recent) { return recent.path == path; });
    save_settings(&state);
    state.notice = {replay.error().sentence(), true};
    return;
  }
  if (!state.opened) state.own = state.session;
  state.opened = *std::move(replay);
  state.opened_path = path;
  state.session = state.opened.get();
  state.session->poll();
  state.view.screen = ScreenId::lab;
  start_over(state, "");
  state.notice = {};
  const bool shipped = std::any_of(state.recordings.begin(), state.recordings.end(),
                                   [&](const Recording& one) { return one.path == path; });
  if (!shipped) list_recent(state, path, state.run());
}

LabProgress lab_progress(const State& state, const Lab& lab) {
  LabProgress progress;
  if (state.is_replay() && !state.own) return progress;  // another machine's catalogue, perhaps
  const Run& run = state.own ? state.own->run() : state.run();
  const auto known = state.verified.find(lab.id);
  for (const Rung& rung : lab.rungs) {
    const KernelInfo* info = run.kernel(rung.kernel);
    if (!info || !info->available) continue;
    ++progress.runnable;
    progress.verified += known != state.verified.end() && known->second.count(rung.kernel);
  }
  return progress;
}

}  // namespace ridge::window
