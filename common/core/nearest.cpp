#include "common/core/nearest.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ridge {
namespace {

constexpr size_t kMostListed = 8;
constexpr size_t kFar = 1000;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Slips that a name of this length may have and still be known.
size_t slips_allowed(size_t length) {
  return length < 2 ? 0 : length < 5 ? 1 : length < 8 ? 2 : 3;
}

/// Smaller is nearer; kFar: not near.
size_t rank(const std::string& typed, const std::string& name) {
  constexpr size_t kShortestPart = 2;
  const auto [shorter, longer] = std::minmax({typed.size(), name.size()});
  const size_t allowed = slips_allowed(shorter);
  if (longer - shorter <= allowed) {  // there are at least so many slips
    const size_t slips = edit_distance(typed, name);
    if (slips <= allowed) return slips;
  }
  if (typed.size() < kShortestPart) return kFar;
  if (name.starts_with(typed)) return 10;
  if (name.find(typed) != std::string::npos) return 11;
  // A short name is part of many words by chance.
  return name.size() > kShortestPart && typed.find(name) != std::string::npos ? 12 : kFar;
}

}  // namespace

bool has_words(std::string_view text, std::string_view words) {
  constexpr size_t kShortest = 4;
  if (words.size() < kShortest) return false;
  const std::string all = lower(text), wanted = lower(words);
  const auto is_letter = [&](size_t at) {
    return at < all.size() && std::isalnum(static_cast<unsigned char>(all[at]));
  };
  for (size_t at = all.find(wanted); at != all.npos; at = all.find(wanted, at + 1)) {
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + wanted.size())) return true;
  }
  return false;
}

size_t edit_distance(std::string_view one, std::string_view other) {
  // Three rows of the table of distances between all beginnings: this one, the one before, and the one before that.
  std::vector<size_t> before_last, last(other.size() + 1), row(other.size() + 1);
  for (size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= one.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= other.size(); ++j) {
      const bool is_same = one[i - 1] == other[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
      const bool is_swap =
          i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[other.size()];
}

std::vector<size_t> nearest(std::string_view typed, const std::vector<std::string>& names,
                            size_t most) {
  const std::string wanted = lower(typed);
  std::vector<std::pair<size_t, size_t>> ranked;  // rank, index
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t its_rank = rank(wanted, lower(names[i]));
    if (its_rank < kFar) ranked.emplace_back(its_rank, i);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > most) ranked.resize(most);
  std::vector<size_t> found;
  for (const auto& [its_rank, index] : ranked) found.push_back(index);
  return found;
}

std::string few_of(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMostListed; ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostListed)
    text += " and " + std::to_string(names.size() - kMostListed) + " more";
  return text;
}

std::string name_hint(std::string_view typed, const std::vector<std::string>& names,
                      const std::string& command, const std::vector<std::string>& shown) {
  const std::vector<std::string>& said = shown.empty() ? names : shown;
  const std::vector<size_t> near = nearest(typed, names);
  std::string text;
  for (size_t i = 0; i < near.size(); ++i) {
    const bool is_last = i > 0 && i + 1 == near.size();
    text += (i == 0 ? "" : is_last ? " or " : ", ") + said[near[i]];
  }
  if (near.empty()) {
    text = "choose from " + few_of(said);
    if (names.size() <= kMostListed) return text;
  } else {
    text = "did you mean " + text + "?";
  }
  if (command.empty()) return text;
  return text + (near.empty() ? "; '" : " '") + command + "' shows all";
}

}  // namespace ridge
