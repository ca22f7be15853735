#include "common/harness/kernel/code_hash.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace ridge {
namespace {

enum class TokenKind { word, literal, punctuation, directive };

struct Token {
  TokenKind kind;
  std::string text;
  bool after_space = false;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Reads C++ and CUDA. What is no code (an open comment, an open literal) ends with the text.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    while (skip_space()) {
      const char c = text_[at_];
      if (c == '#' && begins_line_) {
        add(TokenKind::directive, directive());
        begins_line_ = true;
        continue;
      }
      begins_line_ = false;
      if (is_raw_string()) {
        add(TokenKind::literal, raw_string());
      } else if (c == '"' || c == '\'') {
        add(TokenKind::literal, literal());
      } else if (is_word(c)) {
        add(TokenKind::word, word());
      } else {
        add(TokenKind::punctuation, std::string(1, c));
        ++at_;
      }
    }
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void add(TokenKind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), space_});
    space_ = false;
  }

  void skip_block_comment() {
    const size_t end = text_.find("*/", at_ + 2);
    at_ = end == text_.npos ? text_.size() : end + 2;
  }

  /// False at the end of the text.
  bool skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (starts("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (starts("/*")) {
        skip_block_comment();
      } else if (starts("\\\n")) {
        at_ += 2;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        begins_line_ = begins_line_ || c == '\n';
        ++at_;
      } else {
        return true;
      }
      space_ = true;
    }
    return false;
  }

  /// The logical line without comments, runs of white space as one space.
  std::string directive() {
    std::string line;
    bool space = false;
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_];
      if (starts("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
        break;
      }
      if (starts("/*")) {
        skip_block_comment();
        space = true;
      } else if (starts("\\\n")) {
        at_ += 2;
        space = true;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
        space = true;
      } else {
        if (space && line != "#") line += ' ';
        space = false;
        line +=
            c == '"' || (c == '\'' && !is_word(line.back())) ? literal() : text_.substr(at_++, 1);
      }
    }
    return line;
  }

  /// Up to its quote, or to the end of the line.
  std::string literal() {
    const size_t begin = at_;
    const char quote = text_[at_++];
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        break;
      }
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool is_raw_string() const { return starts("R\""); }

  std::string raw_string() {
    const size_t begin = at_, open = text_.find('(', at_);
    if (open == text_.npos) return take_rest();
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const size_t end = text_.find(close, open);
    if (end == text_.npos) return take_rest();
    at_ = end + close.size();
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string take_rest() {
    const std::string rest(text_.substr(at_));
    at_ = text_.size();
    return rest;
  }

  /// A name, or a number with its separators. The sign of an exponent is a token of its own.
  std::string word() {
    const size_t begin = at_;
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    while (at_ < text_.size()) {
      const bool separates =
          number && at_ + 1 < text_.size() && text_[at_] == '\'' && is_word(text_[at_ + 1]);
      if (!is_word(text_[at_]) && !separates && !(number && text_[at_] == '.')) break;
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  size_t at_ = 0;
  bool begins_line_ = true, space_ = false;
  std::vector<Token> tokens_;
};

bool is_operator(const Token& token) {
  return token.kind == TokenKind::punctuation &&
         std::string_view("+-*/%&|^~<>=!?:.").find(token.text[0]) != std::string_view::npos;
}

/// Tokens as one text, in which only the white space stands that tells two of them apart.
std::string joined(std::span<const Token> tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (i > 0) {
      const Token& before = tokens[i - 1];
      const bool words = token.kind == TokenKind::word && before.kind == TokenKind::word;
      const bool operators = token.after_space && is_operator(token) && is_operator(before);
      if (words || operators) text += ' ';
    }
    if (token.kind == TokenKind::directive) text += '\n';
    text += token.text;
    if (token.kind == TokenKind::directive) text += '\n';
  }
  return text;
}

constexpr std::string_view kRegistrations[] = {"RIDGE_KERNEL", "RIDGE_TRAINING", "RIDGE_PIPELINE",
                                               "RIDGE_TRAP"};
/// Members of a registration that are words for people.
constexpr std::string_view kWords[] = {"library", "victim", "quantity", "unit", "guard"};

template <class List>
bool is_one_of(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// RIDGE_KERNEL(family, backend, name, .library = "x", .launch = launch): the family, the name and the words go.
std::vector<Token> without_words(std::span<const Token> tokens) {
  std::vector<Token> kept;
  int argument = 0, depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    const bool punctuation = tokens[i].kind == TokenKind::punctuation;
    if (punctuation && (text == "(" || text == "{" || text == "[")) ++depth;
    if (punctuation && (text == ")" || text == "}" || text == "]")) --depth;
    if (punctuation && text == "," && depth == 1) ++argument;
    const bool is_name = depth == 1 && (argument == 0 || argument == 2) &&
                         tokens[i].kind == TokenKind::word && i > 0;
    if (is_name) continue;
    const bool is_word_member = depth == 1 && text == "." && i + 3 < tokens.size() &&
                                is_one_of(kWords, tokens[i + 1].text) &&
                                tokens[i + 2].text == "=" &&
                                tokens[i + 3].kind == TokenKind::literal;
    if (is_word_member) {
      i += 3;
      while (i + 1 < tokens.size() && tokens[i + 1].kind == TokenKind::literal) ++i;
      if (i + 1 < tokens.size() && tokens[i + 1].text == ",") ++i;
      continue;
    }
    kept.push_back(tokens[i]);
  }
  return kept;
}

bool directive_is(const Token& token, std::string_view name) {
  return token.kind == TokenKind::directive &&
         std::string_view(token.text).substr(1).starts_with(name);
}

bool is_dropped(const Token& token) {
  return directive_is(token, "include") || token.text == "#pragma once";
}

/// Cuts the tokens of a text at its outermost declarations.
class Pieces {
 public:
  explicit Pieces(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
    std::erase_if(tokens_, is_dropped);
  }

  std::vector<std::string> all() {
    while (at_ < tokens_.size()) {
      if (depth_ == 0 && begin_ == at_ && (skip_namespace() || take_directives())) continue;
      step();
    }
    cut();
    return std::move(pieces_);
  }

 private:
  std::string_view text(size_t at) const {
    return at < tokens_.size() ? tokens_[at].text : std::string_view();
  }

  void cut() {
    std::span<const Token> tokens(tokens_.data() + begin_, at_ - begin_);
    begin_ = at_;
    if (tokens.empty() || (tokens.size() == 1 && tokens[0].text == ";")) return;
    const bool registers = is_one_of(kRegistrations, tokens[0].text);
    pieces_.push_back(registers ? joined(without_words(tokens)) : joined(tokens));
  }

  /// `namespace X {`, `namespace {`, `inline namespace X {`, the brace that ends one, `using namespace X;`.
  bool skip_namespace() {
    if (text(at_) == "}" && namespaces_ > 0) {
      --namespaces_;
      begin_ = ++at_;
      return true;
    }
    const size_t name = at_ + (text(at_) == "inline" || text(at_) == "using");
    if (text(name) != "namespace") return false;
    size_t end = name + 1;
    while (end < tokens_.size() && text(end) != "{" && text(end) != ";" && text(end) != "=") ++end;
    if (text(end) == "=") return false;  // a name for a namespace
    namespaces_ += text(end) == "{";
    begin_ = at_ = std::min(end + 1, tokens_.size());
    return true;
  }

  /// A directive outside all declarations is a piece; from #if to its #endif is one.
  bool take_directives() {
    if (tokens_[at_].kind != TokenKind::directive) return false;
    int open = 0;
    do {
      open += directive_is(tokens_[at_], "if");
      open -= directive_is(tokens_[at_], "endif");
      ++at_;
    } while (open > 0 && at_ < tokens_.size());
    cut();
    return true;
  }

  void step() {
    const Token& token = tokens_[at_++];
    if (token.kind != TokenKind::punctuation) return;
    const char c = token.text[0];
    if (c == '(' || c == '{' || c == '[') ++depth_;
    if (c == ')' || c == '}' || c == ']') depth_ = std::max(depth_ - 1, 0);
    if (depth_ == 0 && (c == ';' || c == '}')) cut();
  }

  std::vector<Token> tokens_;
  std::vector<std::string> pieces_;
  size_t at_ = 0, begin_ = 0;
  int depth_ = 0, namespaces_ = 0;
};

}  // namespace

uint64_t fnv1a(std::string_view text, uint64_t hash) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

std::string hex16(uint64_t value) {
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::vector<std::string> code_pieces(std::string_view text) {
  return Pieces(Tokens(text).all()).all();
}

CodeHashes::CodeHashes(std::span<const EmbeddedFile> files) {
  for (const EmbeddedFile& file : files) texts_.emplace(file.path, file.text);
}

CodeHashes::Part CodeHashes::read(std::string_view text) {
  constexpr std::string_view kInclude = "#include \"";
  Part part;
  for (const std::string& piece : code_pieces(text)) part.pieces.push_back(fnv1a(piece));
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    if (!text.substr(at).starts_with(kInclude)) continue;
    const size_t begin = at + kInclude.size();
    part.includes.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return part;
}

const CodeHashes::Part* CodeHashes::header(std::string_view path) {
  const auto text = texts_.find(path);
  if (text == texts_.end()) return nullptr;
  const auto known = parts_.find(path);
  return known != parts_.end() ? &known->second
                               : &parts_.emplace(text->first, read(text->second)).first->second;
}

uint64_t CodeHashes::of(const EmbeddedFile& file) {
  const Part own = read(file.text);
  std::vector<uint64_t> pieces = own.pieces;
  std::set<std::string_view> seen = {file.path};
  std::vector<std::string_view> open = own.includes;
  while (!open.empty()) {
    const std::string_view path = open.back();
    open.pop_back();
    const Part* part = seen.insert(path).second ? header(path) : nullptr;
    if (!part) continue;
    pieces.insert(pieces.end(), part->pieces.begin(), part->pieces.end());
    open.insert(open.end(), part->includes.begin(), part->includes.end());
  }
  std::sort(pieces.begin(), pieces.end());
  uint64_t hash = fnv1a("");
  for (const uint64_t piece : pieces) hash = fnv1a(hex16(piece), hash);
  return hash;
}

}  // namespace ridge
