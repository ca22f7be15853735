#include "common/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace ridge {
namespace fs = std::filesystem;
namespace {

Error cannot_write(const fs::path& path, const std::string& why) {
  return {ErrorCode::cannot_write, why, path.string(), "choose a folder that you may write to"};
}

std::string reason_of(int number) {
  return std::strerror(number);
}

/// Returns errno, or 0.
int write_all(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    done += static_cast<size_t>(n);
  }
  return 0;
}

/// A file that was not there, with the mode of `like` if that is there, on the disk when this returns. errno, or 0.
int write_new(const fs::path& path, const fs::path& like, const std::string& text) {
  struct stat info = {};
  const mode_t mode = ::stat(like.c_str(), &info) == 0 ? info.st_mode & 07777 : 0644;
  ::unlink(path.c_str());  // of a process that had this number before
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd < 0) return errno;
  int failed = write_all(fd, text);
  if (failed == 0 && ::fsync(fd) != 0 && errno != EINVAL) failed = errno;
  if (::close(fd) != 0 && failed == 0) failed = errno;
  return failed;
}

/// Into a device or a pipe, which nothing may be moved over.
Result<void> write_through(const fs::path& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  int failed = fd < 0 ? errno : write_all(fd, text);
  if (fd >= 0 && ::close(fd) != 0 && failed == 0) failed = errno;
  if (failed != 0) return cannot_write(path, "it cannot be written: " + reason_of(failed));
  return {};
}

std::string user_folder(const char* variable, const char* in_home, const std::string& part) {
  if (const char* folder = std::getenv(variable); folder && *folder) {
    return std::string(folder) + "/ridgepoint/" + part;
  }
  if (const char* home = std::getenv("HOME"); home && *home) {
    return std::string(home) + in_home + "/ridgepoint/" + part;
  }
  return "";
}

}  // namespace

Result<std::string> read_whole(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return Error{ErrorCode::bad_input, "this is a folder", path, "name a file"};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    const char* why = errno != 0 ? std::strerror(errno) : "it is no file";
    return Error{ErrorCode::bad_input, std::string("it cannot be read: ") + why, path,
                 "see that it is there and who may read it"};
  }
  return std::move(text).str();
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  // In a range-for each step would throw where reading fails half-way.
  for (fs::directory_iterator at(folder, failed); !failed && at != fs::directory_iterator();
       at.increment(failed))
    found.push_back(at->path());
  std::sort(found.begin(), found.end());
  return found;
}

Result<void> write_whole(const std::string& path, const std::string& text) {
  // Moved over a link it would replace the link: the file that is linked to is meant.
  std::error_code error;
  fs::path target(path);
  if (const fs::path real = fs::canonical(target, error); !error) target = real;
  if (fs::exists(target, error) && !fs::is_regular_file(target, error))
    return write_through(target, text);
  // Two programs may write it at once: each beside it under a name of its own.
  const fs::path beside = target.string() + "." + std::to_string(::getpid()) + ".part";
  if (const int failed = write_new(beside, target, text)) {
    fs::remove(beside, error);
    return cannot_write(target, failed == ENOSPC || failed == EFBIG || failed == EDQUOT
                                    ? "it was not written whole: " + reason_of(failed)
                                    : "it cannot be written: " + reason_of(failed));
  }
  fs::rename(beside, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(beside, error);
    return cannot_write(target, "it cannot be put in place: " + why);
  }
  return {};
}

std::string temporary_folder() {
  std::error_code failed;
  const fs::path folder = fs::temp_directory_path(failed);
  return failed ? "/tmp" : folder.string();
}

std::string cache_folder(const std::string& part) {
  return user_folder("XDG_CACHE_HOME", "/.cache", part);
}

std::string config_folder(const std::string& part) {
  return user_folder("XDG_CONFIG_HOME", "/.config", part);
}

std::string data_folder(const std::string& part) {
  return user_folder("XDG_DATA_HOME", "/.local/share", part);
}

std::string state_folder(const std::string& part) {
  return user_folder("XDG_STATE_HOME", "/.local/state", part);
}

}  // namespace ridge
