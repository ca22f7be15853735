// Run::load: a saved transcript, read line by line; or benchmarks of another program.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/record/door.h"
#include "common/record/import.h"
#include "common/record/run.h"
#include "common/record/seal.h"

namespace ridge {
namespace {

/// Login banners stand before the magic; a file that has not shown it by then is something else.
constexpr size_t kMostBannerBytes = 1024 * 1024;

/// Lines of bounded length, whatever the file holds.
class LineReader {
 public:
  explicit LineReader(std::FILE* file) : file_(file), block_(256 * 1024) {}

  /// Reads the next line into `line` (without its newline); false at the end of the file.
  bool next() {
    line.clear();
    overlong = ended = false;
    while (true) {
      if (from_ == to_ && !refill()) {
        ended = true;
        return !line.empty() || overlong;
      }
      const char* first = block_.data() + from_;
      const void* newline = std::memchr(first, '\n', to_ - from_);
      const size_t size =
          newline == nullptr ? to_ - from_ : size_t(static_cast<const char*>(newline) - first);
      overlong = overlong || line.size() + size > kMostLineBytes;
      line.append(first, std::min(size, kMostLineBytes - line.size()));
      bytes += size;
      from_ += size;
      if (newline != nullptr) {
        ++from_;
        return true;
      }
      if (overlong && bytes > kMostBannerBytes && !started) return true;
    }
  }

  std::string line;
  bool overlong = false;  ///< the line is longer than the protocol allows: `line` is not all of it
  bool ended = false;     ///< the file ended before the line's newline
  bool started = false;   ///< set by the caller: from now on the file is read to its end
  size_t bytes = 0;

 private:
  bool refill() {
    from_ = 0;
    to_ = std::fread(block_.data(), 1, block_.size(), file_);
    return to_ > 0;
  }

  std::FILE* file_;
  std::vector<char> block_;
  size_t from_ = 0, to_ = 0;
};

bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix);
}

constexpr const char* kForeignJson = "JSON of another program";

/// What a file that is no run is instead, from its first bytes.
std::string kind_of(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, const char*> kMagics[] = {
      {"\x1f\x8b"sv, "gzip data"},
      {"\x28\xb5\x2f\xfd"sv, "zstd data"},
      {"PK\x03\x04"sv, "a zip archive"},
      {"\x7f"
       "ELF"sv,
       "a program"},
      {"\x89PNG"sv, "a PNG image"},
      {"%PDF"sv, "a PDF document"}};
  for (const auto& [magic, name] : kMagics) {
    if (has_prefix(head, magic)) return name;
  }
  const auto is_control = [](unsigned char c) {
    return c < 0x20 && std::strchr("\t\n\r\f\x1b\b", c) == nullptr;
  };
  if (head.find('\0') != head.npos ||
      std::count_if(head.begin(), head.end(), is_control) * 20 > std::ssize(head)) {
    return "a binary file";
  }
  std::string text(
      head.substr(std::min(head.find_first_not_of(" \t\r\n\xef\xbb\xbf"), head.size())));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (text.empty()) return "blank";
  if (has_prefix(text, "<!doctype html") || has_prefix(text, "<html")) return "an HTML page";
  if (has_prefix(text, "<")) return "an XML or HTML file";
  if (text[0] == '{' || text[0] == '[') {
    if (text.find("\"ridgepoint\"") == text.npos) return kForeignJson;
    return text.find("\"results\"") != text.npos || text.find("\"environment\"") != text.npos
               ? "a JSON report, not the run it was made from"
               : "the beginning of a run, cut off inside its first line";
  }
  return "text without a single line of a run";
}

Error not_a_run(const std::string& path, std::string what) {
  return Error{ErrorCode::bad_input, std::move(what), path,
               "give a run as saved by 'ridgepoint run --out RUN.jsonl'"};
}

}  // namespace

Result<Run> Run::load(const std::string& path) {
  std::error_code failed;
  const auto kind_of_file = std::filesystem::status(path, failed).type();
  if (kind_of_file == std::filesystem::file_type::directory)
    return not_a_run(path, "this is a folder");
  // A pipe that nobody writes to would never end.
  if (std::filesystem::exists(path, failed) && kind_of_file != std::filesystem::file_type::regular)
    return not_a_run(path, "this is a pipe or a device");
  if (const auto bytes = std::filesystem::file_size(path, failed); !failed && bytes > kMostRunBytes)
    return not_a_run(path, "this is larger than the 2 GiB of the largest run that is read");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file && errno == EACCES)
    return Error{ErrorCode::bad_input, "you may not read this file", path,
                 "ask its owner, or make it readable with 'chmod u+r'"};
  if (!file) {
    return not_a_run(path, std::string("the file cannot be read (") + std::strerror(errno) + ")");
  }
  Run run;
  std::string head;
  SealCheck seals;
  LineReader reader(file.get());
  for (int64_t number = 1; reader.next(); ++number) {
    if (head.size() < 4096) head += reader.line.substr(0, 4096) + "\n";
    seals.take(reader.line);
    if (reader.overlong) {
      if (run.started_) {
        run.note("line " + std::to_string(number) + " is longer than 64 KiB: it is left out");
      }
    } else if (reader.ended && run.started_ && !Json::accept(reader.line)) {
      run.note("the file ends inside line " + std::to_string(number) +
               ": everything before it is kept");
    } else {
      run.apply_line(reader.line);
    }
    if (run.other_version_) {
      Error error = *run.fatal_;
      error.where = path;
      return error;
    }
    reader.started = run.started_;
    if (!run.started_ && reader.bytes > kMostBannerBytes) break;
  }
  if (std::ferror(file.get()) != 0) {
    if (!run.started_) {
      return not_a_run(path, std::string("reading failed (") + std::strerror(errno) + ")");
    }
    run.note("reading the file failed: everything before that place is kept");
  }
  if (!run.started_) {
    const std::string kind = head.empty() ? "" : kind_of(head);
    if (kind != kForeignJson)
      return not_a_run(path, head.empty() ? "the file is empty" : "this is " + kind);
    RIDGE_TRY(const std::vector<Json> lines, import_benchmarks(path));
    for (const Json& line : lines) run.apply(line);
    return run;
  }
  run.take_seals(seals);
  const bool unfinished = std::any_of(run.requests_.begin(), run.requests_.end(),
                                      [](const Request& request) { return request.open(); });
  if (unfinished) {
    run.close_open(RequestStatus::failed, "the recording ends before this was finished");
    run.note("the recording ends before everything in it was finished");
  }
  return run;
}

}  // namespace ridge
