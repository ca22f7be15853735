#include "app/query/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "labs/lab.h"

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

std::string title_of_run(const Run& run) {
  std::set<std::string> rungs;
  const Lab* lab = nullptr;
  for (const Series& series : run.series()) {
    if (!series.stats && series.samples.empty()) continue;
    rungs.insert(series.kernel);
    if (!lab) lab = find_lab(series.lab);
  }
  if (!lab && !run.comparisons().empty()) lab = find_lab(run.comparisons().front().lab);
  const auto counted = [](size_t count, const char* what) {
    return fmt::format(" · {} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string title = lab ? lab->title : "Run";
  if (!rungs.empty()) title += counted(rungs.size(), "rung");
  if (!run.comparisons().empty()) title += counted(run.comparisons().size(), "comparison");
  return title;
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
    std::string title = title_of_run(*shared);
    found.push_back({file.string(), std::move(machine), std::move(title), std::move(shared)});
  }
  return found;
}

}  // namespace ridge::app
