#include "app/query/editing.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "common/core/files.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostBytes = 48'000;  // a request is a line of 64 KiB, escapes included

}  // namespace

std::string learner_folder(const std::string& kind) {
  const std::string folder = data_folder(kind);
  return folder.empty() ? "./.local/share/ridgepoint/" + kind : folder;  // a login without a home
}

std::string learner_file(const std::string& folder, const std::string& name, bool is_cuda) {
  return (fs::path(folder) / (name + (is_cuda ? ".cu" : ".cpp"))).string();
}

Result<std::string> read_learner_file(const std::string& path) {
  auto text = read_whole(path);
  if (!text) {
    return Error{ErrorCode::bad_input, "it cannot be read", path,
                 "'ridgepoint edit KERNEL' makes a copy to begin with"};
  }
  if (text->size() > kMostBytes) {
    return Error{ErrorCode::bad_input, "it is longer than 48 kB", path, "a rung is one short file"};
  }
  return text;
}

Result<bool> make_copy(const std::string& path, const std::string& text) {
  std::error_code failed;
  if (fs::exists(path, failed)) return false;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  RIDGE_TRY_VOID(write_whole(path, text));
  return true;
}

bool FileWatch::changed() {
  struct stat info = {};
  if (::stat(path_.c_str(), &info) != 0) return false;
  const int64_t saved_ns = info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec;
  const bool moved = saved_ns != saved_ns_ || info.st_size != bytes_;
  saved_ns_ = saved_ns;
  bytes_ = info.st_size;
  return moved;
}

EditArgument edit_argument(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == text.npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string messages_text(const EditBuild& build, const std::string& file) {
  std::string text;
  for (const CompileMessage& message : build.messages) {
    const std::string place =
        message.line > 0 ? fmt::format("{}:{}:{}", file, message.line, message.column) : file;
    text +=
        fmt::format("{}{}: {}: {}", text.empty() ? "" : "\n", place, message.kind, message.text);
  }
  return text;
}

}  // namespace ridge::app
