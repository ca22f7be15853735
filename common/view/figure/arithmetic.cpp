#include "common/view/figure/arithmetic.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>

namespace ridge::figure {
namespace {

/// One expression, read from left to right; the first thing that is wrong ends it.
class Reader {
 public:
  Reader(std::string_view text, std::span<const double> figures) : text_(text), figures_(figures) {}

  Result<double> whole() {
    const double value = sum();
    skip();
    if (wrong_.empty() && at_ < text_.size())
      wrong_ = "'" + std::string(text_.substr(at_)) + "' is left over";
    // A figure that is a gap is NaN, and one that is 0 may be divided by: neither is an error of the arithmetic.
    const bool is_of_figure = std::any_of(figures_.begin(), figures_.end(), [](double figure) {
      return !std::isfinite(figure) || figure == 0;
    });
    if (wrong_.empty() && !std::isfinite(value) && !is_of_figure) wrong_ = "it has no value";
    if (!wrong_.empty())
      return Error{ErrorCode::bad_input, wrong_, std::string(text_),
                   "use numbers, + - * / and ( )"};
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char sign) {
    skip();
    if (at_ >= text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }
  double product() {
    double value = factor();
    for (;;) {
      if (take('*'))
        value *= factor();
      else if (take('/'))
        value /= factor();
      else
        return value;
    }
  }
  double factor() {
    if (take('-')) return -factor();
    if (take('(')) {
      const double value = sum();
      if (!take(')')) fail("a parenthesis is not closed");
      return value;
    }
    if (take('[')) {
      const size_t end = text_.find(']', at_);
      if (end == std::string_view::npos) fail("a bracket is not closed");
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
      if (next_ == figures_.size()) {
        fail("a bracket has no figure");
        return 0;
      }
      return figures_[next_++];
    }
    return number();
  }
  double number() {
    skip();
    const std::string rest(text_.substr(at_));
    if (rest.empty() || !(std::isdigit(static_cast<unsigned char>(rest[0])) || rest[0] == '.')) {
      fail("a number is missing");
      return 0;
    }
    char* end = nullptr;
    const double value = std::strtod(rest.c_str(), &end);
    at_ += static_cast<size_t>(end - rest.c_str());
    return value;
  }
  void fail(const char* why) {
    if (wrong_.empty()) wrong_ = why;
    at_ = text_.size();
  }

  std::string_view text_;
  std::span<const double> figures_;
  size_t at_ = 0, next_ = 0;
  std::string wrong_;
};

}  // namespace

Result<double> evaluate_arithmetic(std::string_view text, std::span<const double> figures) {
  return Reader(text, figures).whole();
}

}  // namespace ridge::figure
