#include "common/view/report/pair_order.h"

#include <algorithm>
#include <cmath>

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

/// The newest pair of the two takes it, of those that settled something.
bool is_faster_in_pairs(const Material& material, const Line& a, const Line& b) {
  for (auto claim = material.claims.rbegin(); claim != material.claims.rend(); ++claim) {
    const Comparison& c = claim->comparison;
    const bool is_candidate = is_side(a, c, true) && is_side(b, c, false);
    const bool is_baseline = is_side(a, c, false) && is_side(b, c, true);
    if ((!is_candidate && !is_baseline) || !has_ratio(*claim)) continue;
    if (claim->decision.verdict == Verdict::unresolved) continue;
    return claim->decision.verdict == (is_candidate ? Verdict::faster : Verdict::slower);
  }
  return is_faster_over_third(material, a, b);
}

}  // namespace

const Claim* newest_claim(const Material& material, const Line& from, const Line& to) {
  const auto& all = material.claims;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Claim& claim) {
    return is_side(from, claim.comparison, false) && is_side(to, claim.comparison, true);
  });
  return found == all.rend() ? nullptr : &*found;
}

const Claim* pair_of(const Material& material, const Line& a, const Line& b) {
  const Claim *there = newest_claim(material, a, b), *back = newest_claim(material, b, a);
  const Claim* newest = !there || (back && back > there) ? back : there;
  return newest && has_ratio(*newest) ? newest : nullptr;
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
