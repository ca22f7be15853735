// Which results a question is about.
#include <algorithm>
#include <set>

#include "app/study/quiz_parts.h"
#include "common/record/derive.h"
#include "common/record/params.h"

namespace ridge::study {
namespace {

/// The parameter that is the problem's size, and those that copy it where they are not set.
struct Size {
  std::string name;
  std::vector<std::string> copies;

  /// The one value of all of them; absent where they differ, as in a product that is not square.
  std::optional<int64_t> of(const Params& params) const {
    const int64_t value = param_int(params, name);
    const bool same = std::all_of(copies.begin(), copies.end(), [&](const std::string& copy) {
      return param_int(params, copy, value) == value;
    });
    return value > 0 && same ? std::optional(value) : std::nullopt;
  }
};

/// As the catalogue says; before there is one, the lab's first slider.
Size size_of(const Question& question, const Lab& lab, const Run& run) {
  Size size{run.size_param(question.rungs.front()), {}};
  if (size.name.empty() && !lab.params.empty()) size.name = lab.params.front().name;
  if (const KernelInfo* info = run.kernel(question.rungs.front())) {
    for (const ParamSpec& spec : info->params) {
      if (spec.same_as == size.name) size.copies.push_back(spec.name);
    }
  }
  return size;
}

/// What candidates share. A rung runs in its own type, so the type may differ between rungs.
struct Key {
  Params params;
  OpenEnum<CacheMode> cache;
  bool operator<(const Key& other) const {
    return std::tie(params, cache) < std::tie(other.params, other.cache);
  }
};

Key key_of(const Question& question, const Size& size, const Series& series) {
  Key key{series.params, series.cache};
  if (question.over == Over::rungs) {
    key.params.erase("dtype");
  } else {
    key.params.erase(size.name);
    for (const std::string& copy : size.copies) key.params.erase(copy);
  }
  return key;
}

bool has_speed(const Series& series) {
  return series.status == SeriesStatus::ok && series.quality_passed() && series.stats &&
         series.stats->median_ns > 0;
}

std::string title_of(const Lab& lab, const std::string& kernel) {
  const auto rung = find_rung(lab, kernel);
  return rung ? (*rung)->title : kernel;
}

/// Every candidate that the question names, none of them measured.
std::vector<Candidate> wanted(const Question& question, const Lab& lab, const Size& size) {
  std::vector<Candidate> made;
  if (question.over == Over::rungs) {
    for (const std::string& kernel : question.rungs)
      made.push_back({kernel, question.set, title_of(lab, kernel), nullptr});
  } else {
    for (const int64_t value : question.sizes) {
      Params params = question.set;
      params[size.name] = value;
      made.push_back(
          {question.rungs.front(), params, size.name + " = " + std::to_string(value), nullptr});
    }
  }
  return made;
}

/// The type in which a rung takes part: the question's, else its own first one as the catalogue says.
bool in_type(const Question& question, const Series& series, const Run& run) {
  const KernelInfo* info = run.kernel(series.kernel);
  const std::string own = info && !info->dtypes.empty() ? info->dtypes.front() : "";
  const std::string wanted = param_text(question.set, "dtype", own);
  return wanted.empty() || dtype_of(series) == wanted;
}

bool is_about(const Question& question, const Size& size, const Candidate& candidate,
              const Series& series, const Run& run) {
  if (series.kernel != candidate.kernel || !in_type(question, series, run)) return false;
  if (question.over == Over::rungs) return true;
  return size.of(series.params) == param_int(candidate.params, size.name);
}

/// Of all groups with a result, the one with most candidates, then the question's own problem, then the
/// latest.
std::optional<Key> best_key(const Question& question, const Size& size,
                            const std::vector<Candidate>& candidates, const Run& run) {
  std::map<Key, std::set<size_t>> groups;
  std::map<Key, size_t> latest;
  for (size_t i = 0; i < run.series().size(); ++i) {
    const Series& series = run.series()[i];
    if (!has_speed(series)) continue;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (!is_about(question, size, candidates[c], series, run)) continue;
      const Key key = key_of(question, size, series);
      groups[key].insert(c);
      latest[key] = i;
    }
  }
  std::optional<Key> best;
  for (const auto& [key, found] : groups) {
    const auto rank = [&](const Key& of) {
      return std::tuple(groups[of].size(), agrees(of.params, question.set), latest[of]);
    };
    if (!best || rank(key) > rank(*best)) best = key;
  }
  return best;
}

/// Why a candidate can have no speed in this group; empty where it may yet get one.
std::string why_none(const Question& question, const Size& size, const Candidate& candidate,
                     const Key* key, const Run& run) {
  const KernelInfo* info = run.kernel(candidate.kernel);
  if (info && !info->available) return info->reason;
  if (!key) return "";
  for (const Series& series : run.series()) {
    if (series.kernel != candidate.kernel) continue;
    if (!series.reduced_from.empty()) {
      const auto asked = parse_params({series.reduced_from});
      if (asked && agrees(key->params, *asked) && agrees(candidate.params, *asked))
        return "one call would take over 5 s at " + series.reduced_from;
    }
    const bool refused =
        series.status == SeriesStatus::failed || series.status == SeriesStatus::skipped;
    if (refused && is_about(question, size, candidate, series, run) &&
        key_of(question, size, series).params == key->params)
      return series.reason.empty() ? to_string(series.status) : series.reason;
  }
  return "";
}

/// "n = 512, 1 thread"; a GPU's rungs ignore the threads.
std::string problem_of(const Params& params, const std::string& size, bool on_cpu) {
  std::string text = size_text(params, size);
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (const std::string dtype = param_text(params, "dtype"); !dtype.empty()) add(dtype);
  if (const int64_t threads = param_int(params, "threads"); on_cpu && threads > 0)
    add(std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
  return text;
}

}  // namespace

bool Group::complete() const {
  return std::all_of(candidates.begin(), candidates.end(),
                     [](const Candidate& one) { return one.series != nullptr; });
}

Group group_of(const Question& question, const Lab& lab, const Run& run) {
  Group group;
  const Size size = size_of(question, lab, run);
  std::vector<Candidate> all = wanted(question, lab, size);
  const std::optional<Key> key = best_key(question, size, all, run);
  for (Candidate& candidate : all) {
    for (const Series& series : run.series()) {  // the latest stays
      if (key && has_speed(series) && is_about(question, size, candidate, series, run) &&
          !(key_of(question, size, series) < *key) && !(*key < key_of(question, size, series))) {
        candidate.series = &series;
        candidate.params = series.params;
      }
    }
    if (!candidate.series && key) {
      for (const auto& [name, value] : key->params) candidate.params[name] = value;
    }
    const std::string reason =
        candidate.series ? "" : why_none(question, size, candidate, key ? &*key : nullptr, run);
    if (!reason.empty())
      group.left_out[reason].push_back(candidate.label);
    else
      group.candidates.push_back(std::move(candidate));
  }
  if (key)
    group.problem =
        problem_of(key->params, size.name, backend_of(question.rungs.front()) == Backend::cpu);
  return group;
}

}  // namespace ridge::study
