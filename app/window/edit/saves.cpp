#include "app/window/edit/saves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "common/core/format.h"
#include "common/record/edit.h"
#include "common/record/params.h"
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
    if (is_again)
      saves.back().build = build;  // what ran from its first build on is its own
    else
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
    Save* save = save_before(comparison.request);
    const bool is_other_problem =
        save && save->series && !agrees(save->series->params, comparison.candidate_params);
    if (save && !is_other_problem) save->comparison = &comparison;
  }
  // An exercise's file as it was handed out is built when it opens, and is no save of the learner's.
  const bool is_exercise = original_of(edit) != original;
  if (is_exercise && saves.size() > 1 && saves.front().build->built &&
      saves.front().series == nullptr)
    saves.erase(saves.begin());
  return saves;
}

const char* refused_headline(const EditBuild& build) {
  switch (build.ended_at.value().value_or(BuildEnd::text)) {
    case BuildEnd::machine:
      return "Cannot be built here";
    case BuildEnd::compile:
      return "Does not compile";
    case BuildEnd::load:
      return "Does not load";
    case BuildEnd::text:
      break;
  }
  return "Not built";
}

namespace {

/// The text that was built last before this request; null: none was.
const EditBuild* built_before(const Run& run, const std::string& edit, int64_t request) {
  const EditBuild* found = nullptr;
  for (const Request& one : run.requests()) {
    const EditBuild* build = one.id < request ? run.build(one.id) : nullptr;
    if (build && build->built && build->kernel == edit) found = build;
  }
  return found;
}

}  // namespace

std::string state_words(const Save& save) {
  if (save.build->built) return save.failed() ? "failed its check" : "is not compared yet";
  std::string text = refused_headline(*save.build);
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text.starts_with("not ") ? "was " + text : text;
}

std::optional<EarlierSave> earlier_save(const Run& run, const Comparison& comparison,
                                        const std::map<int64_t, int>& numbers) {
  const bool is_candidate = is_edit(comparison.candidate);
  const std::string& edit = is_candidate ? comparison.candidate : comparison.baseline;
  if (!is_edit(edit)) return std::nullopt;
  const EditBuild* compared = built_before(run, edit, comparison.request);
  std::vector<Save> saves =
      saves_of(run, edit, is_candidate ? comparison.baseline : comparison.candidate);
  if (!compared || saves.empty()) return std::nullopt;
  const Save& last = saves.back();
  if (last.build->built && last.build->hash == compared->hash) return std::nullopt;
  number_saves(numbers, &saves);
  EarlierSave found{0, last.number, state_words(last)};
  for (const Save& save : saves) {
    if (save.build->built && save.build->hash == compared->hash) found.compared = save.number;
  }
  return found;
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

std::string size_of(const Save& save) {
  return save.verified() ? size_text(save.series->params, save.series->size_param) : "";
}

bool is_same_problem(const Save& one, const Save& other) {
  return one.verified() && other.verified() && one.series->params == other.series->params;
}

const Series* original_beside(const Run& run, const Save& save, const std::string& original) {
  if (!save.verified()) return nullptr;
  const auto& all = run.series_of_kernel(original);
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series* one) {
    return one->mode != RunMode::compare && one->cache == save.series->cache && one->stats &&
           one->quality_passed() && agrees(one->params, save.series->params);
  });
  return found == all.rend() ? nullptr : *found;
}

std::string save_text(const Save& save) {
  const std::string size = size_of(save);
  std::string text = fmt::format("Save {}{}: ", save.number, size.empty() ? size : ", " + size);
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
