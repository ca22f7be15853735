// JSON texts, and what needs nothing of the types.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/record/door.h"
#include "common/record/json.h"

namespace ridge {
namespace {

/// In a file of several lines the line and the column, as an editor has them. `byte` counts from 1.
std::string json_place(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  if (lines == 0) return "byte " + std::to_string(byte);
  const size_t column = before.size() - before.rfind('\n');
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column);
}

}  // namespace

Result<Json> parse_json(const std::string& text, const std::string& where) {
  if (is_nested_too_deep(text))
    return Error{ErrorCode::bad_input, "JSON nested too deep", where, ""};
  // The parser's own message is "[json.exception.parse_error.101] parse error at line 1, column 5:
  // syntax error while parsing ...": the byte is what helps to find the place.
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& failure) {
    return Error{ErrorCode::bad_input, "not valid JSON at " + json_place(text, failure.byte), where,
                 ""};
  }
  // Not a parse_error: the parser throws another one for 1e999.
  catch (const Json::exception&) {
    return Error{ErrorCode::bad_input, "JSON with a number that is too large", where, ""};
  }
}

std::string dump_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* list_field(const Json& object, const char* name) {
  const auto field = object.is_object() ? object.find(name) : object.end();
  return field != object.end() && field->is_array() ? &*field : nullptr;
}

const Json* object_field(const Json& object, const char* name) {
  const auto field = object.is_object() ? object.find(name) : object.end();
  return field != object.end() && field->is_object() ? &*field : nullptr;
}

}  // namespace ridge
