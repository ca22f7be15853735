#include "common/view/report/other_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"

namespace ridge::report {
namespace {

/// The parameter that is the size of what the claim compares; empty: it has none.
std::string size_param_of(const Claim& claim) {
  const Series* side = side_series(*claim.run, claim.comparison, true);
  return side ? side->size_param : claim.comparison.size_param;
}

/// Whether it says how the lead's pair came out at another size.
bool is_at_other_size(const Claim& lead, const Claim& claim, const std::string& size) {
  const Comparison &own = claim.comparison, &c = lead.comparison;
  const bool is_told = claim.paired && claim.decision.verdict != Verdict::invalid &&
                       own.ratio > 0 && std::isfinite(own.ratio);
  const bool has_sides =
      own.lab == c.lab && own.cache == c.cache && own.baseline == c.baseline &&
      (own.candidate == c.candidate ||
       (is_library_side(lead, c.baseline) && !is_library_side(claim, own.candidate) &&
        !is_edit(own.candidate) && backend_of(own.candidate) == backend_of(c.candidate)));
  return is_told && has_sides && own.candidate_params.contains(size) &&
         param_int(own.candidate_params, size) != param_int(c.candidate_params, size) &&
         differing_beside_size(own.candidate_params, c.candidate_params, size).empty() &&
         param_text(own.candidate_params, "dtype") == param_text(c.candidate_params, "dtype") &&
         param_int(own.candidate_params, "threads") == param_int(c.candidate_params, "threads");
}

/// Which of two pairs of one size tells more: the lead's own two, then the faster rung, then the newer pair.
bool tells_more(const Comparison& lead, const Comparison& fresh, const Comparison& known) {
  const bool is_own = fresh.candidate == lead.candidate,
             was_own = known.candidate == lead.candidate;
  if (is_own != was_own) return is_own;
  return fresh.candidate == known.candidate || fresh.ratio > known.ratio;
}

std::string outcome_words(const Claim& lead, const Claim& claim, const std::string& size,
                          const Options& options) {
  const Comparison& c = claim.comparison;
  const Verdict verdict = claim.decision.verdict;
  const bool is_plain = verdict == Verdict::faster || verdict == Verdict::slower;
  const Params at = {{size, c.candidate_params.at(size)}};
  return (c.candidate == lead.comparison.candidate ? ""
                                                   : "“" + title_of(c.candidate, options) + "” ") +
         ratio_text(c.ratio, c.ci) + (is_plain ? "" : fmt::format(", {},", to_string(verdict))) +
         (c.sustained.empty() == lead.comparison.sustained.empty() ? ""
          : c.sustained.empty()                                    ? " at equal clock"
                                                                   : " sustained") +
         " at " + to_string(at);
}

}  // namespace

bool is_library_side(const Claim& claim, const std::string& kernel) {
  const KernelInfo* info = claim.run->kernel(kernel);
  return info && !info->library.empty();
}

bool is_default_size(const Line& line) {
  const Series& series = *line.series;
  const KernelInfo* info = line.input->run->kernel(series.kernel);
  const auto size = series.params.find(series.size_param);
  return info && size != series.params.end() &&
         std::any_of(info->params.begin(), info->params.end(), [&](const ParamSpec& spec) {
           return spec.name == series.size_param && spec.fallback == size->second;
         });
}

std::string other_sizes_sentence(const Material& material, const Claim& lead) {
  const std::string size = size_param_of(lead);
  std::map<int64_t, const Claim*> sizes;
  for (const Claim& claim : material.claims) {
    if (size.empty() || !is_at_other_size(lead, claim, size)) continue;
    const Claim*& known = sizes[param_int(claim.comparison.candidate_params, size)];
    if (!known || tells_more(lead.comparison, claim.comparison, known->comparison)) known = &claim;
  }
  if (sizes.empty()) return "";
  std::string text;
  for (const auto& [value, claim] : sizes)
    text += (text.empty() ? "" : "; ") + outcome_words(lead, *claim, size, *material.options);
  return fmt::format("“{}” against “{}” at {} other size{}: {}.",
                     title_of(lead.comparison.candidate, *material.options),
                     title_of(lead.comparison.baseline, *material.options), sizes.size(),
                     sizes.size() == 1 ? "" : "s", text);
}

}  // namespace ridge::report
