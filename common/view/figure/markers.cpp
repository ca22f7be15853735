#include "common/view/figure/markers.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "common/record/stale_words.h"
#include "common/view/figure/code.h"
#include "common/view/figure/text.h"

namespace ridge::figure {
namespace {

constexpr std::string_view kOne = "<!-- figure ", kBlock = "<!-- figures\n",
                           kOpening = "<!-- figure", kClosing = "<!-- /figure", kComment = "<!--",
                           kEndOfComment = "-->", kEndOne = "<!-- /figure -->",
                           kEndBlock = "<!-- /figures -->";

struct Marker {
  bool is_block = false;
  size_t comment_end = 0;   ///< behind the comment that holds the reference
  std::string_view inside;  ///< what stands in that comment
  size_t end = 0;           ///< where the closing comment begins
  size_t after = 0;         ///< behind the closing comment
};

Error bad_marker(std::string what, std::string hint) {
  return {ErrorCode::bad_input, std::move(what), "", std::move(hint)};
}

/// Whether a comment with this beginning stands at `at`: "<!-- figure" and "<!-- figures", not "<!-- figurehead".
bool is_comment_at(std::string_view text, size_t at, std::string_view beginning) {
  if (text.substr(at, beginning.size()) != beginning) return false;
  size_t end = at + beginning.size();
  if (end < text.size() && text[end] == 's') ++end;
  return end >= text.size() || !std::isalnum(static_cast<unsigned char>(text[end]));
}

bool holds_comment(std::string_view text, std::string_view beginning) {
  for (size_t at = 0; (at = text.find(beginning, at)) != std::string_view::npos; ++at) {
    if (is_comment_at(text, at, beginning)) return true;
  }
  return false;
}

Result<std::optional<Marker>> marker_at(std::string_view text, size_t at) {
  if (is_comment_at(text, at, kClosing))
    return bad_marker("no figure's comment is open here",
                      "begin it with <!-- figure REFERENCE -->");
  if (!is_comment_at(text, at, kOpening)) return std::optional<Marker>();
  Marker made;
  made.is_block = text.substr(at, kBlock.size()) == kBlock;
  const bool is_one = text.substr(at, kOne.size()) == kOne;
  const size_t begin = at + (made.is_block ? kBlock : is_one ? kOne : kOpening).size();
  const size_t close = text.find(kEndOfComment, begin);
  if (close == std::string_view::npos ||
      text.substr(begin, close - begin).find(kComment) != std::string_view::npos)
    return bad_marker("a figure's comment is not closed", "end it with -->");
  made.inside = text.substr(begin, close - begin);
  if (made.inside.find_first_not_of(" \n") == std::string_view::npos || !(made.is_block || is_one))
    return bad_marker("a figure's comment has no content",
                      "write <!-- figure REFERENCE -->, or the table below a line <!-- figures");
  const std::string_view closing = made.is_block ? kEndBlock : kEndOne;
  made.comment_end = close + kEndOfComment.size();
  made.end = text.find(closing, made.comment_end);
  // What was filled in holds no figures of its own: the closing comment found is then another one's.
  if (made.end == std::string_view::npos ||
      holds_comment(text.substr(made.comment_end, made.end - made.comment_end), kOpening))
    return bad_marker("what a figure's comment fills in is not closed",
                      "end it with " + std::string(closing));
  made.after = made.end + closing.size();
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
      out += document.substr(marker->end, marker->after - marker->end);
      next = marker->after;
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
    if (found && *found)
      at = (*found)->after;
    else
      at = document[at] == '`' ? end_of_code(document, at) : at + 1;
  }
  return count;
}

}  // namespace ridge::figure
