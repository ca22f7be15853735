#include "app/query/class_files.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "app/session/saved_run.h"
#include "common/core/background.h"
#include "common/core/files.h"
#include "common/core/hash.h"

namespace ridge::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".jsonl";

std::string name_of(const fs::path& path) {
  const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return name.extension() == kEnding ? name.stem().string() : name.string();
}

/// A folder that may not be read has no runs for us.
std::vector<fs::path> runs_below(const fs::path& folder) {
  std::vector<fs::path> runs;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    std::error_code ignored;
    if (at->path().extension() == kEnding && !at->is_directory(ignored)) runs.push_back(at->path());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

void add_source(const fs::path& path, ClassFiles* out) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    out->files.push_back({path.string(), name_of(path), true});
    return;
  }
  const std::vector<fs::path> runs = runs_below(path);
  for (const fs::path& run : runs) out->files.push_back({run.string(), name_of(path)});
  if (runs.empty()) out->empty.push_back({path.string(), name_of(path)});
}

}  // namespace

Result<ClassFiles> find_class_files(const std::vector<std::string>& paths) {
  std::error_code ignored;
  for (const std::string& path : paths) {
    if (!fs::exists(path, ignored))
      return Error{ErrorCode::bad_input, "it is not there", path, "name a folder of saved runs"};
  }
  ClassFiles out;
  if (paths.size() != 1 || !fs::is_directory(paths.front(), ignored)) {
    for (const std::string& path : paths) add_source(path, &out);
    return out;
  }
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(
           paths.front(), fs::directory_options::skip_permission_denied, ignored)) {
    if (entry.is_directory(ignored) || entry.path().extension() == kEnding)
      entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) add_source(entry, &out);
  return out;
}

std::vector<Result<ClassRun>> read_class_files(const std::vector<ClassFile>& files,
                                               size_t threads) {
  std::vector<Result<ClassRun>> runs(files.size(), ClassRun());
  std::atomic<size_t> next = 0;
  const auto read = [&] {
    for (size_t i = next++; i < files.size(); i = next++) {
      const auto run = load_saved(files[i].path);
      if (!run) {
        runs[i] = run.error();
        continue;
      }
      runs[i] = class_run(*run, fs::path(files[i].path).stem().string());
      if (const auto text = read_whole(files[i].path)) runs[i]->content = fnv1a(*text);
    }
  };
  if (!has_threads()) threads = 1;
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;  // this thread reads too
  for (size_t i = 1; i < std::min(threads, files.size()); ++i) helpers.emplace_back(read);
  read();
  for (std::thread& helper : helpers) helper.join();
  return runs;
}

}  // namespace ridge::app
