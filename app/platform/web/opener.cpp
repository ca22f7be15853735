#include "app/platform/opener.h"

#include <emscripten.h>

#include <filesystem>
#include <vector>

#include "common/core/files.h"

// clang-format off
EM_JS(void, ridge_download, (const char* path, const char* name), {
  ridgepoint.download(FS.readFile(UTF8ToString(path)), UTF8ToString(name));
});
// clang-format on

namespace ridge::window {

/// A file is downloaded, and of a folder each: what a page writes lies in its own store, which no other program reads.
Result<Opener> open_on_desktop(const std::string& path) {
  std::error_code failed;
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path, failed))
    files = entries_of(path);
  else
    files.emplace_back(path);
  for (const std::filesystem::path& file : files) {
    if (!std::filesystem::is_regular_file(file, failed))
      return Error{ErrorCode::unavailable, "there is no file to download", file.string(),
                   "export it again"};
    ridge_download(file.c_str(), file.filename().c_str());
  }
  return Opener{"the browser, as a download", -1};
}

}  // namespace ridge::window
