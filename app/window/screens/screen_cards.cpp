// Study: decks of cards with what is known of them, and the quiz that measured results answer.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>

#include "app/window/panels/widgets.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/study.h"

namespace ridge::window {
namespace {

using AnswerState = study::Answer::State;

/// What became of a choice, once one is made: a word beside it, since a colour alone says it to some only.
struct Mark {
  std::string text;
  Role role = Role::muted;
};

Mark mark_of(const study::Choice& choice, const std::string& chosen, bool is_open) {
  const bool mine = choice.label == chosen;
  if (is_open && choice.accepted) return {mine ? "your answer: may be" : "may be", Role::text};
  if (choice.accepted) return {mine ? "your answer: right" : "right", Role::faster};
  if (mine) return {"your answer: wrong", Role::slower};
  return {};
}

/// `share`: of the largest figure among the choices, for its bar.
void draw_choice(Ui& ui, const Area& row, const study::Question& question,
                 const study::Choice& choice, size_t place, const std::string& chosen, double share,
                 bool is_open) {
  const bool open = chosen.empty();
  const auto touched = ui.touch("choice:" + std::to_string(place), row);
  ui.fill(row, ui.raised(touched.hovered && open ? 3 : 1), ui.px(6));
  Area inner = row.inset(ui.px(16), 0);
  const Area key = inner.take_left(ui.px(28));
  if (open && place < 9)
    ui.text(key.x, key.middle(), std::to_string(place + 1), kSmall_px, Role::muted, Face::mono);
  const Mark mark = open ? Mark{} : mark_of(choice, chosen, is_open);
  if (!open) {
    // The figures are the answer: they come after it, in columns that do not depend on the words.
    const Area word = inner.take_right(ui.px(170), ui.px(12));
    ui.text(word.right(), word.middle(), mark.text, kSmall_px, mark.role, Face::strong,
            Anchor::end);
    const Area value = inner.take_right(inner.w * 0.5f, ui.px(12));
    const bool has_bar = share > 0;  // not of "none of these"
    ui.text(value.x, value.middle() - ui.px(has_bar ? 5 : 0), choice.value_text, kSmall_px,
            Role::text, Face::mono, Anchor::start, value.w);
    const Area bar = {value.x, value.bottom() - ui.px(11), value.w * static_cast<float>(share),
                      ui.px(4)};
    if (has_bar) ui.fill(bar, ui.color(mark.text.empty() ? Role::baseline : mark.role), ui.px(2));
    if (has_bar) ui.widgets["choice_bar:" + std::to_string(place)] = bar;
  }
  ui.text(inner.x, inner.middle(), choice.label, kBody_px, Role::text,
          !open && choice.accepted ? Face::strong : Face::body, Anchor::start, inner.w);
  if (touched.clicked && open)
    ui.dispatch([question, choice](State& state) { choose(state, question, choice); });
}

void draw_missing(Ui& ui, Area* rest, const study::Answer& answer) {
  rest->take_top(ui.paragraph(*rest, sentence_of(answer.reason), kBody_px, Role::muted), ui.px(16));
  if (answer.run.empty()) return;
  if (ui.state.is_replay()) {
    rest->take_top(
        ui.paragraph(*rest,
                     "This is a saved run: nothing can run in it. Home leads back to your "
                     "own session, which can measure what the question needs.",
                     kSmall_px, Role::muted),
        ui.px(16));
    return;
  }
  rest->take_top(ui.paragraph(*rest,
                              "Think of your answer while it runs: its figures stay hidden here "
                              "until you have chosen.",
                              kSmall_px, Role::muted),
                 ui.px(16));
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

/// The next one in the list that was not answered yet, from the top again after the last; null: there is none.
const study::Question* unanswered_after(const State& state, const study::Question& question) {
  const auto& all = study_questions();
  const auto is_open = [&](const study::Question& one) {
    return one.id != question.id && !state.studying.progress.questions.contains(one.id);
  };
  const auto here = std::find_if(all->begin(), all->end(),
                                 [&](const study::Question& one) { return one.id == question.id; });
  auto found = std::find_if(here, all->end(), is_open);
  if (found != all->end()) return &*found;
  found = std::find_if(all->begin(), here, is_open);
  return found == here ? nullptr : &*found;
}

void draw_next(Ui& ui, Area* rest, const study::Question& question) {
  const study::Question* next = unanswered_after(ui.state, question);
  if (!next) return;
  const Area button = rest->take_top(ui.px(42), ui.px(20));
  if (ui.button("next_question", {button.x, button.y, std::min(ui.px(180), button.w), button.h},
                "Next question", Ui::Kind::primary))
    ui.dispatch([id = next->id](State& state) { state.studying.question = id; });
}

void draw_answered(Ui& ui, Area* rest, const study::Question& question,
                   const study::Answer& answer) {
  const auto found = ui.state.studying.chosen.find(question.id);
  const std::string chosen = found == ui.state.studying.chosen.end() ? "" : found->second;
  double most = 0;
  for (const study::Choice& choice : answer.choices)
    if (choice.value > most) most = choice.value;  // of NaN it is false
  for (size_t i = 0; i < answer.choices.size(); ++i) {
    const double value = answer.choices[i].value;
    draw_choice(ui, rest->take_top(ui.px(44), ui.px(6)), question, answer.choices[i], i, chosen,
                value > 0 ? value / most : 0, answer.is_open);
  }
  rest->take_top(ui.px(14));
  if (chosen.empty()) return;
  const auto mine = std::find_if(answer.choices.begin(), answer.choices.end(),
                                 [&](const study::Choice& one) { return one.label == chosen; });
  const bool right = mine != answer.choices.end() && mine->accepted;
  const char* verdict = answer.is_open ? "These results leave it open."
                        : right        ? "Right."
                                       : "Not on this machine.";
  const Role role = answer.is_open ? Role::text : right ? Role::faster : Role::slower;
  ui.widgets[std::string("verdict:") + verdict] = *rest;
  rest->take_top(ui.paragraph(*rest, verdict, kHeading_px, role, Face::strong), ui.px(8));
  rest->take_top(ui.paragraph(*rest, sentence_of(answer.explanation), kBody_px, Role::text),
                 ui.px(16));
  draw_terms(ui, rest, question.see);
  draw_next(ui, rest, question);
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

namespace {

std::string days_until(int64_t due_s) {
  const int64_t left_s = due_s - static_cast<int64_t>(std::time(nullptr));
  const int64_t days = std::max<int64_t>(1, (left_s + 86399) / 86400);
  return days == 1 ? "in a day" : "in " + std::to_string(days) + " days";
}

/// The boxes, the card's own filled.
void draw_box(Ui& ui, float right, float y, int box) {
  const float side = ui.px(11), gap = ui.px(5);
  const std::string text =
      box == 0 ? "new" : "box " + std::to_string(box) + " of " + std::to_string(study::kBoxes);
  float x = right - static_cast<float>(study::kBoxes) * (side + gap) + gap;
  ui.text(x - ui.px(10), y, text, kTiny_px + 1, Role::muted, Face::body, Anchor::end);
  for (int i = 1; i <= study::kBoxes; ++i, x += side + gap) {
    const Area place = {x, y - side / 2, side, side};
    ui.fill(place, i <= box ? ui.color(Role::series0) : ui.raised(3), ui.px(2));
  }
}

/// To the rung that shows what the card says.
void draw_rung_link(Ui& ui, Area* rest, const study::Card& card) {
  const Lab* lab = find_lab(card.lab);
  if (!lab || card.rung.empty()) return;
  for (const Rung& rung : lab->rungs) {
    if (rung.kernel != card.rung) continue;
    const std::string label = std::string("See it in the lab: ") + rung.title;
    const float w = ui.width(label, kSmall_px + 1) + ui.px(32);
    const Area place = rest->take_top(ui.px(36), ui.px(12));
    if (!ui.button("card_rung", {place.x, place.y, std::min(w, place.w), place.h}, label,
                   Ui::Kind::normal))
      return;
    return ui.dispatch([lab, kernel = card.rung](State& state) {
      open_lab(state, lab->id);
      select_rung(state, kernel);
      state.view.screen = ScreenId::lab;
      state.view.tab = Tab::lesson;
    });
  }
}

void draw_answers(Ui& ui, Area row) {
  const Studying& studying = ui.state.studying;
  const float w = std::min(ui.px(220), (row.w - ui.px(12)) / 2);
  if (!studying.is_turned) {
    ui.action_button("turn_card", row.take_left(w, ui.px(16)), "Turn it", Ui::Kind::primary);
    ui.text(row.x, row.middle(), "Space. Say the answer aloud first.", kSmall_px, Role::muted,
            Face::body, Anchor::start, row.w);
    return;
  }
  // The keys stand on the buttons: two things are done here many times over.
  if (ui.button("knew", row.take_left(w, ui.px(12)), "1   Knew it", Ui::Kind::primary))
    return ui.dispatch([](State& state) { answer_card(state, true); });
  if (ui.button("again", row.take_left(w, ui.px(12)), "2   Again", Ui::Kind::normal))
    ui.dispatch([](State& state) { answer_card(state, false); });
}

/// Scrolls where the window is too low for the answer; a click anywhere else on it turns the card.
void draw_faces(Ui& ui, FigureTexts* figures, const Area& area, const study::Card& card) {
  Scroll scroll(ui, ("card:" + card.id).c_str(), area);
  Area& rest = scroll.rest;
  const Area whole = {rest.x, rest.y, rest.w, area.h - 1};
  const float front_h =
      figures->paragraph(ui, rest, card.front, kHeading_px, Role::text, Face::strong, true);
  // The question stands where the eye is, and stays there when the card is turned.
  rest.take_top(std::max(0.0f, area.h * (ui.is_compact ? 0.1f : 0.24f) - front_h / 2));
  figures->paragraph(ui, rest.take_top(front_h, ui.px(22)), card.front, kHeading_px, Role::text,
                     Face::strong);
  if (ui.state.studying.is_turned) {
    ui.list->AddLine({rest.x, rest.y}, {rest.right(), rest.y}, ui.color(Role::grid));
    rest.take_top(ui.px(22));
    rest.take_top(figures->paragraph(ui, rest, card.back, kBody_px, Role::text), ui.px(24));
    draw_terms(ui, &rest, card.see);
    rest.take_top(ui.px(8));
    draw_rung_link(ui, &rest, card);
  }
  // After the parts that lie on it, so that their clicks are theirs.
  if (ui.touch("card", {whole.x, whole.y, whole.w, std::max(whole.h, rest.y - whole.y)}).clicked)
    ui.dispatch_action("turn_card");
}

}  // namespace

void draw_card(Ui& ui, FigureTexts* figures, Area area) {
  const State& state = ui.state;
  const study::Deck* deck = shown_deck(state);
  if (!deck) return draw_empty_state(ui, area.inset(ui.px(32)), "There are no cards.", "");
  const study::Card* card = shown_card(state);
  if (!card) {
    const int64_t now_s = static_cast<int64_t>(std::time(nullptr));
    const study::DeckProgress at = study::deck_progress(*deck, state.studying.progress, now_s);
    if (draw_nothing(ui, area, "Nothing is due in this deck.",
                     "The next card comes " + days_until(at.next_due_s) +
                         ". Gone through before that, a card that is known stays in its box.",
                     "Go through it all the same"))
      ui.dispatch([](State& changed) { changed.studying.goes_on = true; });
    return;
  }
  // Lines of some 75 letters, in the middle.
  const float w = std::min(area.w - ui.px(64), ui.px(760));
  Area inner = {area.x + (area.w - w) / 2, area.y + ui.px(24), w, area.h - ui.px(48)};
  const Area head = inner.take_top(ui.px(28), ui.px(8));
  ui.text(head.x, head.middle(), deck->title, kSmall_px, Role::muted, Face::body, Anchor::start,
          head.w / 2);
  const auto known = state.studying.progress.cards.find(card->id);
  draw_box(ui, head.right(), head.middle(),
           known == state.studying.progress.cards.end() ? 0 : known->second.box);
  draw_answers(ui, inner.take_bottom(ui.px(44), ui.px(16)));
  draw_faces(ui, figures, inner, *card);
}

namespace {

class CardsScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void draw_side(Ui& ui, Area area);
  static void draw_decks(Ui& ui, Area area);
  void draw_questions(Ui& ui, Area area);
  static void draw_problem(Ui& ui, Area area);
  FigureTexts figures_;
  std::string followed_;  ///< the question that its list was scrolled to
};

void draw_deck(Ui& ui, const Area& row, const study::Deck& deck) {
  const auto touched = ui.touch("deck:" + deck.lab, row);
  const bool here = &deck == shown_deck(ui.state);
  if (here || touched.hovered)
    ui.fill(row, here ? ui.color(Role::highlight) : ui.raised(1), ui.px(5));
  const Area inner = row.inset(ui.px(12), ui.px(8));
  const study::DeckProgress at = study::deck_progress(deck, ui.state.studying.progress,
                                                      static_cast<int64_t>(std::time(nullptr)));
  const std::string due = at.due == 0 ? "none due" : std::to_string(at.due) + " due";
  const float due_w = ui.text(inner.right(), inner.y + ui.px(10), due, kTiny_px + 1, Role::muted,
                              Face::body, Anchor::end);
  ui.text(inner.x, inner.y + ui.px(10), deck.title, kSmall_px + 1, Role::text,
          here ? Face::strong : Face::body, Anchor::start, inner.w - due_w - ui.px(12));
  const std::string known = std::to_string(at.known) + " of " + std::to_string(at.cards) + " known";
  const float known_w = ui.text(inner.right(), inner.bottom() - ui.px(9), known, kTiny_px + 1,
                                Role::muted, Face::body, Anchor::end);
  const Area bar = {inner.x, inner.bottom() - ui.px(12), inner.w - known_w - ui.px(14), ui.px(6)};
  ui.fill(bar, ui.raised(3), bar.h / 2);
  const float share = static_cast<float>(at.known) / static_cast<float>(std::max(1, at.cards));
  if (share > 0) ui.fill({bar.x, bar.y, bar.w * share, bar.h}, ui.color(Role::series0), bar.h / 2);
  if (touched.clicked) ui.dispatch([lab = deck.lab](State& state) { show_deck(state, lab); });
}

void CardsScreen::draw_decks(Ui& ui, Area area) {
  const auto& decks = study_decks();
  if (!decks) {
    ui.paragraph(area, sentence_of(decks.error().sentence()), kSmall_px, Role::slower);
    return;
  }
  Scroll scroll(ui, "decks", area);
  for (const study::Deck& deck : *decks)
    draw_deck(ui, scroll.rest.take_top(ui.px(60), ui.px(2)), deck);
}

void CardsScreen::draw_questions(Ui& ui, Area area) {
  const auto& questions = study_questions();
  if (!questions) {
    ui.paragraph(area, sentence_of(questions.error().sentence()), kSmall_px, Role::slower);
    return;
  }
  Scroll scroll(ui, "questions", area);
  const study::Question* shown = shown_question(ui.state);
  for (const study::Question& question : *questions) {
    const Area text = {0, 0, scroll.rest.w - ui.px(24), 0};
    const float text_h = ui.paragraph(text, question.text, kSmall_px, Role::text, Face::body, true);
    const Area row = scroll.rest.take_top(text_h + ui.px(36), ui.px(2));
    const auto touched = ui.touch("question:" + question.id, row);
    const bool here = &question == shown;
    if (here && followed_ != question.id) scroll.show_row(row), followed_ = question.id;
    if (here || touched.hovered)
      ui.fill(row, here ? ui.color(Role::highlight) : ui.raised(1), ui.px(5));
    ui.paragraph({row.x + ui.px(12), row.y + ui.px(7), text.w, 0}, question.text, kSmall_px,
                 Role::text);
    const auto found = ui.state.studying.progress.questions.find(question.id);
    const auto said = [&](int count, const char* word) {
      return count > 0 ? "  ·  " + std::to_string(count) + " " + word : std::string();
    };
    std::string about = find_lab(question.lab)->title;
    about += found == ui.state.studying.progress.questions.end()
                 ? "  ·  not answered"
                 : said(found->second.right, "right") + said(found->second.wrong, "wrong");
    ui.text(row.x + ui.px(12), row.bottom() - ui.px(16), about, kTiny_px + 1, Role::muted);
    if (touched.clicked)
      ui.dispatch([id = question.id](State& state) { state.studying.question = id; });
  }
}

void CardsScreen::draw_side(Ui& ui, Area area) {
  ui.panel(area);
  Area inner = area.inset(ui.px(16), ui.px(16));
  const Studying& studying = ui.state.studying;
  const int clicked = ui.segments("study", inner.take_top(ui.px(36), ui.px(14)), {"Cards", "Quiz"},
                                  studying.is_quiz ? 1 : 0);
  if (clicked >= 0) ui.dispatch([clicked](State& state) { state.studying.is_quiz = clicked == 1; });
  ui.action_button("export_progress", inner.take_bottom(ui.px(36), ui.px(12)), "Export progress",
                   Ui::Kind::normal);
  if (studying.is_quiz)
    draw_questions(ui, inner);
  else
    draw_decks(ui, inner);
}

/// The saved progress could not be read: what is answered now is lost at the end, until this is settled.
void CardsScreen::draw_problem(Ui& ui, Area area) {
  ui.panel(area);
  Area inner = area.inset(ui.px(20), ui.px(12));
  const Area button = inner.take_right(ui.px(240), ui.px(20));
  ui.action_button("new_progress", {button.x, button.middle() - ui.px(18), button.w, ui.px(36)},
                   "Set it aside and start over", Ui::Kind::normal);
  ui.paragraph(inner,
               sentence_of(ui.state.studying.problem) +
                   ". It is not written over: answers count "
                   "until the window closes.",
               kSmall_px, Role::slower);
}

void CardsScreen::draw(Ui& ui, Area all) {
  const float gap = ui.px(12), most = ui.px(1800);
  if (all.w > most) all = {all.x + (all.w - most) / 2, all.y, most, all.h};
  draw_side(ui, all.take_left(std::min(ui.px(380), all.w * 0.34f), gap));
  if (!ui.state.studying.problem.empty()) draw_problem(ui, all.take_top(ui.px(84), gap));
  ui.panel(all);
  if (ui.state.studying.is_quiz)
    draw_quiz(ui, all);
  else
    draw_card(ui, &figures_, all);
}

}  // namespace

std::unique_ptr<Screen> make_cards_screen() {
  return std::make_unique<CardsScreen>();
}

}  // namespace ridge::window
