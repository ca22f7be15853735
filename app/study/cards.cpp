#include "app/study/cards.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/study/fields.h"

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

}  // namespace ridge::study
