#include "app/window/teach/explain.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/study/lesson.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/measured_limit.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/step_outcome.h"
#include "labs/lab.h"

namespace ridge::window {
namespace {

using study::Ask;
using study::StepKind;
using study::TourStep;

/// Over the size that words have elsewhere: the half of the window is theirs.
constexpr float kWords_px = kBody_px * 1.2f, kWallWords_px = kBody_px * 1.35f,
                kLesson_px = kBody_px, kLessonLeading = 1.45f;

/// The sentence leads to what stands below it, a table or code.
bool ends_in_colon(const LessonBlock& block) {
  return !block.words.empty() && block.words.back().text.ends_with(':');
}

/// The part's arithmetic, else its idea: what happened stands in the bars, and the step's words have said the rest. It ends
/// with its first paragraphs, and with the table that they lead to.
std::vector<const LessonBlock*> reasons_of(const std::vector<LessonBlock>& blocks,
                                           const std::string& kernel) {
  std::vector<const LessonBlock*> idea, why;
  std::vector<const LessonBlock*>* section = nullptr;
  for (const LessonBlock& block : blocks) {
    const Block::Kind kind = block.block.kind;
    const bool is_prose = kind == Block::Kind::paragraph || kind == Block::Kind::item;
    const bool has_more = section && !section->empty();
    const bool is_after_aside = has_more && is_aside(*section->back());
    const bool is_led_to =
        is_aside(block) && has_more && (ends_in_colon(*section->back()) || is_after_aside);
    const bool is_past = is_prose ? is_after_aside : !is_led_to;
    if (study::begins_section(block.lead) || is_past)
      section = block.lead == study::kIdea ? &idea : block.lead == study::kWhy ? &why : nullptr;
    if (section && block.kernel == kernel) section->push_back(&block);
  }
  return why.empty() ? idea : why;
}

/// What the bar was measured at otherwise than counted, as {of the count, of the bar}.
std::pair<Params, Params> other_params(const LessonBar& bar, const Params& counted) {
  const Params measured = bar.series ? asked_params(*bar.series) : bar.asked.set;
  std::pair<Params, Params> other;
  for (const auto& [name, value] : counted) {
    const auto found = measured.find(name);
    if (found == measured.end() || found->second == value) continue;
    other.first[name] = value;
    other.second.insert(*found);
  }
  return other;
}

std::string verdict_words(const StepBars& bars, const StepOutcome& outcome, bool says_uneven) {
  if (!outcome.pair) return "";
  return verdict_sentence(*outcome.pair, bars.bars.front().title, bars.last()->title, true,
                          says_uneven) +
         "." + (outcome.sustained.empty() ? "" : " " + outcome.sustained + ".");
}

/// That other programs ran is said once: what contradicts an earlier measurement is another matter.
std::string doubt_beside(const StepBars& bars, const StepOutcome& outcome) {
  const bool is_contradicted =
      std::any_of(bars.bars.begin(), bars.bars.end(),
                  [](const LessonBar& bar) { return !bar.contradiction.empty(); });
  return tells_uneven(outcome) && !is_contradicted ? "" : doubt_of(bars);
}

}  // namespace

std::string other_size(const State& state, const StepBars& bars, const LessonBar& bar,
                       const Params& counted) {
  const auto [there, here] = other_params(bar, counted);
  const bool is_beside = std::any_of(bars.bars.begin(), bars.bars.end(), [&](const LessonBar& one) {
    return one.asked.kernel == bar.asked.kernel && other_params(one, counted).first.empty();
  });
  if (is_beside) return "";
  return "The lesson counts at " + asked_size(state, there) + "; this step ran " +
         asked_size(state, here) + ".";
}

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

bool Explanation::draw(Ui& ui, const Area& area, const TourStep& step, const StepBars& bars,
                       const StepOutcome& outcome, const std::string& said) {
  ui.widgets["explanation"] = area;
  Scroll scroll(ui, "explanation", area, ui.color(Role::canvas));
  const bool has_more = scroll.turn_pages(ui.state.teaching.pages, &page_);
  Area& rest = scroll.rest;
  if (ui.state.teaching.presenting) {
    draw_on_wall(ui, &rest, area.h, wall_words(ui, step, bars, outcome, said));
    return has_more;
  }
  // Who reads alone begins at what they committed to.
  const auto say = [&](const std::string& text, Role role, Face face = Face::body) {
    if (!text.empty()) rest.take_top(ui.paragraph(rest, text, kBody_px, role, face), ui.px(14));
  };
  say(said, Role::text, Face::strong);
  rest.take_top(figures_.paragraph(ui, rest, step.words, kWords_px, Role::text), ui.px(14));
  const float top = rest.y;
  say(verdict_words(bars, outcome, !tells_uneven(outcome)), Role::text);
  if (outcome.pair) ui.widgets["step_verdict"] = {rest.x, top, rest.w, rest.y - top};
  // The words reason from these times: what speaks against them stays beside them.
  say(doubt_beside(bars, outcome), Role::slower);
  const LessonBar* bar = bar_explained(step, bars, outcome);
  if (!bar) return has_more;
  draw_lesson(ui, &rest, step, bars, *bar);
  draw_limit(ui, &rest, *bar);
  const float question = rest.y;
  rest.take_top(draw_question(ui, rest, lesson_.blocks(ui.state), bar->asked.kernel, kLesson_px,
                              kLessonLeading));
  // A key opens it from anywhere: it may lie below what is seen.
  const bool is_open = ui.state.view.open_answers.contains(key_of_all(ui.state));
  if (is_open && !std::exchange(was_open_, is_open))
    scroll.show_row({rest.x, question, rest.w, rest.y - question});
  was_open_ = is_open;
  return has_more;
}

std::vector<Explanation::WallWords> Explanation::wall_words(const Ui& ui, const TourStep& step,
                                                            const StepBars& bars,
                                                            const StepOutcome& outcome,
                                                            const std::string& said) {
  std::vector<WallWords> all = {{.text = step.words, .size = kWallWords_px, .has_figures = true}};
  all.push_back({.text = verdict_words(bars, outcome, true),
                 .size = kBody_px,
                 .face = Face::strong,
                 .widget = outcome.pair ? "step_verdict" : ""});
  // The verdict of a pair has said that the machine was busy, where that is its reason.
  const bool is_told = outcome.pair && !outcome.ungraded.empty();
  if (!is_told) all.push_back({.text = doubt_of(bars), .size = kBody_px, .role = Role::slower});
  if (const LessonBar* bar = bar_explained(step, bars, outcome)) {
    const LessonBlock* expected = expected_limit(lesson_.blocks(ui.state), bar->asked.kernel);
    const MeasuredLimit measured = measured_limit(ui.state, *bar, causes_in(expected));
    const LessonBlock* shown = expected_words(expected, measured);
    if (shown) all.push_back({.size = kLesson_px, .block = shown, .widget = "step_binds"});
    // What qualifies the lesson's limit stands beside it in a room too.
    if (expected || measured.is_told)
      all.push_back({.text = measured.for_room,
                     .size = measured.is_quiet ? kSmall_px + 1 : kBody_px,
                     .role = measured.is_quiet ? Role::muted : Role::text,
                     .widget = "step_measured"});
  }
  if (!is_told)
    all.push_back({.text = said, .size = kBody_px, .role = Role::muted, .is_repeated = true});
  return all;
}

float Explanation::lay_on_wall(Ui& ui, Area rest, const std::vector<WallWords>& all, float by,
                               bool measure) {
  const float from = rest.y;
  for (const WallWords& one : all) {
    const float size = std::round(one.size * by), top = rest.y;
    const float height =
        one.block          ? draw_words(ui, rest, *one.block, size, kLessonLeading, measure)
        : one.text.empty() ? 0
        : one.has_figures
            ? figures_.paragraph(ui, rest, one.text, size, one.role, one.face, measure)
            : ui.paragraph(rest, one.text, size, one.role, one.face, measure);
    if (height > 0) rest.take_top(height, ui.px(14));
    if (!measure && *one.widget) ui.widgets[one.widget] = {rest.x, top, rest.w, rest.y - top};
  }
  return rest.y - from;
}

/// One message on a wall: a little smaller rather than cut, then without what Reveal has said already. What is still too
/// long has pages.
void Explanation::draw_on_wall(Ui& ui, Area* rest, float room, std::vector<WallWords> all) {
  constexpr float kStep = 0.05f, kLeast = 0.75f;
  float by = 1;
  const auto is_cut = [&] { return lay_on_wall(ui, *rest, all, by, true) > room; };
  while (by > kLeast && is_cut()) by -= kStep;
  if (is_cut()) std::erase_if(all, [](const WallWords& one) { return one.is_repeated; });
  const Area whole = {rest->x, rest->y, rest->w, lay_on_wall(ui, *rest, all, by, false)};
  ui.widgets["wall_words"] = whole;
  rest->take_top(whole.h);
}

void Explanation::draw_hints(Ui& ui, const Area& area, const TourStep& step) {
  const bool is_same =
      (step.ask == Ask::time && step.kind == StepKind::run && step.rungs.size() == 1) ||
      (step.ask == Ask::ratio && step.kind == StepKind::compare);
  if (!is_same || ui.state.teaching.presenting || area.h < ui.px(60)) return;
  Scroll scroll(ui, "step_hints", area, ui.color(Role::canvas));
  scroll.rest.take_top(window::draw_hints(ui, scroll.rest, lesson_.blocks(ui.state),
                                          step.rungs.back(), kSmall_px + 1, kLessonLeading));
}

/// What the lesson expects to limit the rung, then what this run says to that: without the first the second is a riddle.
void Explanation::draw_limit(Ui& ui, Area* rest, const LessonBar& bar) {
  const LessonBlock* expected = expected_limit(lesson_.blocks(ui.state), bar.asked.kernel);
  const float top = rest->y;
  const MeasuredLimit measured = measured_limit(ui.state, bar, causes_in(expected));
  if (const LessonBlock* shown = expected_words(expected, measured))
    rest->take_top(draw_words(ui, *rest, *shown, kLesson_px, kLessonLeading), ui.px(8));
  // What would settle it is the same at every step: it is said at the first.
  const int here = ui.state.teaching.tour_step;
  const bool is_open = !measured.text.empty() && !measured.is_told;
  if (is_open && ui.state.teaching.tour &&
      unsettled_.try_emplace(measured.text, here).first->second != here)
    return;
  if (measured.text.empty() || !(expected || measured.is_told)) return;
  const bool is_quiet = measured.is_quiet;
  rest->take_top(ui.paragraph(*rest, measured.text, is_quiet ? kSmall_px + 1 : kBody_px,
                              is_quiet ? Role::muted : Role::text),
                 ui.px(14));
  ui.widgets["step_binds"] = {rest->x, top, rest->w, rest->y - top};
}

const LessonBlock* Explanation::expected_words(const LessonBlock* expected,
                                               const MeasuredLimit& measured) {
  const bool is_claim = expected && expected->lead == study::kWhatLimits;
  if (!is_claim || measured.text.empty() || measured.is_told) return expected;
  expected_ = *expected;
  auto& words = expected_.words;
  std::string lead;
  auto end = words.begin();
  for (; end != words.end() && lead.size() < study::kWhatLimits.size(); ++end)
    lead += (lead.empty() || !end->space_before ? "" : " ") + end->text;
  if (lead != study::kWhatLimits) return expected;
  Word first = words.front();
  words.erase(words.begin(), end);
  bool has_space = false;
  std::vector<Word> begin;
  for (const char* text : {"The", "lesson", "expects:"}) {
    first.text = text;
    first.space_before = std::exchange(has_space, true);
    begin.push_back(first);
  }
  words.insert(words.begin(), begin.begin(), begin.end());
  return &expected_;
}

void Explanation::draw_lesson(Ui& ui, Area* rest, const TourStep& step, const StepBars& bars,
                              const LessonBar& bar) {
  const std::vector<LessonBlock>& blocks = lesson_.blocks(ui.state);
  const std::vector<const LessonBlock*> reasons = reasons_of(blocks, bar.asked.kernel);
  if (reasons.empty()) return;
  ui.list->AddLine({rest->x, rest->y}, {rest->right(), rest->y}, ui.color(Role::grid));
  rest->take_top(ui.px(14));
  ui.widgets["step_lesson"] = *rest;
  const Lab& lab = *ui.state.selection.lab;
  const std::string size =
      other_size(ui.state, bars, bar, counted_at(blocks, lab, bar.asked.kernel));
  if (!size.empty() && !step.why.empty()) {
    rest->take_top(figures_.paragraph(ui, *rest, step.why, kLesson_px, Role::text), ui.px(12));
    return;
  }
  if (!size.empty()) {
    const float h = ui.paragraph(*rest, size, kBody_px, Role::limit, Face::strong);
    ui.widgets["step_lesson_size"] = {rest->x, rest->y, rest->w, h};
    rest->take_top(h, ui.px(12));
  }
  for (const LessonBlock* block : reasons) {
    if (is_aside(*block)) {
      ui.widgets["step_lesson_aside"] = {rest->x, rest->y, rest->w, 0};
      rest->take_top(draw_aside(ui, *rest, *block));
      continue;
    }
    const float indent = block->block.kind == Block::Kind::paragraph ? 0 : ui.px(18);
    const Area text = {rest->x + indent, rest->y, rest->w - indent, 0};
    rest->take_top(draw_words(ui, text, *block, kLesson_px, kLessonLeading), ui.px(12));
  }
}

}  // namespace ridge::window
