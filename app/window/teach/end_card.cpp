#include "app/window/teach/end_card.h"

#include <fmt/format.h>
#include <functional>

#include "app/query/editing.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/widgets.h"
#include "app/window/teach/presenter.h"
#include "common/core/format.h"

namespace ridge::window {
namespace {

struct Score {
  int numbers = 0, near = 0;  ///< near: within a factor of two
  int choices = 0, right = 0;
};

Score score_of(const Teaching& teach) {
  constexpr double kNear = 2;
  Score score;
  for (const auto& [step, result] : teach.results) {
    if (result.off) ++score.numbers, score.near += *result.off <= kNear;
    if (result.right) ++score.choices, score.right += *result.right;
  }
  return score;
}

std::string score_text(const Teaching& teach) {
  const Score score = score_of(teach);
  if (score.numbers + score.choices == 0) return "No prediction was made on this tour.";
  std::string text;
  if (score.numbers > 0)
    text += fmt::format("{} of {} numbers within a factor of two. ", score.near, score.numbers);
  if (score.choices > 0) text += fmt::format("{} of {} choices right.", score.right, score.choices);
  return text;
}

std::string near_text(const StepResult& result) {
  if (result.right) return *result.right ? "right" : "not right";
  if (!result.off) return result.said.empty() ? "no prediction" : "";
  return *result.off < 1.005 ? "exact" : format_ratio(*result.off) + " off";
}

void draw_next(Ui& ui, Area* rest, const study::Tour& tour) {
  for (const study::TourNext& next : tour.next) {
    std::string label;
    std::function<void(State&)> act;
    if (next.is_exercise) {
      const auto exercise = app::find_exercise(next.id);
      if (!exercise) continue;
      label = "Exercise: " + exercise->title;
      act = [one = *exercise](State& state) {
        end_tour(state);
        start_exercise(state, one);
      };
    } else {
      const auto other = study::load_tour(next.id);
      if (!other) continue;
      label = "Tour: " + other->title;
      act = [id = next.id](State& state) { start_tour(state, id); };
    }
    const float w = ui.width(label, kSmall_px + 1) + ui.px(40);
    if (ui.button("next:" + next.id, {rest->x, rest->y, std::min(w, rest->w), ui.px(38)}, label,
                  Ui::Kind::normal))
      ui.dispatch(act);
    rest->take_top(ui.px(38), ui.px(8));
  }
}

}  // namespace

void draw_end_card(Ui& ui, Area area) {
  const Teaching& teach = ui.state.teaching;
  ui.widgets["end_card"] = area;
  const float gap = ui.px(28);
  Area left = area.take_left((area.w - gap) * 0.55f, gap), right = area;
  ui.text(left.x, left.y + ui.px(20), "How near you were", kHeading_px, Role::text, Face::strong);
  left.take_top(ui.px(44));
  left.take_top(ui.paragraph(left, score_text(teach), kBody_px, Role::text), ui.px(12));
  {
    Scroll scroll(ui, "end_steps", left);
    for (const auto& [step, result] : teach.results) {
      Area row = scroll.rest.take_top(ui.px(52));
      const std::string near = near_text(result);
      ui.text(row.right(), row.y + ui.px(13), near, kSmall_px, Role::muted, Face::body,
              Anchor::end);
      ui.text(row.x, row.y + ui.px(13), fmt::format("{}  {}", step + 1, result.title),
              kSmall_px + 1, Role::text, Face::body, Anchor::start,
              row.w - ui.width(near, kSmall_px) - ui.px(12));
      const std::string said = result.said.empty() ? "" : "you said " + result.said + "; ";
      ui.text(row.x, row.y + ui.px(35),
              said + (result.right ? "it is " : "measured: ") + result.measured, kSmall_px,
              Role::muted, Face::body, Anchor::start, row.w);
    }
  }
  Scroll scroll(ui, "end_claims", right);
  Area& rest = scroll.rest;
  const auto heading = [&](const char* text) {
    const Area line = rest.take_top(ui.px(40));
    ui.text(line.x, line.y + ui.px(20), text, kHeading_px, Role::text, Face::strong);
  };
  heading("What you may claim");
  bool any = false;
  for (const auto& [step, result] : teach.results) {
    if (result.claim.empty()) continue;
    any = true;
    rest.take_top(ui.paragraph(rest, result.claim + ".", kSmall_px + 1, Role::text), ui.px(8));
  }
  if (!any)
    rest.take_top(ui.paragraph(rest,
                               "No verdict: no step compared two rungs in turns. Bars that were "
                               "measured apart are no claim.",
                               kSmall_px + 1, Role::muted));
  rest.take_top(ui.px(10));
  const Area button = {rest.x, rest.y, std::min(rest.w, ui.px(280)), ui.px(40)};
  ui.action_button("report_tour", button, "Make the one-page report", Ui::Kind::primary);
  rest.take_top(ui.px(40), ui.px(14));
  heading("Next");
  draw_next(ui, &rest, *teach.tour);
}

}  // namespace ridge::window
