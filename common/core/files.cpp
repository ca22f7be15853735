#include "common/core/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace ridge {
namespace fs = std::filesystem;
namespace {

Error cannot_write(const fs::path& path, const std::string& why) {
  return {ErrorCode::cannot_write, why, path.string(), "choose a folder that you may write to"};
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
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || fs::is_directory(path, error)) {
    const char* why = errno != 0 ? std::strerror(errno) : "it is no file";
    return Error{ErrorCode::bad_input, std::string("it cannot be read: ") + why, path,
                 "see that it is there and who may read it"};
  }
  return std::move(text).str();
}

Result<void> write_whole(const std::string& path, const std::string& text) {
  const fs::path target(path), beside(path + ".part");
  errno = 0;
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  if (!file)
    return cannot_write(target, std::string("it cannot be written: ") + std::strerror(errno));
  file << text;
  file.close();
  std::error_code error;
  if (!file) {
    fs::remove(beside, error);
    return cannot_write(target, "it was not written whole: is the disk full?");
  }
  fs::rename(beside, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(beside, error);
    return cannot_write(target, "it cannot be put in place: " + why);
  }
  return {};
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
