// How the program says that a figure is stale: the word, the mark and the sentences. Run::mark_stale() decides which one is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridge {

inline constexpr std::string_view kStaleWord = "stale";
/// Behind a figure in a text; a footnote explains it.
inline constexpr std::string_view kStaleMark = "‡";

/// "cuBLASLt · stale": the text with the word behind it where the figure is stale; the word alone where the text is
/// empty.
std::string with_stale(std::string text, bool is_stale, std::string_view separator = " · ");

/// The text with the mark behind it where the figure is stale.
std::string with_stale_mark(std::string text, bool is_stale);

/// "2 of 9 results stale"; empty where none is. `what`: what is counted, in the singular.
std::string stale_text(size_t stale, size_t all, std::string_view what);

/// "the kernel has changed since".
std::string changed_since(std::string_view who_has = "the kernel has");
/// "stale: the kernel has changed since". `who` may be the rung that has.
std::string stale_reason(std::string_view who = "the kernel");
/// The same where the word stands beside it already: "the kernel has changed since".
std::string without_stale_word(std::string reason);
/// What the word means, in one line, for those who meet it in a list.
std::string stale_explained();
/// "The figures are stale: their kernels have changed since."
std::string stale_sentence(std::string_view figures, std::string_view who_have);

}  // namespace ridge
