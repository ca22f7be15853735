#include <algorithm>
#include <array>
#include <sstream>

#include "common/record/params.h"
#include "common/view/diagram/diagram.h"

namespace ridge::diagram {
namespace {

constexpr const char* kWord = "diagram";

struct KindDesc {
  const char* name;
  Result<Diagram> (*make)(const Input&);
  std::vector<std::string> must, may;  ///< its keys
};

const std::vector<KindDesc>& kinds() {
  static const std::vector<KindDesc> kKinds = {
      {"threads", threads, {"rows", "columns", "threads", "row", "column"}, {"each", "of"}},
      {"walk", walk, {"step", "line", "touch"}, {"lanes", "bytes"}},
      {"banks", banks, {"address"}, {"instead", "bytes", "what"}},
      {"pipeline", pipeline, {"stages", "slices"}, {"copy"}},
      {"softmax", softmax, {"keys", "block", "seed"}, {}},
  };
  return kKinds;
}

std::string trimmed(const std::string& text) {
  const size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t\r");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

Error bad(const std::string& what, const std::string& kind) {
  return {ErrorCode::bad_input, what, "diagram " + kind, ""};
}

}  // namespace

std::string Directive::text(const std::string& key) const {
  const auto found = all(key);
  return found.empty() ? "" : found.front();
}

std::vector<std::string> Directive::all(const std::string& key) const {
  std::vector<std::string> found;
  for (const auto& [name, text] : lines) {
    if (name == key) found.push_back(text);
  }
  return found;
}

bool is_diagram(const std::string& info) {
  return info == kWord || info.starts_with(std::string(kWord) + " ");
}

Result<Directive> parse_directive(const std::string& info, const std::string& body) {
  Directive made;
  made.kind = trimmed(info.substr(std::min(info.size(), std::string(kWord).size())));
  const auto kind = std::find_if(kinds().begin(), kinds().end(),
                                 [&](const KindDesc& one) { return one.name == made.kind; });
  if (kind == kinds().end())
    return Error{ErrorCode::bad_input, "there is no diagram '" + made.kind + "'", "",
                 "there are: threads, walk, banks, pipeline, softmax"};
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    const size_t equals = line.find('='), colon = line.find(':');
    if (line.starts_with("let ") && equals != std::string::npos) {
      made.lets.emplace_back(trimmed(line.substr(4, equals - 4)), trimmed(line.substr(equals + 1)));
      continue;
    }
    if (colon == std::string::npos) return bad("'" + line + "' is not 'key: text'", made.kind);
    const std::string key = trimmed(line.substr(0, colon));
    const auto has = [&](const std::vector<std::string>& keys) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    if (!has(kind->must) && !has(kind->may)) return bad("it has no key '" + key + "'", made.kind);
    made.lines.emplace_back(key, trimmed(line.substr(colon + 1)));
  }
  for (const std::string& key : kind->must) {
    if (made.text(key).empty()) return bad("'" + key + ":' is missing", made.kind);
  }
  return made;
}

Result<Diagram> build(const Input& input) {
  for (const KindDesc& kind : kinds()) {
    if (kind.name != input.directive.kind) continue;
    auto made = kind.make(input);
    if (!made) return bad(made.error().what, kind.name);
    made->kind = kind.name;
    return made;
  }
  return bad("it does not exist", input.directive.kind);
}

std::map<std::string, int64_t> sizes_of(const Params& params) {
  constexpr int64_t kUsual = 1024;
  const int64_t n = std::max<int64_t>(1, param_int(params, "n", kUsual));
  static const std::map<std::string, int64_t> kBytes = {
      {"fp64", 8}, {"bf16", 2}, {"fp16", 2}, {"fp8", 1}, {"int8", 1}};
  const auto bytes = kBytes.find(param_text(params, "dtype"));
  return {{"n", n},
          {"m", std::max<int64_t>(1, param_int(params, "m", n))},
          {"k", std::max<int64_t>(1, param_int(params, "k", n))},
          {"dtype_bytes", bytes == kBytes.end() ? 4 : bytes->second}};
}

Result<Diagram> build(const std::string& info, const std::string& body, const std::string& source,
                      const std::map<std::string, int64_t>& params, int knob) {
  auto directive = parse_directive(info, body);
  if (!directive) return directive.error();
  return build({std::move(*directive), source, params, knob});
}

}  // namespace ridge::diagram
