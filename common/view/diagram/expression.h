// Whole-number expressions as a kernel writes them, with the names of its own source: a diagram that
// says `first_row + r * kDown` draws what that source computes, and no second copy can drift from it.
//
// A name is, in this order: one that was given (set(): threadIdx.x, n, a loop's variable), one of the
// diagram's own (let()), the first `name = expression` that the source declares. `name[x][y]` is the
// place in an array that the source declares with its extents; of anything else (`row[j]`) it is an
// offset, so that pointers count elements from where their matrix begins.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge::diagram {

struct Token {
  enum class Kind { name, number, sign, end } kind = Kind::end;
  std::string text{};
  int64_t value = 0;
};
/// C++ without its comments; "g.k" and "to->a" are one name, "to.a".
std::vector<Token> tokens_of(const std::string& text);

class Expressions {
 public:
  explicit Expressions(const std::string& source);

  void set(const std::string& name, int64_t value);
  void let(const std::string& name, const std::string& text);
  /// Understands numbers, names, + - * / % << >> < <= > >= == != & ^ | && || ?: ( ) [ ], static_cast
  /// and int64_t{x}. Error: what is not understood or not known, in one sentence.
  Result<int> compile(const std::string& text);
  /// With what is set now, in two's complement. A division by zero gives 0.
  int64_t value(int compiled) const;
  /// Both at once.
  Result<int64_t> value(const std::string& text);

 private:
  friend class Parser;
  struct Node {
    std::string sign;  ///< "" a number, "$" a name that was set
    int a = -1, b = -1, c = -1;
    int64_t value = 0;
  };
  Result<int> compile(std::vector<Token> tokens);
  Result<int> name(const std::string& name);
  std::vector<std::vector<Token>> extents(const std::string& name) const;
  /// The nodes that what was compiled is made of, operands first.
  const std::vector<int>& parts(int compiled) const;

  std::vector<Token> source_;
  std::map<std::string, size_t> declared_;  ///< where in it the first value of a name begins
  std::map<std::string, size_t> arrays_;    ///< the first `[` behind an array's name
  std::vector<Node> nodes_;
  std::map<std::string, int> known_;  ///< node of a name that was set or looked up
  std::map<std::string, std::string> own_;
  int depth_ = 0;     ///< of names in each other while one is compiled
  int brackets_ = 0;  ///< of brackets
  size_t tokens_read_ = 0;
  mutable std::vector<int64_t> values_;  ///< of value(): one a node
  mutable std::map<int, std::vector<int>> parts_;
};

}  // namespace ridge::diagram
