#include <algorithm>
#include <cmath>
#include <ctime>

#include "app/window/panels/panels.h"
#include "app/window/teach/study.h"
#include "app/window/teach/teach_panels.h"

namespace ridge::window {
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
void draw_faces(Ui& ui, const Area& area, const study::Card& card) {
  Scroll scroll(ui, ("card:" + card.id).c_str(), area);
  Area& rest = scroll.rest;
  const Area whole = {rest.x, rest.y, rest.w, area.h - 1};
  const float front_h = ui.paragraph(rest, card.front, kHeading_px, Role::text, Face::strong, true);
  // The question stands where the eye is, and stays there when the card is turned.
  rest.take_top(std::max(0.0f, area.h * (ui.is_compact ? 0.1f : 0.24f) - front_h / 2));
  ui.paragraph(rest.take_top(front_h, ui.px(22)), card.front, kHeading_px, Role::text,
               Face::strong);
  if (ui.state.studying.is_turned) {
    ui.list->AddLine({rest.x, rest.y}, {rest.right(), rest.y}, ui.color(Role::grid));
    rest.take_top(ui.px(22));
    rest.take_top(ui.paragraph(rest, card.back, kBody_px, Role::text), ui.px(24));
    draw_terms(ui, &rest, card.see);
    rest.take_top(ui.px(8));
    draw_rung_link(ui, &rest, card);
  }
  // After the parts that lie on it, so that their clicks are theirs.
  if (ui.touch("card", {whole.x, whole.y, whole.w, std::max(whole.h, rest.y - whole.y)}).clicked)
    ui.dispatch_action("turn_card");
}

}  // namespace

void draw_card(Ui& ui, Area area) {
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
  draw_faces(ui, inner, *card);
}

}  // namespace ridge::window
