#include "app/query/count_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "app/query/counts_text.h"
#include "app/query/terminal.h"
#include "common/core/format.h"

namespace ridge::app {

Result<std::vector<CountTarget>> parse_targets(const std::string& text) {
  std::vector<CountTarget> targets;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream words(part);
    std::string name, number, more;
    words >> name >> number;
    const auto kind = value_named<CountKind>(name);
    CountTarget target;
    const char* end = number.data() + number.size();
    const auto read = std::from_chars(number.data(), end, target.most);
    if (!kind || read.ec != std::errc() || read.ptr != end || target.most < 0 || words >> more)
      return Error{ErrorCode::bad_input, "'" + part + "' is no target", "",
                   "write sectors, requests, shared, conflicts, barriers or atomics, and how many"};
    target.kind = *kind;
    targets.push_back(target);
  }
  return targets;
}

bool is_met(const KernelCounts& counts, const CountTarget& target) {
  const int64_t count = count_of(counts, target.kind);
  // Blocks that add to one number without an atomic lose sums on a GPU; here they come one after the other.
  const bool needs_one = target.kind == CountKind::atomics && target.most > 0;
  return count <= target.most && (count > 0 || !needs_one);
}

bool is_solved(const KernelCounts& counts, const std::vector<CountTarget>& targets) {
  return is_clean(counts) &&
         std::all_of(targets.begin(), targets.end(),
                     [&](const CountTarget& target) { return is_met(counts, target); });
}

const char* words_of(CountKind kind) {
  switch (kind) {
    case CountKind::sectors:
      return "sectors of device memory";
    case CountKind::requests:
      return "requests to device memory";
    case CountKind::shared:
      return "requests to shared memory";
    case CountKind::conflicts:
      return "bank conflicts";
    case CountKind::barriers:
      return "barriers";
    case CountKind::atomics:
      return "atomics in device memory";
  }
  return "";
}

namespace {

/// Of a kernel that is wrong a small count is no merit, and of one that was stopped a large one no fault.
const char* mark_of(const KernelCounts& counts, const CountTarget& target) {
  if (!is_clean(counts)) return "";
  if (is_met(counts, target)) return "✓";
  return count_of(counts, target.kind) > target.most ? "over" : "none";
}

}  // namespace

const char* unmet_words(const KernelCounts& counts, const std::vector<CountTarget>& targets) {
  const bool is_over = std::any_of(targets.begin(), targets.end(), [&](const CountTarget& target) {
    return count_of(counts, target.kind) > target.most;
  });
  return is_over ? "it asks for more than the reference does"
                 : "its blocks add to one number without an atomic: on a GPU sums would be lost";
}

std::string targets_text(const KernelCounts& counts, const std::vector<CountTarget>& targets) {
  std::vector<std::vector<std::string>> rows;
  for (const CountTarget& target : targets)
    rows.push_back({words_of(target.kind), format_count(double(count_of(counts, target.kind))),
                    format_count(double(target.most)), mark_of(counts, target)});
  return table({kCountedHere, "yours", "target", ""}, rows);
}

}  // namespace ridge::app
