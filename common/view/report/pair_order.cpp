#include "common/view/report/pair_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/record/clocks.h"
#include "common/record/in_turns.h"
#include "common/record/ratio_text.h"

namespace ridge::report {
namespace {

bool is_side(const Line& line, const Comparison& c, bool candidate) {
  return line.series->cache == c.cache &&
         line.series->kernel == (candidate ? c.candidate : c.baseline) &&
         line.series->params == (candidate ? c.candidate_params : c.baseline_params);
}

bool has_ratio(const Claim& claim) {
  const Comparison& c = claim.comparison;
  return claim.paired && claim.decision.verdict != Verdict::invalid && c.ratio > 0 &&
         std::isfinite(c.ratio);
}

/// outweighs(), by the verdicts that the claims came to.
bool claim_outweighs(const Claim& later, const Claim& earlier) {
  if (!has_ratio(later) || !has_ratio(earlier)) return true;
  return outweighs(later.comparison, earlier.comparison);
}

template <typename Fits>
const Claim* weightiest_in(const std::vector<Claim>& claims, const Fits& fits,
                           const Claim* found = nullptr) {
  for (const Claim& claim : claims) {
    if (fits(claim) && (!found || claim_outweighs(claim, *found))) found = &claim;
  }
  return found;
}

/// Of the claims that fit, asked for or not, the one that outweighs the others.
template <typename Fits>
const Claim* weightiest(const Material& material, const Fits& fits) {
  return weightiest_in(material.claims, fits, weightiest_in(material.unasked, fits));
}

bool is_of_same_two(const Claim& claim, const Comparison& c) {
  if (is_of_same_pair(claim, c)) return true;
  Comparison turned = c;
  std::swap(turned.baseline, turned.candidate);
  std::swap(turned.baseline_params, turned.candidate_params);
  return is_of_same_pair(claim, turned);
}

/// How fast a rung is over another one, by the newest pair of the two.
struct OverThird {
  const std::string* kernel;
  const Params* params;
  bool is_sustained;  ///< turns of seconds and turns at one clock are two quantities
  Interval ratio;
};

/// Of every pair that the rung is a side of, the newest first.
std::vector<OverThird> over_thirds(const Material& material, const Line& line) {
  std::vector<OverThird> all;
  for (auto claim = material.claims.rbegin(); claim != material.claims.rend(); ++claim) {
    const Comparison& c = claim->comparison;
    if (!has_ratio(*claim) || !c.ci || !(c.ci->low > 0)) continue;
    const bool is_sustained = !c.sustained.empty();
    if (is_side(line, c, true))
      all.push_back({&c.baseline, &c.baseline_params, is_sustained, *c.ci});
    else if (is_side(line, c, false))
      all.push_back({&c.candidate, &c.candidate_params, is_sustained, *inverse(c.ci)});
  }
  return all;
}

/// The two were never compared with each other: by the newest third that both were compared with.
bool is_faster_over_third(const Material& material, const Line& a, const Line& b) {
  const std::vector<OverThird> others = over_thirds(material, b);
  for (const OverThird& one : over_thirds(material, a)) {
    const auto met = std::find_if(others.begin(), others.end(), [&](const OverThird& other) {
      return *other.kernel == *one.kernel && *other.params == *one.params &&
             other.is_sustained == one.is_sustained;
    });
    if (met != others.end()) return one.ratio.low > met->ratio.high;
  }
  return false;
}

bool is_of_two(const Claim& claim, const Line& a, const Line& b) {
  const Comparison& c = claim.comparison;
  return (is_side(a, c, true) && is_side(b, c, false)) ||
         (is_side(a, c, false) && is_side(b, c, true));
}

/// Whether two settled claims of one pair, of one kind of turns, say opposite things.
bool contradict(const Claim& one, const Claim& other) {
  const Comparison& c = one.comparison;
  if (c.sustained.empty() != other.comparison.sustained.empty()) return false;
  const Comparison met =
      is_of_same_pair(other, c) ? other.comparison : turned_round(other.comparison);
  const bool is_faster = c.ratio > 1, was_faster = met.ratio > 1;
  return is_faster != was_faster;
}

/// The weightiest pair of the two takes it, of those that settled something; none where another contradicts it, and where
/// both launch the same kernel, so that nothing but the moment can tell them apart.
bool is_faster_in_pairs(const Material& material, const Line& a, const Line& b) {
  if (run_same_kernel(a, b)) return false;
  const auto settled = [&](const Claim& claim) {
    return is_of_two(claim, a, b) && has_ratio(claim) &&
           claim.decision.verdict != Verdict::unresolved;
  };
  const Claim* pair = weightiest(material, settled);
  if (!pair) return is_faster_over_third(material, a, b);
  if (pair->decision.verdict !=
      (is_side(a, pair->comparison, true) ? Verdict::faster : Verdict::slower))
    return false;
  return std::none_of(material.claims.begin(), material.claims.end(), [&](const Claim& other) {
    return &other != pair && settled(other) && contradict(*pair, other);
  });
}

/// What a call of the line's rung launches, as some run of it recorded; null: it was not.
const Resources* launches_of(const Line& line) {
  for (const Series* series : line.input->run->series_of_kernel(line.series->kernel)) {
    if (series->params == line.series->params && series->resources &&
        !series->resources->kernels.empty())
      return &*series->resources;
  }
  return nullptr;
}

}  // namespace

const Claim* claim_of(const Material& material, const Line& from, const Line& to) {
  return weightiest(material, [&](const Claim& claim) {
    return is_side(from, claim.comparison, false) && is_side(to, claim.comparison, true);
  });
}

const Claim* pair_of(const Material& material, const Line& a, const Line& b) {
  const Claim* found =
      weightiest(material, [&](const Claim& claim) { return is_of_two(claim, a, b); });
  return found && has_ratio(*found) ? found : nullptr;
}

const Claim* weightiest_like(const Material& material, const Claim& claim) {
  return weightiest_in(material.claims, [&](const Claim& other) {
    return other.paired && is_of_same_two(other, claim.comparison);
  });
}

std::string repeats_words(const Material& material, const Claim& claim) {
  std::string text;
  for (const Claim& other : material.claims) {
    if (&other == &claim || !has_ratio(other) || !is_of_same_two(other, claim.comparison)) continue;
    const bool is_turned = !is_of_same_pair(other, claim.comparison);
    const Comparison c = is_turned ? turned_round(other.comparison) : other.comparison;
    const Verdict verdict = is_turned ? c.verdict : other.decision.verdict;
    text += fmt::format("{}{} {}, {}, {}", text.empty() ? "" : "; ", ratio_text(c.ratio, c.ci),
                        ratio_interval_text(c.ci, c.margin), rests_on(c), to_string(verdict));
  }
  return text.empty() ? "" : "another run of this pair: " + text;
}

bool run_same_kernel(const Line& a, const Line& b) {
  const Resources *ours = launches_of(a), *theirs = launches_of(b);
  return ours && theirs && ours->kernels == theirs->kernels;
}

bool are_level(const Material& material, const Line& a, const Line& b) {
  if (run_same_kernel(a, b)) return true;
  const Claim* pair = pair_of(material, a, b);
  return pair && pair->decision.verdict == Verdict::same;
}

const Line* fastest_by_pairs(const Material& material, std::vector<const Line*> lines) {
  if (lines.empty()) return nullptr;
  const Line* best = lines.front();
  const auto faster = [&](const Line* other) {
    return is_faster_in_pairs(material, *other, *best);
  };
  // A rung that lost its place does not get it back: pairs may go round in a circle.
  lines.erase(lines.begin());
  for (auto next = std::find_if(lines.begin(), lines.end(), faster); next != lines.end();
       next = std::find_if(lines.begin(), lines.end(), faster)) {
    best = *next;
    lines.erase(next);
  }
  return best;
}

}  // namespace ridge::report
