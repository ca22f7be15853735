// How much a reader opens to understand a rung: its closure, which is its own file and the headers under kernels/ that
// it includes, each once. Headers of common/ do not count: they are the interface of every rung (a launch, a status)
// or a service of the harness, not a part of the idea. Lines are those that are neither blank nor comment alone.
//
//   a ladder up to its first rung with a vector ISA or Tensor Cores    6 headers,    400 lines
//   the rest of it                                                    12 headers,    800 lines
//   the rest of attention, its backward pass, decoding and gemv       16 headers,  1,200 lines
//
// A ladder is a lab's rungs of one backend in the lab's order; a rung that two labs list counts in the first. A CPU
// rung has a vector ISA where its build line says isa=; a GPU rung uses Tensor Cores where its closure has one of their
// instructions. A peer is held to the wider budget wherever it stands: its file is the library's interface.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "common/harness/kernel/registry.h"
#include "labs/lab.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

struct Size {
  int headers = 0, lines = 0;
  bool fits(const Size& budget) const { return headers <= budget.headers && lines <= budget.lines; }
};
constexpr Size kFirst = {6, 400}, kRest = {12, 800}, kAttention = {16, 1200};

std::string_view trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos ? std::string_view() : line.substr(begin);
}

/// Calls f(line) for each line of `text`, without its indentation.
template <class F>
void each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    f(trimmed(line));
  }
}

int code_lines(std::string_view text) {
  int lines = 0;
  bool in_comment = false;
  each_line(text, [&](std::string_view line) {
    const bool was_in_comment = in_comment;
    if (!in_comment) in_comment = line.starts_with("/*");
    if (in_comment) in_comment = line.find("*/") == line.npos;
    lines += !was_in_comment && !line.empty() && !line.starts_with("//") && !line.starts_with("/*");
  });
  return lines;
}

/// The texts of a rung's closure by path, its own among them.
std::map<std::string, std::string_view> closure_of(std::string_view path) {
  std::map<std::string, std::string_view> all, found;
  for (const EmbeddedFile& file : embedded_files()) all[file.path] = file.text;
  std::vector<std::string> open = {std::string(path)};
  while (!open.empty()) {
    const auto at = all.find(open.back());
    open.pop_back();
    if (at == all.end() || !found.insert(*at).second) continue;
    constexpr std::string_view kInclude = "#include \"";
    each_line(at->second, [&](std::string_view line) {
      if (!line.starts_with(kInclude)) return;
      line.remove_prefix(kInclude.size());
      open.emplace_back(line.substr(0, line.find('"')));
    });
  }
  return found;
}

Size size_of(const std::map<std::string, std::string_view>& closure) {
  Size size = {static_cast<int>(closure.size()) - 1, 0};
  for (const auto& [path, text] : closure) size.lines += code_lines(text);
  return size;
}

bool is_vector(const KernelSource& source, const std::map<std::string, std::string_view>& closure) {
  if (source.flags.find("isa=") != source.flags.npos) return true;
  for (const auto& [path, text] : closure) {
    for (const char* instruction : {"mma.sync", "wgmma.mma_async", "wmma::"}) {
      if (text.find(instruction) != text.npos) return true;
    }
  }
  return false;
}

Size wide_budget(std::string_view family) {
  constexpr std::string_view kLarge[] = {"attention", "attention_backward", "decode", "gemv"};
  return std::find(std::begin(kLarge), std::end(kLarge), family) != std::end(kLarge) ? kAttention
                                                                                     : kRest;
}

struct Measured {
  Size size, budget;
};

/// Of every rung of every lab that has a source here.
std::map<std::string, Measured> measure_all() {
  std::map<std::string, Measured> found;
  for (const Lab* lab : all_labs()) {
    for (const char* backend : {".cpu.", ".cuda."}) {
      bool is_first_part = true;
      for (const Rung& rung : lab->rungs) {
        const std::string id = rung.kernel;
        const KernelSource* source = find_source(id);
        if (id.find(backend) == id.npos || source == nullptr || found.contains(id)) continue;
        const auto closure = closure_of(source->path);
        if (!rung.peer && is_vector(*source, closure)) is_first_part = false;
        const Size budget = is_first_part && !rung.peer ? kFirst : wide_budget(family_of(id));
        found[id] = {size_of(closure), budget};
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("lines of code are counted without comments and blank lines") {
  CHECK(code_lines("// one\n\nint a;  // two\n  /* three\nfour */\n/* five */\nint b;\n") == 2);
}

TEST_CASE("a rung's closure fits its budget") {
  const auto rungs = measure_all();
  REQUIRE(rungs.size() > 100);
  std::printf("%-44s %7s %6s   of\n", "rung", "headers", "lines");
  for (const auto& [id, rung] : rungs) {
    const auto& [size, budget] = rung;
    std::printf("%-44s %7d %6d   %d, %d\n", id.c_str(), size.headers, size.lines, budget.headers,
                budget.lines);
    INFO(id << ": " << size.headers << " headers, " << size.lines << " lines; budget "
            << budget.headers << ", " << budget.lines);
    CHECK(size.fits(budget));
  }
}
