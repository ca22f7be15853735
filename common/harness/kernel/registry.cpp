#include "common/harness/kernel/registry.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "common/harness/kernel/build_line.h"

namespace ridge {
namespace {

template <class T>
const T* find_by_id(std::span<const T* const> entries, std::string_view id) {
  for (const T* entry : entries) {
    if (entry->id == id) return entry;
  }
  return nullptr;
}

std::vector<const KernelDesc*> loaded;

struct DTypeName {
  DType dtype;
  std::string_view name;
};
constexpr DTypeName kDTypes[] = {
    {DType::fp64, "fp64"}, {DType::fp32, "fp32"}, {DType::tf32, "tf32"}, {DType::bf16, "bf16"},
    {DType::fp16, "fp16"}, {DType::fp8, "fp8"},   {DType::int8, "int8"}, {DType::int32, "int32"}};

/// FNV-1a, 64 bits: enough to tell one version of a file from another; nothing here is secret.
uint64_t fnv1a(std::string_view text, uint64_t hash) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

std::string hex16(uint64_t value) {
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

const EmbeddedFile* find_file(std::string_view path) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

constexpr std::string_view kInclude = "#include \"";
constexpr uint64_t kHashBegin = 0xcbf29ce484222325ULL;

/// The paths of the project's headers that a text includes; the text without those lines in `rest`.
std::vector<std::string_view> own_includes(std::string_view text, std::string* rest) {
  std::vector<std::string_view> paths;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(kInclude)) {
      rest->append(line).push_back('\n');
      continue;
    }
    const size_t begin = line.find('"') + 1;
    paths.push_back(line.substr(begin, line.find('"', begin) - begin));
  }
  return paths;
}

/// The hash of each file that `file` consists of: its own text, and once each the kernel headers it includes.
/// Where a header lies is no part of it: a kernel does not change when its files move.
void hash_files(const EmbeddedFile& file, std::set<std::string_view>* seen,
                std::vector<uint64_t>* hashes) {
  if (!seen->insert(file.path).second) return;
  std::string rest;
  const auto included = own_includes(file.text, &rest);
  hashes->push_back(fnv1a(strip_comments(rest), kHashBegin));
  for (const std::string_view path : included) {
    if (const EmbeddedFile* header = find_file(path)) hash_files(*header, seen, hashes);
  }
}

uint64_t hash_closure(const EmbeddedFile& file) {
  std::set<std::string_view> seen;
  std::vector<uint64_t> hashes;
  hash_files(file, &seen, &hashes);
  std::sort(hashes.begin() + 1, hashes.end());  // their order follows their paths
  uint64_t hash = kHashBegin;
  for (const uint64_t one : hashes) hash = fnv1a(hex16(one), hash);
  return hash;
}

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
void add_sources(const EmbeddedFile& file, std::vector<KernelSource>* sources) {
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
    source.library = registration->library;
    source.path = path;
    source.text = text;
    source.hash = hex16(fnv1a(source.flags, hash_closure(file)));
    sources->push_back(std::move(source));
  }
}

}  // namespace

const KernelDesc* find_kernel(std::string_view id) {
  const KernelDesc* own = find_by_id(registered_kernels(), id);
  return own != nullptr ? own : find_by_id(std::span(std::as_const(loaded)), id);
}

const std::vector<const KernelDesc*>& loaded_kernels() {
  return loaded;
}

void add_loaded_kernel(const KernelDesc* kernel) {
  loaded.push_back(kernel);
}

const TrainDesc* find_training(std::string_view id) {
  return find_by_id(registered_trainings(), id);
}
const PipelineDesc* find_pipeline(std::string_view id) {
  return find_by_id(registered_pipelines(), id);
}
const TrapDesc* find_trap(std::string_view id) {
  return find_by_id(registered_traps(), id);
}

const FamilyDesc* find_family(std::string_view name) {
  for (const FamilyDesc* family : registered_families()) {
    if (family->name == name) return family;
  }
  return nullptr;
}

std::string_view dtype_name(DType dtype) {
  for (const DTypeName& entry : kDTypes) {
    if (entry.dtype == dtype) return entry.name;
  }
  return "fp32";
}

bool parse_dtype(std::string_view name, DType* dtype) {
  for (const DTypeName& entry : kDTypes) {
    if (entry.name == name) {
      *dtype = entry.dtype;
      return true;
    }
  }
  *dtype = DType::fp32;
  return false;
}

const std::vector<KernelSource>& kernel_sources() {
  static const std::vector<KernelSource> sources = [] {
    std::vector<KernelSource> found;
    for (const EmbeddedFile& file : embedded_files()) add_sources(file, &found);
    return found;
  }();
  return sources;
}

const KernelSource* find_source(std::string_view id) {
  for (const KernelSource& source : kernel_sources()) {
    if (source.id == id) return &source;
  }
  return nullptr;
}

std::vector<KernelSource> sources_of(const EmbeddedFile& file) {
  std::vector<KernelSource> sources;
  add_sources(file, &sources);
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
