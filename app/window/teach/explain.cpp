#include "app/window/teach/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/study/lesson.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/step_outcome.h"
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

/// The part's arithmetic, else its idea: what happened stands in the bars, and the step's words have said the rest.
std::vector<const LessonBlock*> reasons_of(const std::vector<LessonBlock>& blocks,
                                           const std::string& kernel) {
  std::vector<const LessonBlock*> idea, why;
  std::vector<const LessonBlock*>* section = nullptr;
  for (const LessonBlock& block : blocks) {
    const Block::Kind kind = block.block.kind;
    const bool is_prose = kind == Block::Kind::paragraph || kind == Block::Kind::item;
    if (study::begins_section(block.lead) || !is_prose)
      section = block.lead == study::kIdea ? &idea : block.lead == study::kWhy ? &why : nullptr;
    if (section && block.kernel == kernel) section->push_back(&block);
  }
  return why.empty() ? idea : why;
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
  if (found->bottleneck == Bottleneck::not_sure) return open_sentences(*found);
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
  const bool on_wall = ui.state.teaching.presenting;
  const auto say = [&](Role role, Face face) {
    rest.take_top(ui.paragraph(rest, said, std::round(kBody_px * fit_), role, face), ui.px(14));
  };
  // Who reads alone begins at what they committed to; on a wall the picture has it.
  if (!on_wall) say(Role::text, Face::strong);
  rest.take_top(figures_.paragraph(ui, rest, step.words, words_px, Role::text), ui.px(14));
  if (outcome.pair) {  // what the words speak of
    const float top = rest.y;
    const std::string verdict =
        verdict_sentence(*outcome.pair, bars.bars.front().title, bars.last()->title) + ".";
    rest.take_top(ui.paragraph(rest, verdict, std::round(kBody_px * fit_), Role::text,
                               on_wall ? Face::strong : Face::body),
                  ui.px(14));
    ui.widgets["step_verdict"] = {rest.x, top, rest.w, rest.y - top};
  }
  // The words reason from these times: what speaks against them stays beside them.
  if (const std::string doubt = doubt_of(bars); !doubt.empty())
    rest.take_top(ui.paragraph(rest, doubt, std::round(kBody_px * fit_), Role::slower), ui.px(14));
  // On a wall one message: the lesson's prose and its question are for who reads alone.
  const LessonBar* bar = bar_explained(step, bars, outcome);
  if (bar && !on_wall) draw_lesson(ui, &rest, bar->asked.kernel);
  if (bar) draw_limit(ui, &rest, *bar);
  if (bar && !on_wall)
    rest.take_top(draw_question(ui, rest, lesson_.blocks(ui.state), bar->asked.kernel, kLesson_px,
                                kLessonLeading));
  if (on_wall) say(Role::muted, Face::body);
  return has_more;
}

void Explanation::draw_hints(Ui& ui, const Area& area, const TourStep& step) {
  const bool is_same =
      (step.ask == Ask::time && step.kind == StepKind::run && step.rungs.size() == 1) ||
      (step.ask == Ask::ratio && step.kind == StepKind::compare);
  if (!is_same || ui.state.teaching.presenting || area.h < ui.px(60)) return;
  Scroll scroll(ui, "step_hints", area);
  scroll.rest.take_top(window::draw_hints(ui, scroll.rest, lesson_.blocks(ui.state),
                                          step.rungs.back(), kSmall_px + 1, kLessonLeading));
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
  const std::vector<const LessonBlock*> reasons = reasons_of(blocks, kernel);
  if (reasons.empty()) return;
  ui.list->AddLine({rest->x, rest->y}, {rest->right(), rest->y}, ui.color(Role::grid));
  rest->take_top(ui.px(14));
  ui.widgets["step_lesson"] = *rest;
  for (const LessonBlock* block : reasons) {
    const float indent = block->block.kind == Block::Kind::paragraph ? 0 : ui.px(18);
    const Area text = {rest->x + indent, rest->y, rest->w - indent, 0};
    rest->take_top(draw_words(ui, text, *block, kLesson_px, kLessonLeading), ui.px(12));
  }
}

}  // namespace ridge::window
