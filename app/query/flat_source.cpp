#include "app/query/flat_source.h"

#include <set>
#include <string_view>

#include "app/query/diff.h"

namespace ridge::app {
namespace {

constexpr std::string_view kKernelHeader = "#include \"kernels/";

/// The path that the line includes: what stands in its quotes.
std::string path_in(std::string_view line) {
  const size_t begin = line.find('"') + 1;
  return std::string(line.substr(begin, line.find('"', begin) - begin));
}

class Folder {
 public:
  explicit Folder(const Run& run) : run_(run) {}

  void fold(const SourceText& source) {
    for (const std::string_view line : split_lines(source.text)) {
      if (line.starts_with(kKernelHeader)) {
        fold_header(path_in(line), line, source.path);
      } else if (!line.starts_with("#pragma once") &&
                 (!line.starts_with("#include") || seen_.insert(std::string(line)).second)) {
        say(line);
      }
    }
  }

  FlatSource take() { return std::move(flat_); }

 private:
  void fold_header(const std::string& path, std::string_view line, const std::string& into) {
    if (!folded_.insert(path).second) return;
    const SourceText* header = run_.source(path);
    if (header == nullptr) {
      flat_.missing.push_back(path);
      return say(line);
    }
    ++flat_.headers;
    say("// ==== " + path);
    fold(*header);
    say("// ==== " + into + ", continued");
  }

  void say(std::string_view line) { flat_.text.append(line).push_back('\n'); }

  const Run& run_;
  FlatSource flat_;
  std::set<std::string> folded_, seen_;
};

}  // namespace

FlatSource flat_source(const Run& run, const SourceText& source) {
  Folder folder(run);
  folder.fold(source);
  return folder.take();
}

}  // namespace ridge::app
