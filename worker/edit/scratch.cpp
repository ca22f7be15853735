#include "worker/edit/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>

#include "common/core/files.h"

namespace ridge::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = "ridgepoint-edit-";

/// Those that this process has now.
struct Own {
  std::mutex mutex;
  std::set<std::string> paths;
};
/// Not destroyed: a Scratch may be a static that ends later.
Own& own() {
  static Own& all = *new Own;
  return all;
}

/// An empty one goes also where its entries cannot be read.
void remove(const std::string& path) {
  std::error_code failed;
  if (!fs::remove(path, failed)) fs::remove_all(path, failed);
}

/// A folder's name says whose it is: takes away those of processes that are gone.
void sweep() {
  for (const fs::path& entry : entries_of(temporary_folder())) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(kScratch)) continue;
    const int owner = std::atoi(name.c_str() + kScratch.size());
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) remove(entry.string());
  }
}

}  // namespace

Scratch::Scratch() {
  sweep();
  path_ = temporary_folder() + "/" + std::string(kScratch) + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) path_.clear();
  if (path_.empty()) return;
  const std::lock_guard lock(own().mutex);
  own().paths.insert(path_);
}

Scratch::~Scratch() {
  if (path_.empty()) return;
  remove(path_);
  const std::lock_guard lock(own().mutex);
  own().paths.erase(path_);
}

void Scratch::remove_own() {
  const std::lock_guard lock(own().mutex);
  for (const std::string& path : own().paths) remove(path);
}

}  // namespace ridge::worker
