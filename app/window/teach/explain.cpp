#include "app/window/teach/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/study/lesson.h"
#include "app/window/shell/screens.h"
#include "common/record/diagnosis.h"
#include "labs/lab.h"

namespace ridge::window {
namespace {

using study::Ask;
using study::StepKind;
using study::TourStep;

/// Over the size that words have elsewhere: the half of the window is theirs.
constexpr float kWords_px = kBody_px * 1.2f, kWallWords_px = kBody_px * 1.35f,
                kLesson_px = kBody_px, kLessonLeading = 1.45f;

/// Prose about the idea and its outcome; not what asks, or leads elsewhere.
bool explains(const LessonBlock& lesson) {
  const Block::Kind kind = lesson.block.kind;
  const bool asks = !lesson.question.empty() || lesson.is_prediction || lesson.hint > 0;
  const bool is_prose = kind == Block::Kind::paragraph || kind == Block::Kind::item ||
                        (kind == Block::Kind::quote && !asks);
  return is_prose && lesson.lead != study::kRun && !study::says_limit(lesson.lead) &&
         lesson.lead != study::kInTheCode && lesson.lead != study::kOutside;
}

}  // namespace

const LessonBar* bar_explained(const TourStep& step, const StepBars& bars,
                               const StepOutcome& outcome) {
  const bool is_itself = step.kind == StepKind::compare && step.rungs.front() == step.rungs.back();
  const bool is_of_all = step.ask == Ask::choice || step.ask == Ask::stage;
  if (is_itself || is_of_all || step.kind == StepKind::side_by_side || bars.bars.empty())
    return nullptr;
  const bool has_one = outcome.right.size() == 1;
  if (has_one && step.ask == Ask::largest_step)
    return &bars.bars[static_cast<size_t>(outcome.right.front()) + 1];
  if (has_one && step.ask == Ask::longest)
    return &bars.bars[static_cast<size_t>(outcome.right.front())];
  if (step.ask != Ask::verdict) return bars.last();  // the question names it
  const auto is_ours = [](const LessonBar& bar) {
    const Rung* rung = rung_of(bar.asked.kernel);
    return rung && !rung->peer;
  };
  const auto ours = std::find_if(bars.bars.rbegin(), bars.bars.rend(), is_ours);
  return ours == bars.bars.rend() ? bars.last() : &*ours;
}

std::string measured_limit(const LessonBar& bar) {
  if (!bar.series || !bar.run) return {};
  const auto found = diagnose(*bar.series, bar.run->ceilings(), bar.run->environment());
  if (!found) return {};
  if (found->bottleneck == Bottleneck::not_sure)
    return "This run does not settle it: " + found->reason + ".";
  constexpr size_t kTelling = 2;
  const std::string evidence = evidence_text(*found, kTelling);
  return "Measured: " + bottleneck_text(*found) + " limits “" + bar.title + "”" +
         (evidence.empty() ? "." : ", by " + evidence + ".") +
         (is_disturbed(*bar.series) ? " Other programs ran meanwhile: measure again before you "
                                      "believe it."
                                    : "");
}

bool Explanation::draw(Ui& ui, const Area& area, const TourStep& step, const StepBars& bars,
                       const StepOutcome& outcome, const std::string& said) {
  ui.widgets["explanation"] = area;
  Scroll scroll(ui, "explanation", area);
  const bool has_more = scroll.turn_pages(ui.state.teaching.pages, &page_);
  Area& rest = scroll.rest;
  fit(ui, area, step.words, has_more);
  const float words_px =
      ui.state.teaching.presenting ? std::round(kWallWords_px * fit_) : kWords_px;
  rest.take_top(figures_.paragraph(ui, rest, step.words, words_px, Role::text), ui.px(14));
  const bool on_wall = ui.state.teaching.presenting;
  if (outcome.pair) {  // what the words speak of
    const float top = rest.y;
    const std::string verdict =
        verdict_sentence(*outcome.pair, bars.bars.front().title, bars.last()->title) + ".";
    rest.take_top(
        ui.paragraph(rest, verdict, std::round(kBody_px * fit_), Role::text, Face::strong),
        ui.px(14));
    ui.widgets["step_verdict"] = {rest.x, top, rest.w, rest.y - top};
  }
  // The words reason from these times: what speaks against them stays beside them.
  if (const std::string doubt = doubt_of(bars); !doubt.empty())
    rest.take_top(ui.paragraph(rest, doubt, std::round(kBody_px * fit_), Role::slower), ui.px(14));
  const auto say = [&] {
    rest.take_top(ui.paragraph(rest, said, std::round(kBody_px * fit_), Role::muted), ui.px(14));
  };
  const LessonBar* bar = bar_explained(step, bars, outcome);
  if (!on_wall || !bar) say();
  if (!bar) return has_more;
  // On a wall one message: the lesson's prose is for who reads alone.
  if (!on_wall) draw_lesson(ui, &rest, bar->asked.kernel);
  draw_limit(ui, &rest, *bar);
  if (on_wall) say();
  return has_more;
}

/// On a wall it is a little smaller rather than cut; what is still too long has pages.
void Explanation::fit(Ui& ui, const Area& area, const std::string& words, bool has_more) {
  constexpr float kStep = 0.05f, kLeast = 0.75f;
  const std::string fitted = fmt::format("{:.0f} {:.0f} {}", area.w, area.h, words);
  if (fitted != std::exchange(fitted_, fitted)) {
    fit_ = 1;
    fit_frames_ = 0;
    ui.needs_redraw = true;
    return;
  }
  // What the place scrolls by is known a frame after it was drawn.
  const bool is_new = ++fit_frames_ < 3;
  if (is_new) ui.needs_redraw = true;
  const bool on_wall = ui.state.teaching.presenting && ui.state.teaching.pages == 0;
  if (is_new || !on_wall || !has_more || fit_ <= kLeast) return;
  fit_ -= kStep;
  fit_frames_ = 0;
  ui.needs_redraw = true;
}

/// What the lesson expects to limit the rung, then what this run says to that: without the first the second is a riddle.
void Explanation::draw_limit(Ui& ui, Area* rest, const LessonBar& bar) {
  const std::vector<LessonBlock>& blocks = lesson_.blocks(ui.state);
  const auto expected = std::find_if(blocks.begin(), blocks.end(), [&](const LessonBlock& block) {
    return block.kernel == bar.asked.kernel && study::says_limit(block.lead);
  });
  const float top = rest->y;
  if (expected != blocks.end())
    rest->take_top(draw_words(ui, *rest, *expected, std::round(kLesson_px * fit_), kLessonLeading),
                   ui.px(8));
  const std::string measured = measured_limit(bar);
  // What would settle it is the same at every step: it is said at the first.
  const int here = ui.state.teaching.tour_step;
  const bool is_open = !measured.empty() && !measured.starts_with("Measured");
  if (is_open && ui.state.teaching.tour &&
      unsettled_.try_emplace(measured, here).first->second != here)
    return;
  const bool has_both = expected != blocks.end() || measured.starts_with("Measured");
  if (measured.empty() || !has_both) return;
  rest->take_top(ui.paragraph(*rest, measured, std::round(kBody_px * fit_), Role::text), ui.px(14));
  ui.widgets["step_binds"] = {rest->x, top, rest->w, rest->y - top};
}

void Explanation::draw_lesson(Ui& ui, Area* rest, const std::string& kernel) {
  const std::vector<LessonBlock>& blocks = lesson_.blocks(ui.state);
  const auto belongs = [&](const LessonBlock& block) {
    return block.kernel == kernel && explains(block);
  };
  if (std::none_of(blocks.begin(), blocks.end(), belongs)) return;
  ui.list->AddLine({rest->x, rest->y}, {rest->right(), rest->y}, ui.color(Role::grid));
  const Area head = rest->take_top(ui.px(40));
  ui.text(head.x, head.middle(), "From the lesson; dots under a figure: of another machine",
          kSmall_px, Role::muted, Face::strong);
  ui.widgets["step_lesson"] = *rest;
  for (const LessonBlock& block : blocks) {
    if (!belongs(block)) continue;
    const float indent = block.block.kind == Block::Kind::paragraph ? 0 : ui.px(18);
    const Area text = {rest->x + indent, rest->y, rest->w - indent, 0};
    rest->take_top(draw_words(ui, text, block, kLesson_px, kLessonLeading), ui.px(12));
  }
}

}  // namespace ridge::window
