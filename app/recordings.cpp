#include "app/recordings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ridge::app {
namespace fs = std::filesystem;

std::string asset_folder(const std::string& name) {
  std::vector<fs::path> roots;
  if (const char* set = std::getenv("RIDGEPOINT_ASSETS")) roots.emplace_back(set);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    roots.push_back(program.parent_path() / "assets");
    roots.push_back(program.parent_path().parent_path() / "share/ridgepoint");
    roots.push_back(program.parent_path().parent_path().parent_path() / "assets");
  }
#ifdef RIDGE_SOURCE_DIR
  roots.emplace_back(fs::path(RIDGE_SOURCE_DIR) / "assets");
#endif
  for (const fs::path& root : roots) {
    if (fs::is_directory(root / name, error)) return (root / name).string();
  }
  return {};
}

std::vector<Recording> load_recordings(const std::string& folder,
                                       std::vector<std::string>* problems) {
  std::vector<Recording> found;
  std::error_code error;
  if (folder.empty() || !fs::is_directory(folder, error)) return found;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    auto run = Run::load(file.string());
    if (!run) {
      if (problems) problems->push_back(run.error().sentence());
      continue;
    }
    auto shared = std::make_shared<const Run>(*std::move(run));
    std::string machine =
        shared->environment() ? shared->environment()->machine() : file.stem().string();
    found.push_back({file.string(), std::move(machine), std::move(shared)});
  }
  return found;
}

}  // namespace ridge::app
