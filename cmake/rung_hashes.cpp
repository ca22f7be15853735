// rung-hashes ROOT [--table]: "ID HASH" for each rung that the files of ROOT/kernels make, in the order of their ids. The
// build makes the program's table of them (--table), tests/restamp.py compares those of two revisions.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <string>
#include <vector>

#include "common/harness/kernel/code_hash.h"
#include "common/harness/kernel/sources.h"

namespace {

namespace fs = std::filesystem;

struct File {
  std::string path, text;
};

/// As the build embeds them (ridge_kernel_files in cmake/embed.cmake).
std::list<File> read_kernels(const fs::path& root) {
  std::list<File> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / "kernels")) {
    const fs::path path = fs::relative(entry.path(), root);
    const auto parts = std::distance(path.begin(), path.end());
    const std::string extension = path.extension().string();
    if (parts < 3 || parts > 4 || (extension != ".cpp" && extension != ".cu" && extension != ".h"))
      continue;
    if (path.parent_path().filename() == "web") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({path.generic_string(), {std::istreambuf_iterator<char>(in), {}}});
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_table = argc == 3 && std::string(argv[2]) == "--table";
  if (argc != 2 && !as_table) {
    std::fprintf(stderr, "usage: rung-hashes ROOT [--table]\n");
    return 64;
  }
  const std::list<File> files = read_kernels(argv[1]);
  std::vector<ridge::EmbeddedFile> embedded;
  for (const File& file : files) embedded.push_back({file.path.c_str(), file.text.c_str()});
  std::vector<ridge::KernelSource> rungs = ridge::sources_in(embedded, ridge::CodeHashes(embedded));
  std::sort(rungs.begin(), rungs.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  if (!as_table) {
    for (const auto& rung : rungs) std::printf("%s %s\n", rung.id.c_str(), rung.hash.c_str());
    return rungs.empty();
  }
  std::printf(
      "// Written by the build; see cmake/rung_hashes.cpp.\n#include "
      "\"common/record/rung_hash.h\"\n\n"
      "namespace ridge {\nnamespace {\nconst RungHash kHashes[] = {\n");
  for (const auto& rung : rungs)
    std::printf("    {\"%s\", \"%s\", %s},\n", rung.id.c_str(), rung.hash.c_str(),
                rung.stamped ? "true" : "false");
  std::printf(
      "};\n}  // namespace\nstd::span<const RungHash> rung_hashes() {\n  return kHashes;\n}\n}  // "
      "namespace ridge\n");
  return rungs.empty();
}
