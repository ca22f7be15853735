#include <filesystem>
#include <system_error>

#include "common/core/files.h"
#include "common/view/report/report.h"

namespace ridge::report {
namespace {

namespace fs = std::filesystem;

struct Format {
  const char* extension;
  std::string (*print)(const Report&);
};

/// The longer ending first: ".gbench.json" is not ".json".
constexpr Format kFormats[] = {{".gbench.json", to_gbench}, {".trace.json", to_trace},
                               {".html", to_html},          {".md", to_markdown},
                               {".json", to_json},          {".csv", to_csv}};

Error cannot_write(const fs::path& path, const std::string& why) {
  return {ErrorCode::cannot_write, why, path.string(), "choose a folder that you may write to"};
}

const Format* find_format(const std::string& name) {
  for (const Format& format : kFormats) {
    if (name.ends_with(format.extension)) return name == format.extension ? nullptr : &format;
  }
  return nullptr;
}

}  // namespace

Result<void> write_report(const Report& report, const std::string& path) {
  const fs::path target(path);
  const Format* format = find_format(target.filename().string());
  if (!format) {
    return Error{ErrorCode::usage, "the ending names no report format", path,
                 "choose .html, .md, .json, .csv, .gbench.json or .trace.json"};
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
