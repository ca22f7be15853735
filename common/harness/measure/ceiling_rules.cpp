#include "common/harness/measure/ceiling_rules.h"

#include <algorithm>
#include <cmath>

#include "common/record/derive.h"

namespace ridge::measure {
namespace {

using Rule = CeilingRule;

/// Two measurements of one ceiling differ by this much on a calm machine.
constexpr double kNoise = 0.9;
constexpr int kMaxAgain = 3;
/// A rate this far above a ceiling is a wrong rate.
constexpr double kOtherWork = 3;

bool matches(const Rule::Of& of, const Ceiling& ceiling) {
  return (of.resource == nullptr || ceiling.resource == of.resource) &&
         (of.dtype == nullptr || ceiling.dtype == of.dtype);
}

bool is_about(const Rule& rule, const Ceiling& judged, const Ceiling& other) {
  if (judged.backend != other.backend || !matches(rule.judged, judged) ||
      !matches(rule.other, other)) {
    return false;
  }
  if (rule.judged.resource == nullptr && judged.resource != other.resource) return false;
  if (rule.judged.dtype == nullptr && judged.dtype != other.dtype) return false;
  switch (rule.threads) {
    case Rule::Threads::more:
      return judged.threads > other.threads;
    case Rule::Threads::fewer:
      return judged.threads < other.threads;
    case Rule::Threads::same:
      break;
  }
  return judged.threads == other.threads;
}

/// Higher is faster: a ceiling in seconds is the time of an item.
double speed(const Ceiling& ceiling) {
  return ceiling.unit == "s" ? 1 / ceiling.value : ceiling.value;
}

bool has_value(const Ceiling& ceiling) {
  return ceiling.source == "measured" && ceiling.value > 0 && std::isfinite(ceiling.value);
}

bool is_broken(const Rule& rule, const Ceiling& judged, const Ceiling& other) {
  if (!has_value(judged) || !has_value(other) || !is_about(rule, judged, other)) return false;
  const double share =
      rule.threads == Rule::Threads::fewer ? double(judged.threads) / other.threads : 1;
  return speed(judged) < kNoise * rule.least * share * speed(other);
}

std::string reason_of(const Rule& rule, const Ceiling& judged, const Ceiling& other) {
  return ceiling_text(judged, judged.value) + " cannot be right beside " + other.name + " at " +
         ceiling_text(other, other.value) + ": " + rule.why;
}

/// Two logical cores share the units of one: with more threads than half of them, somebody's share is smaller. A GPU
/// computes as fast however busy its host is.
bool lacked_cores(const Ceiling& ceiling, int cores) {
  return ceiling.backend == Backend::cpu && ceiling.foreign_cpus > 0 && cores > 0 &&
         ceiling.foreign_cpus + ceiling.threads > 0.5 * cores;
}

/// Who passed the ceiling: a rung of ours before a learner's, which is no evidence by itself.
const Reached* passed_by(const Ceiling& ceiling, const std::vector<Ceiling>& all,
                         const std::vector<Reached>& reached) {
  const Reached* edit = nullptr;
  for (const Reached& one : reached) {
    if (ceiling_of(one.rate, ceiling.backend, all) != &ceiling ||
        one.rate.per_s <= kMostOfCeiling * ceiling.value ||
        one.rate.per_s >= kOtherWork * ceiling.value) {
      continue;
    }
    if (!one.is_edit) return &one;
    edit = &one;
  }
  return edit;
}

void take(const Ceiling& next, Ceiling* known) {
  const double foreign_cpus = std::min(known->foreign_cpus, next.foreign_cpus);
  if (speed(next) > speed(*known)) *known = next;
  known->foreign_cpus = foreign_cpus;
}

}  // namespace

const std::vector<CeilingRule>& ceiling_rules() {
  using enum CeilingRule::Threads;
  static const std::vector<CeilingRule> rules = {
      {{"dram_read"}, {"dram_copy"}, same, 0.5, "a copy reads half of the bytes that it counts"},
      {{"l2_read"}, {"dram_read"}, same, 1, "what is read from DRAM passes through the L2"},
      {{"graph_node"}, {"launch"}, same, 1, "a node of a graph costs no more than a launch"},
      {{"flop", "bf16"}, {"flop", "tf32"}, same, 1, "bf16 has fewer bits than tf32"},
      {{"flop", "fp16"}, {"flop", "tf32"}, same, 1, "fp16 has fewer bits than tf32"},
      {{"flop", "fp8"}, {"flop", "bf16"}, same, 1, "fp8 has half of the bits of bf16"},
      {{nullptr}, {nullptr}, more, 1, "more threads do no less than fewer"},
      {{nullptr}, {nullptr}, fewer, 1, "a thread alone does no less than one of many"},
  };
  return rules;
}

std::vector<Contradiction> find_contradictions(const std::vector<Ceiling>& ceilings,
                                               const Evidence& evidence) {
  std::vector<Contradiction> found;
  const auto judge = [&](const Ceiling& judged) -> std::string {
    for (const CeilingRule& rule : ceiling_rules()) {
      for (const Ceiling& other : ceilings) {
        if (is_broken(rule, judged, other)) return reason_of(rule, judged, other);
      }
    }
    return "";
  };
  for (size_t i = 0; i < ceilings.size(); ++i) {
    if (std::string reason = judge(ceilings[i]); !reason.empty())
      found.push_back({i, std::move(reason)});
    else if (const Reached* by = passed_by(ceilings[i], ceilings, evidence.reached))
      found.push_back({.ceiling = i,
                       .reason = by->rung + " reached " +
                                 ceiling_text(ceilings[i], by->rate.per_s) + ", above " +
                                 ceiling_text(ceilings[i], ceilings[i].value),
                       .is_edit = by->is_edit});
    else if (lacked_cores(ceilings[i], evidence.cores))
      found.push_back(
          {i, "other programs used the CPU meanwhile, so the true one is higher", true});
  }
  return found;
}

Result<void> settle_ceilings(std::vector<Ceiling>* ceilings, const MeasureAgain& measure_again,
                             const Evidence& evidence) {
  std::vector<Contradiction> broken = find_contradictions(*ceilings, evidence);
  for (int again = 0; again < kMaxAgain && !broken.empty(); ++again) {
    for (const Contradiction& one : broken) {
      if (one.is_busy && again > 0) continue;
      Ceiling& known = (*ceilings)[one.ceiling];
      RIDGE_TRY(const std::optional<Ceiling> next, measure_again(known));
      if (next && has_value(*next)) take(*next, &known);
    }
    broken = find_contradictions(*ceilings, evidence);
  }
  for (Ceiling& ceiling : *ceilings) ceiling.doubt.clear();
  for (const Contradiction& one : broken) {
    Ceiling& known = (*ceilings)[one.ceiling];
    if (!one.is_edit || known.foreign_cpus > 0) known.doubt = one.reason;
  }
  return {};
}

bool is_as_fast_as_then(const Ceiling& then, const Ceiling& now) {
  if (!has_value(then) || !has_value(now)) return false;
  const double ratio = speed(now) / speed(then);
  return ratio * kNoise <= 1 && (ratio >= kNoise || now.foreign_cpus > 0);
}

}  // namespace ridge::measure
