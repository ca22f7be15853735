#include "app/sweep/sweep_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/core/files.h"
#include "common/record/json.h"
#include "common/record/seal.h"

namespace ridge::sweep {
namespace {

using app::FileLock;

Error cannot_write(const std::string& path, int number) {
  return {ErrorCode::cannot_write, std::string("it cannot be written: ") + strerror(number),
          "'" + path + "'", "choose a folder that may be written with --out"};
}

Error in_use(const std::string& what, const std::string& path) {
  return {ErrorCode::usage, what, "'" + path + "'",
          "wait until it ends, or choose another folder with --out"};
}

std::string plan_path(const std::string& folder) {
  return folder + "/plan.json";
}

// ---- a transcript --------------------------------------------------------------------------------

int64_t number_in(const Json& line, const char* name) {
  const auto field = line.find(name);
  return field != line.end() && field->is_number_integer() ? field->get<int64_t>() : -1;
}

/// What one transcript has: its complete points, and where a part begins that a kill left incomplete.
class TranscriptScan {
 public:
  explicit TranscriptScan(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line) && !file.eof();) {
      end_ += line.size() + 1;
      take(line);
      if (open_.empty()) safe_ = end_;
    }
  }
  const std::set<std::string>& complete() const { return complete_; }
  uintmax_t safe_bytes() const { return safe_; }
  bool is_closed() const { return is_sealed_; }

 private:
  void take(const std::string& line) {
    is_sealed_ = is_seal(line);
    // Most lines are samples and telemetry, which need no parsing for this.
    const bool is_asked = line.find("\"from\":\"app\"") != std::string::npos;
    const bool is_done = line.find("\"type\":\"done\"") != std::string::npos;
    if (!is_asked && !is_done) return;
    const auto json = parse_json(line, "");
    if (!json || !json->is_object()) return;
    if (is_asked) {
      if (json->contains("id")) open_[number_in(*json, "id")] = text_field(*json, "point");
      return;
    }
    const auto asked = open_.find(number_in(*json, "request"));
    if (asked == open_.end()) return;
    if (!asked->second.empty() && text_field(*json, "status") == "ok")
      complete_.insert(asked->second);
    open_.erase(asked);
  }

  std::map<int64_t, std::string> open_;  ///< requests that are not done; their point's key
  std::set<std::string> complete_;
  uintmax_t end_ = 0, safe_ = 0;
  bool is_sealed_ = false;
};

/// Another sweep may be writing it, a share say: then it stays as it is.
Result<void> cut_off(const std::string& path, uintmax_t bytes) {
  FileLock lock;
  if (lock.take(path, FileLock::Kind::alone, false) != 0) return {};
  std::error_code failed;
  if (std::filesystem::file_size(path, failed) <= bytes || failed) return {};
  if (::truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) return cannot_write(path, errno);
  return {};
}

}  // namespace

Result<void> PointFile::append(std::string lines) {
  if (const int failed = file_.append(std::move(lines), false)) return cannot_write(path_, failed);
  return {};
}

Result<void> PointFile::close() {
  int failed = file_.append("", true);
  if (const int closing = file_.close(); !failed) failed = closing;
  if (failed) return cannot_write(path_, failed);
  return {};
}

// ---- the folder ----------------------------------------------------------------------------------

Result<SweepFolder> SweepFolder::open(const std::string& path, const Share& share) {
  SweepFolder folder;
  folder.path_ = path;
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (!failed && !std::filesystem::is_directory(path, failed)) return cannot_write(path, ENOTDIR);
  if (failed) return cannot_write(path, failed.value());
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0) return cannot_write(path, errno);
  RIDGE_TRY_VOID(folder.lock(share));
  return folder;
}

Result<void> SweepFolder::lock(const Share& share) {
  const auto kind = share.is_whole() ? FileLock::Kind::alone : FileLock::Kind::shared;
  const int failed = whole_.take(path_ + "/lock", kind, false);
  if (failed == EWOULDBLOCK) return in_use("another sweep runs in this folder", path_);
  if (failed) return cannot_write(path_, failed);
  return share.is_whole() ? Result<void>() : lock_share(share);
}

/// Shares of another number would overlap with these. Each has its own lock before it looks for others': of two that begin
/// at the same moment one at least sees the other.
Result<void> SweepFolder::lock_share(const Share& share) {
  const std::string end = fmt::format("-of-{}.lock", share.of);
  const int failed = share_.take(fmt::format("{}/share-{}{}", path_, share.number, end),
                                 FileLock::Kind::alone, false);
  if (failed == EWOULDBLOCK) {
    return in_use(fmt::format("its share {}/{} is being measured", share.number, share.of), path_);
  }
  if (failed) return cannot_write(path_, failed);
  for (const auto& entry : entries_of(path_)) {
    const std::string name = entry.filename().string();
    if (!name.starts_with("share-") || !name.ends_with(".lock") || name.ends_with(end)) continue;
    FileLock other;
    if (other.take(entry.string(), FileLock::Kind::alone, false) == EWOULDBLOCK)
      return in_use("a sweep with another number of shares runs in this folder", path_);
  }
  return {};
}

Result<void> SweepFolder::keep_plan(const Plan& plan) {
  FileLock brief;  // shares begin at the same moment
  (void)brief.take(path_, FileLock::Kind::alone, true);
  const Json ours = {{"ridgepoint", 1},
                     {"points", plan.points.size()},
                     {"fingerprint", plan.fingerprint()},
                     {"rungs", plan.hashes}};
  const std::string path = plan_path(path_);
  if (!std::filesystem::exists(path)) {
    if (!transcripts().empty())
      return app::bad_file("it has transcripts and no plan.json", "'" + path_ + "'",
                           "choose another folder with --out");
    return write_whole(path, ours.dump(2) + "\n");
  }
  RIDGE_TRY(const std::string text, read_whole(path));
  RIDGE_TRY(const Json theirs, parse_json(text, path));
  if (text_field(theirs, "fingerprint") != plan.fingerprint()) {
    return app::bad_file("it holds another sweep: its points are others", "'" + path_ + "'",
                         "go on with the file that it was begun with, or choose another folder "
                         "with --out");
  }
  const Json* rungs = object_field(theirs, "rungs");
  for (const auto& [kernel, hash] : plan.hashes) {
    if (rungs && text_field(*rungs, kernel.c_str()) == hash) continue;
    return app::bad_file(kernel + " has changed since this sweep began", "'" + path_ + "'",
                         "choose another folder with --out, so that no figures of two programs "
                         "stand in one sweep");
  }
  return {};
}

std::vector<std::string> SweepFolder::transcripts() const {
  std::vector<std::string> paths;
  for (const auto& entry : entries_of(path_)) {
    if (entry.extension() == ".jsonl") paths.push_back(entry.string());
  }
  return paths;
}

Result<Progress> SweepFolder::read_progress() const {
  Progress progress;
  for (const std::string& path : transcripts()) {
    if (::access(path.c_str(), R_OK) != 0)
      return app::bad_file(std::string("it cannot be read: ") + strerror(errno), "'" + path + "'",
                           "its points would be measured twice: make it readable");
    const TranscriptScan scan(path);
    progress.complete.insert(scan.complete().begin(), scan.complete().end());
    if (!scan.is_closed()) progress.unclosed.push_back(path);
    RIDGE_TRY_VOID(cut_off(path, scan.safe_bytes()));
  }
  return progress;
}

Result<PointFile> SweepFolder::new_transcript() const {
  for (size_t number = transcripts().size() + 1;; ++number) {
    PointFile file;
    file.path_ = fmt::format("{}/worker-{:03}.jsonl", path_, number);
    const int failed = file.file_.open(file.path_, true);
    if (failed == EEXIST) continue;
    if (failed) return cannot_write(file.path_, failed);
    if (const int locked = file.lock_.take(file.path_, FileLock::Kind::alone, false))
      return cannot_write(file.path_, locked);
    return file;
  }
}

}  // namespace ridge::sweep
