// Colouring of the source view: a lexer that knows just enough of C++ and CUDA to tell comments,
// strings, numbers, keywords and directives apart. It never fails; what it does not know is plain.
#pragma once

#include <string_view>
#include <vector>

namespace ridge::window {

enum class TokenKind { plain, comment, keyword, type, number, text, directive };

struct Token {
  TokenKind kind = TokenKind::plain;
  std::string_view text;  ///< into the line; tokens of a line cover it without gaps
};

/// What a line leaves open for the next.
struct LexState {
  bool in_comment = false;
};

std::vector<Token> lex_line(std::string_view line, LexState* state);

std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace ridge::window
