// Enumerations with names: one table an enumeration, used wherever a value is read or written as text.
//
//   enum class Colour { red, green };
//   template <> struct EnumTable<Colour> {
//     static constexpr EnumName<Colour> kRows[] = {{Colour::red, "red"}, {Colour::green, "green"}};
//   };
//
//   name_of(Colour::red) == "red"        value_named<Colour>("green") == Colour::green
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ridge {

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

/// `kRows`: each value of `Enum` once, with its name. Defined beside the enumeration.
template <class Enum>
struct EnumTable;

template <class Enum>
concept HasNames = requires {
  EnumTable<Enum>::kRows;
};

template <HasNames Enum>
constexpr std::string_view name_of(Enum value) {
  for (const EnumName<Enum>& row : EnumTable<Enum>::kRows) {
    if (row.value == value) return row.name;
  }
  return "";
}

/// None where the table has no such name.
template <HasNames Enum>
constexpr std::optional<Enum> value_named(std::string_view name) {
  for (const EnumName<Enum>& row : EnumTable<Enum>::kRows) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

template <HasNames Enum>
std::string to_string(Enum value) {
  return std::string(name_of(value));
}

/// A value as a file holds it: one of the table, or another text, which is kept as it is. A run of a newer
/// version can therefore be opened, shown and exported. Empty: the file does not say.
template <HasNames Enum>
class OpenEnum {
 public:
  OpenEnum() = default;
  OpenEnum(Enum value) : text_(name_of(value)) {}
  explicit OpenEnum(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  /// None where the table does not know the text.
  std::optional<Enum> value() const { return value_named<Enum>(text_); }

  friend bool operator==(const OpenEnum& one, Enum value) { return one.text_ == name_of(value); }
  friend bool operator==(const OpenEnum&, const OpenEnum&) = default;
  friend auto operator<=>(const OpenEnum&, const OpenEnum&) = default;

 private:
  std::string text_;
};

}  // namespace ridge
