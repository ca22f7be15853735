#include "app/query/list_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/core/files.h"
#include "common/core/format.h"
#include "common/record/command.h"
#include "common/record/json.h"

namespace ridge::app {
namespace {

constexpr size_t kMostEntries = 1000;
constexpr uintmax_t kMostFileBytes = 1 << 20;

/// JSON takes the last of two fields of one name, and a demand would be gone.
Result<void> refuse_twins(const ListFile& kind, const std::string& text, const std::string& path) {
  std::vector<std::set<std::string>> open;
  size_t entries = 0;
  std::optional<Error> error;
  const auto look = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      entries += open.size() == 1;
      open.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open.pop_back();
    } else if (event == Json::parse_event_t::key && !open.empty()) {
      const auto name = parsed.get<std::string>();
      if (!open.back().insert(name).second && !error) {
        error = bad_file("'" + one_line(name, 40) + "' stands twice in it",
                         open.size() == 1 ? path : place_of(kind, path, entries - 1, ""),
                         "give it once");
      }
    }
    return true;
  };
  [[maybe_unused]] const Json whole = Json::parse(text, look, false);
  if (error) return *error;
  return {};
}

Result<std::string> read_text(const ListFile& kind, const std::string& path) {
  std::error_code not_a_file;
  const auto bytes = std::filesystem::file_size(path, not_a_file);
  if (!not_a_file && bytes > kMostFileBytes) {
    return bad_file("it has " + format_bytes(double(bytes)), path,
                    fmt::format("a {} has at most {}", kind.name,
                                format_bytes(double(kMostFileBytes))));
  }
  return read_whole(path);
}

}  // namespace

Error bad_file(std::string what, std::string where, std::string hint) {
  return {ErrorCode::bad_input, std::move(what), std::move(where), std::move(hint)};
}

std::string shown(const Json& value) {
  return one_line(value.dump(-1, ' ', false, Json::error_handler_t::replace), 40);
}

std::string place_of(const ListFile& kind, const std::string& path, size_t index,
                     const std::string& name) {
  return fmt::format("{}: {} {}{}", path, kind.entry, index + 1,
                     name.empty() ? "" : " (" + name + ")");
}

Error at_place(const Error& error, const std::string& place) {
  return {error.code == ErrorCode::usage ? ErrorCode::bad_input : error.code,
          error.where.empty() ? error.what : error.where + ": " + error.what, place, error.hint};
}

Result<Json> read_list_file(const ListFile& kind, const std::string& path) {
  RIDGE_TRY(const std::string text, read_text(kind, path));
  const auto parsed = parse_json(text, path);
  if (!parsed) return bad_file(parsed.error().what, path, kind.shape);
  const Json& file = *parsed;
  if (!file.is_object()) return bad_file("it is no object", path, kind.shape);
  for (const auto& [name, value] : file.items()) {
    if (name != kind.list && name != "$schema") {
      return bad_file(fmt::format("'{}' is no field of a {}", one_line(name, 40), kind.name), path,
                      kind.shape);
    }
  }
  const Json* list = list_field(file, kind.list);
  if (!list || list->empty()) return bad_file(fmt::format("it has no {}", kind.list), path, kind.shape);
  if (list->size() > kMostEntries) {
    return bad_file(fmt::format("it has {} {}", list->size(), kind.list), path,
                    fmt::format("give at most {}", kMostEntries));
  }
  RIDGE_TRY_VOID(refuse_twins(kind, text, path));
  return *list;
}

}  // namespace ridge::app
