#include "app/window/shell/settings.h"

#include <fmt/chrono.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/query/beside.h"
#include "app/query/bottlenecks.h"
#include "app/query/editing.h"
#include "app/query/recordings.h"
#include "app/session/saved_run.h"
#include "app/session/shared_file.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/study.h"
#include "app/window/views/history_view.h"
#include "common/core/files.h"
#include "common/record/edit.h"
#include "common/record/json.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

/// Of each kernel the newest says it; one that was verified stays so.
bool note_verified(State& state) {
  bool changed = false;
  for (const auto& [kernel, all] : state.run().series_by_kernel()) {
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      const Series& series = **at;
      auto& verified = state.history.verified[series.lab];
      if (verified.contains(kernel)) break;
      if (series.status != SeriesStatus::ok || !series.quality_passed()) continue;
      changed |= verified.insert(kernel).second;
    }
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
  return state_folder("runs");
}

void list_recent(State& state, const std::string& path, const Run& run) {
  RecentRun recent;
  recent.path = path;
  recent.title = app::title_of_run(run);
  if (run.environment()) {
    recent.machine = run.environment()->machine();
    recent.time_utc = run.environment()->time_utc;
  }
  for (const Series& series : run.series()) {
    const bool is_new =
        std::find(recent.labs.begin(), recent.labs.end(), series.lab) == recent.labs.end();
    if (is_new && find_lab(series.lab) && (series.stats || series.trap || !series.curve.empty()))
      recent.labs.push_back(series.lab);
  }
  std::erase_if(state.history.recent, [&](const RecentRun& other) { return other.path == path; });
  state.history.recent.insert(state.history.recent.begin(), recent);
  forget_old(state);
  save_settings(&state);
}

void remember_run(State& state) {
  if (state.is_replay()) return;
  if (note_verified(state)) save_settings(&state);
  keep_history(state);
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
  note_studied(state);
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

void open_beside(State& state, const std::string& path) {
  state.ladder.dirty = true;
  if (path.empty()) {
    state.sessions.beside.reset();
    state.sessions.beside_path.clear();
    return;
  }
  auto run = app::load_saved(path);
  if (!run) {
    state.notice = {run.error().sentence(), true};
    return;
  }
  const auto second = std::make_shared<const Run>(*std::move(run));
  const Lab* lab = state.selection.lab;
  if (const auto beside = lab ? app::put_beside(*lab, state.run(), *second) : app::Beside();
      !beside) {
    state.notice = {path + ": " + beside.error().sentence() + ".", true};
    return;
  }
  state.sessions.beside = second;
  state.sessions.beside_path = path;
  state.view.screen = ScreenId::beside;
  state.notice = {};
}

void open_recordings(State& state, const std::string& lab, const std::string& machine) {
  if (state.requests.is_measuring()) {
    state.notice = {kBusyNotice, false};
    return;
  }
  state.sessions.wanted_recordings = {lab, machine};
  state.ladder.dirty = true;
}

const RecentRun* kept_run_of(const State& state, const Lab& lab) {
  for (const RecentRun& recent : state.history.recent) {
    const bool has = std::find(recent.labs.begin(), recent.labs.end(), lab.id) != recent.labs.end();
    if (has && recent.path != state.history.run_file) return &recent;
  }
  return nullptr;
}

bool has_results(const Run& run, const Lab& lab) {
  const auto& all = run.series();
  return std::any_of(all.begin(), all.end(), [&](const Series& series) {
    return series.lab == lab.id &&
           (series.stats || series.trap || !series.curve.empty() || !series.samples.empty());
  });
}

void recall_session(State& state) {
  const bool can = state.selection.lab && !state.is_replay() && !state.requests.is_measuring();
  if (!can || state.history.runs_folder.empty()) return;
  if (has_results(state.run(), *state.selection.lab)) return;
  std::string path;
  for (const RecentRun& recent : state.history.recent) {
    const bool has = std::find(recent.labs.begin(), recent.labs.end(), state.selection.lab->id) !=
                     recent.labs.end();
    const bool is_ours = fs::path(recent.path).parent_path() == fs::path(state.history.runs_folder);
    if (!has || !is_ours || recent.path == state.history.run_file) continue;
    path = recent.path;
    break;
  }
  if (path == state.sessions.before_path) return;
  state.sessions.before_path = path;
  state.sessions.before.reset();
  state.ladder.dirty = true;
  if (path.empty()) return;
  auto run = app::load_saved(path);
  if (run)
    state.sessions.before = std::make_shared<const Run>(*std::move(run));
  else
    state.notice = {run.error().sentence(), true};
}

namespace {

void show_session(State& state, std::unique_ptr<app::Session> session, const std::string& path) {
  if (!state.sessions.opened) state.sessions.own = state.sessions.shown;
  state.sessions.opened = std::move(session);
  state.sessions.opened_path = path;
  state.sessions.shown = state.sessions.opened.get();
  state.sessions.shown->poll();
  state.view.screen = ScreenId::lab;
}

/// Shows what most of the recordings' figures are of: their rungs, at their size. A ladder of another machine's rungs, or
/// at a size that most have no result at, would not be what was opened.
void show_most_of(State& state, std::span<const Recording> recordings) {
  std::map<Params, int> counts;
  const auto shown = [&](const Series& series) {
    Params params;
    for (const ParamView& view : state.selection.lab->params) {
      const auto found = series.params.find(view.name);
      if (view.name != std::string_view("dtype") && found != series.params.end())
        params.insert(*found);
    }
    return params;
  };
  const auto counts_here = [](const Series& series) {
    return series.status == SeriesStatus::ok && series.stats;
  };
  for (const Recording& one : recordings) {
    for (const Series& series : one.run->series()) {
      if (counts_here(series)) ++counts[shown(series)];
    }
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end()) return;
  for (const auto& [name, value] : most->first) {
    const ParamSpec* spec = find_spec(state, name);
    const auto copied = spec ? most->first.find(spec->same_as) : most->first.end();
    if (copied != most->first.end() && copied->second == value) continue;  // it follows by itself
    state.selection.params[name] = value;
  }
  for (const Rung& rung : state.selection.lab->rungs) {
    const bool has = std::any_of(recordings.begin(), recordings.end(), [&](const Recording& one) {
      const auto& all = one.run->series();
      return std::any_of(all.begin(), all.end(), [&](const Series& series) {
        return series.kernel == rung.kernel && counts_here(series) && shown(series) == most->first;
      });
    });
    if (has) return select_rung(state, rung.kernel);
  }
}

/// The files of this lab and machine come first: where several machines have a rung, the first is shown.
void open_wanted_recordings(State& state) {
  if (!state.sessions.wanted_recordings) return;
  const auto [lab, machine] = *std::exchange(state.sessions.wanted_recordings, std::nullopt);
  leave_lab(state);
  const auto groups = app::recording_groups(state.sessions.recordings);
  const auto group = std::find_if(groups.begin(), groups.end(), [&, &lab = lab, &machine = machine](const auto& one) {
    return one.lab == lab && one.machine == machine;
  });
  if (group == groups.end()) return;
  const std::set<std::string> paths(group->paths.begin(), group->paths.end());
  auto& all = state.sessions.recordings;
  const auto end = std::stable_partition(
      all.begin(), all.end(), [&](const Recording& one) { return paths.contains(one.path); });
  if (end == all.begin()) return;
  show_session(state, app::Session::nothing(), recordings_path(lab, machine));
  start_over(state, lab);
  if (state.selection.lab) show_most_of(state, {all.data(), size_t(end - all.begin())});
  state.notice = {};
}

/// Of a link the edit that it is sent for, and its text.
void show_claimed(State& state) {
  const auto& rows = state.ladder.rows;
  const auto edit = std::find_if(rows.rbegin(), rows.rend(),
                                 [](const RungView& row) { return is_edit(row.rung->kernel); });
  if (edit == rows.rend()) return;
  const std::string kernel = edit->rung->kernel;  // its row is made anew
  select_rung(state, kernel);
  state.view.tab = Tab::source;
}

}  // namespace

std::string recordings_path(const std::string& lab, const std::string& machine) {
  return "recordings:" + lab + "@" + machine;
}

std::string way_out(const State& state) {
  if (state.sessions.opened) return "Back to measuring here";
  return state.run().series().empty() ? "Look at the recordings" : "Look at the saved run";
}

void take_way_out(State& state) {
  if (state.sessions.opened)
    open_run(state, "");
  else
    state.view.screen = ScreenId::lab;
}

void open_wanted_run(State& state) {
  open_wanted_recordings(state);
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
  show_session(state, *std::move(replay), path);
  start_over(state, "");
  state.notice = {};
  const bool shipped =
      std::any_of(state.sessions.recordings.begin(), state.sessions.recordings.end(),
                  [&](const Recording& one) { return one.path == path; });
  if (state.sessions.is_claimed()) return show_claimed(state);
  if (!shipped) list_recent(state, path, state.run());
  open_rehearsed(state);
}

namespace {

/// Of rungs that can run here and were not verified: why, in a line.
std::string missing_text(const State& state, const std::vector<const Rung*>& missing) {
  std::vector<const Rung*> waiting;
  std::copy_if(missing.begin(), missing.end(), std::back_inserter(waiting),
               [&](const Rung* rung) { return !is_folded(state, *rung); });
  const size_t folded = missing.size() - waiting.size();
  std::string text;
  if (waiting.size() == 1) {
    const RungView* row = find_row(state.ladder, waiting.front()->kernel);
    text = "“" + std::string(waiting.front()->title) +
           "”: " + (row && !row->reason.empty() ? row->reason : "not run yet");
  } else if (!waiting.empty()) {
    text = std::to_string(waiting.size()) + " not run yet";
  }
  if (folded == 0) return text;
  return text + (text.empty() ? "" : "; ") + std::to_string(folded) +
         (folded == 1 ? " expert rung is folded: X shows it"
                      : " expert rungs are folded: X shows them");
}

}  // namespace

LabProgress lab_progress(const State& state, const Lab& lab) {
  LabProgress progress;
  if (state.is_replay() && !state.sessions.own)
    return progress;  // another machine's catalogue, perhaps
  for (const app::Exercise& one : app::known_exercises()) {
    if (!one.is_puzzle() || one.lab != lab.id) continue;
    progress.is_of_puzzles = true;
    ++progress.runnable;
    const auto found = state.history.exercises.find(one.name);
    progress.verified += found != state.history.exercises.end() && found->second.is_solved;
  }
  if (progress.runnable > 0) return progress;
  const Run& run = state.sessions.own ? state.sessions.own->run() : state.run();
  const auto known = state.history.verified.find(lab.id);
  std::vector<const Rung*> missing;
  for (const Rung& rung : lab.rungs) {
    const KernelInfo* info = run.kernel(rung.kernel);
    if (!info || !info->available || rung.wrong)
      continue;  // no check may pass what is wrong by design
    ++progress.runnable;
    const bool is_verified =
        known != state.history.verified.end() && known->second.count(rung.kernel);
    progress.verified += is_verified;
    if (!is_verified) missing.push_back(&rung);
  }
  if (progress.verified > 0) progress.missing = missing_text(state, missing);
  return progress;
}

// ---- the settings file -------------------------------------------------------------------------

std::string default_settings_path() {
  return config_folder("settings.json");
}

namespace {

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Last lab, window, recent runs, verified rungs; what has another shape is left out.
void load_history(State* state, const Json& json) {
  state->history.last_lab = text_in(json, "last_lab");
  if (const auto window = json.find("window"); window != json.end() && window->is_array()) {
    for (size_t i = 0; i < 4 && window->size() == 4; ++i) {
      const Json& value = (*window)[i];
      if (!value.is_number_integer() || std::abs(value.get<int64_t>()) > 32767) break;
      state->settings.window[i] = value.get<int>();
    }
  }
  state->history.recent.clear();
  if (const auto runs = json.find("recent"); runs != json.end() && runs->is_array()) {
    for (const Json& run : *runs) {
      if (!run.is_object() || text_in(run, "path").empty()) continue;
      std::error_code ignored;
      if (!fs::exists(text_in(run, "path"), ignored)) continue;  // deleted since
      RecentRun& recent = state->history.recent.emplace_back();
      recent = {text_in(run, "path"), text_in(run, "title"), text_in(run, "machine"),
                text_in(run, "time_utc")};
      const auto labs = run.find("labs");
      if (labs == run.end() || !labs->is_array()) continue;
      for (const Json& lab : *labs) {
        if (lab.is_string()) recent.labs.push_back(lab.get<std::string>());
      }
    }
  }
  state->history.verified.clear();
  if (const auto labs = json.find("verified"); labs != json.end() && labs->is_object()) {
    for (const auto& [lab, kernels] : labs->items()) {
      for (const Json& kernel : kernels) {
        if (kernel.is_string()) state->history.verified[lab].insert(kernel.get<std::string>());
      }
    }
  }
}

std::map<std::string, ExerciseProgress> exercises_in(const Json& json) {
  std::map<std::string, ExerciseProgress> found;
  const auto all = json.find("exercises");
  if (all == json.end() || !all->is_object()) return found;
  for (const auto& [name, entry] : all->items()) {
    if (!entry.is_object()) continue;
    const auto hints = entry.find("hints_spent"), solved = entry.find("solved");
    ExerciseProgress& known = found[name];
    if (hints != entry.end() && hints->is_number_integer())
      known.hints_spent = std::clamp(hints->get<int>(), 0, 100);
    if (solved != entry.end() && solved->is_boolean()) known.is_solved = solved->get<bool>();
  }
  return found;
}

Json exercises_json(const State& state) {
  Json all = Json::object();
  for (const auto& [name, known] : state.history.exercises)
    all[name] = {{"hints_spent", known.hints_spent}, {"solved", known.is_solved}};
  return all;
}

bool is_utf8(const std::string& text) {
  return Json::accept(dump_json(text)) && Json::parse(dump_json(text)) == Json(text);
}

Json history_json(const State& state) {
  Json recent = Json::array();
  for (const RecentRun& run : state.history.recent) {
    if (!is_utf8(run.path)) continue;  // JSON cannot hold it: it could not be found again
    recent.push_back({{"path", run.path},
                      {"title", run.title},
                      {"machine", run.machine},
                      {"time_utc", run.time_utc},
                      {"labs", run.labs}});
  }
  return recent;
}

}  // namespace

void load_settings(State* state) {
  state->appearance.level = Level::kLearn;
  const auto text = read_whole(state->settings.path);
  if (!text) return;
  const auto json = parse_json(*text, state->settings.path);
  if (!json || !json->is_object()) return;
  state->settings.kept = *text;
  Appearance& look = state->appearance;
  const auto number = [&](const char* name, float low, float high, float* value) {
    const auto found = json->find(name);
    if (found == json->end() || !found->is_number()) return;
    const float read = found->get<float>();
    if (std::isfinite(read)) *value = std::clamp(read, low, high);
  };
  number("scale", 0.75f, 3.0f, &look.scale);
  number("left_width", 200, 600, &look.left_width);
  number("right_width", 0, 900, &look.right_width);
  const auto experts = json->find("show_experts");
  if (experts != json->end() && experts->is_boolean())
    state->view.show_experts = experts->get<bool>();
  if (const auto level = level_named(text_in(*json, "level"))) look.level = *level;
  const auto theme = json->find("theme");
  if (theme != json->end() && theme->is_string()) look.light_theme = *theme == "light";
  const auto reduced = json->find("reduced_motion");
  if (reduced != json->end() && reduced->is_boolean()) look.reduced_motion = *reduced;
  const auto log_time = json->find("log_time");
  if (log_time != json->end() && log_time->is_boolean()) look.log_time = *log_time;
  state->settings.class_folder = text_in(*json, "class_folder");
  state->settings.learner = text_in(*json, "learner");
  if (const auto mode = value_named<RunMode>(text_in(*json, "mode"));
      mode && *mode != RunMode::compare)
    state->selection.mode = state->settings.mode = *mode;
  load_history(state, *json);
  state->history.exercises = exercises_in(*json);
}

void choose_mode(State& state, RunMode mode) {
  state.selection.mode = state.settings.mode = mode;
}

bool reread_exercises(State& state, double now_s) {
  constexpr double kLookEvery_s = 1;
  const ScreenId screen = state.view.screen;
  const bool lists_them =
      screen == ScreenId::home || screen == ScreenId::workbench || screen == ScreenId::classroom;
  if (!lists_them || state.settings.path.empty()) return false;
  if (now_s - state.settings.looked_s < kLookEvery_s) return false;
  state.settings.looked_s = now_s;
  const auto text = read_whole(state.settings.path);
  if (!text || *text == state.settings.kept || *text == state.settings.seen) return false;
  state.settings.seen = *text;
  const auto json = parse_json(*text, state.settings.path);
  if (!json || !json->is_object()) return false;
  bool is_new = false;
  for (const auto& [name, there] : exercises_in(*json)) {
    ExerciseProgress& here = state.history.exercises[name];
    is_new |= (there.is_solved && !here.is_solved) || there.hints_spent > here.hints_spent;
    here.is_solved |= there.is_solved;
    here.hints_spent = std::max(here.hints_spent, there.hints_spent);
  }
  return is_new;
}

void save_settings(State* state) {
  if (state->settings.path.empty()) return;
  // What a presenter's mode changed is not what was chosen; the theme is changed by its key alone.
  const BeforePresenting* before = state->teaching.before.get();
  const Appearance& look = before ? before->appearance : state->appearance;
  const bool show_experts = before ? before->view.show_experts : state->view.show_experts;
  const Json json = {{"theme", state->appearance.light_theme ? "light" : "dark"},
                     {"level", name_of(look.level)},
                     {"scale", look.scale},
                     {"show_experts", show_experts},
                     {"left_width", look.left_width},
                     {"right_width", look.right_width},
                     {"reduced_motion", look.reduced_motion},
                     {"log_time", look.log_time},
                     {"mode", to_string(state->settings.mode)},
                     {"last_lab", state->history.last_lab},
                     {"class_folder", state->settings.class_folder},
                     {"learner", state->settings.learner},
                     {"window", state->settings.window},
                     {"recent", history_json(*state)},
                     {"exercises", exercises_json(*state)},
                     {"verified", state->history.verified}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  if (!app::write_shared(state->settings.path, text, &state->settings.kept)) {
    state->notice = {"Settings could not be saved in " + state->settings.path +
                         "; they hold until the window closes.",
                     true};
  }
}

}  // namespace ridge::window
