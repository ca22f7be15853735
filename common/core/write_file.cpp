#include "common/core/write_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace ridge {
namespace fs = std::filesystem;
namespace {

Error cannot_write(const fs::path& path, const std::string& why) {
  return {ErrorCode::cannot_write, why, path.string(), "choose a folder that you may write to"};
}

}  // namespace

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
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return std::string(cache) + "/ridgepoint/" + part;
  }
  if (const char* home = std::getenv("HOME"); home && *home) {
    return std::string(home) + "/.cache/ridgepoint/" + part;
  }
  return "";
}

}  // namespace ridge
