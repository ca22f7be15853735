#include "app/window/edit/saves.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/record/ratio_text.h"

namespace ridge::window {

bool Save::failed() const {
  if (build && !build->built) return true;
  return series && (series->status == SeriesStatus::failed ||
                    (series->status == SeriesStatus::ok && !series->quality_passed()));
}

std::string Save::reason() const {
  if (!failed()) return "";
  if (!build->built) return build->reason;
  if (!series->reason.empty()) return series->reason;
  const QualityCheck* check = series->quality();
  return check ? check->reason : "its output was not checked";
}

namespace {

/// Builds of the edit, by request. A text that does not say which rung it is belongs to the file that was built before.
std::vector<Save> builds_of(const Run& run, const std::string& edit) {
  std::vector<Save> saves;
  bool is_ours = false;
  for (const Request& request : run.requests()) {
    if (request.type != RequestType::build) continue;
    const EditBuild* build = run.build(request.id);
    if (build == nullptr) continue;  // cancelled, or under way
    if (!build->kernel.empty()) is_ours = build->kernel == edit;
    if (!is_ours) continue;
    const bool is_again = !saves.empty() && build->built && saves.back().build->built &&
                          saves.back().build->hash == build->hash;
    if (is_again) saves.pop_back();
    saves.push_back({request.id, build});
  }
  return saves;
}

}  // namespace

std::vector<Save> saves_of(const Run& run, const std::string& edit, const std::string& original) {
  std::vector<Save> saves = builds_of(run, edit);
  const auto save_before = [&](int64_t request) -> Save* {
    Save* found = nullptr;
    for (Save& save : saves) {
      if (save.request < request && save.build->built) found = &save;
    }
    return found;
  };
  for (const Series& series : run.series()) {
    if (series.kernel != edit) continue;
    const Request* request = run.request(series.request);
    Save* save = save_before(series.request);
    if (save && request && request->type == RequestType::run) save->series = &series;
  }
  for (const Comparison& comparison : run.comparisons()) {
    if (comparison.candidate != edit || comparison.baseline != original) continue;
    if (Save* save = save_before(comparison.request)) save->comparison = &comparison;
  }
  return saves;
}

void number_saves(const std::map<int64_t, int>& numbers, std::vector<Save>* saves) {
  for (Save& save : *saves) {
    const auto known = numbers.find(save.request);
    if (known != numbers.end()) save.number = known->second;
  }
  for (size_t i = saves->size(); i-- > 0;) {
    Save& save = (*saves)[i];
    const bool has_next = i + 1 < saves->size() && (*saves)[i + 1].number > 1;
    if (save.number == 0 && has_next) save.number = (*saves)[i + 1].number - 1;
  }
  for (size_t i = 0; i < saves->size(); ++i) {
    Save& save = (*saves)[i];
    if (save.number == 0) save.number = i == 0 ? 1 : (*saves)[i - 1].number + 1;
  }
}

std::string save_text(const Save& save) {
  std::string text = fmt::format("Save {}: ", save.number);
  if (save.failed()) return text + save.reason();
  if (!save.verified()) return text + "it was not timed";
  text += format_time_ns(save.median_ns()) + " a call, run alone";
  const Comparison* made = save.comparison;
  const bool has_ratio =
      made && (made->verdict == Verdict::faster || made->verdict == Verdict::slower);
  if (has_ratio)
    text += "; in pairs " + ratio_text(made->ratio, made->ci) + " as fast as the original";
  if (made && made->verdict == Verdict::same) text += "; in pairs the same as the original";
  return text;
}

}  // namespace ridge::window
