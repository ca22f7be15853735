#include <algorithm>

#include "app/window/panels/panels.h"
#include "app/window/teach/study.h"
#include "app/window/teach/teach_panels.h"

namespace ridge::window {
namespace {

using AnswerState = study::Answer::State;

/// What became of a choice, once one is made: a word beside it, since a colour alone says it to some only.
struct Mark {
  std::string text;
  Role role = Role::muted;
};

Mark mark_of(const study::Choice& choice, const std::string& chosen) {
  const bool mine = choice.label == chosen;
  if (choice.accepted) return {mine ? "your answer: right" : "right", Role::faster};
  if (mine) return {"your answer: wrong", Role::slower};
  return {};
}

void draw_choice(Ui& ui, const Area& row, const study::Question& question,
                 const study::Choice& choice, size_t place, const std::string& chosen) {
  const bool open = chosen.empty();
  const auto touched = ui.touch("choice:" + std::to_string(place), row);
  ui.fill(row, ui.raised(touched.hovered && open ? 3 : 1), ui.px(6));
  Area inner = row.inset(ui.px(16), 0);
  const Area key = inner.take_left(ui.px(28));
  if (open && place < 9)
    ui.text(key.x, key.middle(), std::to_string(place + 1), kSmall_px, Role::muted, Face::mono);
  const Mark mark = open ? Mark{} : mark_of(choice, chosen);
  if (!open) {
    // The figures are the answer: they come after it, in columns that do not depend on the words.
    const Area word = inner.take_right(ui.px(170), ui.px(12));
    ui.text(word.right(), word.middle(), mark.text, kSmall_px, mark.role, Face::strong,
            Anchor::end);
    const Area value = inner.take_right(inner.w * 0.5f, ui.px(12));
    ui.text(value.x, value.middle(), choice.value_text, kSmall_px, Role::text, Face::mono,
            Anchor::start, value.w);
  }
  ui.text(inner.x, inner.middle(), choice.label, kBody_px, Role::text,
          !open && choice.accepted ? Face::strong : Face::body, Anchor::start, inner.w);
  if (touched.clicked && open)
    ui.dispatch([question, choice](State& state) { choose(state, question, choice); });
}

void draw_missing(Ui& ui, Area* rest, const study::Answer& answer) {
  rest->take_top(ui.paragraph(*rest, sentence_of(answer.reason), kBody_px, Role::muted), ui.px(16));
  if (answer.run.empty()) return;
  const std::string label = answer.run.size() == 1 ? "Run it now" : "Run these rungs now";
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(48);
  ui.action_button("run_question", {rest->x, rest->y, std::min(w, rest->w), ui.px(42)}, label,
                   Ui::Kind::primary);
  rest->take_top(ui.px(42), ui.px(20));
  if (answer.choices.empty()) return;
  std::string measured;
  for (const study::Choice& choice : answer.choices)
    measured += (measured.empty() ? "Measured so far:  " : "  ·  ") + choice.label;
  rest->take_top(ui.paragraph(*rest, measured, kSmall_px, Role::muted), ui.px(12));
}

void draw_answered(Ui& ui, Area* rest, const study::Question& question,
                   const study::Answer& answer) {
  const auto found = ui.state.studying.chosen.find(question.id);
  const std::string chosen = found == ui.state.studying.chosen.end() ? "" : found->second;
  for (size_t i = 0; i < answer.choices.size(); ++i)
    draw_choice(ui, rest->take_top(ui.px(44), ui.px(6)), question, answer.choices[i], i, chosen);
  rest->take_top(ui.px(14));
  if (chosen.empty()) return;
  const auto mine = std::find_if(answer.choices.begin(), answer.choices.end(),
                                 [&](const study::Choice& one) { return one.label == chosen; });
  const bool right = mine != answer.choices.end() && mine->accepted;
  rest->take_top(ui.paragraph(*rest, right ? "Right." : "Not on this machine.", kHeading_px,
                              right ? Role::faster : Role::slower, Face::strong),
                 ui.px(8));
  rest->take_top(ui.paragraph(*rest, sentence_of(answer.explanation), kBody_px, Role::text),
                 ui.px(16));
  draw_terms(ui, rest, question.see);
}

}  // namespace

void draw_quiz(Ui& ui, Area area) {
  const study::Question* question = shown_question(ui.state);
  if (!question) return draw_empty_state(ui, area.inset(ui.px(32)), "There is no quiz.", "");
  const study::Answer answer = answer_of(ui.state, *question);
  const float w = std::min(area.w - ui.px(64), ui.px(820));
  Scroll scroll(
      ui, "quiz",
      {area.x + (area.w - w) / 2, area.y + ui.px(24), w + Scroll::bar(ui), area.h - ui.px(48)});
  Area& rest = scroll.rest;
  const Area head = rest.take_top(ui.px(28), ui.px(8));
  ui.text(head.x, head.middle(),
          std::string(find_lab(question->lab)->title) + "  ·  answered by what ran on " +
              device_label(ui.state.sessions),
          kSmall_px, Role::muted, Face::body, Anchor::start, head.w);
  rest.take_top(ui.paragraph(rest, question->text, kHeading_px, Role::text, Face::strong),
                ui.px(20));
  if (answer.state == AnswerState::answered)
    draw_answered(ui, &rest, *question, answer);
  else
    draw_missing(ui, &rest, answer);
}

}  // namespace ridge::window
