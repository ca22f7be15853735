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
#include <vector>

#include "common/core/rare.h"

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
  OpenEnum(Enum value) : OpenEnum(std::string(name_of(value))) {}
  explicit OpenEnum(std::string text) {
    for (row_ = names().size(); row_ > 0 && names()[row_ - 1] != text;) --row_;
    if (row_ == 0 && !text.empty()) other_ = std::move(text);
  }

  const std::string& text() const {
    static const std::string kEmpty;
    return row_ > 0 ? names()[row_ - 1] : other_ ? *other_ : kEmpty;
  }
  bool empty() const { return text().empty(); }
  /// None where the table does not know the text.
  std::optional<Enum> value() const {
    return row_ > 0 ? std::optional(EnumTable<Enum>::kRows[row_ - 1].value) : std::nullopt;
  }

  friend bool operator==(const OpenEnum& one, Enum value) { return one.text() == name_of(value); }
  friend bool operator==(const OpenEnum& a, const OpenEnum& b) { return a.text() == b.text(); }
  friend auto operator<=>(const OpenEnum& a, const OpenEnum& b) { return a.text() <=> b.text(); }

 private:
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> kNames = [] {
      std::vector<std::string> all;
      for (const EnumName<Enum>& row : EnumTable<Enum>::kRows) all.emplace_back(row.name);
      return all;
    }();
    return kNames;
  }

  size_t row_ = 0;           ///< of the table, from 1; 0: none
  Rare<std::string> other_;  ///< a text that the table does not know
};

}  // namespace ridge
