// C++ and CUDA read as the compiler reads them, token by token: what the hash of a rung's code is made of (code_hash.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge {

enum class TokenKind { word, literal, punctuation, directive };

/// Punctuation is one character long; a directive is its logical line without comments.
struct Token {
  TokenKind kind;
  std::string text;
  bool after_space = false;
};

/// Without comments and white space. What is no code (an open comment, an open literal) ends with the text.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace ridge
