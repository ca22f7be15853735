#include "common/record/params.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "common/core/background.h"
#include "common/core/nearest.h"

namespace ridge {
namespace {

constexpr const char* kThreads = "threads";

Error bad_param(const std::string& name, const std::string& family, std::string what,
                std::string hint) {
  return Error{ErrorCode::usage, std::move(what), "parameter " + name + " of " + family,
               std::move(hint)};
}

const ParamSpec* find_spec(const std::vector<ParamSpec>& specs, const std::string& name) {
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [&](const ParamSpec& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

struct Origin {
  ParamValue value;
  std::string name;  ///< the parameter it was copied from; its own name, or empty for a default
};

/// What was given, else what same_as leads to, else the fallback.
Origin value_of(const ParamSpec& spec, const std::vector<ParamSpec>& specs, const Params& given) {
  const ParamSpec* at = &spec;
  // As many steps as there are parameters: a circle of same_as ends at a fallback.
  for (size_t step = 0; step <= specs.size(); ++step) {
    if (const auto set = given.find(at->name); set != given.end()) return {set->second, at->name};
    const ParamSpec* next = at->same_as.empty() ? nullptr : find_spec(specs, at->same_as);
    if (next == nullptr) break;
    at = next;
  }
  return {at->fallback, ""};
}

Error bad_value(const ParamSpec& spec, const Origin& origin, const std::string& family,
                const std::string& what, const std::string& hint) {
  const std::string text = to_string(origin.value);
  std::string said = spec.name + " = " + (text.empty() ? "\"\"" : text);
  if (!origin.name.empty() && origin.name != spec.name)
    said += " (copied from " + origin.name + ")";
  return bad_param(spec.name, family, said + what, hint);
}

Result<ParamValue> checked(const ParamSpec& spec, const Origin& origin, const std::string& family) {
  if (spec.is_choice) {
    const auto& all = spec.choices;
    const std::string text = to_string(origin.value);
    if (std::find(all.begin(), all.end(), text) != all.end()) return ParamValue{text};
    return bad_value(spec, origin, family, " is not one of its choices", name_hint(text, all));
  }
  const int64_t* number = std::get_if<int64_t>(&origin.value);
  if (number && *number >= spec.min && *number <= spec.max) return origin.value;
  std::string range = spec.min == spec.max ? "choose " + std::to_string(spec.min)
                                           : "choose a whole number from " +
                                                 std::to_string(spec.min) + " to " +
                                                 std::to_string(spec.max);
  if (spec.name == kThreads && !worker_has_threads())
    range += "; this page is not isolated, as one over https or of this machine is: its worker has one thread";
  const std::string what = !number              ? " is not a whole number"
                           : *number < spec.min ? " is below " + std::to_string(spec.min)
                                                : " is above " + std::to_string(spec.max);
  return bad_value(spec, origin, family, what, range);
}

}  // namespace

ParamSpec int_param(const char* name, const char* help, int64_t min, int64_t max,
                    int64_t fallback) {
  ParamSpec spec;
  spec.name = name;
  spec.help = help;
  spec.min = min;
  spec.max = max;
  spec.fallback = fallback;
  return spec;
}

ParamSpec extent_param(const char* name, const char* help, int64_t max, int64_t fallback,
                       const char* same_as) {
  ParamSpec spec = int_param(name, help, 1, max, fallback);
  spec.same_as = same_as;
  spec.is_size = *same_as == 0;
  return spec;
}

ParamSpec choice_param(const char* name, const char* help, std::vector<std::string> choices) {
  ParamSpec spec;
  spec.name = name;
  spec.help = help;
  spec.is_choice = true;
  spec.fallback = choices.front();
  spec.choices = std::move(choices);
  return spec;
}

ParamSpec threads_param() {
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return int_param(kThreads, "CPU threads; GPU rungs ignore it", 1, cores, 1);
}

std::string size_param(const std::vector<ParamSpec>& specs) {
  for (const ParamSpec& spec : specs) {
    if (spec.is_size) return spec.name;
  }
  for (const ParamSpec& spec : specs) {
    if (!spec.same_as.empty()) return spec.same_as;
  }
  return {};
}

std::string size_text(const Params& params, const std::string& size) {
  const int64_t given = param_int(params, size);
  std::string text = given > 0 ? size + " = " + std::to_string(given) : "";
  for (const auto& [name, value] : params) {
    const auto* number = std::get_if<int64_t>(&value);
    if (!number || *number == given || name == kThreads || name == size) continue;
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(*number);
  }
  return text;
}

Result<Params> parse_params(const std::vector<std::string>& assignments) {
  Params params;
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == assignment.size()) {
      return Error{ErrorCode::usage, "\"" + assignment + "\" is not a setting", "",
                   "write name=value, as in n=1024"};
    }
    const std::string value = assignment.substr(equals + 1);
    int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, number);
    const bool whole = parsed.ec == std::errc{} && parsed.ptr == end;
    const std::string name = assignment.substr(0, equals);
    if (const auto known = params.find(name);
        known != params.end() && to_string(known->second) != value) {
      const std::string both = name + "=" + to_string(known->second) + "," + value;
      return Error{ErrorCode::usage, "\"" + name + "\" is set twice, in two ways", "",
                   "give it once; where several values are taken, write " + both};
    }
    params[name] = whole ? ParamValue{number} : ParamValue{value};
  }
  return params;
}

std::string values_instead(const Params& own, const Params& other) {
  std::string text;
  for (const auto& [name, value] : own) {
    const auto at = other.find(name);
    if (at == other.end() || at->second == value) continue;
    text += (text.empty() ? "" : ", ") + name + " " + to_string(value) + " instead of " +
            to_string(at->second);
  }
  return text;
}

std::set<std::string> differing_beside_size(const Params& a, const Params& b,
                                            const std::string& size) {
  const auto follows = [&](const Params& params, const ParamValue& value) {
    const auto at = params.find(size);
    return at != params.end() && at->second == value;
  };
  std::set<std::string> names;
  for (const auto& [name, value] : a) {
    if (name == size || name == "seed" || name == "threads" || name == "dtype") continue;
    const auto other = b.find(name);
    if (other == b.end() || other->second == value) continue;
    if (!follows(a, value) || !follows(b, other->second)) names.insert(name);
  }
  return names;
}

std::string to_string(const ParamValue& value) {
  if (const int64_t* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string to_string(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params) {
    if (!text.empty()) text += ' ';
    text += name + "=" + to_string(value);
  }
  return text;
}

bool agrees(const Params& params, const Params& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
    const auto found = params.find(item.first);
    return found == params.end() || found->second == item.second;
  });
}

Result<Params> resolve_params(const std::vector<ParamSpec>& specs, const Params& given,
                              const std::string& family) {
  for (const auto& [name, value] : given) {
    if (find_spec(specs, name) != nullptr) continue;
    std::vector<std::string> known;
    for (const ParamSpec& spec : specs) known.push_back(spec.name);
    return bad_param(name, family, family + " has no parameter " + name,
                     known.empty() ? "it takes none" : name_hint(name, known));
  }
  Params resolved;
  // What was given is checked before what is copied from it: the error then names the culprit.
  std::vector<ParamSpec> ordered = specs;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [&](const ParamSpec& spec) { return given.contains(spec.name); });
  for (const ParamSpec& spec : ordered) {
    RIDGE_TRY(ParamValue value, checked(spec, value_of(spec, specs, given), family));
    resolved[spec.name] = std::move(value);
  }
  return resolved;
}

int64_t param_int(const Params& params, const std::string& name, int64_t fallback) {
  const auto found = params.find(name);
  if (found == params.end()) return fallback;
  const int64_t* number = std::get_if<int64_t>(&found->second);
  return number == nullptr ? fallback : *number;
}

std::string param_text(const Params& params, const std::string& name, const std::string& fallback) {
  const auto found = params.find(name);
  if (found == params.end()) return fallback;
  const std::string* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? fallback : *text;
}

}  // namespace ridge
