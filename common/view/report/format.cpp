#include "common/view/report/format.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/core/files.h"

namespace ridge::report {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const fs::path& path, const std::string& why) {
  return {ErrorCode::cannot_write, why, path.string(), "choose a folder that you may write to"};
}

/// Null: no ending fits, or there is nothing before it.
const FormatDesc* find_format(const std::string& name) {
  const FormatDesc* found = nullptr;
  for (const FormatDesc* format : all_formats()) {
    const std::string_view ending = format->ending;
    if (!name.ends_with(ending)) continue;
    if (!found || ending.size() > std::string_view(found->ending).size()) found = format;
  }
  return found && name == found->ending ? nullptr : found;
}

}  // namespace

std::vector<const FormatDesc*> all_formats() {
  const auto registered = registered_formats();
  std::vector<const FormatDesc*> all(registered.begin(), registered.end());
  std::sort(all.begin(), all.end(), [](const FormatDesc* a, const FormatDesc* b) {
    return std::pair(a->place, std::string_view(a->ending)) <
           std::pair(b->place, std::string_view(b->ending));
  });
  return all;
}

std::string format_endings() {
  const auto formats = all_formats();
  std::string text;
  for (size_t i = 0; i < formats.size(); ++i) {
    const char* before = i == 0 ? "" : i + 1 == formats.size() ? " or " : ", ";
    text += before + std::string(formats[i]->ending);
  }
  return text;
}

std::string print_as(const Report& report, std::string_view ending) {
  for (const FormatDesc* format : all_formats()) {
    if (format->ending == ending) return format->print(report);
  }
  return {};
}

Result<void> write_report(const Report& report, const std::string& path) {
  const fs::path target(path);
  const FormatDesc* format = find_format(target.filename().string());
  if (!format) {
    return Error{ErrorCode::usage, "the ending names no report format", path,
                 "choose " + format_endings()};
  }
  std::error_code error;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    return cannot_write(target, "the folder " + folder.string() + " does not exist");
  }
  if (fs::is_directory(target, error)) return cannot_write(target, "it is a folder");
  return write_whole(target.string(), format->print(report));
}

}  // namespace ridge::report
