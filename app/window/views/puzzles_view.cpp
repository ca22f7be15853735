// The view "Puzzles": kernels with a hole, from easy to hard, what each may ask for at most, and which are solved. A row
// selects its puzzle, so that lesson and source are of it; the button opens it on Your turn.
#include <fmt/format.h>

#include <algorithm>

#include "app/query/editing.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/puzzle_results.h"
#include "app/window/edit/results.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/views/view.h"

namespace ridge::window {
namespace {

constexpr float kPuzzleRow = 28, kOpen_h = 34, kNumber_w = 34, kTick_w = 22, kTitle_gap = 14;

/// Those of the lab in view, in its order.
std::vector<const app::Exercise*> puzzles_of(const State& state) {
  std::vector<const app::Exercise*> found;
  for (const app::Exercise& one : app::known_exercises()) {
    if (state.selection.lab && one.is_puzzle() && one.lab == state.selection.lab->id)
      found.push_back(&one);
  }
  return found;
}

bool is_solved(const State& state, const app::Exercise& one) {
  return exercise_progress(state, one.name).is_solved;
}

/// The selected one; else the first that is not solved, or the first.
const app::Exercise* next_of(const State& state, const std::vector<const app::Exercise*>& all) {
  if (const app::Exercise* selected = app::puzzle_of(state.selection.rung)) return selected;
  const auto next = std::find_if(all.begin(), all.end(),
                                 [&](const app::Exercise* one) { return !is_solved(state, *one); });
  return next != all.end() ? *next : all.front();
}

class PuzzlesPanel final : public CentrePanel {
 public:
  void draw(Ui& ui, Area area) override {
    const std::vector<const app::Exercise*> all = puzzles_of(ui.state);
    if (all.empty()) return;
    Area inner = area.inset(ui.px(14), ui.px(10));
    draw_button(ui, inner.take_top(ui.px(kOpen_h), ui.px(10)), all);
    Scroll scroll(ui, "puzzles", inner);
    int number = 0;
    for (const app::Exercise* one : all) {
      const Rung* rung = rung_of(one->kernel);
      const Section* section = rung ? section_at(*ui.state.selection.lab, *rung) : nullptr;
      if (section) draw_heading(ui, &scroll.rest, section->title);
      draw_row(ui, scroll.rest.take_top(ui.px(kPuzzleRow), ui.px(2)), *one, ++number);
    }
  }

 private:
  static void draw_button(Ui& ui, Area line, const std::vector<const app::Exercise*>& all) {
    const app::Exercise& next = *next_of(ui.state, all);
    const std::string label = (is_solved(ui.state, next) ? "Open again: " : "Open: ") + next.title;
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(36);
    if (ui.button("open_puzzle", line.take_left(std::min(w, line.w), ui.px(14)), label,
                  Ui::Kind::normal))
      ui.dispatch([next](State& state) { start_exercise(state, next); });
    const auto solved = std::count_if(all.begin(), all.end(), [&](const app::Exercise* one) {
      return is_solved(ui.state, *one);
    });
    ui.text(line.x, line.middle(),
            fmt::format("{} of {} solved. Right, and within what is allowed: counted, not timed.",
                        solved, all.size()),
            kSmall_px, Role::muted, Face::body, Anchor::start, line.w);
  }

  static void draw_row(Ui& ui, Area line, const app::Exercise& one, int number) {
    const auto touched = ui.touch("rung:" + one.kernel, line);
    const bool is_selected = original_of(ui.state.selection.rung) == one.kernel;
    if (is_selected || touched.hovered)
      ui.fill(line, is_selected ? ui.color(Role::highlight) : ui.raised(1), ui.px(5));
    if (touched.clicked)
      ui.dispatch([kernel = one.kernel](State& state) { select_rung(state, kernel); });
    const bool hides = hides_targets(ui.state, one.kernel);
    const std::string words = targets_words(ui.state, one);
    if (touched.hovered)
      ui.tooltip(one.task + "\nCounted: " + words +
                 (hides ? std::string(". ") + kHiddenTargets : "."));
    Area inner = line.inset(ui.px(8), 0);
    const Area tick = inner.take_left(ui.px(kTick_w));
    if (is_solved(ui.state, one)) draw_tick(ui, tick.x + ui.px(7), tick.middle());
    const Area place = inner.take_left(ui.px(kNumber_w));
    ui.text(place.x + ui.px(20), place.middle(), std::to_string(number), kTiny_px, Role::muted,
            Face::mono, Anchor::end);
    inner.take_left(ui.px(kTitle_gap));
    const float w = ui.text(inner.x, inner.middle(), one.title, kSmall_px + 1, Role::text,
                            is_selected ? Face::strong : Face::body, Anchor::start, inner.w);
    inner.take_left(w + ui.px(16));
    ui.text(inner.right(), inner.middle(), fitting_parts(ui, words, kTiny_px, inner.w, ", …"),
            kTiny_px, Role::muted, Face::body, Anchor::end, inner.w);
  }
};

std::string puzzles_blocker(const State& state) {
  return puzzles_of(state).empty() ? "This lab has no puzzles." : "";
}

}  // namespace

const ViewDesc kPuzzlesView = {.id = "puzzles",
                               .label = "Puzzles",
                               .title = "Puzzles: kernels with a hole, counted thread by thread",
                               .place = 3,
                               .level = Level::kLearn,
                               .fills = true,
                               .blocker = puzzles_blocker,
                               .make_panel = []() -> std::unique_ptr<CentrePanel> {
                                 return std::make_unique<PuzzlesPanel>();
                               }};
RIDGE_VIEW(kPuzzlesView);

}  // namespace ridge::window
