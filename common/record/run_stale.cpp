// Run::mark_stale: the one place that decides whether a saved figure is still of the kernel that there is.
#include <algorithm>
#include <string_view>

#include "common/record/run.h"
#include "common/record/stale_words.h"

namespace ridge {
namespace {

bool has_changed(std::span<const RungHash> now, const std::string& rung, const std::string& hash) {
  if (hash.empty()) return false;
  const auto at = std::lower_bound(
      now.begin(), now.end(), rung,
      [](const RungHash& one, const std::string& id) { return std::string_view(one.rung) < id; });
  return at != now.end() && at->rung == rung && at->hash != hash;
}

void add_note(const std::string& text, std::string* note) {
  *note = note->empty() ? text : text + "; " + *note;
}

}  // namespace

void Run::mark_stale(std::span<const RungHash> now) {
  for (Series& series : series_) {
    if (series.stale || !has_changed(now, series.kernel, series.hash)) continue;
    series.stale = true;
    add_note(stale_reason(), &series.note);
  }
  for (Inspection& look : inspections_) {
    if (look.lanes && has_changed(now, look.kernel, look.lanes->hash)) look.lanes->stale = true;
  }
  for (KernelCounts& counts : counts_) counts.stale = has_changed(now, counts.kernel, counts.hash);
  // A comparison has no hash of its own: its sides were built with the catalogue.
  const auto changed = [&](const std::string& rung) {
    const KernelInfo* info = kernel(rung);
    return info && has_changed(now, rung, info->hash);
  };
  for (Comparison& comparison : comparisons_) {
    if (comparison.stale) continue;
    const auto mark = [&](const std::string& side, const char* name) {
      if (!changed(side)) return;
      comparison.stale = true;
      comparison.reasons.push_back(stale_reason(name));
    };
    mark(comparison.baseline, "the baseline");
    mark(comparison.candidate, "the candidate");
  }
}

}  // namespace ridge
