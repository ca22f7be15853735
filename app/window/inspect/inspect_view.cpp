#include "app/window/inspect/inspect_view.h"

#include <algorithm>
#include <cmath>

#include "app/query/networks.h"
#include "app/window/shell/actions.h"
#include "common/record/derive.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

/// Between two requests while something is drawn: each answer is kept in the transcript.
constexpr double kBetween_s = 0.15;

bool has_model(const Lab& lab, const std::string& kernel) {
  return std::any_of(lab.inspected.begin(), lab.inspected.end(),
                     [&](const char* family) { return family_of(kernel) == family; });
}

/// The model is its family's; a saved run is shown with the parameters that it has.
bool is_of(const State& state, const RungView& row, const Params& wanted, const Inspection& one) {
  if (family_of(one.kernel) != family_of(row.rung->kernel)) return false;
  return state.is_replay() || std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
           const auto found = one.params.find(item.first);
           return found == one.params.end() || found->second == item.second;
         });
}

/// The newest; from the back, since somebody who draws makes thousands.
const Inspection* newest(const State& state, bool of_model) {
  const RungView* row = inspected_row(state);
  if (!row) return nullptr;
  const Params wanted = view_params(state, row->info);
  const auto& all = state.run().inspections();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Inspection& one) {
    return one.of != "answers" && (one.of == "model") == of_model &&
           is_of(state, *row, wanted, one);
  });
  return found == all.rend() ? nullptr : &*found;
}

const InspectionPlane* picture_in_view(const State& state) {
  const Inspection* shown = shown_input(state);
  return shown ? shown->plane("image") : nullptr;
}

void changed(State& state) {
  ++state.inspecting.version;
  state.inspecting.problem.clear();
  state.ladder.dirty = true;
}

/// Takes over what the worker chose: which image it gets wrong.
bool take_answer(State& state) {
  Inspecting& look = state.inspecting;
  const Request* request = look.request ? state.run().request(look.request) : nullptr;
  if (!request || request->open()) return false;
  if (const std::string why = why_not_done(state, *request); !why.empty())
    (look.is_answering ? look.answers_problem : look.problem) = why;
  if (std::exchange(look.is_answering, false)) {
    look.request = 0;
    return true;
  }
  const auto& all = state.run().inspections();
  if (look.asked.wrong && !all.empty() && all.back().request == look.request && all.back().input) {
    look.asked.input = all.back().input;
    look.asked.wrong = false;
  }
  look.is_broken_off = is_broken_off(*request);
  look.request = 0;
  return true;
}

/// What is to be asked next: the model once, then what is picked or drawn; empty: nothing.
std::string wanted_key(const State& state, const WorkRequest& request) {
  const KernelRequest& kernel = request.kernels.front();
  const std::string model = std::string(family_of(kernel.kernel)) + " " + to_string(kernel.params);
  return shown_model(state) ? model + " " + std::to_string(state.inspecting.version) : model;
}

WorkRequest next_request(const State& state, const RungView& row) {
  WorkRequest request = request_for(state, RequestType::inspect);
  request.kernels.push_back({row.rung->kernel, params_for(state, *row.info)});
  const Inspection* model = shown_model(state);
  if (!model) return request;
  request.inspect = state.inspecting.asked;
  // A LUT of another, larger model was looked at before.
  if (request.inspect.unit.value_or(0) >= model->units) request.inspect.unit.reset();
  if (state.inspecting.draws) {
    request.inspect.input.reset();
    request.inspect.wrong = false;
    request.inspect.bytes = state.inspecting.canvas;
  }
  return request;
}

/// A request that waits to be sent, and what it is for.
struct Wanted {
  WorkRequest request;
  std::string key;
  bool is_answers = false;
};

/// The model, the input, then the answers of all networks to that input; none: nothing is left to ask.
std::optional<Wanted> next_wanted(const State& state, const RungView& row) {
  const Inspecting& look = state.inspecting;
  Wanted next{next_request(state, row), ""};
  next.key = wanted_key(state, next.request);
  if (next.key != look.sent) return next;
  if (!look.asks_all || next.key == look.answers_sent || !answers_blocker(state).empty())
    return std::nullopt;
  const std::vector<uint8_t> input = input_in_view(state);
  if (is_blank(input)) return std::nullopt;
  const auto chosen = [&](const KernelInfo& info) { return params_for(state, info); };
  next.request =
      app::answers_request(*state.selection.lab, state.run(), chosen, input, look.trains);
  next.is_answers = true;
  if (next.request.kernels.empty()) return std::nullopt;
  return next;
}

bool may_ask(const State& state) {
  return shows_inspect(state) && !state.is_replay() && state.run().catalogue_complete() &&
         !state.requests.run && !state.requests.compare && !state.inspecting.request;
}

std::string why_live_only(const State& state) {
  if (std::string why = inspect_blocker(state); !why.empty()) return why;
  return state.is_replay() ? leave_saved_run(state, "try inputs") : "";
}

}  // namespace

bool shows_inspect(const State& state) {
  return state.view.screen == ScreenId::lab && state.selection.view == &kInspectView;
}

const RungView* inspected_row(const State& state) {
  const RungView* row = find_row(state.ladder, state.selection.rung);
  return row && has_model(*state.selection.lab, row->rung->kernel) ? row : nullptr;
}

const RungView* first_inspectable(const State& state) {
  for (const RungView& row : state.ladder.rows) {
    if (has_model(*state.selection.lab, row.rung->kernel)) return &row;
  }
  return nullptr;
}

const Inspection* shown_model(const State& state) {
  return newest(state, true);
}

std::vector<const Inspection*> recorded_inputs(const State& state) {
  std::vector<const Inspection*> found;
  const RungView* row = inspected_row(state);
  if (!row) return found;
  for (const Inspection& one : state.run().inspections()) {
    if (one.of != "model" && one.of != "answers" && is_of(state, *row, {}, one))
      found.push_back(&one);
  }
  return found;
}

const Inspection* shown_input(const State& state) {
  if (!state.is_replay()) return newest(state, false);
  const auto found = recorded_inputs(state);
  if (found.empty()) return nullptr;
  return found[std::min(state.inspecting.recorded.value_or(found.size() - 1), found.size() - 1)];
}

bool tick_inspect(State& state, double now_s) {
  const bool answered = take_answer(state);
  // Who comes back to the view wants what was broken off.
  const bool is_worker_lost = state.sessions.shown->state() == app::WorkerState::lost;
  if (!shows_inspect(state) && !is_worker_lost &&
      std::exchange(state.inspecting.is_broken_off, false))
    state.inspecting.sent.clear(), state.inspecting.problem.clear();
  const RungView* row = may_ask(state) ? inspected_row(state) : nullptr;
  if (!row || !row->info) return answered;
  Inspecting& look = state.inspecting;
  auto next = next_wanted(state, *row);
  // Lost workers are started again by a click, not by being looked at.
  const bool lost = is_worker_lost && !look.sent.empty();
  if (!next || lost || now_s < look.next_s) return answered;
  cancel_estimates(state);
  const auto id = state.sessions.shown->send(std::move(next->request));
  (next->is_answers ? look.answers_sent : look.sent) = std::move(next->key);
  (next->is_answers ? look.answers_problem : look.problem) = id ? "" : id.error().sentence();
  look.is_answering = next->is_answers;
  if (next->is_answers) look.trains = false;
  if (!next->is_answers) look.next_s = now_s + kBetween_s;
  if (id) look.request = *id;
  return true;
}

bool is_inspecting(const State& state) {
  if (state.inspecting.request) return true;
  const RungView* row = may_ask(state) ? inspected_row(state) : nullptr;
  return row && row->info && next_wanted(state, *row).has_value();
}

std::vector<uint8_t> input_in_view(const State& state) {
  if (state.inspecting.draws) return state.inspecting.canvas;
  const InspectionPlane* picture = picture_in_view(state);
  if (!picture) return {};
  return {picture->values.begin(), picture->values.end()};
}

bool is_blank(const std::vector<uint8_t>& input) {
  return std::all_of(input.begin(), input.end(), [](uint8_t value) { return value == 0; });
}

std::string inspect_blocker(const State& state) {
  return state.selection.lab && !state.selection.lab->inspected.empty()
             ? ""
             : "This lab has no model to look into.";
}

std::string pick_blocker(const State& state) {
  if (std::string why = inspect_blocker(state); !why.empty()) return why;
  return shown_input(state) ? "" : "No input is in view yet.";
}

std::string draw_blocker(const State& state) {
  if (std::string why = why_live_only(state); !why.empty()) return why;
  if (picture_in_view(state)) return "";
  return shown_input(state) ? "What this model takes is no picture."
                            : "No input is in view yet, which the drawing begins with.";
}

std::string canvas_blocker(const State& state) {
  if (std::string why = why_live_only(state); !why.empty()) return why;
  return state.inspecting.draws ? "" : "Nothing is being drawn: press Draw first.";
}

std::string unit_blocker(const State& state) {
  if (std::string why = why_live_only(state); !why.empty()) return why;
  return shown_model(state) ? "" : "The model is not in view yet.";
}

std::string answers_blocker(const State& state) {
  if (std::string why = inspect_blocker(state); !why.empty()) return why;
  return networks_of(*state.selection.lab).empty()
             ? "This lab's model is no network that answers to a picture."
             : "";
}

std::string train_blocker(const State& state) {
  if (std::string why = why_live_only(state); !why.empty()) return why;
  if (std::string why = answers_blocker(state); !why.empty()) return why;
  return state.inspecting.asks_all ? "" : "Every network has to be asked first.";
}

void pick_input(State& state, int step) {
  Inspecting& look = state.inspecting;
  if (state.is_replay()) {
    const auto count = static_cast<int64_t>(recorded_inputs(state).size());
    const auto at = static_cast<int64_t>(look.recorded.value_or(static_cast<size_t>(count - 1)));
    look.recorded = static_cast<size_t>(std::clamp<int64_t>(at + step, 0, count - 1));
    state.ladder.dirty = true;
    return;
  }
  const int64_t count = std::max<int64_t>(1, shown_input(state)->inputs);
  look.draws = false;
  look.asked.wrong = false;
  look.asked.input = (look.asked.input.value_or(0) + step + count) % count;
  changed(state);
}

void pick_wrong(State& state) {
  if (state.is_replay()) return;
  pick_input(state, 1);
  state.inspecting.asked.wrong = true;
}

void toggle_draw(State& state) {
  Inspecting& look = state.inspecting;
  look.draws = !look.draws;
  if (look.draws) {
    const auto& values = picture_in_view(state)->values;
    look.canvas.assign(values.size(), 0);
    std::transform(values.begin(), values.end(), look.canvas.begin(),
                   [](int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); });
  }
  changed(state);
}

void clear_canvas(State& state) {
  std::fill(state.inspecting.canvas.begin(), state.inspecting.canvas.end(), uint8_t{0});
  changed(state);
}

void draw_stroke(State& state, float from_row, float from_column, float to_row, float to_column) {
  Inspecting& look = state.inspecting;
  const InspectionPlane* picture = picture_in_view(state);
  if (!look.draws || !picture || look.canvas.size() != picture->values.size()) return;
  const float radius = look.brush == Brush::thin ? 0.9f : 1.7f;
  const float rows = to_row - from_row, columns = to_column - from_column;
  const float length2 = rows * rows + columns * columns;
  bool any = false;
  for (size_t cell = 0; cell < look.canvas.size(); ++cell) {
    const auto row = static_cast<float>(cell / static_cast<size_t>(picture->columns)) + 0.5f;
    const auto column = static_cast<float>(cell % static_cast<size_t>(picture->columns)) + 0.5f;
    const float along =
        length2 > 0 ? ((row - from_row) * rows + (column - from_column) * columns) / length2 : 0;
    const float t = std::clamp(along, 0.0f, 1.0f);
    const float away =
        std::hypot(row - from_row - t * rows, column - from_column - t * columns) - radius;
    const auto ink = static_cast<uint8_t>(std::lround(255 * std::clamp(0.5f - away, 0.0f, 1.0f)));
    uint8_t& pixel = look.canvas[cell];
    const uint8_t now = look.brush == Brush::eraser
                            ? static_cast<uint8_t>(std::min<int>(pixel, 255 - ink))
                            : std::max(pixel, ink);
    any |= now != pixel;
    pixel = now;
  }
  if (any) changed(state);
}

void select_unit(State& state, int64_t unit) {
  state.inspecting.asked.unit = unit;
  changed(state);
}

void select_place(State& state, int64_t place) {
  state.inspecting.asked.place = place;
  state.inspecting.asked.unit.reset();  // the first that looks there
  changed(state);
}

void step_unit(State& state, int step) {
  const Inspection* shown = shown_input(state) ? shown_input(state) : shown_model(state);
  const int64_t now = state.inspecting.asked.unit.value_or(shown->unit.value_or(0));
  const auto& lookers = shown->lookers;
  if (lookers.empty()) {
    const int64_t count = std::max<int64_t>(1, shown->units);
    return select_unit(state, (now + step + count) % count);
  }
  const auto found = std::find(lookers.begin(), lookers.end(), now);
  const auto at = found == lookers.end() ? 0 : found - lookers.begin() + step;
  const auto count = std::ssize(lookers);
  select_unit(state, lookers[static_cast<size_t>((at + count) % count)]);
}

void inspect_again(State& state) {
  state.inspecting.sent.clear();
  state.inspecting.problem.clear();
  state.ladder.dirty = true;
}

void toggle_answers(State& state) {
  state.inspecting.asks_all = !state.inspecting.asks_all;
  state.inspecting.answers_sent.clear();
  state.inspecting.answers_problem.clear();
}

void train_networks(State& state) {
  state.inspecting.trains = true;
  state.inspecting.answers_sent.clear();
  state.inspecting.answers_problem.clear();
}

}  // namespace ridge::window
