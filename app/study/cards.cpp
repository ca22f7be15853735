#include "app/study/cards.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/study/assets.h"
#include "common/core/files.h"

namespace ridge::study {
namespace {

Result<Card> card_of(const Json& json, const std::string& lab, const std::string& where) {
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"id", "front", "back", "see", "rung"}));
  Card card;
  card.lab = lab;
  RIDGE_TRY(card.id, fields.text("id"));
  RIDGE_TRY(card.front, fields.text("front"));
  RIDGE_TRY(card.back, fields.text("back"));
  RIDGE_TRY(card.see, fields.texts("see"));
  RIDGE_TRY(card.rung, fields.text_or("rung", ""));
  if (!card.id.starts_with(lab + ".")) return fields.bad("id", "does not begin with " + lab + ".");
  return card;
}

}  // namespace

Result<Deck> parse_deck(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"lab", "title", "place", "cards"}));
  Deck deck;
  RIDGE_TRY(deck.lab, fields.text("lab"));
  RIDGE_TRY(deck.title, fields.text("title"));
  RIDGE_TRY(deck.place, fields.number("place"));
  RIDGE_TRY(const auto cards, fields.objects("cards"));
  std::set<std::string> ids;
  for (size_t i = 0; i < cards.size(); ++i) {
    const std::string place = where + ", card " + std::to_string(i + 1);
    RIDGE_TRY(Card card, card_of(cards[i], deck.lab, place));
    if (!ids.insert(card.id).second)
      return bad_asset(place, "'id' " + card.id + " is there already");
    deck.cards.push_back(std::move(card));
  }
  return deck;
}

Result<std::vector<Deck>> load_decks() {
  std::vector<Deck> decks;
  for (const std::string& name : asset_names("assets/cards/")) {
    RIDGE_TRY(const std::string text, read_asset(name));
    RIDGE_TRY(Deck deck, parse_deck(text, name));
    decks.push_back(std::move(deck));
  }
  std::stable_sort(decks.begin(), decks.end(),
                   [](const Deck& a, const Deck& b) { return a.place < b.place; });
  return decks;
}

// ---- what is known of them ---------------------------------------------------------------------

namespace {

constexpr int64_t kDay_s = 86400;
constexpr const char* kFormat = "ridgepoint-study";
constexpr int kVersion = 1;

const CardProgress* find(const Progress& progress, const Card& card) {
  const auto found = progress.cards.find(card.id);
  return found == progress.cards.end() ? nullptr : &found->second;
}

/// A whole number of `least` or more; a count or a time that is something else is damage.
Result<int64_t> whole(const Json& object, const char* name, int64_t least, int64_t most,
                      const std::string& where) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer() || *found < least || *found > most)
    return bad_asset(where,
                     fmt::format("'{}' is no whole number from {} to {}", name, least, most));
  return found->get<int64_t>();
}

constexpr int64_t kMostCount = 1'000'000'000, kMostTime_s = 253'402'300'799;  // the year 9999

Result<CardProgress> card_of(const Json& json, const std::string& where) {
  if (!json.is_object()) return bad_asset(where, "it is not a JSON object");
  CardProgress card;
  RIDGE_TRY(const int64_t box, whole(json, "box", 1, kBoxes, where));
  RIDGE_TRY(const int64_t knew, whole(json, "knew", 0, kMostCount, where));
  RIDGE_TRY(const int64_t again, whole(json, "again", 0, kMostCount, where));
  RIDGE_TRY(card.answered_s, whole(json, "answered_s", 0, kMostTime_s, where));
  RIDGE_TRY(card.due_s, whole(json, "due_s", 0, kMostTime_s, where));
  card.box = static_cast<int>(box);
  card.knew = static_cast<int>(knew);
  card.again = static_cast<int>(again);
  return card;
}

Result<QuizProgress> question_of(const Json& json, const std::string& where) {
  if (!json.is_object()) return bad_asset(where, "it is not a JSON object");
  RIDGE_TRY(const int64_t right, whole(json, "right", 0, kMostCount, where));
  RIDGE_TRY(const int64_t wrong, whole(json, "wrong", 0, kMostCount, where));
  return QuizProgress{static_cast<int>(right), static_cast<int>(wrong)};
}

}  // namespace

bool is_due(const Progress& progress, const Card& card, int64_t now_s) {
  const CardProgress* known = find(progress, card);
  return !known || known->due_s <= now_s;
}

const Card* next_card(const Deck& deck, const Progress& progress, int64_t now_s, bool any) {
  const Card* next = nullptr;
  int64_t oldest_s = 0;
  for (const Card& card : deck.cards) {
    if (!any && !is_due(progress, card, now_s)) continue;
    const CardProgress* known = find(progress, card);
    const int64_t answered_s = known ? known->answered_s : 0;
    if (next && answered_s >= oldest_s) continue;
    next = &card;
    oldest_s = answered_s;
  }
  return next;
}

void answer(Progress& progress, const Card& card, bool knew, int64_t now_s) {
  const bool due = is_due(progress, card, now_s);
  CardProgress& to = progress.cards[card.id];
  // Known before it was due says little: its box and its day stay.
  if (!knew)
    to.box = 1;
  else if (due)
    to.box = std::min(to.box + 1, kBoxes);
  if (!knew)
    to.due_s = now_s;
  else if (due)
    to.due_s = now_s + kDay_s * (int64_t{1} << (to.box - 1));
  ++(knew ? to.knew : to.again);
  to.answered_s = now_s;
}

DeckProgress deck_progress(const Deck& deck, const Progress& progress, int64_t now_s) {
  DeckProgress made;
  for (const Card& card : deck.cards) {
    const CardProgress* known = find(progress, card);
    ++made.cards;
    made.answered += known != nullptr;
    made.known += known && known->box >= 2;
    made.due += is_due(progress, card, now_s);
    const int64_t due_s = known ? known->due_s : now_s;
    made.next_due_s = made.next_due_s == 0 ? due_s : std::min(made.next_due_s, due_s);
  }
  return made;
}

std::string progress_json(const Progress& progress) {
  Json cards = Json::object(), questions = Json::object();
  for (const auto& [id, card] : progress.cards) {
    cards[id] = {{"box", card.box},
                 {"knew", card.knew},
                 {"again", card.again},
                 {"answered_s", card.answered_s},
                 {"due_s", card.due_s}};
  }
  for (const auto& [id, question] : progress.questions)
    questions[id] = {{"right", question.right}, {"wrong", question.wrong}};
  const Json json = {
      {"format", kFormat}, {"version", kVersion}, {"cards", cards}, {"questions", questions}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Progress> parse_progress(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  if (!json.is_object() || json.value("format", Json()) != kFormat)
    return bad_asset(where, "it is no study progress");
  if (json.value("version", Json()) != kVersion)
    return bad_asset(where, "it is of another version than 1",
                     "open it with the program that made it");
  Progress progress;
  const Json none = Json::object();
  const Json& cards = json.contains("cards") ? json["cards"] : none;
  const Json& questions = json.contains("questions") ? json["questions"] : none;
  if (!cards.is_object() || !questions.is_object())
    return bad_asset(where, "'cards' or 'questions' is no JSON object");
  for (const auto& [id, value] : cards.items()) {
    RIDGE_TRY(progress.cards[id], card_of(value, where + ", card " + id));
  }
  for (const auto& [id, value] : questions.items()) {
    RIDGE_TRY(progress.questions[id], question_of(value, where + ", question " + id));
  }
  return progress;
}

Result<Progress> load_progress(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Progress{};
  const auto text = read_whole(path);
  if (!text) return bad_asset(path, "it cannot be read", "see who may read it");
  return parse_progress(*text, path);
}

std::string progress_markdown(const std::vector<Deck>& decks, const Progress& progress,
                              int64_t now_s) {
  std::string text =
      "# Study progress\n\n| deck | cards | answered | known | due |\n"
      "| --- | ---: | ---: | ---: | ---: |\n";
  for (const Deck& deck : decks) {
    const DeckProgress at = deck_progress(deck, progress, now_s);
    text += fmt::format("| {} | {} | {} | {} | {} |\n", deck.title, at.cards, at.answered, at.known,
                        at.due);
  }
  text += "\nKnown: in box 2 or above of " + std::to_string(kBoxes) + ".\n";
  for (const Deck& deck : decks) {
    if (deck_progress(deck, progress, now_s).answered == 0) continue;
    text += "\n## " + deck.title +
            "\n\n| card | box | knew it | again |\n| --- | ---: | ---: | ---: |\n";
    for (const Card& card : deck.cards) {
      if (const CardProgress* at = find(progress, card))
        text += fmt::format("| {} | {} | {} | {} |\n", card.front, at->box, at->knew, at->again);
    }
  }
  if (progress.questions.empty()) return text;
  text += "\n## Quiz\n\n| question | right | wrong |\n| --- | ---: | ---: |\n";
  for (const auto& [id, at] : progress.questions)
    text += fmt::format("| {} | {} | {} |\n", id, at.right, at.wrong);
  return text;
}

}  // namespace ridge::study
