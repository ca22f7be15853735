// One table of actions. Keys, buttons, the list behind "?" and later menus read it, so that no
// action exists in one of them only, and each is named the same everywhere.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/platform/imgui_compat.h"
#include "app/study/lesson.h"
#include "app/window/shell/state.h"
#include "app/window/shell/worker_requests.h"
#include "common/core/level.h"

namespace ridge::window {

/// Keyboard shortcut; none by default.
struct Keys {
  const char* text = "";                ///< as printed: "F5"
  char typed = 0;                       ///< a typed character: 'b'
  std::optional<compat::Key> key = {};  ///< or a key that types nothing
  bool ctrl = false;
};

constexpr Keys typed(const char* text, char character) {
  return {.text = text, .typed = character};
}
constexpr Keys pressed(const char* text, compat::Key key) {
  return {.text = text, .key = key};
}
constexpr Keys with_ctrl(const char* text, compat::Key key) {
  return {.text = text, .key = key, .ctrl = true};
}

struct Action {
  std::string id;     ///< "run"
  std::string title;  ///< "Run the ladder"
  Keys keys;
  /// Why it cannot be done now, one sentence; empty when it can.
  std::string (*blocker)(const State& state) = nullptr;
  std::function<void(State& state)> act;
  Level level = Level::kLab;
};

std::span<const Action> actions();
const Action& action(std::string_view id);
/// Null: no action is called so.
const Action* find_action(std::string_view id);

/// Does it, or puts the reason why not into the notice. True when it was done.
bool perform(State& state, std::string_view id);
/// Whether its key works in the presenter, and in an empty field for a number.
bool works_on_stage(const Action& action);
/// What its key is called where it works on the screen in view; empty: it has none there.
std::string keys_here(const State& state, const Action& action);
/// Reads this frame's keys from ImGui; typed characters are left alone while a text field has them.
void handle_keys(State& state);

// What needs an argument is a function instead of a row in the table.
/// By its place in the course, from 0.
void open_lab_at(State& state, size_t place);
void select_rung(State& state, const std::string& kernel);
/// To the place in a rung's source that a lesson's link names; an empty kernel: the selected rung.
void follow_code(State& state, const std::string& kernel, const std::string& anchor);
/// Does what a lesson's link says, with its part's rung selected; an empty kernel: the selected rung.
void follow_link(State& state, const std::string& kernel, const study::LessonLink& link);
void set_param(State& state, const std::string& name, ParamValue value);
void set_mode(State& state, RunMode mode);
void set_cache(State& state, CacheMode cache);

// ---- why an action cannot be done now: one sentence, empty when it can --------------------------

std::string always_available(const State& state);
std::string run_blocker(const State& state);
std::string run_selected_blocker(const State& state);
std::string compare_blocker(const State& state);
std::string cancel_blocker(const State& state);
std::string export_blocker(const State& state);
std::string report_blocker(const State& state);
std::string chart_blocker(const State& state);
std::string lab_blocker(const State& state);
std::string folds_blocker(const State& state);
std::string tour_blocker(const State& state);
std::string reruns_blocker(const State& state);
std::string lesson_blocker(const State& state);

}  // namespace ridge::window
