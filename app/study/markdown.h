// A lesson as blocks of styled text runs: md4c parses, this keeps what the lesson panel can draw
// (headings, paragraphs, lists, code, tables as rows of text). Anything else is left out, never
// shown as markup.
#pragma once

#include <string>
#include <vector>

namespace ridge::study {

struct TextRun {
  std::string text;
  bool strong = false, emphasis = false, code = false;
  std::string link{};  ///< target as written, escapes undone; empty: none
};

struct Block {
  enum class Kind { heading, paragraph, item, code, quote, row, rule } kind = Kind::paragraph;
  int level = 0;              ///< heading: 1 to 6; item: nesting from 1
  std::string marker;         ///< item: "•" or "3."
  bool header = false;        ///< row: the table's head
  std::vector<TextRun> runs;  ///< row: one run a cell
  std::string info{};         ///< code: what stands behind its fence, "diagram threads"
};

std::vector<Block> parse_markdown(const std::string& text);

}  // namespace ridge::study
