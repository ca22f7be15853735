#include "common/harness/kernel/code_hash.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/harness/kernel/code_tokens.h"

namespace ridge {
namespace {

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

bool is_macro(std::string_view word) {
  return word.size() > 2 && std::all_of(word.begin(), word.end(), [](char c) {
           return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

/// Reads what one outermost declaration declares or defines: a type, variables, a function. Of `Engine::run` it is Engine.
class Names {
 public:
  explicit Names(std::span<const Token> tokens) : tokens_(tokens) {}

  std::vector<std::string> all() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const std::string& text = tokens_[at_].text;
      if (tokens_[at_].kind == TokenKind::word) {
        if (angles_ == 0 && !is_type_) last_ = at_;
        is_type_ = is_type_ ||
                   (angles_ == 0 && is_one_of(kTypes, before(at_)) && !is_one_of(kTypes, text));
        continue;
      }
      if (text == "<") ++angles_;
      if (text == ">") angles_ = std::max(angles_ - 1, 0);
      if (angles_ > 0) continue;
      if (std::string_view("(,;={[").find(text[0]) != std::string_view::npos) take();
      if (text == "(" && is_macro(names_.empty() ? "" : names_.back())) take_arguments();
      if (text == "(" || text == "{" || text == "=") break;
    }
    return std::move(names_);
  }

 private:
  static constexpr std::string_view kTypes[] = {"class", "struct", "union", "enum"};

  std::string_view before(size_t at) const {
    return at > 0 ? std::string_view(tokens_[at - 1].text) : "";
  }

  bool is_colons(size_t at) const {
    return at > 0 && tokens_[at].text == ":" && tokens_[at - 1].text == ":";
  }

  void take() {
    if (!last_) return;
    size_t name = *last_;
    while (name > 2 && is_colons(name - 1) && tokens_[name - 3].kind == TokenKind::word) name -= 3;
    names_.push_back(tokens_[name].text);
    last_.reset();
  }

  /// X_OPS(fast_ops) may define fast_ops.
  void take_arguments() {
    for (; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].kind == TokenKind::word) names_.push_back(tokens_[at_].text);
    }
  }

  std::span<const Token> tokens_;
  std::vector<std::string> names_;
  std::optional<size_t> last_;  ///< the word before
  size_t at_ = 0;
  int angles_ = 0;
  bool is_type_ = false;  ///< its name is `last_`: what follows is its bases
};

std::vector<std::string> names_of(std::span<const Token> tokens) {
  const bool own = !tokens.empty() && tokens[0].text == "static";
  return own ? std::vector<std::string>() : Names(tokens).all();
}

/// Cuts the tokens of a text at its outermost declarations.
class Pieces {
 public:
  explicit Pieces(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
    std::erase_if(tokens_, is_dropped);
  }

  std::vector<CodePiece> all() {
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
    const bool hidden = std::count(unnamed_.begin(), unnamed_.end(), true) > 0;
    CodePiece piece{.text = registers ? joined(without_words(tokens)) : joined(tokens)};
    if (!hidden && !registers) piece.names = names_of(tokens);
    for (const Token& token : tokens) {
      if (token.kind == TokenKind::word) piece.words.push_back(token.text);
    }
    pieces_.push_back(std::move(piece));
  }

  /// `namespace X {`, `namespace {`, `inline namespace X {`, the brace that ends one, `using namespace X;`.
  bool skip_namespace() {
    if (text(at_) == "}" && !unnamed_.empty()) {
      unnamed_.pop_back();
      begin_ = ++at_;
      return true;
    }
    const size_t name = at_ + (text(at_) == "inline" || text(at_) == "using");
    if (text(name) != "namespace") return false;
    size_t end = name + 1;
    while (end < tokens_.size() && text(end) != "{" && text(end) != ";" && text(end) != "=") ++end;
    if (text(end) == "=") return false;  // a name for a namespace
    if (text(end) == "{") unnamed_.push_back(end == name + 1);
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
  std::vector<CodePiece> pieces_;
  std::vector<bool> unnamed_;  ///< the open namespaces
  size_t at_ = 0, begin_ = 0;
  int depth_ = 0;
};

std::vector<std::string_view> includes_of(std::string_view text) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<std::string_view> paths;
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    if (!text.substr(at).starts_with(kInclude)) continue;
    const size_t begin = at + kInclude.size();
    paths.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return paths;
}

}  // namespace

std::string hex16(uint64_t value) {
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::vector<CodePiece> code_pieces(std::string_view text) {
  return Pieces(tokens_of(text)).all();
}

CodeHashes::CodeHashes(std::span<const EmbeddedFile> files) {
  for (const EmbeddedFile& file : files) parts_.emplace(file.path, read(file.text));
  for (const EmbeddedFile& file : files) {
    const bool is_family = std::string_view(file.text).find("\nRIDGE_FAMILY(") != std::string::npos;
    if (!std::string_view(file.path).ends_with(".h") && !is_family) link(file.path);
  }
}

CodeHashes::Part CodeHashes::read(std::string_view text) {
  Part part;
  for (CodePiece& piece : code_pieces(text)) {
    part.pieces.push_back(fnv1a(piece.text));
    for (std::string& name : piece.names) part.names.insert(std::move(name));
    for (std::string& word : piece.words) ++part.words[std::move(word)];
  }
  part.includes = includes_of(text);
  return part;
}

void CodeHashes::link(std::string_view path) {
  const Part& part = parts_.at(path);
  for (const std::string_view header : reached(part, Links())) {
    for (const std::string& name : parts_.at(header).names) {
      if (part.names.count(name) > 0) links_[header].push_back({name, path});
    }
  }
}

std::set<std::string_view> CodeHashes::reached(const Part& from, const Links& links) const {
  std::set<std::string_view> found;
  std::vector<const Part*> parts = {&from};
  const auto reach = [&](std::string_view path) {
    const auto part = parts_.find(path);
    if (part != parts_.end() && found.insert(part->first).second) parts.push_back(&part->second);
  };
  // A header's own declaration of a name is no use of it.
  const auto is_used = [&](const Link& link, const Part& header) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part* part) {
      const auto word = part->words.find(link.name);
      return word != part->words.end() && word->second > (part == &header);
    });
  };
  for (size_t looked = 0, before = 0; looked < parts.size();) {
    for (; looked < parts.size(); ++looked) {
      for (const std::string_view path : parts[looked]->includes) reach(path);
    }
    const size_t last = std::exchange(before, parts.size());
    if (last == before) break;
    for (const auto& [header, all] : links) {
      if (found.count(header) == 0) continue;
      for (const Link& link : all) {
        if (found.count(link.path) == 0 && is_used(link, parts_.at(header))) reach(link.path);
      }
    }
  }
  return found;
}

uint64_t CodeHashes::of(const EmbeddedFile& file) const {
  const Part own = read(file.text);
  std::vector<uint64_t> pieces = own.pieces;
  for (const std::string_view path : reached(own, links_)) {
    const Part& part = parts_.at(path);
    if (path != file.path) pieces.insert(pieces.end(), part.pieces.begin(), part.pieces.end());
  }
  std::sort(pieces.begin(), pieces.end());
  uint64_t hash = fnv1a("");
  for (const uint64_t piece : pieces) hash = fnv1a(hex16(piece), hash);
  return hash;
}

}  // namespace ridge
