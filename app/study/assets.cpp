#include "app/study/assets.h"

#include <algorithm>
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

}  // namespace ridge::study
