#include "app/platform/opener.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "common/core/program.h"

namespace ridge::window {
namespace {

// Linux desktops; Windows behind WSL, whose Linux may have an xdg-open without a desktop; macOS.
#ifdef __APPLE__
constexpr const char* kOpeners[] = {"open"};
#else
constexpr const char* kOpeners[] = {"wslview", "xdg-open"};
#endif

/// 0, or errno: ENOENT for no such program.
int start_opener(const char* program, const std::string& path, pid_t* pid) {
  // What stays behind keeps no terminal and none of its pipes.
  int null = open_raised("/dev/null", O_RDWR);
  if (null < 0) return errno;
  const int failed =
      start_program({.command = {program, path}, .files = {{null, 0}, {null, 1}, {null, 2}}}, pid);
  close_fd(&null);
  return failed;
}

}  // namespace

Result<Opener> open_on_desktop(const std::string& path) {
  std::string tried;
  for (const char* program : kOpeners) {
    Opener opener{program};
    const int failed = start_opener(program, path, &opener.pid);
    if (failed == 0) return opener;
    tried += (tried.empty() ? "" : ", ") + std::string(program);
    if (failed != ENOENT) tried += std::string(" (") + std::strerror(failed) + ")";
  }
  return Error{ErrorCode::unavailable, "no program here opens files: looked for " + tried, path,
               "copy the path, or install xdg-utils"};
}

}  // namespace ridge::window
