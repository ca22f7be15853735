#include "common/view/diagram/expression.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ridge::diagram {
namespace {

using Kind = Token::Kind;

constexpr int kDeepest = 40;  // of names that name names: more is a circle
// Of brackets in each other, those of the names that they name among them, and of tokens that are read in all: a source text
// may be anybody's, and where each array's extents name another one twice the work would double with every array.
constexpr int kMostBrackets = 128;
constexpr size_t kMostTokens = 100'000;

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Binary signs by how strongly they bind, as in C.
int strength(const std::string& sign) {
  static const std::array<std::vector<std::string>, 10> kLevels = {{{"||"},
                                                                    {"&&"},
                                                                    {"|"},
                                                                    {"^"},
                                                                    {"&"},
                                                                    {"==", "!="},
                                                                    {"<", "<=", ">", ">="},
                                                                    {"<<", ">>"},
                                                                    {"+", "-"},
                                                                    {"*", "/", "%"}}};
  for (size_t level = 0; level < kLevels.size(); ++level) {
    const auto& signs = kLevels[level];
    if (std::find(signs.begin(), signs.end(), sign) != signs.end())
      return static_cast<int>(level) + 1;
  }
  return 0;
}

Error not_understood(const std::string& what) {
  return {ErrorCode::bad_input, what, "", ""};
}

/// From `from` to the comma, semicolon or closing bracket that ends it.
std::vector<Token> until_end(const std::vector<Token>& all, size_t from) {
  std::vector<Token> taken;
  int open = 0;
  for (size_t i = from; i < all.size(); ++i) {
    const std::string& text = all[i].text;
    if (text == "(" || text == "[" || text == "{") ++open;
    if (text == ")" || text == "]" || text == "}") {
      if (open == 0) break;
      --open;
    }
    if (open == 0 && (text == "," || text == ";")) break;
    taken.push_back(all[i]);
  }
  return taken;
}

}  // namespace

std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  const size_t size = text.size();
  for (size_t i = 0; i < size;) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), size);
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = text.find("*/", i);
      i = end == std::string::npos ? size : end + 2;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      size_t end = i;
      while (end < size && (is_name_char(text[end]) || text[end] == '.')) ++end;
      tokens.push_back({Kind::number, text.substr(i, end - i), std::strtoll(&text[i], nullptr, 0)});
      i = end;
    } else if (is_name_char(c)) {
      std::string name;
      while (i < size) {
        if (is_name_char(text[i])) {
          name += text[i++];
        } else if (i + 1 < size && text[i] == '.' && is_name_char(text[i + 1])) {
          name += text[i++];
        } else if (text.compare(i, 2, "->") == 0) {
          name += '.', i += 2;
        } else {
          break;
        }
      }
      tokens.push_back({Kind::name, name});
    } else {
      static const std::array<const char*, 13> kTwo = {"<<", ">>", "<=", ">=", "==", "!=", "&&",
                                                       "||", "+=", "-=", "*=", "++", "--"};
      const std::string two = text.substr(i, 2);
      const bool is_two = std::find(kTwo.begin(), kTwo.end(), two) != kTwo.end();
      tokens.push_back({Kind::sign, is_two ? two : std::string(1, c)});
      i += is_two ? 2 : 1;
    }
  }
  return tokens;
}

/// Precedence climbing over one expression's tokens.
class Parser {
 public:
  Parser(Expressions& to, std::vector<Token> tokens) : to_(to), tokens_(std::move(tokens)) {
    tokens_.emplace_back();
  }

  Result<int> all() {
    const int made = choice();
    if (!problem_ && now().kind != Kind::end) fail("'" + now().text + "' is not understood");
    if (problem_) return *problem_;
    return made;
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  bool take(const char* text) {
    if (now().kind != Kind::sign || now().text != text) return false;
    ++at_;
    return true;
  }
  int fail(const std::string& what) {
    if (!problem_) problem_ = not_understood(what);
    at_ = tokens_.size() - 1;
    return 0;
  }
  int expect(const char* text, int made) {
    return take(text) ? made : fail(std::string("'") + text + "' is missing");
  }
  int add(const std::string& sign, int a = -1, int b = -1, int c = -1, int64_t value = 0) {
    to_.nodes_.push_back({sign, a, b, c, value});
    return static_cast<int>(to_.nodes_.size()) - 1;
  }

  int choice() {
    if (to_.brackets_ >= kMostBrackets) return fail("it is nested too deep");
    ++to_.brackets_;
    int made = binary(1);
    if (take("?")) {
      const int yes = expect(":", choice());
      made = add("?", made, yes, choice());
    }
    --to_.brackets_;
    return made;
  }
  int binary(int weakest) {
    int left = unary();
    while (now().kind == Kind::sign && strength(now().text) >= weakest) {
      const std::string sign = now().text;
      ++at_;
      left = add(sign, left, binary(strength(sign) + 1));
    }
    return left;
  }
  int unary() {
    if (take("-")) {
      bool is_negative = true;
      while (take("-")) is_negative = !is_negative;
      const int operand = unary();
      return is_negative ? add("-", add("", -1, -1, -1, 0), operand) : operand;
    }
    if (take("(")) return expect(")", choice());
    const Token token = now();
    if (token.kind == Kind::number) {
      ++at_;
      return add("", -1, -1, -1, token.value);
    }
    if (token.kind != Kind::name) return fail("a number or a name is missing");
    ++at_;
    if (token.text == "static_cast") {
      while (now().kind != Kind::end && !take(">")) ++at_;
      return take("(") ? expect(")", choice()) : fail("static_cast without its brackets");
    }
    if (take("{")) return expect("}", choice());
    return token.text == "sizeof" || now().text == "("
               ? fail("'" + token.text + "()' is not understood")
               : place(token.text);
  }
  /// A name, and where in it.
  int place(const std::string& name) {
    const auto extents = to_.extents(name);
    if (now().text != "[" || extents.empty()) {
      const auto found = to_.name(name);
      int made = found ? *found : fail(found.error().what);
      while (take("[")) made = add("+", made, expect("]", choice()));
      return made;
    }
    int made = -1;
    for (size_t i = 0; i < extents.size() && take("["); ++i) {
      const int index = expect("]", choice());
      if (problem_) return 0;
      const auto extent = to_.compile(extents[i]);
      if (!extent) return fail(extent.error().what);
      made = made < 0 ? index : add("+", add("*", made, *extent), index);
    }
    return made;
  }

  Expressions& to_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  std::optional<Error> problem_;
};

Expressions::Expressions(const std::string& source) : source_(tokens_of(source)) {
  static const std::array<std::string, 4> kTypes = {"float", "uint16_t", "char", "Number"};
  for (size_t i = 1; i + 1 < source_.size(); ++i) {
    const Token& before = source_[i - 1];
    const std::string& after = source_[i + 1].text;
    const bool declares = before.kind == Kind::name || before.text == "*" || before.text == "," ||
                          (before.text == "{" && i > 1 && source_[i - 2].text == "enum");
    if (after == "=" && declares) declared_.try_emplace(source_[i].text, i + 2);
    if (after == "[" && std::find(kTypes.begin(), kTypes.end(), before.text) != kTypes.end())
      arrays_.try_emplace(source_[i].text, i + 1);
  }
}

void Expressions::set(const std::string& name, int64_t value) {
  const auto known = known_.find(name);
  if (known != known_.end() && nodes_[static_cast<size_t>(known->second)].sign == "$") {
    nodes_[static_cast<size_t>(known->second)].value = value;
    return;
  }
  nodes_.push_back({"$", -1, -1, -1, value});
  known_[name] = static_cast<int>(nodes_.size()) - 1;
}

void Expressions::let(const std::string& name, const std::string& text) {
  own_[name] = text;
}

Result<int> Expressions::compile(const std::string& text) {
  return compile(tokens_of(text));
}

Result<int> Expressions::compile(std::vector<Token> tokens) {
  tokens_read_ += tokens.size() + 1;
  if (tokens_read_ > kMostTokens) return not_understood("it is too long");
  return Parser(*this, std::move(tokens)).all();
}

Result<int> Expressions::name(const std::string& name) {
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  std::vector<Token> text;
  const auto own = own_.find(name);
  if (own != own_.end()) text = tokens_of(own->second);
  const auto declared = declared_.find(name);
  if (text.empty() && declared != declared_.end()) text = until_end(source_, declared->second);
  if (text.empty()) return not_understood("'" + name + "' is not declared in the source");
  if (depth_ >= kDeepest) return not_understood("'" + name + "' is declared by itself");
  ++depth_;
  auto made = compile(std::move(text));
  --depth_;
  if (made) known_[name] = *made;
  return made;
}

std::vector<std::vector<Token>> Expressions::extents(const std::string& name) const {
  std::vector<std::vector<Token>> found;
  const auto array = arrays_.find(name.substr(name.rfind('.') + 1));
  if (array == arrays_.end()) return found;
  for (size_t at = array->second; at < source_.size() && source_[at].text == "[";) {
    found.push_back(until_end(source_, at + 1));
    at += found.back().size() + 2;
  }
  return found;
}

namespace {

/// As two's complement does it: a text may ask for what no 64 bits hold.
int64_t wrapped(const std::string& sign, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  const uint64_t made = sign == "+"   ? x + y
                        : sign == "-" ? x - y
                        : sign == "*" ? x * y
                                      : x << (y & 63);
  return static_cast<int64_t>(made);
}

int64_t applied(const std::string& sign, int64_t a, int64_t b) {
  if (sign == "+" || sign == "-" || sign == "*" || sign == "<<") return wrapped(sign, a, b);
  if (sign == "/") return b == 0 ? 0 : b == -1 ? wrapped("-", 0, a) : a / b;
  if (sign == "%") return b == 0 || b == -1 ? 0 : a % b;
  if (sign == "&") return a & b;
  if (sign == "|") return a | b;
  if (sign == "^") return a ^ b;
  if (sign == ">>") return a >> (b & 63);
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  if (sign == ">=") return a >= b;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  return sign == "&&" ? (a != 0 && b != 0) : (a != 0 || b != 0);
}

}  // namespace

/// Operands stand before what is made of them, so one pass back finds the parts.
const std::vector<int>& Expressions::parts(int compiled) const {
  const auto [known, is_new] = parts_.try_emplace(compiled);
  std::vector<int>& found = known->second;
  if (!is_new) return found;
  std::vector<char> needed(static_cast<size_t>(compiled) + 1, 0);
  needed.back() = 1;
  for (int i = compiled; i >= 0; --i) {
    if (needed[static_cast<size_t>(i)] == 0) continue;
    found.push_back(i);
    const Node& node = nodes_[static_cast<size_t>(i)];
    for (const int operand : {node.a, node.b, node.c})
      if (operand >= 0) needed[static_cast<size_t>(operand)] = 1;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

int64_t Expressions::value(int compiled) const {
  values_.resize(nodes_.size());
  const auto at = [](int node) { return static_cast<size_t>(node); };
  for (const int i : parts(compiled)) {
    const Node& node = nodes_[at(i)];
    if (node.sign.empty() || node.sign == "$") {
      values_[at(i)] = node.value;
    } else if (node.sign == "?") {
      values_[at(i)] = values_[at(values_[at(node.a)] != 0 ? node.b : node.c)];
    } else {
      values_[at(i)] = applied(node.sign, values_[at(node.a)], values_[at(node.b)]);
    }
  }
  return values_[at(compiled)];
}

Result<int64_t> Expressions::value(const std::string& text) {
  const auto compiled = compile(text);
  if (!compiled) return compiled.error();
  return value(*compiled);
}

}  // namespace ridge::diagram
