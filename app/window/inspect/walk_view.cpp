#include "app/window/inspect/walk_view.h"

#include <algorithm>
#include <cmath>

#include "app/window/shell/actions.h"
#include "common/record/derive.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

constexpr int64_t kFramesOfEach = 240, kShareOfCloser = 64;

const WalkedFamily* walked_family(const State& state, const std::string& kernel) {
  for (const WalkedFamily& one : state.selection.lab->walked) {
    if (family_of(kernel) == one.family) return &one;
  }
  return nullptr;
}

KernelRequest walk_kernel(const State& state, const RungView& row) {
  const WalkedFamily& family = *walked_family(state, row.rung->kernel);
  const int size = state.walking.size < 0 ? family.first_look : state.walking.size;
  const size_t at = std::min(static_cast<size_t>(size), family.sizes.size() - 1);
  return {row.rung->kernel, {{family.param, family.sizes[at]}}};
}

std::string key_of(const KernelRequest& kernel, const InspectAsked& asked) {
  return kernel.kernel + " " + to_string(kernel.params) +
         (asked.machine_caches ? " machine " : " ") + std::to_string(asked.first.value_or(0)) +
         "+" + std::to_string(asked.count.value_or(0));
}

bool is_whole(const Walk& walk) {
  return walk.first == 0 && walk.count == walk.accesses();
}

/// Of a saved run: the newest of this rung, whole where that is in view.
const Inspection* recorded_walk(const State& state, const RungView& row, bool whole) {
  const auto& all = state.run().inspections();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Inspection& one) {
    return one.walk && one.kernel == row.rung->kernel && is_whole(*one.walk) == whole;
  });
  return found == all.rend() ? nullptr : &*found;
}

const Inspection* walk_for(const State& state, const RungView& row, const InspectAsked& asked) {
  if (state.is_replay()) return recorded_walk(state, row, !asked.count);
  const auto& known = state.walking.asked;
  const auto found = known.find(key_of(walk_kernel(state, row), asked));
  if (found == known.end()) return nullptr;
  for (const Inspection& one : state.run().inspections()) {
    if (one.request == found->second && one.walk) return &one;
  }
  return nullptr;
}

InspectAsked whole_walk(const State& state) {
  InspectAsked asked;
  asked.machine_caches = state.walking.machine_caches;
  return asked;
}

/// The part in view of a walk whose length is known.
InspectAsked part_of(const State& state, const Walk& whole) {
  InspectAsked asked = whole_walk(state);
  if (state.walking.part == WalkPart::whole) return asked;
  asked.count = state.walking.part == WalkPart::each
                    ? kFramesOfEach
                    : std::max(kFramesOfEach, whole.accesses() / kShareOfCloser);
  asked.count = std::min(*asked.count, whole.accesses());
  const auto first = static_cast<int64_t>(state.walking.from * double(whole.accesses()));
  asked.first = std::clamp<int64_t>(first, 0, whole.accesses() - *asked.count);
  return asked;
}

/// What is still to be asked of this rung; false: nothing.
bool next_asked(const State& state, const RungView& row, InspectAsked* asked) {
  const auto is_asked = [&](const InspectAsked& one) {
    return state.walking.asked.contains(key_of(walk_kernel(state, row), one));
  };
  *asked = whole_walk(state);
  if (!is_asked(*asked)) return true;
  const Inspection* whole = walk_for(state, row, *asked);
  if (!whole) return false;
  *asked = part_of(state, *whole->walk);
  return !is_asked(*asked);
}

bool may_ask_walk(const State& state) {
  return shows_walk(state) && !state.is_replay() && state.run().catalogue_complete() &&
         !state.requests.run && !state.requests.compare && !state.walking.request &&
         !state.inspecting.request && !state.lanes.request &&
         state.sessions.shown->state() != app::WorkerState::lost;
}

bool take_walk_answer(State& state) {
  Walking& walking = state.walking;
  const Request* request = walking.request ? state.run().request(walking.request) : nullptr;
  if (!request || request->open()) return false;
  if (const std::string why = why_not_done(state, *request); !why.empty())
    walking.problems[walking.key] = why;
  if (is_broken_off(*request)) walking.broken_off.insert(walking.key);
  walking.request = 0;
  return true;
}

/// Who comes back to the view wants what was broken off; what was computed is still there.
void forget_broken_off(State& state) {
  for (const std::string& key : state.walking.broken_off)
    state.walking.asked.erase(key), state.walking.problems.erase(key);
  state.walking.broken_off.clear();
}

bool move_player(State& state, double now_s) {
  Walking& walking = state.walking;
  const double passed_s = std::clamp(now_s - walking.moved_s, 0.0, 0.2);
  walking.moved_s = now_s;
  if (!walking.plays || state.selection.view != &kWalkView) return false;
  walking.place += passed_s / kWalkSpeeds[walking.speed];
  if (walking.place >= 1) walking.place = 1, walking.plays = false;
  return true;
}

}  // namespace

bool shows_walk(const State& state) {
  return state.view.screen == ScreenId::lab && state.selection.view == &kWalkView;
}

const RungView* walking_row(const State& state) {
  return find_row(state.ladder, state.selection.rung);
}

const RungView* row_before(const State& state) {
  const RungView* before = nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (row.rung->kernel == state.selection.rung) return before;
    const bool can = state.is_replay() ? recorded_walk(state, row, true) != nullptr : row.can_run;
    if (can && no_walk_of(state, row).empty()) before = &row;
  }
  return nullptr;
}

std::string no_walk_of(const State& state, const RungView& row) {
  if (backend_of(row.rung->kernel) != Backend::cpu)
    return "A GPU's loads and stores are not recorded here: no walk is shown of them.";
  if (row.rung->peer)
    return "The source of a library is not here to be recorded: no walk is shown of it.";
  if (!walked_family(state, row.rung->kernel))
    return "Its loops are code that other rungs share: its accesses are not recorded.";
  return "";
}

const Inspection* shown_walk(const State& state, const RungView& row) {
  const Inspection* whole = walk_for(state, row, whole_walk(state));
  if (!whole || state.walking.part == WalkPart::whole) return whole;
  return walk_for(state, row, part_of(state, *whole->walk));
}

std::string walk_problem(const State& state, const RungView& row) {
  const KernelRequest kernel = walk_kernel(state, row);
  const auto& problems = state.walking.problems;
  auto found = problems.find(key_of(kernel, whole_walk(state)));
  const Inspection* whole = walk_for(state, row, whole_walk(state));
  if (found == problems.end() && whole)
    found = problems.find(key_of(kernel, part_of(state, *whole->walk)));
  return found == problems.end() ? "" : found->second;
}

bool tick_walk(State& state, double now_s) {
  const bool moved = move_player(state, now_s);
  const bool answered = take_walk_answer(state);
  const bool is_lost = state.sessions.shown->state() == app::WorkerState::lost;
  if (!shows_walk(state) && !is_lost) forget_broken_off(state);
  if (!may_ask_walk(state)) return moved || answered;
  const RungView* rows[] = {walking_row(state),
                            state.walking.is_alone ? nullptr : row_before(state)};
  if (rows[0] && !no_walk_of(state, *rows[0]).empty()) return moved || answered;
  for (const RungView* row : rows) {
    InspectAsked asked;
    if (!row || !row->info || !next_asked(state, *row, &asked)) continue;
    WorkRequest request = request_for(state, RequestType::inspect);
    request.kernels.push_back(walk_kernel(state, *row));
    request.inspect = asked;
    state.walking.key = key_of(request.kernels.front(), asked);
    cancel_estimates(state);
    const auto id = state.sessions.shown->send(std::move(request));
    state.walking.asked[state.walking.key] = id ? *id : 0;
    if (id) state.walking.request = *id;
    if (!id) state.walking.problems[state.walking.key] = id.error().sentence();
    return true;
  }
  return moved || answered;
}

std::string walk_blocker(const State& state) {
  return state.selection.lab && !state.selection.lab->walked.empty()
             ? ""
             : "No rung of this lab has its memory accesses recorded.";
}

void toggle_play(State& state) {
  Walking& walking = state.walking;
  if (!walking.plays && walking.place >= 1) walking.place = 0;
  walking.plays = !walking.plays;
}

void step_walk(State& state, int frames) {
  const RungView* row = walking_row(state);
  const Inspection* shown = row ? shown_walk(state, *row) : nullptr;
  if (!shown) return;
  const double count = double(shown->walk->frames.size());
  state.walking.plays = false;
  // The middle of a frame, so that rounding never shows its neighbour.
  const double frame = std::min(std::floor(state.walking.place * count), count - 1) + frames;
  seek_walk(state, (std::clamp(frame, 0.0, count - 1) + 0.5) / count);
}

void seek_walk(State& state, double place) {
  state.walking.place = std::clamp(place, 0.0, 1.0);
}

void show_part(State& state, WalkPart part) {
  Walking& walking = state.walking;
  if (walking.part == WalkPart::whole && part != WalkPart::whole) walking.from = walking.place;
  walking.place = part == WalkPart::whole ? walking.from : 0;
  walking.part = part;
}

void set_walk_size(State& state, int size) {
  state.walking.size = size;
}

void set_machine_caches(State& state, bool machine) {
  state.walking.machine_caches = machine;
}

void walk_again(State& state) {
  for (const auto& [key, why] : state.walking.problems) state.walking.asked.erase(key);
  state.walking.problems.clear();
  state.walking.broken_off.clear();
  state.ladder.dirty = true;
}

}  // namespace ridge::window
