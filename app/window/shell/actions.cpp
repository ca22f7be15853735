#include "app/window/shell/actions.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/query/selection.h"
#include "app/window/edit/editing.h"
#include "app/window/inspect/inspect_view.h"
#include "app/window/inspect/walk_view.h"
#include "app/window/shell/export.h"
#include "app/window/shell/overlays.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/shell/window.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/shell/written.h"
#include "app/window/teach/lists.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step_answer.h"
#include "app/window/teach/study.h"
#include "app/window/views/view.h"
#include "common/record/params.h"

namespace ridge::window {

const Action* find_action(std::string_view id) {
  for (const Action& entry : actions()) {
    if (id == entry.id) return &entry;
  }
  return nullptr;
}

const Action& action(std::string_view id) {
  const Action* found = find_action(id);
  if (!found) std::abort();  // a name in the code that is not in the table: a mistake, not a state
  return *found;
}

bool perform(State& state, std::string_view id) {
  const Action& entry = action(id);
  if (id != "cancel") finish_typing(state);  // Esc takes back what was typed
  if (std::string why = entry.blocker(state); !why.empty()) {
    state.notice = {why, false};
    return false;
  }
  entry.act(state);
  return true;
}

void select_rung(State& state, const std::string& kernel) {
  if (kernel == state.selection.rung && is_covered(state, kernel))
    state.teaching.uncovered = kernel;  // a click on its row
  state.selection.rung = kernel;
  unfold_for(state, kernel);
  state.notice = {};
  state.ladder.dirty = true;
}

void follow_code(State& state, const std::string& kernel, const std::string& anchor) {
  if (!kernel.empty() && kernel != state.selection.rung) select_rung(state, kernel);
  state.view.tab = Tab::source;
  state.view.code_mark = {state.selection.rung, anchor, state.view.code_mark.jumps + 1};
}

namespace {

void set_params(State& state, const std::string& assignments) {
  const auto params = params_of_words(assignments);
  if (!params) {
    state.notice = {params.error().sentence(), true};
    return;
  }
  for (const auto& [name, value] : *params) set_param(state, name, value);
  state.notice = {"Set: " + params_in_words(*state.selection.lab, *params) + ".", false};
}

/// What the selected rung's step goes on from: the nearest rung before it that can run here; null: there is none.
const RungView* step_base(const State& state) {
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row || !state.selection.lab || row->rung->peer) return nullptr;
  if (is_edit(row->rung->kernel))
    return find_row(state.ladder, original_rung_of(state, row->rung->kernel));
  for (const Rung* rung = previous_rung(*state.selection.lab, *row->rung); rung;
       rung = previous_rung(*state.selection.lab, *rung)) {
    const RungView* base = find_row(state.ladder, rung->kernel);
    if (base && base->can_run) return base;
  }
  return nullptr;
}

std::string compare_step_blocker(const State& state) {
  if (std::string why = work_blocker(state); !why.empty()) return why;
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row || !row->can_run)
    return rung_title(state.ladder, state.selection.rung) +
           " cannot run on this machine, so it cannot be compared.";
  if (!step_base(state))
    return row->rung->peer
               ? "A library goes on from no rung: select a rung of the ladder."
               : row->rung->title + std::string(" goes on from no rung that can run here.");
  return "";
}

/// The lesson's question after each step, without a word of baselines.
void compare_step(State& state) {
  state.selection.baseline = step_base(state)->rung->kernel;
  state.ladder.dirty = true;
  perform(state, "compare");
}

void compare_with(State& state, const std::string& name) {
  const auto rung = find_rung(*state.selection.lab, name);
  if (!rung) {
    state.notice = {rung.error().sentence(), true};
    return;
  }
  state.selection.baseline = (*rung)->kernel;
  state.ladder.dirty = true;
  perform(state, "compare");
}

}  // namespace

void follow_link(State& state, const std::string& kernel, const study::LessonLink& link) {
  using Kind = study::LessonLink::Kind;
  if (link.kind == Kind::code) return follow_code(state, kernel, link.target);
  if (!kernel.empty() && kernel != state.selection.rung) select_rung(state, kernel);
  if (link.kind == Kind::set) return set_params(state, link.target);
  if (link.kind == Kind::compare) return compare_with(state, link.target);
  if (!find_action(link.target)) {  // a view's action has its name
    state.notice = {"The lesson leads to “" + link.target + "”, which this build lacks.", true};
    return;
  }
  const bool is_in_view = link.kind == Kind::view && state.view.screen == ScreenId::lab &&
                          state.selection.view == find_view(link.target);
  if (!is_in_view) perform(state, link.target);
}

void set_param(State& state, const std::string& name, ParamValue value) {
  const auto chosen = state.selection.params.find(name);
  if (chosen != state.selection.params.end() && chosen->second == value) return;
  state.selection.params[name] = std::move(value);
  state.requests.estimates_due = true;
  state.ladder.dirty = true;
  rerun_live(state);
}

void set_mode(State& state, RunMode mode) {
  choose_mode(state, mode);
  state.requests.estimates_due = true;
  state.ladder.dirty = true;
}

void set_cache(State& state, CacheMode cache) {
  state.selection.cache = cache;
  state.ladder.dirty = true;
}

// ---- why an action cannot be done now -----------------------------------------------------------

std::string always_available(const State&) {
  return {};
}

/// What a lab runs would come without its questions: of a tour the canvas shows one step, which has a button of its own.
constexpr const char* kOnCanvas =
    "A step of a tour is in view: its own button runs it. The ladder runs in the Lab.";

std::string run_blocker(const State& state) {
  if (is_on_canvas(state)) return kOnCanvas;
  if (std::string why = work_blocker(state); !why.empty()) return why;
  if (must_list_again(state)) return {};
  const bool any =
      std::any_of(state.ladder.rows.begin(), state.ladder.rows.end(),
                  [&](const RungView& row) { return row.can_run && !is_folded(state, *row.rung); });
  return any ? std::string() : "No rung of this lab can run on this machine.";
}

std::string run_selected_blocker(const State& state) {
  if (is_on_canvas(state)) return kOnCanvas;
  if (std::string why = work_blocker(state); !why.empty()) return why;
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && row->can_run) return {};
  const std::string reason =
      row ? app::why_not_here(*state.selection.lab, state.run(), *row->rung) : std::string();
  return "The selected rung cannot run on this machine" + (reason.empty() ? "." : ": " + reason);
}

std::string compare_blocker(const State& state) {
  if (is_on_canvas(state)) return kOnCanvas;
  if (state.selection.baseline.empty()) {
    return "Choose a baseline first: select a rung and press B.";
  }
  if (std::string why = work_blocker(state); !why.empty()) return why;
  for (const std::string& kernel : {state.selection.baseline, state.selection.rung}) {
    const RungView* row = find_row(state.ladder, kernel);
    if (!row || !row->can_run) {
      return rung_title(state.ladder, kernel) +
             " cannot run on this machine, so it cannot be compared.";
    }
    if (row->info->kind == RungKind::trap) {
      return rung_title(state.ladder, kernel) +
             " is a trap; only kernels, trainings and pipelines are compared in pairs.";
    }
  }
  const OpenEnum<RungKind> kinds[] = {find_row(state.ladder, state.selection.baseline)->info->kind,
                                      find_row(state.ladder, state.selection.rung)->info->kind};
  if (kinds[0] != kinds[1]) {
    return rung_title(state.ladder, state.selection.rung) + " is a " + kinds[1].text() +
           " and the baseline a " + kinds[0].text() + ": choose two of one kind.";
  }
  return budget_blocker(state);
}

/// The open request of the look inside that is in view; 0: none. One that was left goes on: it ends on its own, and
/// what it found is there when the person returns. Stamps are measured, and hold up what would be measured next: they
/// can be cancelled from anywhere.
int64_t looked_at(const State& state) {
  if (state.lanes.request) return state.lanes.request;
  if (state.counting.request) return state.counting.request;
  if (shows_inspect(state)) return state.inspecting.request;
  return shows_walk(state) ? state.walking.request : 0;
}

std::string cancel_blocker(const State& state) {
  const bool any = state.requests.is_measuring() || looked_at(state) != 0 || is_building(state);
  return any ? std::string() : "Nothing is running.";
}

std::string export_blocker(const State& state) {
  for (const RungView& row : state.ladder.rows) {
    if (row.series) return {};
  }
  if (state.sessions.before) return {};
  return "There is nothing to export yet: run the ladder first (F5).";
}

/// A report is of the lab in view: where no lab is in view, there is none to write.
std::string report_blocker(const State& state) {
  for (const ScreenId other :
       {ScreenId::cards, ScreenId::classroom, ScreenId::settings, ScreenId::shortcuts}) {
    if (state.view.screen == other)
      return "Export writes the report of a lab: open the lab or its Report first.";
  }
  return export_blocker(state);
}

std::string chart_blocker(const State& state) {
  const bool is_chart = !state.selection.view->make_panel;
  const bool has = (state.view.screen == ScreenId::lab && is_chart) ||
                   state.view.screen == ScreenId::compare || state.view.screen == ScreenId::report;
  return has ? "" : "There is no single chart on this screen; the lab and Compare have one.";
}

std::string lab_blocker(const State& state) {
  return state.selection.lab ? "" : "This build has no labs.";
}

std::string folds_blocker(const State& state) {
  return has_folds(state.ladder) ? "" : "This lab has no expert rungs.";
}

std::string tour_blocker(const State& state) {
  return state.teaching.tour ? "" : "No tour is on.";
}

std::string reruns_blocker(const State& state) {
  return state.is_replay() ? "This is a saved run: nothing can be run again." : "";
}

// ---- the table as keys, and as a list for the terminal ------------------------------------------

using compat::Key;

std::string actions_text() {
  std::string text;
  for (const Action& entry : actions()) {
    const auto padded = [](std::string cell, size_t width) {
      cell.resize(std::max(cell.size() + 1, width), ' ');
      return cell;
    };
    // "−" and "…" are three bytes wide but one column.
    const std::string keys = entry.keys.text;
    const size_t extra = static_cast<size_t>(std::count_if(keys.begin(), keys.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    }));
    text += padded(entry.id, 18) + padded(keys, 9 + extra) + entry.title + "\n";
  }
  return text;
}

void open_lab_at(State& state, size_t place) {
  const auto labs = all_labs();
  if (place < labs.size()) {
    open_lab(state, labs[place]->id);
    state.view.screen = ScreenId::lab;
  } else {
    state.notice = {"There is no lab " + std::to_string(place + 1) + " in this build.", false};
  }
}

/// Keys of the lab that is hidden behind the presenter do nothing: a clicker sends F5, B and a full stop for its other
/// buttons, and an audience would see a screen that the presenter did not ask for.
bool works_on_stage(const Action& action) {
  static const std::set<std::string> kOnStage = {
      "advance",        "go_back",     "next_step", "previous_step", "steps",          "cancel",
      "show_presenter", "palette",     "tours",     "theme",         "larger",         "smaller",
      "glossary",       "full_screen", "step_on",   "step_back",     "show_shortcuts", "run_again"};
  return kOnStage.contains(action.id);
}

namespace {

/// A key that two actions have is the canvas's while a step is in view.
bool works_here(const State& state, const Action& entry) {
  static const Action& again = action("run_again");
  const bool on_canvas = is_on_canvas(state);
  if (&entry == &again) return on_canvas;
  if (on_canvas && entry.keys.typed == again.keys.typed) return false;
  return !state.teaching.presenting || works_on_stage(entry);
}

}  // namespace

std::string keys_here(const State& state, const Action& action) {
  // Code is written there: after Esc, or a click beside it, what is meant for the text would be commands.
  return action.keys.typed && is_editing_here(state) ? "" : action.keys.text;
}

namespace {

bool is_key_of(const Action& entry, ImWchar character) {
  const char key = entry.keys.typed;
  const bool is_letter = key >= 'a' && key <= 'z';
  return key && (character == static_cast<ImWchar>(key) ||
                 (is_letter && character == static_cast<ImWchar>(key - 32)));
}

void type_digit(State& state, int digit) {
  if (has_list(state)) {
    state.teaching.list_at = digit - 1;
    return;
  }
  if (const auto take = screen_of(state.view.screen).digit) take(state, digit);
}

/// A field for a number that has the keyboard: what stands in it, and whether it takes a sign behind that.
struct NumberField {
  std::string typed;
  std::function<bool(std::string_view typed, uint32_t sign)> takes;
};

std::optional<NumberField> number_field(const State& state) {
  if (!ImGui::GetIO().WantTextInput) return std::nullopt;
  if (types_prediction(state)) return NumberField{state.teaching.typed, takes_expected};
  if (!asks_for_number(state)) return std::nullopt;
  return NumberField{answer_here(state).typed,
                     [ask = shown_step(state).ask](std::string_view typed, uint32_t sign) {
                       return takes_sign(ask, typed, sign);
                     }};
}

/// `field`: it does not take this, so that it is a key of the window; but a letter behind a digit is rather a slip in the
/// unit, and a point begins a number.
void handle_character(State& state, ImWchar character, const NumberField* field) {
  if (character == ' ' && ImGui::GetIO().NavVisible) return;  // it presses what has the focus
  if (!field && character >= '1' && character <= '9')
    return type_digit(state, static_cast<int>(character) - '0');
  const bool is_letter = character < 128 && std::isalpha(static_cast<int>(character));
  const bool is_slip = field && (character == '.' || (is_letter && !field->typed.empty()));
  bool is_known = false;
  for (const Action& entry : actions()) {
    if (is_slip || !is_key_of(entry, character) || !works_here(state, entry)) continue;
    if (field && !works_on_stage(entry)) continue;  // a word that is typed leads nowhere else
    is_known = true;
    perform(state, entry.id);
  }
  if (field && !is_known) state.notice = {kDigitsFirst, false};
}

}  // namespace

namespace {

/// The arrows step through what is stepped through: the beats of a tour, else the lesson's diagrams. `in_text`: they move
/// within what is typed, or over what can be pressed.
void step_by_arrows(State& state, bool in_text) {
  if (in_text || has_list(state)) return;
  const bool is_on = compat::key_pressed(Key::right), is_back = compat::key_pressed(Key::left);
  if (is_on == is_back) return;
  if (is_on_canvas(state))
    perform(state, is_on ? "advance" : "go_back");
  else if (state.view.screen == ScreenId::lab && diagram_step_blocker(state).empty())
    perform(state, is_on ? "step_on" : "step_back");
}

/// A clicker has no Esc: what a stray key laid over the stage closes with the clicker's own.
void close_by_clicker(State& state) {
  const bool is_pressed = compat::key_pressed(Key::page_down) || compat::key_pressed(Key::page_up);
  if (!state.teaching.presenting || !is_pressed) return;
  state.view.show_palette = state.view.show_glossary = false;
  state.teaching.focused_step = -1;  // the answer's field has the keyboard again
}

}  // namespace

void handle_keys(State& state) {
  const ImGuiIO& io = ImGui::GetIO();
  // The levels take a digit, which would else open a lab behind them.
  const bool is_typing =
      state.view.show_palette || state.view.show_glossary || state.view.show_levels;
  if (is_typing) close_by_clicker(state);
  for (const Action& entry : actions()) {
    const bool is_its_own = entry.id == "palette" || entry.id == "cancel";
    if ((is_typing && !is_its_own) || !works_here(state, entry)) continue;
    // A list that is open takes the clicker's keys.
    if (has_list(state) && (entry.id == "advance" || entry.id == "go_back")) continue;
    if (entry.keys.key && entry.keys.ctrl == io.KeyCtrl && compat::key_pressed(*entry.keys.key)) {
      perform(state, entry.id);
    }
  }
  if (io.KeyCtrl && compat::key_pressed(Key::keypad_plus)) perform(state, "larger");
  if (io.KeyCtrl && compat::key_pressed(Key::keypad_minus)) perform(state, "smaller");
  for (int digit = 1; io.KeyCtrl && !is_typing && !state.teaching.presenting && digit <= 9;
       ++digit) {
    if (compat::key_pressed(compat::digit_key(digit)))
      open_lab_at(state, static_cast<size_t>(digit - 1));
  }
  if (!is_typing && compat::key_pressed(Key::f1)) perform(state, "show_shortcuts");
  std::optional<NumberField> field = number_field(state);
  const bool in_text = field ? !field->typed.empty() : io.WantTextInput;
  step_by_arrows(state, in_text || is_typing || io.KeyCtrl || io.NavVisible);
  if ((io.WantTextInput && !field) || io.KeyCtrl || is_typing) return;
  if (is_editing_here(state)) return;
  bool is_taken = false;
  // A copy: an action may change what the loop walks over in a later version of ImGui.
  const std::vector<ImWchar> typed(io.InputQueueCharacters.begin(), io.InputQueueCharacters.end());
  for (const ImWchar character : typed) {
    if (field && field->takes(field->typed, character)) {
      field->typed += character < 128 ? static_cast<char>(character) : '?';
      continue;
    }
    if (!field && takes_typed(state, character)) {
      is_taken = true;
      continue;
    }
    handle_character(state, character, field ? &*field : nullptr);
  }
  // The key that opened a list is not the first letter looked for in it.
  if (state.view.show_glossary || is_taken) ImGui::GetIO().InputQueueCharacters.resize(0);
}

// ---- the table ---------------------------------------------------------------------------------

namespace {

constexpr float kScales[] = {0.75f, 0.875f, 1.0f, 1.25f, 1.5f, 1.6f, 2.0f, 2.5f, 3.0f};

void cancel(State& state) {
  // Esc again: what it cancelled before may be in a call of many seconds.
  state.sessions.shown->stop_waiting();
  for (const int64_t id : {state.requests.run, state.requests.compare, looked_at(state)}) {
    if (id) state.sessions.shown->cancel(id);
  }
  if (is_building(state)) state.sessions.shown->cancel(state.editing->build_request);
  state.notice = {"Cancelling after the call in hand; Esc again ends it at once.", false};
}

std::string run_here_blocker(const State& state) {
  if (is_on_canvas(state)) return step_run_blocker(state);
  return is_editing_here(state) ? build_blocker(state) : run_blocker(state);
}

/// What is open in Your turn is what is meant there, not the lab behind it.
void run_here(State& state) {
  if (is_on_canvas(state)) return advance(state);
  is_editing_here(state) ? save_edit(state) : run_ladder(state);
}

void escape(State& state) {
  if (state.view.show_menu || state.view.show_levels)
    close_menus(state);
  else if (state.view.show_chart_menu)
    state.view.show_chart_menu = false;
  else if (state.view.show_palette)
    state.view.show_palette = false;
  else if (state.first_climb.shows_card)
    close_climb_card(state);
  else if (state.view.show_glossary)
    state.view.show_glossary = false;
  else if (has_list(state))
    close_list(state);
  else if (cancel_blocker(state).empty())
    cancel(state);
  else if (is_predict_open(state) && state.view.screen == ScreenId::lab)
    close_predict(state);
  else if (state.teaching.presenting)
    toggle_presenter(state);
  else if (state.view.screen == ScreenId::shortcuts)
    state.view.screen = ScreenId::lab;
  else if (is_editing_here(state) && state.written.file.empty())
    leave_editing(state);
  else {
    state.notice = {};
    close_written(state);
  }
}

void open_palette(State& state) {
  state.view.show_palette = !state.view.show_palette;
  close_menus(state);
  state.view.show_glossary = false;  // both would take what is typed
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

void show_source(State& state, SourceForm form) {
  state.view.tab = Tab::source;
  state.view.source_form = form;
}

/// To the source tab first; there, from the text to what the compiler made of it, and back.
void toggle_assembly(State& state) {
  const bool is_shown =
      state.view.tab == Tab::source && state.view.source_form == SourceForm::assembly;
  show_source(state, is_shown ? SourceForm::file : SourceForm::assembly);
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
  state.chart.png_of_card = false;
}

void request_card_picture(State& state) {
  state.chart.png_in_frames = 3;
  state.chart.png_copied = false;
  state.chart.png_of_card = true;
}

std::string shown_card_blocker(const State& state) {
  return state.first_climb.shows_card ? "" : "No result card is shown.";
}

using compat::Key;

const Action kBeforeViews[] = {
    {"run", "Run the ladder", pressed("F5", Key::f5), run_here_blocker, run_here},
    {"climb", "First look: run every rung of the ladder, live", {}, run_blocker, climb},
    {"watch", "Watch it climb: one core, from three loops to the library", typed("!", '!'),
     first_climb_blocker, start_first_climb, Level::kLearn},
    {"climb_card",
     "Show the card of the climb that was watched",
     {},
     climb_card_blocker,
     show_climb_card},
    {"why_it_climbs",
     "Take the tour that asks why it climbs",
     {},
     shown_card_blocker,
     [](State& state) {
       close_climb_card(state);
       resume_tour(state, tour_to_resume(state));
     }},
    {"close_climb_card", "Close the card", {}, shown_card_blocker, close_climb_card},
    {"save_climb_card",
     "Save the card as a picture (PNG)",
     {},
     shown_card_blocker,
     request_card_picture},
    {"run_selected", "Run the selected rung", with_ctrl("Ctrl F5", Key::f5), run_selected_blocker,
     run_selected},
    {"cancel", "Cancel", pressed("Esc", Key::escape), always_available, escape},
    {"baseline", "Make the selected rung the baseline", typed("B", 'b'), lab_blocker,
     toggle_baseline},
    {"clear_baseline", "Clear the baseline", {}, always_available, clear_baseline},
    {"compare", "Compare the selected rung with the baseline", typed("C", 'c'), compare_blocker,
     compare},
    {"compare_step",
     "Compare the selected rung with the one it goes on from, in turns",
     {},
     compare_step_blocker,
     compare_step,
     Level::kLearn},
    {"export", "Export the report", with_ctrl("Ctrl E", Key::e), report_blocker, export_report},
    {"article",
     "Export an article: the climb step by step, with its code",
     {},
     export_blocker,
     export_article},
    {"open_written", "Open what was written last", {}, written_blocker, open_written},
    {"written_folder",
     "Show the folder of what was written last",
     {},
     written_blocker,
     show_written_folder},
    {"copy_summary",
     "Copy what was written last in words: the claim, the machine, the command",
     {},
     written_blocker,
     copy_summary},
    {"copy_written_path",
     "Copy the path of what was written last",
     {},
     written_blocker,
     copy_written_path},
    {"close_written", "Close the bar of what was written", {}, written_blocker, close_written},
    {"previous_rung", "Previous rung", typed("[", '['), lab_blocker,
     [](State& state) { step_rung(state, -1); }},
    {"next_rung", "Next rung", typed("]", ']'), lab_blocker,
     [](State& state) { step_rung(state, 1); }},
    {"experts", "Show or fold the expert rungs", typed("X", 'x'), folds_blocker, toggle_folds},
    {"lesson", "Show the lesson", typed("L", 'l'), always_available,
     [](State& state) { state.view.tab = Tab::lesson; }},
    {"source", "Show the source", typed("S", 's'), always_available,
     [](State& state) { show_source(state, SourceForm::file); }},
    {"flat_source",
     "Show the source with its headers folded in",
     {},
     always_available,
     [](State& state) { show_source(state, SourceForm::flat); }},
    {"assembly", "Show the source or its assembly", typed(";", ';'), always_available,
     toggle_assembly},
    {"edit", "Edit a copy of the selected rung", {}, edit_blocker, start_editing},
    {"save_edit", "Save your copy: it is built, checked and timed", with_ctrl("Ctrl S", Key::s),
     save_blocker, save_edit},
    {"revert_edit", "Bring back the original text", {}, save_blocker, revert_edit},
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
    {"save_csv",
     "Save the chart's table as CSV",
     {},
     chart_blocker,
     command<ChartCommand::save_csv>},
    {"save_svg", "Save the chart as SVG", {}, chart_blocker, command<ChartCommand::save_svg>},
    {"copy_png", "Copy a picture of the chart (PNG)", {}, chart_blocker, request_picture<true>},
    {"save_png", "Save a picture of the chart (PNG)", {}, chart_blocker, request_picture<false>},
    {"level",
     "Show more, or less: Learn, Lab, Bench",
     {},
     always_available,
     [](State& state) {
       const bool opens = !state.view.show_levels;
       close_menus(state);
       state.view.show_levels = opens;
     }},
    {"reduced_motion",
     "Reduced motion on or off",
     {},
     always_available,
     [](State& state) {
       state.appearance.reduced_motion = !state.appearance.reduced_motion;
       save_settings(&state);
     }},
    {"count", "Count the selected CUDA rung here, without a GPU", {}, count_blocker, count_here},
    {"probe", "Measure this machine's ceilings", {}, work_blocker, probe},
    {"self_check",
     "Noise floor: compare a rung with itself (A/A)",
     {},
     self_checks_blocker,
     run_self_checks},
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
    {"predict", "Predict the selected rung", typed("U", 'u'), predict_blocker, open_predict},
    {"advance", "Go on: run, reveal, explain, next", pressed("Page Down", Key::page_down),
     advance_blocker, advance},
    {"go_back", "Go back", pressed("Page Up", Key::page_up), advance_blocker, go_back},
    {"tours", "Tours", typed("J", 'j'), always_available, toggle_tours},
    {"steps", "The tour's steps: jump to one, or leave one out", typed("#", '#'), jump_blocker,
     toggle_steps},
    {"next_step", "Next step of the tour, whatever is left of this one",
     with_ctrl("Ctrl Page Down", Key::page_down), jump_blocker,
     [](State& state) { go_to_step(state, state.teaching.tour_step + 1); }},
    {"previous_step", "Previous step of the tour", with_ctrl("Ctrl Page Up", Key::page_up),
     jump_blocker, [](State& state) { go_to_step(state, state.teaching.tour_step - 1); }},
    {"run_again", "On a step of a tour: measure it again", typed("R", 'r'), again_blocker,
     run_again},
    {"end_tour", "End the tour", {}, tour_blocker, stop_tour},
    {"report_tour", "Report what the tour measured", {}, export_blocker, report_tour},
    {"sweep", "Sweep the selected rung over all sizes", typed("Z", 'z'), run_selected_blocker,
     sweep_selected},
    {"sweep_all", "Sweep the ladder over all sizes", {}, run_blocker, sweep_all},
    {"reruns", "Run again on every change of a parameter", typed("F", 'f'), reruns_blocker,
     toggle_reruns},
    {"step_on", "Next step of the lesson's diagrams, or of the warp that is shown", typed(">", '>'),
     diagram_step_blocker, [](State& state) { step_diagrams(state, 1); }},
    {"step_back", "Previous step of the lesson's diagrams, or of the warp that is shown",
     typed("<", '<'), diagram_step_blocker, [](State& state) { step_diagrams(state, -1); }},
    {"lab_1",
     "Lab 1 to 9; on Home the number alone does it",
     {.text = "Ctrl 1 … 9"},
     always_available,
     open_nth_lab<0>},
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
