#include "common/view/figure/markers.h"

#include <algorithm>
#include <optional>

#include "common/record/stale_words.h"
#include "common/view/figure/code.h"
#include "common/view/figure/text.h"

namespace ridge::figure {
namespace {

constexpr std::string_view kOne = "<!-- figure ", kBlock = "<!-- figures\n", kEndOfComment = "-->",
                           kEndOne = "<!-- /figure -->", kEndBlock = "<!-- /figures -->";

struct Marker {
  bool is_block = false;
  size_t comment_end = 0;   ///< behind the comment that holds the reference
  std::string_view inside;  ///< what stands in that comment
  size_t end = 0;           ///< where the closing comment begins
};

Result<std::optional<Marker>> marker_at(std::string_view text, size_t at) {
  Marker made;
  made.is_block = text.substr(at, kBlock.size()) == kBlock;
  if (!made.is_block && text.substr(at, kOne.size()) != kOne) return std::optional<Marker>();
  const size_t begin = at + (made.is_block ? kBlock : kOne).size();
  const size_t close = text.find(kEndOfComment, begin);
  const std::string_view closing = made.is_block ? kEndBlock : kEndOne;
  made.comment_end = close + kEndOfComment.size();
  made.end = close == std::string_view::npos ? close : text.find(closing, made.comment_end);
  if (made.end == std::string_view::npos)
    return Error{ErrorCode::bad_input, "a figure's comment is not closed", "",
                 "end it with " + std::string(closing)};
  made.inside = text.substr(begin, close - begin);
  return std::optional(made);
}

std::string plain(const Text& text) {
  std::string out;
  for (const Piece& piece : text.pieces) {
    out += piece.text;
    if (piece.figure < 0) continue;
    const Figure& figure = text.figures[static_cast<size_t>(piece.figure)];
    if (!figure.interval_text.empty()) out += " " + figure.interval_text;
    out = with_stale_mark(std::move(out), figure.is_stale);
  }
  return out;
}

/// "README.md:12"
std::string place_of(std::string_view document, size_t at, const std::string& where) {
  const auto begin = document.begin();
  const auto before = std::count(begin, begin + static_cast<long>(at), '\n');
  return where + ":" + std::to_string(before + 1);
}

Result<std::string> filled(const Marker& marker, const Sources& sources, const std::string& where) {
  const std::string inside(marker.inside);
  RIDGE_TRY(const Text text,
            expand(marker.is_block ? inside : "{{" + inside + "}}", sources, where));
  return marker.is_block ? "\n" + plain(text) : plain(text);
}

}  // namespace

Result<std::string> fill_markers(std::string_view document, const Sources& sources,
                                 const std::string& where) {
  std::string out;
  for (size_t at = 0, next = 0; at < document.size(); at = next) {
    next = document[at] == '`' ? end_of_code(document, at) : at + 1;
    auto found = marker_at(document, at);
    if (!found) {
      Error error = found.error();
      error.where = place_of(document, at, where);
      return error;
    }
    if (const std::optional<Marker>& marker = *found) {
      const std::string here = place_of(document, at, where);
      RIDGE_TRY(const std::string text, filled(*marker, sources, here));
      out += std::string(document.substr(at, marker->comment_end - at)) + text;
      next = marker->end;
    } else {
      out += document.substr(at, next - at);
    }
  }
  return out;
}

int count_markers(std::string_view document) {
  int count = 0;
  for (size_t at = 0; at < document.size();) {
    const auto found = marker_at(document, at);
    if (!found || *found) ++count;
    at = document[at] == '`' ? end_of_code(document, at) : at + 1;
  }
  return count;
}

}  // namespace ridge::figure
