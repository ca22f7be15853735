#include "common/harness/kernel/sources.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "common/harness/kernel/build_line.h"
#include "common/harness/kernel/code_hash.h"

namespace ridge {
namespace {

/// What a rung's file says of it: the macro that registers it, and the library that it names there.
struct Registration {
  RungKind kind = RungKind::kernel;
  std::string library;
};

/// None for headers and helpers.
std::optional<Registration> registration_of(std::string_view text) {
  constexpr std::pair<std::string_view, RungKind> kMacros[] = {
      {"\nRIDGE_KERNEL(", RungKind::kernel},
      {"\nRIDGE_TRAINING(", RungKind::training},
      {"\nRIDGE_PIPELINE(", RungKind::pipeline},
      {"\nRIDGE_TRAP(", RungKind::trap}};
  constexpr std::string_view kLibrary = ".library = \"";
  for (const auto& [macro, kind] : kMacros) {
    const size_t at = text.find(macro);
    if (at == text.npos) continue;
    const size_t name = text.find(kLibrary, at);
    if (name == text.npos) return Registration{kind, ""};
    const std::string_view rest = text.substr(name + kLibrary.size());
    return Registration{kind, std::string(rest.substr(0, rest.find('"')))};
  }
  return std::nullopt;
}

/// Adds the rungs of one kernel file: one per variant of its build line, else one.
void add_sources(const EmbeddedFile& file, const CodeHashes& hashes, std::vector<KernelSource>* sources) {
  const std::string_view path = file.path;
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  const bool is_cuda = path.substr(dot) == ".cu";
  const std::string_view text = file.text;
  const auto registration = registration_of(text);
  if ((path.substr(dot) != ".cpp" && !is_cuda) || !registration) return;

  const size_t begin =
      path.find('/') + 1;  // after "kernels/": rooms inside a family are no part of its ids
  const std::string family(path.substr(begin, path.find('/', begin) - begin));
  const std::string id = family + "." + to_string(is_cuda ? Backend::cuda : Backend::cpu) + "." +
                         std::string(path.substr(slash + 1, dot - slash - 1));
  const BuildLine line = build_line_of(text);
  const uint64_t code = hashes.of(file);
  for (const BuildLine::Variant& variant : line.variants) {
    KernelSource source;
    source.kind = registration->kind;
    source.id = variant.name.empty() ? id : id + "_" + variant.name;
    source.flags = line.flags(variant);
    source.isa = line.isa;
    source.arch = line.arch;
    source.options = line.options;
    if (!variant.flag.empty()) source.options.push_back(variant.flag);
    source.needs = line.needs;
    source.stamped = line.stamped;
    source.library = registration->library;
    source.path = path;
    source.text = text;
    source.hash = hex16(fnv1a(source.flags, code));
    sources->push_back(std::move(source));
  }
}

}  // namespace

std::vector<KernelSource> sources_in(std::span<const EmbeddedFile> files,
                                     const CodeHashes& hashes) {
  std::vector<KernelSource> sources;
  for (const EmbeddedFile& file : files) add_sources(file, hashes, &sources);
  return sources;
}

std::string strip_comments(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool space = false;  // a run of white space or a comment becomes one space
  auto put = [&](char c) {
    if (space && !out.empty()) out += ' ';
    space = false;
    out += c;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size());
      space = true;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      const size_t end = text.find("*/", i + 2);
      i = end == text.npos ? text.size() : end + 1;
      space = true;
    } else if (c == '"' || c == '\'') {
      put(c);
      for (++i; i < text.size(); ++i) {
        out += text[i];
        if (text[i] == '\\' && i + 1 < text.size()) {
          out += text[++i];
        } else if (text[i] == c || text[i] == '\n') {
          break;  // an apostrophe that separates digits ends with its line at the latest
        }
      }
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      space = true;
    } else {
      put(c);
    }
  }
  return out;
}

}  // namespace ridge
