#include "app/query/budget_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "app/query/selection.h"
#include "common/core/nearest.h"
#include "common/record/command.h"
#include "common/record/json.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/seed_delta.h"

namespace ridge::app {
namespace {

constexpr size_t kLongestName = 100, kLongestWhy = 300;
constexpr ListFile kBudgets = {"budget", "checks", "check",
                               "write {\"checks\": [{\"lab\": ..., \"budget\": ...}]}"};

// ---- one check -----------------------------------------------------------------------------------

/// What a field takes, and where it goes. Of two kinds of check one may lack it.
struct Field {
  enum class Of { all, rungs, commands };
  const char* name;
  Of of;
  /// Empty, or what the value should be: "a text".
  std::string (*take)(const Json& value, BudgetCheck* check);
};

template <std::string BudgetCheck::*kMember, size_t kMost>
std::string take_text(const Json& value, BudgetCheck* check) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return "a text";
  const auto& text = value.get_ref<const std::string&>();
  check->*kMember = kMost > 0 ? one_line(text, kMost) : text;
  return "";
}

/// As the options of `compare` have it; ends included.
bool is_within(const Json& value, double low, double high) {
  return value.is_number() && value.get<double>() >= low && value.get<double>() <= high;
}

std::string take_margin(const Json& value, BudgetCheck* check) {
  if (!is_within(value, 0.0001, 1)) return "a share from 0.0001 to 1: 0.02 is 2 %";
  check->margin = value.get<double>();
  return "";
}

template <std::optional<double> BudgetCheck::*kMember>
std::string take_seconds(const Json& value, BudgetCheck* check) {
  if (!is_within(value, 0.001, 86400)) return "a number of seconds from 0.001 to 86400";
  check->*kMember = value.get<double>();
  return "";
}

std::string take_rounds(const Json& value, BudgetCheck* check) {
  if (!value.is_number_integer() || !is_within(value, 6, 1e6))
    return "a whole number from 6 to 1000000";
  check->rounds = value.get<int64_t>();
  return "";
}

std::string take_device(const Json& value, BudgetCheck* check) {
  if (!value.is_number_integer() || !is_within(value, 0, 1023)) return "a whole number from 0 on";
  check->device = value.get<int>();
  return "";
}

std::string take_cache(const Json& value, BudgetCheck* check) {
  const auto mode =
      value.is_string() ? value_named<CacheMode>(value.get<std::string>()) : std::nullopt;
  if (!mode) return "\"hot\" or \"cold\"";
  check->cache = *mode;
  return "";
}

std::string take_set(const Json& value, BudgetCheck* check) {
  constexpr const char* kWanted = "parameters as numbers or texts: {\"n\": 512}";
  if (!value.is_object()) return kWanted;
  for (const auto& [name, one] : value.items()) {
    if (!one.is_number() && !one.is_string()) return kWanted;
    const std::string text = one.is_string() ? one.get<std::string>() : one.dump();
    check->set.push_back(name + "=" + text);
  }
  return "";
}

std::string take_budget(const Json& value, BudgetCheck* check) {
  constexpr const char* kWanted = "a text as --budget takes it: \"ratio=1.2,p95=2ms\"";
  if (!value.is_string()) return kWanted;
  const auto budget = parse_budget(value.get<std::string>());
  if (!budget) return budget.error().what + "\n" + budget.error().hint;
  check->budget = *budget;
  return "";
}

constexpr Field kFields[] = {
    {"name", Field::Of::all, take_text<&BudgetCheck::name, kLongestName>},
    {"why", Field::Of::all, take_text<&BudgetCheck::why, kLongestWhy>},
    {"lab", Field::Of::rungs, take_text<&BudgetCheck::lab, 0>},
    {"baseline", Field::Of::all, take_text<&BudgetCheck::baseline, 0>},
    {"candidate", Field::Of::all, take_text<&BudgetCheck::candidate, 0>},
    {"set", Field::Of::rungs, take_set},
    {"cache", Field::Of::rungs, take_cache},
    {"device", Field::Of::rungs, take_device},
    {"margin", Field::Of::all, take_margin},
    {"limit_s", Field::Of::all, take_seconds<&BudgetCheck::limit_s>},
    {"rounds", Field::Of::all, take_rounds},
    {"check", Field::Of::commands, take_text<&BudgetCheck::check, 0>},
    {"reference", Field::Of::commands, take_text<&BudgetCheck::reference, 0>},
    {"call_limit_s", Field::Of::commands, take_seconds<&BudgetCheck::call_limit_s>},
    {"budget", Field::Of::all, take_budget},
};

Result<const Field*> find_field(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const Field& field : kFields) {
    if (name == field.name) return &field;
    names.emplace_back(field.name);
  }
  return bad_file("'" + one_line(name, 40) + "' is no field of a check", place,
                  name_hint(name, names));
}

/// A check without a name is called by what it compares.
std::string own_name(const BudgetCheck& check) {
  std::string set;
  for (const std::string& one : check.set) set += (set.empty() ? " at " : " ") + one;
  return one_line(one_line(check.candidate, kLongestCommandName) + " against " +
                      one_line(check.baseline, kLongestCommandName) + set,
                  kLongestName);
}

Result<BudgetCheck> read_check(const Json& entry, const std::string& path, size_t index) {
  std::string place = place_of(path, index, "");
  if (!entry.is_object())
    return bad_file(shown(entry) + " is no check", place, "write an object, {\"lab\": ...}");
  BudgetCheck check;
  const std::string named = one_line(text_field(entry, "name"), kLongestName);
  if (!named.empty()) place = place_of(path, index, named);
  for (const auto& [name, value] : entry.items()) {
    RIDGE_TRY(const Field* field, find_field(name, place));
    const std::string wanted = field->take(value, &check);
    if (wanted.empty()) continue;
    const size_t end = wanted.find('\n');  // a budget says by itself what is wrong
    if (end != std::string::npos)
      return bad_file("budget: " + wanted.substr(0, end), place, wanted.substr(end + 1));
    return bad_file(name + " is " + shown(value), place, "give " + wanted);
  }
  if (check.baseline.empty() || check.candidate.empty()) {
    return bad_file(std::string("it has no ") + (check.baseline.empty() ? "baseline" : "candidate"),
                    place, "name two rungs of a lab, two commands or two libraries");
  }
  const auto unwanted = check.lab.empty() ? Field::Of::rungs : Field::Of::commands;
  for (const Field& field : kFields) {
    if (field.of == unwanted && entry.contains(field.name)) {
      return bad_file(check.lab.empty()
                          ? std::string(field.name) + " is for rungs, and no lab is named"
                          : std::string(field.name) + " is for commands, and a lab is named",
                      place, "leave it out");
    }
  }
  if (check.budget.is_empty())
    return bad_file("it demands nothing", place, "add \"budget\": \"ratio=1.2\"");
  if (check.name.empty()) check.name = own_name(check);
  return check;
}

}  // namespace

std::string place_of(const std::string& path, size_t index, const std::string& name) {
  return place_of(kBudgets, path, index, name);
}

Result<std::vector<BudgetCheck>> read_budget_file(const std::string& path) {
  RIDGE_TRY(const Json list, read_list_file(kBudgets, path));
  std::vector<BudgetCheck> checks;
  std::set<std::string> names;
  for (size_t i = 0; i < list.size(); ++i) {
    RIDGE_TRY(BudgetCheck check, read_check(list[i], path, i));
    if (!names.insert(check.name).second)
      return bad_file("another check has this name", place_of(path, i, check.name),
                      "tell them apart by \"name\"");
    checks.push_back(std::move(check));
  }
  return checks;
}

Result<std::vector<KernelRequest>> sides_of(const BudgetCheck& check, const Run& catalogue) {
  RIDGE_TRY(const Lab* lab, require_lab(check.lab));
  RIDGE_TRY(const Params given, parse_params(check.set));
  RIDGE_TRY(std::vector<KernelRequest> sides,
            select_sides(*lab, catalogue, {check.baseline, check.candidate}, given));
  RIDGE_TRY_VOID(check_for_rungs(check.budget, *lab, sides, catalogue));
  const KernelInfo* first = catalogue.kernel(sides.front().kernel);
  if (check.rounds && first && first->kind == RungKind::training) return rounds_of_trainings();
  return sides;
}

// ---- in a saved run ------------------------------------------------------------------------------

namespace {

/// A side as it was written: the rungs that it may name, and its own settings.
struct WantedSide {
  std::vector<std::string> kernels;
  Params own;
};

Result<WantedSide> wanted_side(const BudgetCheck& check, const std::string& text) {
  WantedSide side;
  if (check.lab.empty()) {
    side.kernels = {command_id(one_line(text, kLongestCommandName))};
    return side;
  }
  RIDGE_TRY(const Lab* lab, require_lab(check.lab));
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  for (const Rung* rung : rungs_named(*lab, name)) side.kernels.emplace_back(rung->kernel);
  if (side.kernels.empty()) {
    RIDGE_TRY(const Rung* rung, find_rung(*lab, name));
    side.kernels.emplace_back(rung->kernel);
  }
  std::vector<std::string> settings;
  for (size_t at = colon + 1; at <= text.size() && colon < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    settings.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  RIDGE_TRY(side.own, parse_params(settings));
  return side;
}

bool has_all(const Params& params, const Params& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
    const auto found = params.find(item.first);
    return found != params.end() && found->second == item.second;
  });
}

/// A setting of both sides reaches the one that knows it.
bool has_given(const Comparison& one, const Params& given, const Params& own, bool candidate) {
  const Params& params = candidate ? one.candidate_params : one.baseline_params;
  return std::all_of(given.begin(), given.end(), [&](const auto& item) {
    const auto found = params.find(item.first);
    const bool is_known =
        one.candidate_params.contains(item.first) || one.baseline_params.contains(item.first);
    return own.contains(item.first) ||
           (found == params.end() ? is_known : found->second == item.second);
  });
}

bool is_of(const std::string& kernel, const WantedSide& side) {
  return std::find(side.kernels.begin(), side.kernels.end(), kernel) != side.kernels.end();
}

}  // namespace

Result<const Comparison*> find_comparison(const BudgetCheck& check, const Run& run) {
  RIDGE_TRY(Params given, parse_params(check.set));
  RIDGE_TRY(const WantedSide baseline, wanted_side(check, check.baseline));
  RIDGE_TRY(const WantedSide candidate, wanted_side(check, check.candidate));
  given = without_seed(given);
  const std::string lab = check.lab.empty() ? kCommandLab : check.lab;
  const auto& all = run.comparisons();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Comparison& one) {
    return one.lab == lab && one.cache == check.cache && is_of(one.baseline, baseline) &&
           is_of(one.candidate, candidate) && has_all(one.baseline_params, baseline.own) &&
           has_all(one.candidate_params, candidate.own) &&
           has_given(one, given, baseline.own, false) && has_given(one, given, candidate.own, true);
  });
  return found == all.rend() ? nullptr : &*found;
}

}  // namespace ridge::app
