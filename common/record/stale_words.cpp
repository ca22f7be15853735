#include "common/record/stale_words.h"

#include <fmt/format.h>

namespace ridge {

std::string with_stale(std::string text, bool is_stale, std::string_view separator) {
  if (!is_stale) return text;
  if (!text.empty()) text += separator;
  return text.append(kStaleWord);
}

std::string with_stale_mark(std::string text, bool is_stale) {
  return is_stale ? text.append(kStaleMark) : text;
}

std::string stale_text(size_t stale, size_t all, std::string_view what) {
  if (stale == 0) return "";
  return with_stale(fmt::format("{} of {} {}{}", stale, all, what, all == 1 ? "" : "s"), true, " ");
}

std::string changed_since(std::string_view who_has) {
  return fmt::format("{} changed since", who_has);
}

std::string stale_reason(std::string_view who) {
  return fmt::format("{}: {}", kStaleWord, changed_since(fmt::format("{} has", who)));
}

std::string without_stale_word(std::string reason) {
  const std::string head = std::string(kStaleWord) + ": ";
  return reason.starts_with(head) ? reason.substr(head.size()) : reason;
}

std::string stale_explained() {
  return fmt::format("{}: {} its figure was measured. The figure is of the code as it was.",
                     kStaleWord, changed_since("a kernel's code has"));
}

std::string stale_sentence(std::string_view figures, std::string_view who_have) {
  return fmt::format("{} are {}: {}.", figures, kStaleWord, changed_since(who_have));
}

}  // namespace ridge
