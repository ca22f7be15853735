#include "common/record/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/core/format.h"
#include "common/core/nearest.h"
#include "common/core/number_text.h"
#include "common/record/command.h"
#include "common/record/trained.h"

namespace ridge {
namespace {

using Json = nlohmann::json;

constexpr RungKind kJudged[] = {RungKind::kernel, RungKind::training};
constexpr RungKind kKernel[] = {RungKind::kernel};
constexpr RungKind kCalled[] = {RungKind::kernel, RungKind::pipeline, RungKind::command};
constexpr RungKind kMetered[] = {RungKind::kernel, RungKind::training, RungKind::pipeline};
constexpr RungKind kAll[] = {RungKind::kernel, RungKind::training, RungKind::pipeline,
                             RungKind::command};

constexpr BudgetLine kLines[] = {
    {"ratio", "ratio", "speed ratio", BudgetUnit::ratio, &Budget::ratio, "ratio=1.2", kAll},
    {"accuracy", "accuracy_lost", "accuracy lost", BudgetUnit::points, &Budget::accuracy_lost,
     "accuracy=1", kJudged},
    {"target", "accuracy_target", "accuracy", BudgetUnit::accuracy, &Budget::accuracy_target,
     "target=0.85", kJudged},
    {"keeps", "accuracy_kept", "share of the baseline's accuracy", BudgetUnit::share,
     &Budget::accuracy_kept, "keeps=99%", kJudged},
    {"nmse", "nmse", "error (NMSE)", BudgetUnit::plain, &Budget::nmse, "nmse=1e-6", kKernel},
    {"p50", "p50_ns", "p50 latency", BudgetUnit::time, &Budget::p50_ns, "p50=2ms", kCalled},
    {"p90", "p90_ns", "p90 latency", BudgetUnit::time, &Budget::p90_ns, "p90=2ms", kCalled},
    {"p95", "p95_ns", "p95 latency", BudgetUnit::time, &Budget::p95_ns, "p95=2ms", kCalled},
    {"p99", "p99_ns", "p99 latency", BudgetUnit::time, &Budget::p99_ns, "p99=2ms", kCalled},
    {"memory", "memory_bytes", "memory", BudgetUnit::bytes, &Budget::memory_bytes, "memory=1GiB",
     kAll},
    {"energy", "energy_j", "energy", BudgetUnit::energy, &Budget::energy_j, "energy=0.5J",
     kMetered},
};

/// A unit as it is typed, and what one of it is in the budget's own.
struct Suffix {
  const char* text;
  double factor;
};
constexpr Suffix kRatio[] = {{"", 1}, {"x", 1}, {"×", 1}};
constexpr Suffix kPoints[] = {{"", 0.01}, {"point", 0.01}, {"points", 0.01}};
constexpr Suffix kAccuracy[] = {{"", 1}, {"%", 0.01}};
constexpr Suffix kShare[] = {{"%", 0.01}};
constexpr Suffix kPlain[] = {{"", 1}};
constexpr Suffix kTime[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Suffix kBytes[] = {{"B", 1},        {"kB", 1e3},     {"MB", 1e6},
                             {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
                             {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
constexpr Suffix kEnergy[] = {{"J", 1}, {"mJ", 1e-3}, {"uJ", 1e-6}, {"µJ", 1e-6}, {"kJ", 1e3}};

std::span<const Suffix> suffixes_of(BudgetUnit unit) {
  switch (unit) {
    case BudgetUnit::ratio:
      return kRatio;
    case BudgetUnit::points:
      return kPoints;
    case BudgetUnit::accuracy:
      return kAccuracy;
    case BudgetUnit::share:
      return kShare;
    case BudgetUnit::plain:
      return kPlain;
    case BudgetUnit::time:
      return kTime;
    case BudgetUnit::bytes:
      return kBytes;
    case BudgetUnit::energy:
      break;
  }
  return kEnergy;
}

Error bad_budget(std::string what, std::string hint) {
  return {ErrorCode::usage, std::move(what), "budget", std::move(hint)};
}

std::string units_hint(const BudgetLine& line) {
  std::string units;
  for (const Suffix& suffix : suffixes_of(line.unit)) {
    if (*suffix.text) units += (units.empty() ? "" : ", ") + std::string(suffix.text);
  }
  return std::string("write ") + line.example + (units.empty() ? "" : "; units are " + units);
}

bool is_accuracy(const BudgetLine& line) {
  return line.unit == BudgetUnit::points || line.unit == BudgetUnit::accuracy ||
         line.unit == BudgetUnit::share;
}

/// What may be demanded: no loss and no error, but no time of 0.
std::string range_problem(const BudgetLine& line, double value) {
  if (!std::isfinite(value)) return "is no number";
  if (value < 0) return "is negative";
  const bool may_be_0 = line.unit == BudgetUnit::points || line.unit == BudgetUnit::plain;
  if (value == 0 && !may_be_0)
    return is_floor(line) ? "is met by anything" : "can be met by nothing";
  if (is_accuracy(line) && value > 1) return "is more than all";
  return "";
}

std::string trimmed(std::string text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.back())) text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

Result<double> parse_amount(const BudgetLine& line, const std::string& text) {
  const std::string shown = std::string(line.key) + "=" + one_line(text, 40);
  double number = 0;
  const auto [end, failed] = number_from(text.data(), text.data() + text.size(), &number);
  if (failed != std::errc()) return bad_budget(shown + " has no number", units_hint(line));
  const std::string unit = trimmed(text.substr(static_cast<size_t>(end - text.data())));
  for (const Suffix& suffix : suffixes_of(line.unit)) {
    if (unit != suffix.text) continue;
    const double value = number * suffix.factor;
    if (const std::string why = range_problem(line, value); !why.empty())
      return bad_budget(shown + " " + why, units_hint(line));
    return value;
  }
  if (unit.empty()) return bad_budget(shown + " has no unit", units_hint(line));
  return bad_budget(shown + ": '" + one_line(unit, 20) + "' is no unit of it", units_hint(line));
}

Result<const BudgetLine*> find_line(const std::string& key) {
  std::vector<std::string> keys;
  for (const BudgetLine& line : kLines) {
    if (key == line.key) return &line;
    keys.emplace_back(line.key);
  }
  return bad_budget("'" + one_line(key, 40) + "' is none of its lines", name_hint(key, keys));
}

Result<void> check_whole(const Budget& budget) {
  if (budget.accuracy_target && budget.accuracy_kept) {
    return bad_budget("target and keeps both say which accuracy has to be reached",
                      "give one of them");
  }
  return {};
}

}  // namespace

std::span<const BudgetLine> budget_lines() {
  return kLines;
}

bool is_floor(const BudgetLine& line) {
  return line.unit == BudgetUnit::ratio || line.unit == BudgetUnit::accuracy ||
         line.unit == BudgetUnit::share;
}

bool is_quality(const BudgetLine& line) {
  return is_accuracy(line) || line.unit == BudgetUnit::plain;
}

std::optional<bool> reaches(const std::optional<Interval>& ratio, double demanded) {
  if (ratio && ratio->low >= demanded) return true;
  if (ratio && ratio->high < demanded) return false;
  return std::nullopt;
}

Result<Budget> parse_budget(const std::string& text) {
  Budget budget;
  for (size_t at = 0; at <= text.size() && !trimmed(text).empty();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string entry = text.substr(at, end - at);
    at = end + 1;
    const size_t equals = std::min(entry.find('='), entry.size());
    RIDGE_TRY(const BudgetLine* line, find_line(trimmed(entry.substr(0, equals))));
    if (budget.*(line->value))
      return bad_budget(std::string(line->key) + " stands twice in it", "give it once");
    const std::string amount = equals < entry.size() ? entry.substr(equals + 1) : "";
    RIDGE_TRY(budget.*(line->value), parse_amount(*line, trimmed(amount)));
  }
  RIDGE_TRY_VOID(check_whole(budget));
  return budget;
}

namespace {

/// In the largest unit that leaves a number from 1 on.
std::string typed_text(const BudgetLine& line, double value) {
  const Suffix* best = nullptr;
  for (const Suffix& suffix : suffixes_of(line.unit)) {
    const bool fits = value >= suffix.factor && (!best || suffix.factor > best->factor);
    if (!best || fits) best = &suffix;
  }
  return fmt::format("{:.12g}{}", value / best->factor, best->text);
}

}  // namespace

std::string budget_text(const Budget& budget) {
  std::string text;
  for (const BudgetLine& line : kLines) {
    const auto& value = budget.*(line.value);
    if (!value) continue;
    text += (text.empty() ? "" : ",") + std::string(line.key) + "=" + typed_text(line, *value);
  }
  return text;
}

std::string amount_text(const BudgetLine& line, double value) {
  switch (line.unit) {
    case BudgetUnit::ratio:
      return fmt::format("{:.4g}×", value);
    case BudgetUnit::points:
      return points_text(value);
    case BudgetUnit::accuracy:
      return fmt::format("{:.4g}", value);
    case BudgetUnit::share:
      return fmt::format("{:.4g} %", value * 100);
    case BudgetUnit::plain:
      return format_scientific(value);
    case BudgetUnit::time:
      return format_time_ns(value);
    case BudgetUnit::bytes:
      return format_bytes(value);
    case BudgetUnit::energy:
      break;
  }
  return format_quantity(value, "J");
}

std::string demand_text(const BudgetLine& line, double value) {
  return (is_floor(line) ? "at least " : "at most ") + amount_text(line, value);
}

std::string budget_words(const Budget& budget) {
  std::string text;
  for (const BudgetLine& line : kLines) {
    const auto& value = budget.*(line.value);
    if (!value) continue;
    text += std::string(text.empty() ? "" : "; ") + line.title + " " + demand_text(line, *value);
  }
  return text;
}

Result<void> check_budget(const Budget& budget, RungKind kind, bool has_accuracy) {
  for (const BudgetLine& line : kLines) {
    if (!(budget.*(line.value))) continue;
    const bool has = std::find(line.kinds.begin(), line.kinds.end(), kind) != line.kinds.end();
    if (!has) {
      return bad_budget(fmt::format("a {} has no {}", to_string(kind), line.title),
                        fmt::format("leave {} out", line.key));
    }
    if (is_accuracy(line) && !has_accuracy) {
      return bad_budget(
          fmt::format("{}: a rung of this lab is judged by its error and has no accuracy",
                      line.key),
          fmt::format("leave {} out, or give nmse", line.key));
    }
  }
  return {};
}

namespace {

Result<void> take_line(const Json& object, const BudgetLine& line, const char* field,
                       Budget* budget) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return {};
  const double value =
      found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
  const std::string why = range_problem(line, value);
  if (!why.empty()) {
    const std::string shown = found->dump(-1, ' ', false, Json::error_handler_t::replace);
    return Error{ErrorCode::usage, fmt::format("{} = {} {}", field, one_line(shown, 40), why),
                 "request line", is_accuracy(line) ? "give a share: 0.85 is 85 %" : ""};
  }
  budget->*(line.value) = value;
  return {};
}

}  // namespace

Result<Budget> budget_from(const Json& line) {
  Budget budget;
  RIDGE_TRY(const BudgetLine* lost, find_line("accuracy"));
  RIDGE_TRY(const BudgetLine* target, find_line("target"));
  // Requests of before there was a budget had these two.
  RIDGE_TRY_VOID(take_line(line, *lost, "may_lose", &budget));
  RIDGE_TRY_VOID(take_line(line, *target, "accuracy_target", &budget));
  const auto given = line.find("budget");
  if (given == line.end() || given->is_null()) return budget;
  if (!given->is_object())
    return Error{ErrorCode::usage, "budget is not an object", "request line", ""};
  for (const BudgetLine& one : kLines) RIDGE_TRY_VOID(take_line(*given, one, one.field, &budget));
  RIDGE_TRY_VOID(check_whole(budget));
  return budget;
}

void to_json(Json& json, const Budget& budget) {
  json = Json::object();
  for (const BudgetLine& line : kLines) {
    if (const auto& value = budget.*(line.value)) json[line.field] = *value;
  }
}

}  // namespace ridge
