#include "common/harness/kernel/code_tokens.h"

#include <algorithm>
#include <cctype>

namespace ridge {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

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

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  return Tokens(text).all();
}

}  // namespace ridge
