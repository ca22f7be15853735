// How errors travel: Result<T> holds a value or one Error. No exceptions cross a module, and only
// main() turns an Error into an exit code.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace ridge {

/// The values are the program's exit codes, so an Error knows how the process should end.
enum class ErrorCode {
  invalid = 3,        ///< a check failed: the number may not be used
  usage = 64,         ///< the command line or a parameter is wrong
  bad_input = 65,     ///< a file that was read is not what it should be
  unavailable = 69,   ///< nothing on this machine can do that
  worker = 70,        ///< the measuring process failed
  cannot_write = 73,  ///< an output could not be written
  cancelled = 130,
};

/// One sentence for a person: what happened, where, what to do.
struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string what;   ///< "n = 0 is below 1"
  std::string where;  ///< "parameter n of gemm"; may be empty
  std::string hint;   ///< "choose a value from 1 to 65536"; may be empty

  /// "where: what; hint"
  std::string sentence() const {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!hint.empty()) text += "; " + hint;
    return text;
  }
  int exit_code() const { return static_cast<int>(code); }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace ridge

#define RIDGE_CONCAT_(a, b) a##b
#define RIDGE_CONCAT(a, b) RIDGE_CONCAT_(a, b)

/// RIDGE_TRY(auto x, make_x());  returns the Error from the enclosing function, else declares x.
#define RIDGE_TRY(declaration, expression)                                                    \
  auto RIDGE_CONCAT(ridge_try_, __LINE__) = (expression);                                     \
  if (!RIDGE_CONCAT(ridge_try_, __LINE__)) return RIDGE_CONCAT(ridge_try_, __LINE__).error(); \
  declaration = *std::move(RIDGE_CONCAT(ridge_try_, __LINE__))

/// The same for Result<void>.
#define RIDGE_TRY_VOID(expression) \
  if (auto ridge_try_void = (expression); !ridge_try_void) return ridge_try_void.error()
