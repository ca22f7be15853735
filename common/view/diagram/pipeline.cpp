// The pipeline: a ring of stages in shared memory, filled by copies and emptied by multiplications. A
// model, not a measurement: one column is the time in which a slice is multiplied, and how many of them
// a copy takes is for the learner to change.
#include <fmt/format.h>

#include <algorithm>

#include "common/view/diagram/names.h"

namespace ridge::diagram {
namespace {

constexpr int kSlots = 18, kMostCopy = 8, kUsualCopy = 3, kMostStages = 16;

/// When a slice's copy and its multiplication begin, in slots.
struct Turn {
  int copy = 0, multiply = 0;
};

/// A stage is filled again once its slice has been multiplied; a slice is multiplied once it has come and
/// the one before has been. With one stage the two never overlap.
std::vector<Turn> schedule(int stages, int copy_slots, int64_t slices) {
  std::vector<Turn> turns;
  for (int slice = 0; slice < slices; ++slice) {
    Turn turn;
    if (slice >= stages) turn.copy = turns[static_cast<size_t>(slice - stages)].multiply + 1;
    turn.multiply = turn.copy + copy_slots;
    if (slice > 0) turn.multiply = std::max(turn.multiply, turns.back().multiply + 1);
    if (turn.copy >= kSlots) break;
    turns.push_back(turn);
  }
  return turns;
}

Cell cell(int row, int from, int to, chart::Role role, float alpha, int slice) {
  to = std::min(to, kSlots);
  return {row, from, 1, std::max(0, to - from), role, alpha, std::to_string(slice)};
}

Step step_at(const std::vector<Turn>& turns, int stages, int copy, int now) {
  Step step;
  std::vector<Cell> cells;
  int multiplied = -1, under_way = 0, waiting = 0, done = 0;
  for (size_t i = 0; i < turns.size(); ++i) {
    const Turn& turn = turns[i];
    const int slice = static_cast<int>(i), stage = slice % stages, come = turn.copy + copy;
    if (turn.copy > now) continue;
    under_way += now < come;
    waiting += now >= come && now < turn.multiply;
    done += turn.multiply <= now;
    if (turn.multiply == now) multiplied = slice;
    const bool goes_on = now < come;
    cells.push_back(cell(stage, turn.copy, std::min(come, now + 1), chart::Role::series0,
                         goes_on ? 0.8f : 0.4f, slice));
    if (now >= come && turn.multiply > come)
      cells.push_back(
          cell(stage, come, std::min(turn.multiply, now + 1), chart::Role::muted, 0.18f, slice));
    if (turn.multiply <= now)
      cells.push_back(cell(stages, turn.multiply, turn.multiply + 1, chart::Role::slower,
                           turn.multiply == now ? 1.0f : 0.55f, slice));
  }
  step.cells.push_back(std::move(cells));
  step.words = fmt::format(
      "Time {}: {}; {} being copied, {} waiting. So far {} of {} times something "
      "was multiplied.",
      now,
      multiplied < 0 ? std::string("nothing is multiplied")
                     : fmt::format("slice {} is multiplied", multiplied),
      under_way, waiting, done, now + 1);
  return step;
}

/// Of many turns, the share in which something is multiplied.
double busy_share(int stages, int copy) {
  return std::min(1.0, static_cast<double>(stages) / (copy + 1));
}

}  // namespace

Result<Diagram> pipeline(const Input& input) {
  const Directive& says = input.directive;
  Expressions names = names_of(input);
  RIDGE_TRY(const int64_t stages, names.value(says.text("stages")));
  RIDGE_TRY(const int64_t slices, names.value(says.text("slices")));
  int64_t copy = kUsualCopy;
  if (!says.text("copy").empty()) {
    RIDGE_TRY(copy, names.value(says.text("copy")));
  }
  if (input.knob > 0) copy = input.knob;
  if (stages < 1 || stages > kMostStages || slices < 1 || copy < 1 || copy > kMostCopy)
    return Error{ErrorCode::bad_input,
                 fmt::format("{} stages, {} slices, a copy of {}", stages, slices, copy), "", ""};
  const int ring = static_cast<int>(stages), slots = static_cast<int>(copy);
  const auto turns = schedule(ring, slots, slices);
  Diagram made;
  made.title = ring == 1 ? "One stage: copy, then multiply"
                         : fmt::format("A ring of {} stages: copies and multiplications", ring);
  Grid grid;
  grid.rows = ring + 1, grid.columns = kSlots, grid.square = false;
  grid.rule_rows = 1;
  for (int stage = 0; stage < ring; ++stage)
    grid.row_labels.push_back(fmt::format("stage {}", stage));
  grid.row_labels.emplace_back("multiply");
  made.grids.push_back(std::move(grid));
  const int last = std::min(kSlots, turns.back().multiply + 1);
  for (int now = 0; now < last; ++now) made.steps.push_back(step_at(turns, ring, slots, now));
  made.still = last - 1;
  made.keys = {{"a slice's copy", chart::Role::series0, 0.8f},
               {"there, and waiting", chart::Role::muted, 0.18f},
               {"multiplied", chart::Role::slower, 1}};
  made.knob_text = "A copy takes", made.knob_unit = "multiplications' time";
  made.knob = slots, made.knob_low = 1, made.knob_high = kMostCopy;
  made.summary = fmt::format(
      "A model: with {} stage{} and a copy as long as {} multiplication{}, something is multiplied "
      "{:.0f} % of the time once it runs. At the size set now there are {} slice{}.",
      ring, ring == 1 ? "" : "s", slots, slots == 1 ? "" : "s", 100 * busy_share(ring, slots),
      slices, slices == 1 ? "" : "s");
  return made;
}

}  // namespace ridge::diagram
