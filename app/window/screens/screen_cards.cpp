// Study: decks of cards with what is known of them, and the quiz that measured results answer.
#include <algorithm>
#include <cctype>
#include <ctime>

#include "app/window/teach/study.h"
#include "app/window/teach/teach_panels.h"

namespace ridge::window {
namespace {

class CardsScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  static void draw_side(Ui& ui, Area area);
  static void draw_decks(Ui& ui, Area area);
  static void draw_questions(Ui& ui, Area area);
  static void draw_problem(Ui& ui, Area area);
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
  const float gap = ui.px(12), most = ui.px(1500);
  if (all.w > most) all = {all.x + (all.w - most) / 2, all.y, most, all.h};
  draw_side(ui, all.take_left(std::min(ui.px(380), all.w * 0.34f), gap));
  if (!ui.state.studying.problem.empty()) draw_problem(ui, all.take_top(ui.px(84), gap));
  ui.panel(all);
  if (ui.state.studying.is_quiz)
    draw_quiz(ui, all);
  else
    draw_card(ui, all);
}

}  // namespace

void draw_terms(Ui& ui, Area* rest, const std::vector<std::string>& terms) {
  if (terms.empty()) return;
  const float h = ui.px(30), gap = ui.px(8);
  Area row = rest->take_top(h, gap);
  const auto& glossary = study_glossary();
  for (const std::string& name : terms) {
    const float w = ui.width(name, kSmall_px) + ui.px(24);
    if (w > row.w && row.x > rest->x) row = rest->take_top(h, gap);
    const Area place = row.take_left(w, gap);
    const auto touched = ui.touch("see:" + name, place);
    ui.fill(place, ui.raised(touched.hovered ? 3 : 2), h / 2);
    ui.text(place.x + place.w / 2, place.middle(), name, kSmall_px, Role::text, Face::body,
            Anchor::middle);
    const study::Term* term = glossary ? glossary->find(name) : nullptr;
    if (touched.hovered && term) ui.tooltip(plain_text(*term));
    if (touched.clicked) ui.dispatch([name](State& state) { open_term(state, name); });
  }
}

std::string sentence_of(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::unique_ptr<Screen> make_cards_screen() {
  return std::make_unique<CardsScreen>();
}

}  // namespace ridge::window
