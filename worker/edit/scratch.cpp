#include "worker/edit/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace ridge::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = "ridgepoint-edit-";

/// A folder's name says whose it is.
void sweep() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(ignored), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kScratch)) continue;
    const int owner = std::atoi(name.c_str() + kScratch.size());
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Scratch::Scratch() {
  sweep();
  std::error_code ignored;
  const std::string name = std::string(kScratch) + std::to_string(getpid()) + "-XXXXXX";
  path_ = (fs::temp_directory_path(ignored) / name).string();
  if (mkdtemp(path_.data()) == nullptr) path_.clear();
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace ridge::worker
