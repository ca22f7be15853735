// How a single value goes into JSON and comes back: the two directions that a list of fields (json.cpp)
// is walked in. A Reader takes what it can use and leaves the rest as it was: a transcript may be of an
// older or a newer version, or damaged.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/core/rare.h"
#include "common/record/door.h"
#include "common/record/json.h"

namespace ridge::record {

inline constexpr ErrorCode kErrorCodes[] = {
    ErrorCode::invalid, ErrorCode::usage,        ErrorCode::bad_input, ErrorCode::unavailable,
    ErrorCode::worker,  ErrorCode::cannot_write, ErrorCode::cancelled};

struct Writer {
  static constexpr bool kWrites = true;
  Json& json;

  template <class T>
  void operator()(const char* name, const T& value) {
    json[name] = form(value);
  }
  /// Left out where it is the default: a run holds up to a million samples.
  template <class T>
  void brief(const char* name, const T& value, const T& fallback = {}) {
    if (value != fallback) json[name] = form(value);
  }
  template <class T>
  void brief(const char* name, const std::optional<T>& value) {
    if (value) json[name] = form(*value);
  }
  template <class T>
  void brief(const char* name, const Rare<T>& value) {
    if (value) json[name] = form(*value);
  }

  static Json form(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  static Json form(const ParamValue& value) {
    return std::visit([](const auto& held) { return Json(held); }, value);
  }
  template <HasNames Enum>
  static Json form(const Enum& value) {
    return name_of(value);
  }
  template <class Enum>
  static Json form(const OpenEnum<Enum>& value) {
    return value.text();
  }
  static Json form(ErrorCode value) { return static_cast<int>(value); }
  template <class T>
  static Json form(const std::optional<T>& value) {
    return value ? form(*value) : Json(nullptr);
  }
  template <class T>
  static Json form(const Rare<T>& value) {
    return value ? form(*value) : Json(nullptr);
  }
  template <class T>
  static Json form(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(form(value));
    return list;
  }
  template <class T>
  static Json form(const std::map<std::string, T>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = form(value);
    return object;
  }
  template <class T>
  static Json form(const SharedMap<T>& values) {
    return form(values.map());
  }
  template <class T>
  static Json form(const T& value) {
    return Json(value);
  }
};

struct Reader {
  static constexpr bool kWrites = false;
  const Json& json;

  template <class T>
  void operator()(const char* name, T& value) {
    if (const auto field = json.find(name); field != json.end()) read(*field, value);
  }
  template <class T>
  void brief(const char* name, T& value, const T& = {}) {
    (*this)(name, value);
  }

  // Each returns false, and leaves the value alone, where the JSON is of the wrong kind.
  static bool read(const Json& from, bool& value) {
    if (from.is_boolean()) value = from.get<bool>();
    return from.is_boolean();
  }
  static bool read(const Json& from, std::string& value) {
    if (!from.is_string()) return false;
    value = from.get_ref<const std::string&>();
    make_plain(&value);
    return true;
  }
  static bool read(const Json& from, double& value) {
    if (from.is_null()) value = std::numeric_limits<double>::quiet_NaN();
    if (from.is_number()) value = from.get<double>();
    return from.is_null() || from.is_number();
  }
  static bool read(const Json& from, int64_t& value) {
    if (from.is_number_float()) {
      const double number = from.get<double>();
      if (!(std::abs(number) <= kMostWhole) || number != std::floor(number)) return false;
      value = static_cast<int64_t>(number);
      return true;
    }
    if (!from.is_number_integer()) return false;
    const auto number = from.get<int64_t>();  // of an unsigned one beyond it: negative
    const bool fits =
        number >= (from.is_number_unsigned() ? 0 : -kMostWhole) && number <= kMostWhole;
    if (fits) value = number;
    return fits;
  }
  static bool read(const Json& from, int& value) {
    int64_t wide = 0;
    if (!read(from, wide) || wide != static_cast<int>(wide)) return false;
    value = static_cast<int>(wide);
    return true;
  }
  static bool read(const Json& from, ParamValue& value) {
    int64_t number = 0;
    if (read(from, number)) {
      value = number;
    } else {
      // Kept as text, whatever it is: resolve_params() then names it in its error.
      std::string text = from.is_string() ? from.get<std::string>() : dump_json(from);
      make_plain(&text, true);
      value = std::move(text);
    }
    return true;
  }
  template <HasNames Enum>
  static bool read(const Json& from, Enum& value) {
    const auto known =
        from.is_string() ? value_named<Enum>(from.get_ref<const std::string&>()) : std::nullopt;
    if (known) value = *known;
    return known.has_value();
  }
  template <class Enum>
  static bool read(const Json& from, OpenEnum<Enum>& value) {
    std::string text;
    if (!read(from, text)) return false;
    value = OpenEnum<Enum>(std::move(text));
    return true;
  }
  static bool read(const Json& from, ErrorCode& value) {
    for (const ErrorCode candidate : kErrorCodes) {
      if (from == static_cast<int>(candidate)) value = candidate;
    }
    return from.is_number();
  }
  template <class T>
  static bool read(const Json& from, std::optional<T>& value) {
    T held{};
    if (from.is_null()) {
      value.reset();
    } else if (read(from, held)) {
      value = held;
    }
    return true;
  }
  template <class T>
  static bool read(const Json& from, Rare<T>& value) {
    std::optional<T> held;
    if (value) held = *value;
    read(from, held);
    value = Rare<T>(std::move(held));
    return true;
  }
  template <class T>
  static bool read(const Json& from, std::vector<T>& values) {
    if (!from.is_array()) return false;
    values.clear();
    values.reserve(from.size());
    for (const Json& element : from) {
      T value{};
      if (read(element, value)) values.push_back(std::move(value));
    }
    return true;
  }
  template <class T>
  static bool read(const Json& from, std::map<std::string, T>& values) {
    if (!from.is_object()) return false;
    values.clear();
    for (const auto& [name, element] : from.items()) {
      T value{};
      if (!read(element, value)) continue;
      std::string plain = name;
      make_plain(&plain, true);
      values[plain] = std::move(value);
    }
    return true;
  }
  template <class T>
  static bool read(const Json& from, SharedMap<T>& values) {
    std::map<std::string, T> held = values.map();
    const bool is_read = read(from, held);
    values = std::move(held);
    return is_read;
  }
  template <class T>
  static bool read(const Json& from, T& value) {
    if (from.is_object()) from_json(from, value);
    return from.is_object();
  }
};

}  // namespace ridge::record
