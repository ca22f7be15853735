#include "app/study/assets.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/core/files.h"

namespace ridge::study {

Result<std::string> read_asset(const std::string& name) {
  if (const char* root = std::getenv("RIDGEPOINT_ASSETS")) {
    // The variable names the folder that stands for assets/.
    const std::filesystem::path path =
        std::filesystem::path(root) / std::filesystem::path(name).lexically_relative("assets");
    if (auto text = read_whole(path.string())) return text;
  }
  for (const EmbeddedFile& file : embedded_assets()) {
    if (name == file.path) return std::string(file.text);
  }
  return bad_asset(name, "this build has no such text", "it is built from the file of that name");
}

std::vector<std::string> asset_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_assets()) {
    if (std::string_view(file.path).starts_with(folder)) names.push_back(file.path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Json> read_json_asset(const std::string& name) {
  RIDGE_TRY(const std::string text, read_asset(name));
  RIDGE_TRY(Json json, parse_json(text, name));
  if (!json.is_object()) return bad_asset(name, "it is not a JSON object", "see docs/study.md");
  return json;
}

Error bad_asset(const std::string& where, const std::string& what, const std::string& hint) {
  return {ErrorCode::bad_input, what, where, hint};
}

Result<void> Fields::only(std::initializer_list<const char*> names) const {
  if (!object_.is_object()) return bad_asset(where_, "it is not a JSON object");
  std::string known;
  for (const char* name : names) known += (known.empty() ? "" : ", ") + std::string(name);
  for (const auto& [key, value] : object_.items()) {
    if (std::find(names.begin(), names.end(), key) == names.end())
      return bad(key.c_str(), "is not a field of this", "its fields are " + known);
  }
  return {};
}

Result<std::string> Fields::text(const char* name) const {
  if (!object_.contains(name)) return bad(name, "is missing");
  RIDGE_TRY(std::string text, text_or(name, ""));
  if (text.empty()) return bad(name, "is empty");
  return text;
}

Result<std::string> Fields::text_or(const char* name, const std::string& fallback) const {
  if (!object_.contains(name)) return fallback;
  if (!object_[name].is_string()) return bad(name, "is not a text");
  return object_[name].get<std::string>();
}

Result<double> Fields::number(const char* name) const {
  const std::optional<double> value = number_field(object_, name);
  if (!value) return bad(name, object_.contains(name) ? "is not a number" : "is missing");
  if (!(*value > 0)) return bad(name, "is not above zero");
  return *value;
}

Result<int> Fields::count(const char* name) const {
  constexpr double kMost = 1e9;
  RIDGE_TRY(const double value, number(name));
  if (!(value >= 1 && value <= kMost) || value != std::floor(value))
    return bad(name, "is no whole number from 1 to 10^9");
  return static_cast<int>(value);
}

Result<std::vector<std::string>> Fields::texts(const char* name) const {
  std::vector<std::string> found;
  if (!object_.contains(name)) return found;
  if (!object_[name].is_array()) return bad(name, "is not a list of texts");
  for (const Json& one : object_[name]) {
    if (!one.is_string() || one.get<std::string>().empty())
      return bad(name, "holds something else than texts");
    found.push_back(one.get<std::string>());
  }
  return found;
}

Result<std::vector<int64_t>> Fields::whole_numbers(const char* name) const {
  std::vector<int64_t> found;
  if (!object_.contains(name)) return found;
  if (!object_[name].is_array()) return bad(name, "is not a list of whole numbers");
  for (const Json& one : object_[name]) {
    if (!one.is_number_integer()) return bad(name, "holds something else than whole numbers");
    found.push_back(one.get<int64_t>());
  }
  return found;
}

Result<std::vector<Json>> Fields::objects(const char* name) const {
  const Json* list = list_field(object_, name);
  if (!list) return bad(name, object_.contains(name) ? "is not a list" : "is missing");
  if (list->empty()) return bad(name, "is empty");
  return std::vector<Json>(list->begin(), list->end());
}

Result<Params> Fields::params(const char* name) const {
  if (!object_.contains(name)) return Params{};
  const Json* object = object_field(object_, name);
  if (!object) return bad(name, "is not an object of parameters", "write {\"n\": 512}");
  for (const auto& [key, value] : object->items()) {
    if (!value.is_number_integer() && !value.is_string())
      return bad(name, "gives " + key + " neither a whole number nor a text");
  }
  return params_from_json(*object);
}

}  // namespace ridge::study
