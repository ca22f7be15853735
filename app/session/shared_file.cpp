#include "app/session/shared_file.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/session/file_lock.h"
#include "common/core/files.h"

namespace ridge::app {
namespace {

bool has_entries(const Json& list) {
  return std::any_of(list.begin(), list.end(), [](const Json& one) { return !one.is_number(); });
}

bool holds(const Json& list, const Json& entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

Json read_json(const std::string& path) {
  const auto text = read_whole(path);
  const auto json = text ? parse_json(*text, path) : Result<Json>(Json());
  return json ? *json : Json();
}

Json json_of(const std::string& text) {
  const auto json = parse_json(text, "");
  return json ? *json : Json();
}

}  // namespace

Json merged(const Json& base, const Json& ours, const Json& theirs) {
  if (ours == base && !theirs.is_null()) return theirs;
  if (ours.is_object() && theirs.is_object()) {
    Json all = Json::object();
    const auto of = [](const Json& object, const std::string& name) {
      const auto found = object.is_object() ? object.find(name) : object.end();
      return found == object.end() ? Json() : *found;
    };
    for (const auto& [name, value] : ours.items())
      all[name] = merged(of(base, name), value, of(theirs, name));
    for (const auto& [name, value] : theirs.items())
      if (!ours.contains(name) && of(base, name).is_null()) all[name] = value;
    return all;
  }
  if (ours.is_array() && theirs.is_array() && (has_entries(ours) || has_entries(theirs))) {
    Json all = ours;
    for (const Json& entry : theirs)
      if (!holds(ours, entry) && !holds(base, entry)) all.push_back(entry);
    return all;
  }
  return ours;
}

Result<void> write_shared(const std::string& path, const std::string& ours, std::string* base) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  FileLock lock;
  (void)lock.take(folder, FileLock::Kind::alone, true);  // where it cannot be had the file is written all the same
  const Json theirs = read_json(path);
  const bool is_ours_alone = theirs.is_null() || theirs == json_of(*base);
  const std::string text = is_ours_alone
                               ? ours
                               : merged(json_of(*base), json_of(ours), theirs)
                                         .dump(2, ' ', false, Json::error_handler_t::replace) +
                                     "\n";
  RIDGE_TRY_VOID(write_whole(path, text));
  *base = ours;
  return {};
}

}  // namespace ridge::app
