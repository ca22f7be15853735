#include "app/window/teach/presenter.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/window/shell/actions.h"
#include "app/window/shell/export.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/lists.h"
#include "app/window/teach/step.h"
#include "app/window/teach/step_answer.h"
#include "app/window/teach/step_outcome.h"
#include "app/window/teach/step_run.h"
#include "app/window/teach/tour_progress.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/tour_note.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStillRunning = "Still running";
// ×1.67 at least: the smallest text of 12 px is then 20 px on a wall of 1920 × 1080.
constexpr float kLarger = 1.67f, kMostScale = 3;

/// With what goes on: when all bars are full, this machine's ceilings may still be measured.
std::string still_running(const State& state) {
  return fmt::format("{}: {}. Esc cancels.", kStillRunning, progress_headline(state));
}

/// A grade stands as long as nothing that this session measured later contradicts what it rests on.
void hold_grades(State& state) {
  if (is_away_from_tour(state)) return;
  for (auto& [step, result] : state.teaching.results)
    result.withdrawn = contradicted_later(state.run(), result);
}

void go_to(State& state, Beat beat) {
  Teaching& teach = state.teaching;
  if (beat == Beat::done) hold_grades(state);
  teach.beat = beat;
  teach.beat_started_s = teach.now_s;
  teach.predicting = teach.skips_answer = teach.has_more = false;
  teach.pages = 0;
  if (beat == Beat::predict) teach.focused_step = -1;  // each question's field has the keyboard
  if (beat != Beat::run) {
    teach.waiting.clear();
    teach.playback_from_s = -1;
  }
  state.notice = {};
  state.ladder.dirty = true;
}

void send_next(State& state) {
  Teaching& teach = state.teaching;
  if (teach.waiting.empty()) return;
  const WorkRequest request = teach.waiting.front();
  teach.waiting.erase(teach.waiting.begin());
  int64_t id = 0;
  send(state, request, &id);
  if (id == 0) return teach.waiting.clear();  // the notice says why
  teach.sent.push_back(id);
  if (teach.tour) {
    teach.asked_at[id] = teach.tour_step;
    teach.runs[teach.tour_step].push_back(id);
  }
  (request.type == RequestType::compare ? state.requests.compare : state.requests.run) = id;
}

/// The answer goes into the transcript before the run, where it is the time of a call or a factor over the first bar.
void note_prediction(State& state, const study::TourStep& step, const StepBars& bars) {
  const LessonBar* last = bars.last();
  const auto said = parse_answer(step.ask, answer_here(state).typed);
  if (!said || !last || !last->can_run) return;
  const KernelInfo& info = *find_info(state.sessions, last->asked.kernel);
  const Params params = params_of_bar(state, info, last->asked);
  const LessonBar& first = bars.bars.front();
  if (step.ask == study::Ask::time)
    state.sessions.shown->predict({last->asked.kernel, params, *said});
  else if (step.ask == study::Ask::ratio && first.can_run && &first != last)
    state.sessions.shown->predict({last->asked.kernel, params, 0, 0, *said, first.asked.kernel});
}

bool has_recorded(const State& state, const StepBars& bars) {
  return std::any_of(bars.bars.begin(), bars.bars.end(), [&](const LessonBar& bar) {
    return bar.series && (!bar.machine.empty() || state.is_replay());
  });
}

void begin_run(State& state) {
  Teaching& teach = state.teaching;
  const std::string why = answer_blocker(state);
  if (!why.empty() && !(teach.presenting && teach.skips_answer)) {
    teach.skips_answer = teach.presenting;
    teach.focused_step = -1;  // what is typed next is the answer
    const bool is_unread = !answer_here(state).typed.empty();
    state.notice = {!teach.presenting ? why
                    : is_unread       ? why + " Page Down again runs without an answer."
                                      : "No answer was typed. Page Down again runs without one.",
                    false};
    return;
  }
  const study::TourStep step = shown_step(state);
  if (!step.measures()) return go_to(state, Beat::reveal);
  const StepBars bars = step_bars(state, step);
  auto requests = requests_of(state, step, bars);
  if (!requests.empty() && state.requests.is_measuring()) {
    state.notice = {kBusyNotice, false};
    return;
  }
  if (requests.empty() && !has_recorded(state, bars)) return go_to(state, Beat::reveal);
  go_to(state, Beat::run);
  if (!requests.empty()) note_prediction(state, step, bars);
  teach.sent.clear();
  teach.runs.erase(teach.tour_step);
  teach.waiting = std::move(requests);
  send_next(state);
  if (teach.sent.empty()) teach.playback_from_s = teach.now_s;
}

/// What a step's comparison, or its run, ended as.
bool has_failed(const State& state) {
  for (const int64_t id : state.teaching.sent) {
    const Request* request = state.run().request(id);
    const bool is_bad = request && (request->status == RequestStatus::failed ||
                                    request->status == RequestStatus::cancelled);
    if (is_bad) return true;
  }
  return false;
}

bool is_playing(const State& state) {
  const Teaching& teach = state.teaching;
  if (teach.playback_from_s < 0) return false;
  const study::TourStep step = shown_step(state);
  return teach.now_s < teach.playback_from_s + playback_s(step_bars(state, step));
}

/// What was asked for has ended: the next of it, or the recordings of what did not run here.
bool go_on_running(State& state) {
  Teaching& teach = state.teaching;
  if (is_away_from_tour(state) || teach.beat != Beat::run || state.requests.is_measuring())
    return false;
  if (has_failed(state)) teach.waiting.clear();
  if (!teach.waiting.empty()) {
    send_next(state);
    return true;
  }
  if (teach.playback_from_s >= 0) return is_playing(state);
  if (!has_recorded(state, step_bars(state, shown_step(state)))) return false;
  teach.playback_from_s = teach.now_s;
  return true;
}

ScreenId canvas_screen(const State& state) {
  return state.teaching.presenting ? ScreenId::presenter : ScreenId::tour;
}

/// The steps of the tour that is on make way for another's. Those of a learner in the window's own session are kept.
void put_steps_away(Teaching& teach) {
  TourSteps steps{std::exchange(teach.answers, {}), std::exchange(teach.results, {}),
                  std::exchange(teach.asked_at, {}), std::exchange(teach.runs, {})};
  if (teach.tour && teach.tour_run.empty() && !teach.leaves_place && !steps.results.empty())
    teach.left[teach.tour->id] = std::move(steps);
}

void set_steps(Teaching& teach, const TourSteps& steps) {
  teach.answers = steps.answers;
  teach.results = steps.results;
  teach.asked_at = steps.asked_at;
  teach.runs = steps.runs;
}

void take_steps_up(Teaching& teach) {
  if (const auto left = teach.left.extract(teach.tour->id)) set_steps(teach, left.mapped());
}

/// The saved run that is open over the session of the window; empty: none is.
std::string run_over(const State& state) {
  return state.sessions.opened ? state.sessions.opened_path : "";
}

void begin_tour(State& state, study::Tour tour) {
  Teaching& teach = state.teaching;
  if (!teach.tour) teach.before_tour = std::make_shared<const Selection>(state.selection);
  put_steps_away(teach);
  teach.tour = std::make_shared<const study::Tour>(std::move(tour));
  teach.tour_run = run_over(state);
  teach.leaves_place = false;
  close_list(state);
  teach.tour_started_s = teach.now_s;
}

void open_step(State& state) {
  const study::TourStep& step = *tour_step(state);
  Selection& selected = state.selection;
  open_lab(state, step.lab);
  selected.params =
      step.set;  // nothing of what was chosen before: the step is the same for everyone
  selected.mode = step.mode;
  selected.cache = step.cache;
  selected.baseline = step.kind == study::StepKind::compare ? step.rungs.front() : std::string();
  state.view.screen = canvas_screen(state);
  for (const std::string& kernel : step.rungs) unfold_for(state, kernel);
  select_rung(state, step.rungs.back());
  state.requests.estimates_due = true;
  rebuild_ladder(state);
  selected.view = &first_view(state);  // at level Learn the climb, whose columns the lessons name
}

/// The beat that a step was left at: what was revealed stays so, and what was measured for it and not yet revealed waits.
Beat beat_left(const State& state) {
  const Teaching& teach = state.teaching;
  if (teach.results.contains(teach.tour_step)) return Beat::reveal;
  return teach.sent.empty() || has_failed(state) ? Beat::predict : Beat::run;
}

/// The newest request of the session; 0: none was made.
int64_t last_request(const State& state) {
  const auto& all = state.run().requests();
  return all.empty() ? 0 : all.back().id;
}

void show_step(State& state, int step) {
  Teaching& teach = state.teaching;
  teach.tour_step = step;
  open_step(state);
  const auto run = teach.runs.find(step);
  teach.sent = run == teach.runs.end() ? std::vector<int64_t>() : run->second;
  teach.seen_to = last_request(state);
  go_to(state, beat_left(state));
}

/// Of a rehearsed run that is shown: the file of another step, in the same folder; empty: none is there.
std::string rehearsal_beside(const State& state, int step) {
  const auto shown = tour_note(state.run().notes());
  const std::string& path = state.sessions.opened_path;
  const Teaching& teach = state.teaching;
  const bool is_known = state.is_replay() && shown && !path.empty() &&
                        shown->tour == teach.tour->id && shown->step != step + 1;
  if (!is_known) return {};
  const fs::path file = fs::path(path).parent_path() / study::rehearsal_file(*teach.tour, step + 1);
  std::error_code ignored;
  return fs::exists(file, ignored) ? file.string() : "";
}

void open_at(State& state, int step) {
  show_step(state, step);
  // open_rehearsed() takes the tour there once the file is read.
  if (const std::string file = rehearsal_beside(state, step); !file.empty()) open_run(state, file);
}

/// Without a tour: the question of the selected rung, or what was revealed of it in this presentation.
void open_rung(State& state) {
  Teaching& teach = state.teaching;
  const auto shown = teach.shown.find(state.selection.rung);
  const bool is_shown = teach.presenting && shown != teach.shown.end();
  teach.answers_of = state.selection.rung;
  teach.answers.clear();
  teach.sent.clear();  // of another rung
  if (is_shown) teach.answers[0] = shown->second;
  go_to(state, is_shown ? Beat::reveal : Beat::predict);
}

/// The next or the previous rung of the ladder. False at either end.
bool change_rung(State& state, int by) {
  const std::string next = rung_ahead(state, by);
  if (next.empty()) return false;
  select_rung(state, next);
  rebuild_ladder(state);
  open_rung(state);
  return true;
}

void go_on_from_explain(State& state) {
  Teaching& teach = state.teaching;
  if (!teach.tour) {
    if (!change_rung(state, 1)) state.notice = {"That was the last rung.", false};
  } else if (teach.tour_step + 1 < std::ssize(teach.tour->steps)) {
    open_at(state, teach.tour_step + 1);
  } else {
    go_to(state, Beat::done);
  }
}

void reveal(State& state) {
  const study::TourStep step = shown_step(state);
  const StepBars bars = step_bars(state, step);
  StepResult& result = state.teaching.results[state.teaching.tour_step];
  result = result_of(step, bars, answer_here(state), outcome_of(state, step, bars));
  result.at = asked_at(state);
  result.is_cancelled = step.measures() && is_step_cancelled(state);
  for (const LessonBar& bar : bars.bars) {
    if (bar.series) state.teaching.revealed.insert(bar.asked.kernel);
    const Rung* rung = state.teaching.tour ? nullptr : rung_of(bar.asked.kernel);
    if (rung && rung->peer) state.teaching.told.insert(rung->kernel);
  }
  if (!state.teaching.tour) state.teaching.shown[state.selection.rung] = answer_here(state);
  go_to(state, Beat::reveal);
}

}  // namespace

namespace {

/// What a learner has answered so far is none of a room's, and is not lost to it.
void leave_tour(Teaching& teach) {
  if (!teach.tour || teach.learners) return;
  const Beat beat = teach.beat == Beat::run ? Beat::predict : teach.beat;
  teach.learners = std::make_shared<const LeftTour>(
      LeftTour{teach.tour,
               teach.tour_run,
               teach.tour_step,
               beat,
               {teach.answers, teach.results, teach.asked_at, teach.runs},
               teach.now_s - teach.tour_started_s,
               teach.leaves_place});
}

void go_on_with_left(State& state) {
  Teaching& teach = state.teaching;
  const auto left = std::exchange(teach.learners, nullptr);
  if (!left) return;
  if (!teach.tour) teach.before_tour = std::make_shared<const Selection>(state.selection);
  teach.tour = left->tour;
  teach.tour_run = left->run;
  set_steps(teach, left->steps);
  teach.tour_started_s = teach.now_s - left->took_s;
  teach.leaves_place = left->leaves_place;
  show_step(state, left->step);
  if (left->beat > teach.beat) go_to(state, left->beat);
}

void start_on_stage(State& state, const std::string& id) {
  Teaching& teach = state.teaching;
  const int kept = kept_step(state, id);
  start_tour(state, id);
  // Over a saved run it begins once that is closed.
  if (!teach.wanted_tour.empty() || !is_tour_on(state, id)) return;
  teach.leaves_place = kept > 0 || teach.learners;
  if (kept > 0)
    state.notice = {fmt::format("This tour was left at step {}: # leads there.", kept + 1), false};
}

}  // namespace

std::vector<std::string> presented_rungs(const State& state) {
  std::vector<std::string> rungs;
  for (const RungView& row : state.ladder.rows) {
    const std::string kernel = row.rung->kernel;
    if (!is_folded(state, *row.rung) && can_be_asked(state, kernel)) rungs.push_back(kernel);
  }
  // A library is no step of ours: it interrupts no climb.
  std::stable_partition(rungs.begin(), rungs.end(), [&](const std::string& kernel) {
    return !find_row(state.ladder, kernel)->rung->peer;
  });
  return rungs;
}

std::string rung_ahead(const State& state, int by) {
  const std::vector<std::string> rungs = presented_rungs(state);
  const auto at = std::find(rungs.begin(), rungs.end(), state.selection.rung);
  if (at == rungs.end()) return {};
  for (auto next = at - rungs.begin() + by; next >= 0 && next < std::ssize(rungs); next += by) {
    const std::string& kernel = rungs[static_cast<size_t>(next)];
    if (!state.teaching.told.contains(kernel)) return kernel;
  }
  return {};
}

void begin_on_stage(State& state, const std::string& id) {
  if (state.teaching.presenting && is_tour_on(state, id)) return resume_tour(state, id);
  if (!state.teaching.presenting) leave_tour(state.teaching);
  start_on_stage(state, id);
}

namespace {

/// Null: a saved run without a result of this lab's rungs.
const RungView* first_asked(const State& state) {
  const auto& rows = state.ladder.rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const RungView& row) {
    return can_be_asked(state, row.rung->kernel);
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

void begin_presenting(State& state, bool keeps_rung) {
  const Teaching& teach = state.teaching;
  const bool is_on_home = state.view.screen == ScreenId::home && !state.is_replay();
  // From Home a talk begins at the first step: at the step that was left the room would see its answer.
  if (is_on_home && teach.tour) return present_tour(state, std::string(teach.tour->id));
  const bool is_open = !teach.tour && !state.is_replay();  // a saved run is shown for itself
  if (!teach.tour && state.is_replay() && !keeps_rung) {
    if (state.ladder.rows.empty()) rebuild_ladder(state);
    const RungView* first = first_asked(state);
    std::string rung = largest_step(state);
    if (rung.empty() && first) rung = first->rung->kernel;
    if (!rung.empty()) select_rung(state, rung);
  }
  const std::string begun = is_open && has_begun_tour(state) ? tour_to_resume(state) : "";
  if (!begun.empty()) begin_on_stage(state, begun);
  toggle_presenter(state);
  if (is_open && !teach.tour) toggle_tours(state);
}

void present_tour(State& state, const std::string& id) {
  begin_on_stage(state, id);
  const bool begins = state.teaching.tour || !state.teaching.wanted_tour.empty();
  if (begins && !state.teaching.presenting) toggle_presenter(state);
}

namespace {

/// The climb ends at a library, which no learner chose and whose bar everyone has just seen: a room is asked about the
/// fastest rung of ours then. Empty: the selected rung stays.
std::string rung_after_climb(const State& state) {
  const RungView* chosen = find_row(state.ladder, state.selection.rung);
  const bool is_left = chosen && chosen->rung->peer &&
                       state.first_climb.followed == state.selection.rung &&
                       !state.first_climb.is_under_way();
  std::string best;
  double most = 0;
  for (const RungView& row : state.ladder.rows) {
    const Series* series = row.rung->peer ? nullptr : row.held().series;
    const auto rate = series && is_result(*series) ? throughput_of(*series) : std::nullopt;
    const bool is_own = row.held().run == &state.run();
    if (is_left && is_own && rate && rate->value > most)
      most = rate->value, best = row.rung->kernel;
  }
  return best;
}

}  // namespace

void toggle_presenter(State& state) {
  Teaching& teach = state.teaching;
  teach.focused_step = -1;  // the other canvas has a field of its own
  if (state.ladder.rows.empty()) rebuild_ladder(state);  // before the window's first frame
  if (teach.presenting) {
    state.notice = {};  // it was said to the stage
    go_on_with_left(state);
    if (!teach.tour) state.selection = teach.before->selection;
    state.view = teach.before->view;
    const bool is_light = state.appearance.light_theme;  // chosen on the stage, it is kept
    state.appearance = teach.before->appearance;
    state.appearance.light_theme = is_light;
    teach.before = nullptr;
    teach.presenting = false;
    if (teach.tour)
      state.view.screen = ScreenId::tour;  // it goes on in the window
    else
      go_to(state, Beat::predict);
    state.requests.estimates_due = true;
  } else if (!teach.tour && !first_asked(state)) {
    state.notice = {"Nothing can be presented: this saved run has no result of a rung of this lab.",
                    false};
  } else {
    if (!teach.tour && !can_be_asked(state, state.selection.rung))
      select_rung(state, first_asked(state)->rung->kernel);
    teach.before = std::make_shared<const BeforePresenting>(
        BeforePresenting{state.selection, state.view, state.appearance});
    if (const std::string best = teach.tour ? "" : rung_after_climb(state); !best.empty())
      select_rung(state, best);
    teach.presenting = true;
    teach.told.clear();
    teach.shown.clear();
    teach.pointer_moved_s = teach.now_s;
    if (is_away_from_tour(state)) show_tour(state);
    teach.answers_of = state.selection.rung;
    state.appearance.scale = std::clamp(state.appearance.scale * kLarger, kLarger, kMostScale);
    state.appearance.full_screen = true;  // leaving brings the window back as it was
    state.view.screen = ScreenId::presenter;
    if (!teach.tour) go_to(state, Beat::predict);
  }
  state.view.show_menu = false;
  state.ladder.dirty = true;
}

void present_here(State& state) {
  const bool begins = !state.teaching.presenting && !state.is_replay();
  if (begins && state.view.screen == ScreenId::home) return begin_presenting(state);
  toggle_presenter(state);
}

std::string advance_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  const bool any = state.teaching.presenting || state.teaching.tour;
  if (!any) return "Neither the presenter (P) nor a tour (J) is on.";
  return {};
}

std::string locked_because(const State& state) {
  const Teaching& teach = state.teaching;
  if (!teach.tour || teach.presenting || !is_on_canvas(state)) return "";
  if (is_step_running(state)) return still_running(state);
  return teach.beat == Beat::predict ? answer_blocker(state) : "";
}

std::string step_run_blocker(const State& state) {
  if (state.teaching.beat == Beat::predict) return locked_because(state);
  return is_step_running(state)
             ? still_running(state)
             : "This step has run: Page Down goes on. The ladder runs in the Lab.";
}

std::string again_blocker(const State& state) {
  if (!is_on_canvas(state)) return "Neither the presenter (P) nor a tour (J) is on.";
  if (state.is_replay()) return "This is a saved run: nothing is measured.";
  if (state.requests.is_measuring() || is_step_running(state)) return kBusyNotice;
  const Beat beat = state.teaching.beat;
  const bool has_run =
      beat == Beat::reveal || beat == Beat::explain || (beat == Beat::run && has_failed(state));
  if (!has_run) return "This step has not run yet: Page Down runs it.";
  const study::TourStep step = shown_step(state);
  return step.measures() && !requests_of(state, step, step_bars(state, step)).empty()
             ? ""
             : "Nothing of this step can be measured here again.";
}

bool should_run_again(const State& state) {
  const Beat beat = state.teaching.beat;
  if ((beat != Beat::run && beat != Beat::reveal) || !again_blocker(state).empty()) return false;
  return has_failed(state) || !doubt_of(step_bars(state, shown_step(state))).empty();
}

void run_again(State& state) {
  if (!again_blocker(state).empty()) return;
  go_to(state, Beat::predict);
  state.teaching.skips_answer = state.teaching.presenting;
  begin_run(state);
}

bool is_away_from_tour(const State& state) {
  return state.teaching.tour && run_over(state) != state.teaching.tour_run;
}

bool shows_canvas(const State& state) {
  const Teaching& teach = state.teaching;
  const bool has_step = teach.tour ? !is_away_from_tour(state) : teach.presenting;
  return has_step && teach.beat != Beat::done && is_on_canvas(state);
}

void show_tour(State& state) {
  state.view.show_menu = false;
  if (is_away_from_tour(state)) {
    open_run(state, state.teaching.tour_run);
    state.teaching.returns = state.sessions.wanted_run.has_value();
  } else if (state.teaching.tour) {
    open_step(state);  // the lab may have been changed meanwhile
    state.teaching.focused_step = -1;
  } else {
    show_screen(state, ScreenId::tour);
  }
}

namespace {

/// The saved run that lay over the tour's session is closed.
void return_to_tour(State& state) {
  Teaching& teach = state.teaching;
  if (!std::exchange(teach.returns, false) || !teach.tour || is_away_from_tour(state)) return;
  if (teach.beat == Beat::predict) return open_at(state, teach.tour_step);
  open_step(state);
}

}  // namespace

void advance(State& state) {
  Teaching& teach = state.teaching;
  if (state.view.screen != canvas_screen(state)) return show_tour(state);
  switch (state.teaching.beat) {
    case Beat::predict:
      begin_run(state);
      if (state.teaching.beat == Beat::reveal) reveal(state);  // there was nothing to run
      return;
    case Beat::run:
      if (waits_for_results(state)) {
        state.notice = {still_running(state), false};
        return;
      }
      return reveal(state);
    case Beat::reveal:
      return go_to(state, Beat::explain);
    case Beat::explain:
      if (teach.has_more) return void(++teach.pages);
      return go_on_from_explain(state);
    case Beat::done:
      if (!teach.presenting) return end_tour(state);
      if (teach.has_more) return void(++teach.pages);
      // A clicker that is pressed once more must not leave the wall with something else on it.
      state.notice = {"That was the last step. Esc leaves the presenter.", false};
      return;
  }
}

namespace {

/// To the end of what comes before it. What was measured and what was revealed stay so: a question is not asked twice.
void go_before(State& state) {
  Teaching& teach = state.teaching;
  if (!teach.tour) {
    change_rung(state, -1);
  } else if (teach.tour_step > 0) {
    open_at(state, teach.tour_step - 1);
    if (teach.results.contains(teach.tour_step)) go_to(state, Beat::explain);
  }
}

}  // namespace

void go_back(State& state) {
  Teaching& teach = state.teaching;
  if (state.view.screen != canvas_screen(state)) return show_tour(state);
  switch (teach.beat) {
    case Beat::done:
      return go_to(state, teach.results.contains(teach.tour_step) ? Beat::explain : Beat::predict);
    case Beat::explain:
      return go_to(state, Beat::reveal);
    case Beat::run:
      if (has_failed(state)) return go_to(state, Beat::predict);
      if (is_step_running(state)) return void(state.notice = {still_running(state), false});
      return go_before(state);
    case Beat::reveal:
    case Beat::predict:
      return go_before(state);
  }
}

bool is_step_running(const State& state) {
  if (state.teaching.beat != Beat::run || is_away_from_tour(state)) return false;
  return waits_for_results(state) || is_playing(state);
}

namespace {

/// Without a tour the answer is the selected rung's: another one begins with its question.
void forget_other_rung(State& state) {
  Teaching& teach = state.teaching;
  if (teach.tour || teach.answers_of == state.selection.rung) return;
  if (teach.presenting) return open_rung(state);
  teach.answers_of = state.selection.rung;
  teach.answers.clear();
}

/// A pointer that rests on a wall is in the way. True when that begins or ends.
bool rest_pointer(Teaching& teach) {
  constexpr double kRests_s = 2;
  const bool rests = teach.presenting && teach.now_s - teach.pointer_moved_s >= kRests_s;
  return std::exchange(teach.hides_pointer, rests) != rests;
}

}  // namespace

bool tick_teaching(State& state, double now_s) {
  Teaching& teach = state.teaching;
  const std::string before = tour_clock(state);
  // The clock is the tour's own: it rests at the end, and while something else is looked at.
  if (teach.tour && (teach.beat == Beat::done || !is_on_canvas(state)))
    teach.tour_started_s += now_s - teach.now_s;
  teach.now_s = now_s;
  const bool hidden = rest_pointer(teach);
  forget_other_rung(state);
  if (!teach.wanted_tour.empty() && !state.sessions.opened) {
    const std::string wanted = std::exchange(teach.wanted_tour, "");
    if (teach.presenting && teach.wanted_step <= 0)
      start_on_stage(state, wanted);
    else
      start_tour(state, wanted, teach.wanted_step);
  }
  return_to_tour(state);
  const bool moved = go_on_running(state);
  if (state.notice.text.starts_with(kStillRunning) && !is_step_running(state)) {
    state.notice = {};
    return true;
  }
  return moved || hidden || (teach.tour && tour_clock(state) != before);
}

void start_tour(State& state, const std::string& id, int step) {
  auto tour = study::load_tour(id);
  if (!tour) {
    state.notice = {tour.error().sentence(), true};
    return;
  }
  Teaching& teach = state.teaching;
  if (state.sessions.opened) {  // a tour measures, and a saved run cannot
    open_run(state, "");
    if (state.sessions.wanted_run) teach.wanted_tour = id, teach.wanted_step = step;
    close_list(state);
    return;
  }
  begin_tour(state, *std::move(tour));
  if (step >= 0) take_steps_up(teach);
  open_at(state, std::clamp(step, 0, static_cast<int>(teach.tour->steps.size()) - 1));
}

void show_end_card(State& state, const std::string& id) {
  const auto tour = study::load_tour(id);
  start_tour(state, id, tour ? static_cast<int>(tour->steps.size()) - 1 : 0);
  const Teaching& teach = state.teaching;
  // Over a saved run the tour begins once that is closed.
  if (teach.tour && teach.tour->id == id && teach.wanted_tour.empty()) go_to(state, Beat::done);
}

bool open_rehearsed(State& state) {
  const auto note = state.is_replay() ? tour_note(state.run().notes()) : std::nullopt;
  if (!note) return false;
  Teaching& teach = state.teaching;
  if (!teach.tour || teach.tour->id != note->tour) {
    auto tour = study::load_tour(note->tour);
    if (!tour) return false;  // of a build with other tours: an ordinary saved run
    begin_tour(state, *std::move(tour));
  }
  if (teach.returns && teach.tour_run == run_over(state)) return true;
  teach.tour_run = run_over(state);
  teach.asked_at.clear();  // of another run
  teach.runs.clear();
  show_step(state, std::min(note->step, static_cast<int>(teach.tour->steps.size())) - 1);
  return true;
}

bool is_on_canvas(const State& state) {
  return (state.teaching.tour || state.teaching.presenting) &&
         state.view.screen == canvas_screen(state);
}

std::string jump_blocker(const State& state) {
  if (!state.teaching.tour) return "No tour is on.";
  return is_step_running(state) ? still_running(state) : "";
}

void go_to_step(State& state, int step) {
  const auto& steps = state.teaching.tour->steps;
  if (step < 0 || step >= std::ssize(steps)) {
    state.notice = {step < 0 ? "This is the first step." : "This is the last step.", false};
    return;
  }
  if (!is_away_from_tour(state)) return open_at(state, step);
  state.teaching.tour_step = step;
  go_to(state, Beat::predict);
  show_tour(state);
}

namespace {

/// The problem that was chosen before the tour chose its own: a ladder that ran at it is full again.
void restore_problem(State& state, const Selection& before) {
  Selection& selected = state.selection;
  if (selected.lab == before.lab) {
    selected.params = before.params;
    selected.baseline = before.baseline;
  } else {
    selected.params.clear();
    selected.baseline.clear();
  }
  selected.mode = before.mode;
  selected.cache = before.cache;
  state.requests.estimates_due = true;
}

}  // namespace

void stop_tour(State& state) {
  const Teaching& teach = state.teaching;
  if (teach.results.empty() || teach.beat == Beat::done || is_away_from_tour(state))
    return end_tour(state);
  if (!is_on_canvas(state)) show_tour(state);
  go_to(state, Beat::done);
}

void end_tour(State& state) {
  Teaching& teach = state.teaching;
  const bool is_here = !is_away_from_tour(state);  // what a saved run was measured at stays
  if (const auto before = std::exchange(teach.before_tour, nullptr); before && is_here)
    restore_problem(state, *before);
  put_steps_away(teach);
  teach.tour = nullptr;
  teach.tour_step = 0;
  if (state.view.screen == ScreenId::tour) state.view.screen = ScreenId::lab;
  go_to(state, Beat::predict);
}

const study::TourStep* tour_step(const State& state) {
  return state.teaching.tour
             ? &state.teaching.tour->steps[static_cast<size_t>(state.teaching.tour_step)]
             : nullptr;
}

std::string tour_clock(const State& state) {
  const Teaching& teach = state.teaching;
  if (!teach.tour) {
    const std::vector<std::string> rungs = presented_rungs(state);
    const auto at = std::find(rungs.begin(), rungs.end(), state.selection.rung);
    return !teach.presenting || at == rungs.end()
               ? ""
               : fmt::format("rung {} of {}", at - rungs.begin() + 1, rungs.size());
  }
  return fmt::format("step {} of {}  ·  {:.0f} of {:.0f} min", teach.tour_step + 1,
                     teach.tour->steps.size(),
                     std::floor((teach.now_s - teach.tour_started_s) / 60), teach.tour->minutes);
}

void report_tour(State& state) {
  if (const std::string why = export_blocker(state); !why.empty()) {
    state.notice = {why, false};
    return;
  }
  export_report(state);
  // The presenter has no bar of what was written.
  if (state.teaching.presenting && !state.notice.is_error)
    state.notice = {"Written: " + state.written.file, false};
}

// ---- drawn -------------------------------------------------------------------------------------

namespace {

/// The lab in view is that of the tour's step, in the tour's session.
bool is_in_tour_lab(const State& state) {
  const study::TourStep* step = tour_step(state);
  return step && !is_away_from_tour(state) && state.selection.lab &&
         step->lab == state.selection.lab->id;
}

}  // namespace

float TourBar::height(const Ui& ui) {
  if (!ui.state.teaching.tour) return 0;
  return ui.px(is_in_tour_lab(ui.state) ? 44 : 32);
}

void TourBar::draw(Ui& ui, Area area) {
  if (!is_in_tour_lab(ui.state)) {  // what is looked at is no part of the tour
    const std::string label = "Back to the tour";
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
    ui.action_button("show_tour", area.take_right(w), label, Ui::Kind::quiet);
    return;
  }
  ui.panel(area);
  ui.fill({area.x, area.y, ui.px(4), area.h}, ui.color(Role::series0), ui.px(2));
  ui.widgets["tour_bar"] = area;
  Area head = area.inset(ui.px(16), ui.px(6));
  const auto button = [&](const char* id, const std::string& label, Ui::Kind kind) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
    ui.action_button(id, head.take_right(w, ui.px(8)), label, kind);
  };
  button("end_tour", "End", Ui::Kind::quiet);
  button("show_tour", "Back to the tour", Ui::Kind::primary);
  const float w = ui.text(head.x, head.middle(), ui.state.teaching.tour->title, kBody_px,
                          Role::text, Face::strong, Anchor::start, head.w * 0.6f);
  head.take_left(w, ui.px(16));
  ui.text(head.x, head.middle(), tour_clock(ui.state), kSmall_px, Role::muted, Face::body,
          Anchor::start, head.w);
}

}  // namespace ridge::window
