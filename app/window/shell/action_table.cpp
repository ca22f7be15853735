// What each action does, and the table that keys, buttons, menus and the palette read.
#include <algorithm>
#include <cstdlib>

#include "app/window/edit/editing.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/export.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/study.h"
#include "app/window/views/self_check.h"
#include "app/window/views/sweep.h"
#include "app/window/views/view.h"

namespace ridge::window {
namespace {

constexpr float kScales[] = {0.75f, 0.875f, 1.0f, 1.25f, 1.5f, 1.6f, 2.0f, 2.5f, 3.0f};

void cancel(State& state) {
  // Esc again: what it cancelled before may be in a call of many seconds.
  state.sessions.shown->stop_waiting();
  for (const int64_t id : {state.requests.run, state.requests.compare, state.inspecting.request}) {
    if (id) state.sessions.shown->cancel(id);
  }
  if (is_building(state)) state.sessions.shown->cancel(state.editing->build_request);
  state.notice = {"Cancelling after the call in hand; Esc again ends it at once.", false};
}

void escape(State& state) {
  if (state.view.show_menu)
    state.view.show_menu = false;
  else if (state.view.show_chart_menu)
    state.view.show_chart_menu = false;
  else if (state.view.show_palette)
    state.view.show_palette = false;
  else if (state.view.show_glossary)
    state.view.show_glossary = false;
  else if (state.teaching.show_tours)
    state.teaching.show_tours = false;
  else if (cancel_blocker(state).empty())
    cancel(state);
  else
    state.notice = {};
}

void open_palette(State& state) {
  state.view.show_palette = !state.view.show_palette;
  state.view.show_menu = state.view.show_glossary = false;  // both would take what is typed
  state.view.palette_typed.clear();
  state.view.palette_at = 0;
}

void toggle_baseline(State& state) {
  std::string& baseline = state.selection.baseline;
  baseline = baseline == state.selection.rung ? std::string() : state.selection.rung;
  state.notice = {};
  state.ladder.dirty = true;
}

void clear_baseline(State& state) {
  state.selection.baseline.clear();
  state.ladder.dirty = true;
}

void step_rung(State& state, int step) {
  const auto& rows = state.ladder.rows;  // with the learner's own
  const int count = static_cast<int>(rows.size());
  for (int i = 0; i < count; ++i) {
    if (state.selection.rung != rows[static_cast<size_t>(i)].rung->kernel) continue;
    select_rung(state, rows[static_cast<size_t>(std::clamp(i + step, 0, count - 1))].rung->kernel);
    return;
  }
}

void step_scale(State& state, int step) {
  const auto end = std::end(kScales);
  auto at = std::min_element(std::begin(kScales), end, [&](float a, float b) {
    return std::abs(a - state.appearance.scale) < std::abs(b - state.appearance.scale);
  });
  const auto next =
      std::clamp<long>(at - std::begin(kScales) + step, 0, end - std::begin(kScales) - 1);
  state.appearance.scale = kScales[next];
  save_settings(&state);
}

/// To the source tab first; there, from the text to what the compiler made of it, and back.
void toggle_assembly(State& state) {
  state.view.assembly = state.view.tab != Tab::source || !state.view.assembly;
  state.view.tab = Tab::source;
}

template <size_t place>
void open_nth_lab(State& state) {
  open_lab_at(state, place);
}

template <ChartCommand wanted>
void command(State& state) {
  state.chart.command = wanted;
}

template <bool copied>
void request_picture(State& state) {
  state.chart.png_in_frames = 3;
  state.chart.png_copied = copied;
}

using compat::Key;

const Action kBeforeViews[] = {
    {"run", "Run the ladder", pressed("F5", Key::f5), run_blocker, run_ladder},
    {"climb", "Climb the ladder: a first look at every rung, live", {}, run_blocker, climb},
    {"run_selected", "Run the selected rung", with_ctrl("Ctrl F5", Key::f5), run_selected_blocker,
     run_selected},
    {"cancel", "Cancel", pressed("Esc", Key::escape), always_available, escape},
    {"baseline", "Make the selected rung the baseline", typed("B", 'b'), lab_blocker,
     toggle_baseline},
    {"clear_baseline", "Clear the baseline", {}, always_available, clear_baseline},
    {"compare", "Compare the selected rung with the baseline", typed("C", 'c'), compare_blocker,
     compare},
    {"export", "Export the report", with_ctrl("Ctrl E", Key::e), export_blocker, export_report},
    {"previous_rung", "Previous rung", typed("[", '['), lab_blocker,
     [](State& state) { step_rung(state, -1); }},
    {"next_rung", "Next rung", typed("]", ']'), lab_blocker,
     [](State& state) { step_rung(state, 1); }},
    {"experts", "Show or fold the expert rungs", typed("X", 'x'), folds_blocker, toggle_folds},
    {"lesson", "Show the lesson", typed("L", 'l'), always_available,
     [](State& state) { state.view.tab = Tab::lesson; }},
    {"source", "Show the source", typed("S", 's'), always_available,
     [](State& state) { state.view.tab = Tab::source; }},
    {"assembly", "Show the source or its assembly", typed(";", ';'), always_available,
     toggle_assembly},
    {"edit", "Edit a copy of the selected rung", {}, edit_blocker, start_editing},
    {"save_edit", "Save your copy: it is built, checked and timed", with_ctrl("Ctrl S", Key::s),
     save_blocker, save_edit},
    {"revert_edit", "Go back to the original's text", {}, save_blocker, revert_edit},
    {"hint", "Show the next hint of the exercise", {}, hint_blocker, show_hint},
    {"diff", "Show what changed since the rung before", typed("D", 'd'), always_available,
     [](State& state) { state.view.tab = Tab::diff; }},
};

const Action kAfterViews[] = {
    {"log", "Show or hide the log", typed("G", 'g'), always_available,
     [](State& state) { state.view.show_log = !state.view.show_log; }},
    {"telemetry", "Show or hide telemetry", typed("Y", 'y'), always_available,
     [](State& state) {
       const bool shown = state.view.strip == Strip::telemetry;
       state.view.strip = shown ? Strip::automatic : Strip::telemetry;
     }},
    {"theme", "Dark or light", typed("T", 't'), always_available,
     [](State& state) {
       state.appearance.light_theme = !state.appearance.light_theme;
       save_settings(&state);
     }},
    {"chart_table", "Chart, or the table behind it", typed(".", '.'), chart_blocker,
     command<ChartCommand::table>},
    {"fit", "Show all of the chart again", typed("0", '0'), always_available,
     command<ChartCommand::fit>},
    {"copy_value",
     "Copy the value pointed at",
     {},
     chart_blocker,
     command<ChartCommand::copy_value>},
    {"copy_csv",
     "Copy the chart's table as CSV",
     {},
     chart_blocker,
     command<ChartCommand::copy_csv>},
    {"copy_svg", "Copy the chart as SVG", {}, chart_blocker, command<ChartCommand::copy_svg>},
    {"copy_png", "Copy a picture of the chart (PNG)", {}, chart_blocker, request_picture<true>},
    {"save_png", "Save a picture of the chart (PNG)", {}, chart_blocker, request_picture<false>},
    {"reduced_motion",
     "Reduced motion on or off",
     {},
     always_available,
     [](State& state) {
       state.appearance.reduced_motion = !state.appearance.reduced_motion;
       save_settings(&state);
     }},
    {"probe", "Measure what this machine can do at most", {}, work_blocker, probe},
    {"self_check", "A/A: this machine's noise floor", {}, self_checks_blocker, run_self_checks},
    {"counters",
     "Count hardware events of a GPU on or off",
     {},
     reruns_blocker,
     [](State& state) { state.selection.counters = !state.selection.counters; }},
    {"larger", "Larger", with_ctrl("Ctrl +", Key::plus), always_available,
     [](State& state) { step_scale(state, 1); }},
    {"smaller", "Smaller", with_ctrl("Ctrl −", Key::minus), always_available,
     [](State& state) { step_scale(state, -1); }},
    {"full_screen", "Full screen", pressed("F11", Key::f11), always_available,
     [](State& state) { state.appearance.full_screen = !state.appearance.full_screen; }},
    {"palette", "Find an action, a screen, a lab, a rung", with_ctrl("Ctrl K", Key::k),
     always_available, open_palette},
    {"predict", "Predict the selected rung", typed("U", 'u'), predict_blocker, toggle_predict},
    {"advance", "Go on: run, reveal, explain, next", pressed("Page Down", Key::page_down),
     advance_blocker, advance},
    {"go_back", "Go back", pressed("Page Up", Key::page_up), advance_blocker, go_back},
    {"tours", "Tours", typed("J", 'j'), always_available,
     [](State& state) { state.teaching.show_tours = !state.teaching.show_tours; }},
    {"end_tour", "End the tour", {}, tour_blocker, end_tour},
    {"sweep", "Sweep the selected rung over all sizes", typed("Z", 'z'), run_selected_blocker,
     sweep_selected},
    {"sweep_all", "Sweep the ladder over all sizes", {}, run_blocker, sweep_all},
    {"reruns", "Run again on every change of a parameter", typed("F", 'f'), reruns_blocker,
     toggle_reruns},
    {"step_on", "Next step of the lesson's diagrams", typed(">", '>'), lesson_blocker,
     [](State& state) { ++state.teaching.diagram_moves; }},
    {"step_back", "Previous step of the lesson's diagrams", typed("<", '<'), lesson_blocker,
     [](State& state) { --state.teaching.diagram_moves; }},
    {"lab_1", "First lab, and so on to 9", {.text = "1 … 9"}, always_available, open_nth_lab<0>},
};

void add_views(std::vector<Action>* all) {
  for (const ViewDesc* view : views()) {
    all->push_back({view->id, view->title, view->keys,
                    view->blocker ? view->blocker : always_available,
                    [view](State& state) { show_view(state, *view); }, view->level});
    if (!view->actions) continue;
    const auto more = view->actions();
    all->insert(all->end(), more.begin(), more.end());
  }
}

/// The tables above, the views with what they can do, and a way to every screen and tour.
std::vector<Action> all_actions() {
  std::vector<Action> all(std::begin(kBeforeViews), std::end(kBeforeViews));
  add_views(&all);
  all.insert(all.end(), std::begin(kAfterViews), std::end(kAfterViews));
  const auto study = study_actions();
  all.insert(all.end(), study.begin(), study.end());
  for (const ScreenDesc& screen : screens()) {
    all.push_back({std::string("show_") + screen.name,
                   std::string(screen.title) + ": " + screen.about,
                   typed(screen.keys, screen.typed), always_available, screen.show});
  }
  for (const std::string& id : study::tour_ids()) {
    const auto tour = study::load_tour(id);
    if (!tour) continue;  // the list of tours says what is wrong with it
    all.push_back({"tour_" + id,
                   "Tour: " + tour->title,
                   {},
                   always_available,
                   [id](State& state) { start_tour(state, id); },
                   Level::kLearn});
  }
  return all;
}

}  // namespace

std::span<const Action> actions() {
  static const std::vector<Action> kAll = all_actions();
  return kAll;
}

}  // namespace ridge::window
