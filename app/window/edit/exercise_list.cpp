#include "app/window/edit/exercise_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/window/edit/editing.h"
#include "app/window/edit/results.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/screens.h"

namespace ridge::window {
namespace {

/// Why it cannot be done on this machine, in a few words; empty: it can, or that is not known yet.
std::string exercise_blocker(const State& state, const app::Exercise& one) {
  // Of the session that it opens in: a saved run, or a recording, may be in view.
  const app::Session& own = state.sessions.own ? *state.sessions.own : *state.sessions.shown;
  const auto& environment = own.run().environment();
  const KernelInfo* after = own.run().kernel(one.after);  // known before anything is measured
  const bool has_none = (environment && environment->gpus.empty()) || (after && !after->available);
  const bool lacks =
      one.is_cuda && !one.is_puzzle() && has_none && own.state() != app::WorkerState::replay;
  return lacks ? "needs a GPU, and there is none here" : "";
}

/// Its title, and what was done of it: solved, hints spent.
void draw_title(Ui& ui, const Area& line, const app::Exercise& one) {
  const ExerciseProgress done = exercise_progress(ui.state, one.name);
  float x = line.x;
  if (done.is_solved) {
    draw_tick(ui, x + ui.px(6), line.middle());
    ui.widgets["solved:" + one.name] = {x, line.y, ui.px(14), line.h};
    x += ui.px(20);
  }
  x += ui.text(x, line.middle(),
               one.title + (one.is_puzzle() ? "  ·  counted"
                            : one.is_cuda   ? "  ·  GPU"
                                            : ""),
               kSmall_px + 1, Role::text, Face::body, Anchor::start, line.right() - x);
  std::string about = done.is_solved ? "solved" : exercise_blocker(ui.state, one);
  if (done.hints_spent > 0)
    about += fmt::format("{}{} of {} hints", about.empty() ? "" : ", ", done.hints_spent,
                         one.hints.size());
  const float room = line.right() - x - ui.px(12);
  if (!about.empty() && room > ui.px(60))
    ui.text(x + ui.px(12), line.middle(), about, kTiny_px + 1, Role::muted, Face::body,
            Anchor::start, room);
}

}  // namespace

bool ExerciseList::draw(Ui& ui, const Area& area) const {
  Scroll scroll(ui, "exercises", area);
  Area& rest = scroll.rest;
  draw_heading(ui, &rest, "EXERCISES");
  if (!all_) {
    ui.paragraph(rest, all_.error().sentence(), kSmall_px, Role::slower);
    return false;
  }
  std::string lab;
  bool is_opened = false;
  for (const app::Exercise& one : *all_) {
    if (lab != one.lab) {
      lab = one.lab;
      const Lab* known = find_lab(lab);
      const Area line = rest.take_top(ui.px(40));
      ui.text(line.x, line.y + ui.px(24), known ? known->title : lab.c_str(), kBody_px, Role::text,
              Face::strong, Anchor::start, line.w);
    }
    Area row = rest;
    const float button_w = ui.px(84), text_w = row.w - button_w - ui.px(24);
    const float task_h =
        ui.paragraph({row.x, row.y, text_w, 0}, one.task, kSmall_px, Role::muted, Face::body, true);
    row = rest.take_top(ui.px(26) + task_h, ui.px(14));
    draw_title(ui, {row.x, row.y, text_w, ui.px(20)}, one);
    ui.paragraph({row.x, row.y + ui.px(24), text_w, task_h}, one.task, kSmall_px, Role::muted);
    const Area button = {row.right() - button_w, row.y, button_w, ui.px(32)};
    const bool can_open = exercise_blocker(ui.state, one).empty();
    const bool is_pressed =
        ui.button("exercise:" + one.name, button, "Open", Ui::Kind::normal, can_open);
    if (!is_pressed || !can_open) continue;
    is_opened = true;
    ui.dispatch([one](State& state) { start_exercise(state, one); });
  }
  return is_opened;
}

std::optional<app::Exercise> ExerciseList::after(const State& state,
                                                 const std::string& name) const {
  if (!all_) return std::nullopt;
  const auto open = std::find_if(all_->begin(), all_->end(),
                                 [&](const app::Exercise& one) { return one.name == name; });
  for (auto it = open; it != all_->end(); ++it) {
    const bool is_solved = exercise_progress(state, it->name).is_solved;
    if (it != open && !is_solved && exercise_blocker(state, *it).empty()) return *it;
  }
  return std::nullopt;
}

}  // namespace ridge::window
