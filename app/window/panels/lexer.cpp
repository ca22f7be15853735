#include "app/window/panels/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ridge::window {
namespace {

constexpr std::array<std::string_view, 46> kKeywords = {
    "alignas",   "asm",      "auto",         "break",         "case",   "class",    "const",
    "constexpr", "continue", "default",      "delete",        "do",     "else",     "enum",
    "extern",    "false",    "for",          "goto",          "if",     "inline",   "namespace",
    "new",       "nullptr",  "operator",     "private",       "public", "register", "restrict",
    "return",    "sizeof",   "static",       "static_assert", "struct", "switch",   "template",
    "this",      "true",     "typedef",      "typename",      "union",  "using",    "virtual",
    "volatile",  "while",    "__restrict__", "noexcept"};
constexpr std::array<std::string_view, 26> kTypes = {
    "void",    "bool",     "char",     "short",    "int",     "long",     "float",
    "double",  "signed",   "unsigned", "size_t",   "ssize_t", "int8_t",   "uint8_t",
    "int16_t", "uint16_t", "int32_t",  "uint32_t", "int64_t", "uint64_t", "half",
    "float4",  "dim3",     "Status",   "Launch",   "Gemm"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

template <size_t count>
bool contains(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TokenKind kind_of_word(std::string_view word) {
  // Words with two leading underscores are the compiler's: __global__, __m512, __syncthreads.
  if (contains(kKeywords, word)) return TokenKind::keyword;
  if (word.size() > 4 && word.substr(0, 2) == "__" && word.substr(word.size() - 2) == "__") {
    return TokenKind::keyword;
  }
  return contains(kTypes, word) || word.substr(0, 3) == "__m" ? TokenKind::type : TokenKind::plain;
}

size_t end_of_quoted(std::string_view line, size_t at) {
  const char quote = line[at];
  for (size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == quote)
      return i + 1;
  }
  return line.size();
}

}  // namespace

std::vector<Token> lex_line(std::string_view line, LexState* state) {
  std::vector<Token> tokens;
  const auto push = [&](TokenKind kind, size_t from, size_t to) {
    if (to <= from) return;
    if (kind == TokenKind::plain && !tokens.empty() && tokens.back().kind == kind) {
      const std::string_view before = tokens.back().text;
      tokens.back().text = {before.data(), before.size() + to - from};
    } else {
      tokens.push_back({kind, line.substr(from, to - from)});
    }
  };
  size_t at = 0;
  const size_t first = line.find_first_not_of(" \t");
  while (at < line.size()) {
    const char c = line[at];
    if (state->in_comment || line.substr(at, 2) == "/*") {
      const size_t close = line.find("*/", state->in_comment ? at : at + 2);
      const size_t end = close == std::string_view::npos ? line.size() : close + 2;
      state->in_comment = close == std::string_view::npos;
      push(TokenKind::comment, at, end);
      at = end;
    } else if (line.substr(at, 2) == "//") {
      push(TokenKind::comment, at, line.size());
      at = line.size();
    } else if (c == '#' && at == first) {
      size_t end = at + 1;
      while (end < line.size() && (line[end] == ' ' || is_word(line[end]))) {
        if (line[end] == ' ' && end > at + 1) break;
        ++end;
      }
      push(TokenKind::directive, at, end);
      at = end;
    } else if (c == '"' || c == '\'') {
      const size_t end = end_of_quoted(line, at);
      push(TokenKind::text, at, end);
      at = end;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      size_t end = at;
      while (end < line.size() && (is_word(line[end]) || line[end] == '.' || line[end] == '\''))
        ++end;
      push(TokenKind::number, at, end);
      at = end;
    } else if (is_word(c)) {
      size_t end = at;
      while (end < line.size() && is_word(line[end])) ++end;
      push(kind_of_word(line.substr(at, end - at)), at, end);
      at = end;
    } else {
      push(TokenKind::plain, at, at + 1);
      ++at;
    }
  }
  return tokens;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace ridge::window
