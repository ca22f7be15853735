#include "app/platform/opener.h"

#include <emscripten.h>

#include <filesystem>

// clang-format off
EM_JS(void, ridge_download, (const char* path, const char* name), {
  ridgepoint.download(FS.readFile(UTF8ToString(path)), UTF8ToString(name));
});
// clang-format on

namespace ridge::window {

/// A file is downloaded: what a page writes lies in its own store, which no other program reads.
Result<Opener> open_on_desktop(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return Error{ErrorCode::unavailable, "a page has no folder to show", path,
                 "Open downloads the file"};
  ridge_download(path.c_str(), std::filesystem::path(path).filename().c_str());
  return Opener{"the browser, as a download", -1};
}

}  // namespace ridge::window
