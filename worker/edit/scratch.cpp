#include "worker/edit/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "common/core/files.h"

namespace ridge::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = "ridgepoint-edit-";

/// A folder's name says whose it is: takes away those of processes that are gone, or this one's own.
void sweep(bool own) {
  std::error_code ignored;
  for (const fs::path& entry : entries_of(temporary_folder())) {
    const std::string name = entry.filename().string();
    if (!name.starts_with(kScratch)) continue;
    const int owner = std::atoi(name.c_str() + kScratch.size());
    const bool is_meant =
        own ? owner == getpid() : owner > 0 && kill(owner, 0) != 0 && errno == ESRCH;
    if (is_meant) fs::remove_all(entry, ignored);
  }
}

}  // namespace

Scratch::Scratch() {
  sweep(false);
  path_ = temporary_folder() + "/" + std::string(kScratch) + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) path_.clear();
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void Scratch::remove_own() {
  sweep(true);
}

}  // namespace ridge::worker
