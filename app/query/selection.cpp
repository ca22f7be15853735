#include "app/query/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>

#include "app/query/published.h"
#include "common/core/nearest.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/record/seed_delta.h"

namespace ridge::app {
namespace {

/// Why this rung cannot run; empty when it can.
std::string why_not(const Run& run, const std::string& kernel) {
  const KernelInfo* info = run.kernel(kernel);
  if (!info) return "this worker was built without it";
  if (info->available) return "";
  return info->reason.empty() ? "it is not available here" : info->reason;
}

/// The same for a rung asked for by name: with the rung that its ladder ends at.
std::string why_not(const Lab& lab, const Run& run, const Rung& rung) {
  const std::string reason = why_not_here(lab, run, rung);
  return reason.empty() ? why_not(run, rung.kernel) : reason;
}

std::string end_of(const std::string& kernel) {
  return kernel.substr(kernel.rfind('.') + 1);
}

/// What a name that no rung has was meant to be, of the rungs that can run here: near names, and what those of rungs that
/// cannot run here begin ("naive_o1" for "naive"). Empty: none is near.
std::string near_here(const Lab& lab, const Run& run, const std::string& name) {
  std::vector<std::string> ends;
  for (const Rung& rung : lab.rungs) ends.push_back(end_of(rung.kernel));
  std::vector<std::string> meant;
  for (const size_t near : nearest(end_of(name), ends)) {
    for (const Rung& rung : lab.rungs) {
      const std::string end = end_of(rung.kernel);
      const bool is_it = end == ends[near] || end.starts_with(ends[near] + "_");
      const bool is_known = std::find(meant.begin(), meant.end(), end) != meant.end();
      if (is_it && !is_known && why_not(run, rung.kernel).empty()) meant.push_back(end);
    }
  }
  constexpr size_t kMost = 3;
  meant.resize(std::min(meant.size(), kMost));
  std::string text;
  for (size_t i = 0; i < meant.size(); ++i)
    text += (i == 0 ? "" : i + 1 == meant.size() ? " or " : ", ") + meant[i];
  return text.empty() ? ""
                      : "did you mean " + text + "? 'ridgepoint list " + lab.id + "' shows all";
}

/// A rung by its id or the end of it; of several with that end the one that can run here.
Result<const Rung*> find_rung_here(const Lab& lab, const Run& run, const std::string& name) {
  std::vector<const Rung*> here = rungs_named(lab, name);
  std::erase_if(here, [&](const Rung* rung) { return !why_not(lab, run, *rung).empty(); });
  if (here.size() == 1) return here.front();
  auto found = find_rung(lab, name);
  if (found || !rungs_named(lab, name).empty()) return found;
  Error error = found.error();
  if (const std::string hint = near_here(lab, run, name); !hint.empty()) error.hint = hint;
  return error;
}

Error unavailable(const std::string& kernel, const std::string& reason) {
  Error error{ErrorCode::unavailable, reason, kernel, ""};
  if (backend_of(kernel) == Backend::cuda) {
    error.hint =
        "open the window (ridgepoint) for the recorded run of a GPU, or measure on a machine that "
        "has one with --worker \"ssh -T HOST ridgepoint-worker --stdio\"";
  } else {
    error.hint = "'ridgepoint list' says what can run here";
  }
  return error;
}

/// A rung that was asked for by the end of its name and cannot run here: "naive" also begins the names of others that can.
Error unavailable_named(const Lab& lab, const Run& run, const Rung& rung, const std::string& name,
                        const std::string& reason) {
  Error error = unavailable(rung.kernel, reason);
  std::string others;
  for (const Rung& other : lab.rungs) {
    const std::string end = end_of(other.kernel);
    if (!end.starts_with(name + "_") || !why_not(run, other.kernel).empty()) continue;
    others += (others.empty() ? "" : " or ") + end;
  }
  if (!others.empty()) error.hint = "did you mean " + others + "? " + error.hint;
  return error;
}

bool takes(const KernelInfo& info, const std::string& name) {
  return std::any_of(info.params.begin(), info.params.end(),
                     [&](const ParamSpec& spec) { return spec.name == name; });
}

/// Labs may mix families: a setting reaches the rungs that know it, but some rung has to.
Result<void> check_known(const std::vector<const KernelInfo*>& infos, const Params& given,
                         const std::string& lab) {
  for (const auto& [name, value] : given) {
    const std::string& wanted = name;
    if (std::any_of(infos.begin(), infos.end(),
                    [&](const KernelInfo* info) { return takes(*info, wanted); })) {
      continue;
    }
    std::vector<std::string> known;
    for (const KernelInfo* info : infos) {
      for (const ParamSpec& spec : info->params) {
        if (std::find(known.begin(), known.end(), spec.name) == known.end()) {
          known.push_back(spec.name);
        }
      }
    }
    return Error{ErrorCode::usage, fmt::format("it has no parameter '{}'", name), "lab " + lab,
                 name_hint(name, known, "ridgepoint list --json")};
  }
  return {};
}

Result<KernelRequest> resolve(const KernelInfo& info, const Params& given) {
  Params own;
  for (const auto& [name, value] : given) {
    if (takes(info, name)) own[name] = value;
  }
  RIDGE_TRY(Params params, resolve_params(info.params, own, info.family));
  return KernelRequest{info.id, std::move(params)};
}

/// Why the rung cannot do the data type asked for; empty when it can.
std::string dtype_problem(const KernelInfo& info, const Params& params) {
  const std::string dtype = param_text(params, "dtype");
  if (dtype.empty() || info.dtypes.empty()) return "";
  if (std::find(info.dtypes.begin(), info.dtypes.end(), dtype) != info.dtypes.end()) return "";
  return fmt::format("it has no {}, only {}", dtype, fmt::join(info.dtypes, ", "));
}

/// A data type that no rung of the lab has, here or elsewhere, is a slip of the pen.
Result<void> check_dtype(const std::vector<const KernelInfo*>& infos, const Params& given,
                         const std::string& lab) {
  const std::string dtype = param_text(given, "dtype");
  std::vector<std::string> known;
  for (const KernelInfo* info : infos) {
    for (const ParamSpec& spec : info->params) {
      if (spec.name != "dtype") continue;
      for (const std::string& choice : spec.choices) {
        if (std::find(known.begin(), known.end(), choice) == known.end()) known.push_back(choice);
      }
    }
  }
  if (dtype.empty() || std::find(known.begin(), known.end(), dtype) != known.end()) return {};
  return Error{ErrorCode::usage, fmt::format("no rung has the data type '{}'", dtype), "lab " + lab,
               name_hint(dtype, known, "ridgepoint list --json")};
}

/// `given_for` says with which parameters a rung is asked for.
Result<Selection> select_all(const Lab& lab, const Run& run,
                             const std::function<const Params&(const KernelInfo&)>& given_for) {
  Selection selection;
  for (const Rung& rung : lab.rungs) {
    std::string reason = why_not(run, rung.kernel);
    if (reason.empty()) {
      const KernelInfo& info = *run.kernel(rung.kernel);
      const Params& given = given_for(info);
      reason = dtype_problem(info, given);
      if (reason.empty()) {
        RIDGE_TRY(KernelRequest request, resolve(info, given));
        selection.kernels.push_back(std::move(request));
      }
    }
    if (!reason.empty()) selection.not_run.push_back({rung.kernel, reason});
  }
  if (!selection.kernels.empty()) return selection;
  const std::string reason =
      selection.not_run.empty() ? "it has no rungs" : selection.not_run.front().reason;
  return Error{ErrorCode::unavailable, "none of its rungs can run here: " + reason,
               std::string("lab ") + lab.id,
               "'ridgepoint list " + std::string(lab.id) + "' says why for each"};
}

constexpr size_t kMostCombinations = 64;

Error too_many(const std::string& name, const std::string& text, size_t most) {
  return {ErrorCode::usage, fmt::format("{}={} is no list of at most {} values", name, text, most),
          name, "write it as in seed=1..8 or kept=0,1,3"};
}

}  // namespace

Result<std::vector<ParamValue>> listed_values(const std::string& name, const std::string& text,
                                              size_t most) {
  std::vector<ParamValue> values;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    const std::string item = text.substr(start, comma - start);
    start = comma + 1;
    long long first = 0, last = 0;
    int end = 0;
    const bool is_range = std::sscanf(item.c_str(), "%lld..%lld%n", &first, &last, &end) == 2 &&
                          size_t(end) == item.size();
    const bool fits = last >= first && size_t(last) - size_t(first) < most;
    if (is_range && !fits) return too_many(name, text, most);
    for (long long at = first; is_range && at <= last; ++at)
      values.emplace_back(static_cast<int64_t>(at));
    if (is_range) continue;
    RIDGE_TRY(const Params one, parse_params({name + "=" + item}));
    values.push_back(one.at(name));
  }
  return values;
}

std::pair<const Lab*, std::string> lab_and_rung(const std::string& name) {
  for (const Lab* lab : all_labs()) {
    // Not find_rung(): in every lab but one it would look for what the name was meant to be.
    if (const auto found = rungs_named(*lab, name); found.size() == 1)
      return {lab, found.front()->kernel};
  }
  return {nullptr, name};
}

Error no_such_rung(const std::string& name, const Run& run) {
  std::vector<std::string> names, ids;  // as they may be typed, and as they are shown
  const auto add = [&](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) return;
    names.push_back(name.find('.') == name.npos ? id.substr(id.rfind('.') + 1) : id);
    ids.push_back(id);
  };
  for (const Lab* lab : all_labs())
    for (const Rung& rung : lab->rungs) add(rung.kernel);
  for (const KernelInfo& info : run.catalogue()) add(info.id);
  const std::string hint = find_lab(name)
                               ? "it is a lab: 'ridgepoint list " + name + "' names its rungs"
                               : name_hint(name, names, "ridgepoint list --all", ids);
  return {ErrorCode::usage, "there is no rung '" + name + "'", "", hint};
}

namespace {

std::vector<std::string> lab_ids() {
  std::vector<std::string> ids;
  for (const Lab* lab : all_labs()) ids.push_back(lab->id);
  return ids;
}

/// The one lab whose title has these words.
const Lab* lab_titled(const std::string& words) {
  const Lab* titled = nullptr;
  for (const Lab* lab : all_labs()) {
    if (!has_words(lab->title, words)) continue;
    if (titled) return nullptr;
    titled = lab;
  }
  return titled;
}

}  // namespace

std::string meant_lab(const std::string& typed) {
  const std::vector<std::string> ids = lab_ids();
  if (!nearest(typed, ids).empty()) return name_hint(typed, ids, "ridgepoint list");
  const Lab* lab = lab_titled(typed);
  if (!lab) return "";
  return fmt::format("did you mean {}, {}? 'ridgepoint list' shows all", lab->id, lab->title);
}

Result<const Lab*> require_lab(const std::string& id) {
  if (const Lab* lab = find_lab(id)) return lab;
  const std::string meant = meant_lab(id);
  return Error{ErrorCode::usage, fmt::format("there is no lab '{}'", id), "",
               meant.empty() ? name_hint(id, lab_ids(), "ridgepoint list") : meant};
}

Result<KernelRequest> select_side(const Lab& lab, const Run& run, const std::string& text,
                                  const Params& given) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  Params params = given, own;
  if (colon != std::string::npos) {
    std::vector<std::string> settings(1);
    for (char c : text.substr(colon + 1)) {
      if (c == ',') {
        settings.emplace_back();
      } else {
        settings.back() += c;
      }
    }
    RIDGE_TRY(own, parse_params(settings));
    for (const auto& [name, value] : own) params[name] = value;
  }
  if (is_edit(name)) return select_edit(run, name, params);
  RIDGE_TRY(const Rung* rung, find_rung_here(lab, run, name));
  const std::string reason = why_not(lab, run, *rung);
  if (!reason.empty()) return unavailable_named(lab, run, *rung, name, reason);
  const KernelInfo& info = *run.kernel(rung->kernel);
  // What is set for both sides reaches the one that knows it; what is written at a side is its own.
  std::vector<const KernelInfo*> infos;
  for (const Rung& other : lab.rungs) {
    if (const KernelInfo* known = run.kernel(other.kernel)) infos.push_back(known);
  }
  RIDGE_TRY_VOID(check_known(infos, given, lab.id));
  RIDGE_TRY_VOID(check_known({&info}, own, lab.id));
  const std::string problem = dtype_problem(info, params);
  if (!problem.empty()) {
    return Error{ErrorCode::usage, problem, rung->kernel, "choose another dtype or another rung"};
  }
  return resolve(info, params);
}

namespace {

bool is_seeded_training(const Run& run, const KernelRequest& side) {
  const KernelInfo* info = run.kernel(side.kernel);
  return info && info->kind == RungKind::training && takes(*info, "seed");
}

bool are_trainings(const Run& run, const std::vector<KernelRequest>& sides) {
  return std::all_of(sides.begin(), sides.end(),
                     [&](const KernelRequest& side) { return is_seeded_training(run, side); });
}

}  // namespace

std::vector<KernelRequest> with_seeds(const Run& run, const std::vector<KernelRequest>& sides) {
  if (!are_trainings(run, sides)) return sides;
  std::vector<KernelRequest> all;
  for (int64_t seed = 1; seed <= kSeedsToClaim; ++seed) {
    for (KernelRequest side : sides) {
      side.params["seed"] = seed;
      all.push_back(std::move(side));
    }
  }
  return all;
}

Result<std::vector<KernelRequest>> select_sides(const Lab& lab, const Run& run,
                                                const std::vector<std::string>& texts,
                                                const Params& given) {
  const auto select_all_with = [&](const Params& set) -> Result<std::vector<KernelRequest>> {
    std::vector<KernelRequest> sides;
    for (const std::string& text : texts) {
      RIDGE_TRY(KernelRequest side, select_side(lab, run, text, set));
      sides.push_back(std::move(side));
    }
    return sides;
  };
  const auto seed = given.find("seed");
  RIDGE_TRY(std::vector<KernelRequest> sides, select_all_with(without_seed(given)));
  if (!are_trainings(run, sides)) {
    if (seed == given.end()) return sides;
    return select_all_with(given);
  }
  const bool names_seed = std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return text.find(":seed=") != std::string::npos || text.find(",seed=") != std::string::npos;
  });
  if (seed == given.end()) return names_seed ? sides : with_seeds(run, sides);
  RIDGE_TRY(const std::vector<Params> seeds, expand_ranges({*seed}));
  std::vector<KernelRequest> all;
  for (const Params& one : seeds) {
    Params set = given;
    set["seed"] = one.at("seed");
    RIDGE_TRY(sides, select_all_with(set));
    all.insert(all.end(), sides.begin(), sides.end());
  }
  return all;
}

Result<void> check_for_rungs(const Budget& budget, const Lab& lab,
                             const std::vector<KernelRequest>& sides, const Run& run) {
  const bool has_accuracy = std::string_view(lab.quality_metric) == kAccuracyMetric;
  for (const KernelRequest& side : sides) {
    const KernelInfo* info = run.kernel(side.kernel);
    const auto kind = info ? info->kind.value() : std::nullopt;
    if (kind) RIDGE_TRY_VOID(check_budget(budget, *kind, has_accuracy));
  }
  return {};
}

Result<KernelRequest> select_edit(const Run& run, const std::string& kernel, const Params& given) {
  const KernelInfo* info = run.kernel(kernel);
  if (info == nullptr) return unavailable(kernel, "the worker does not know it");
  if (!info->available) return unavailable(kernel, info->reason);
  RIDGE_TRY_VOID(check_known({info}, given, kernel.substr(0, kernel.find('.'))));
  const std::string problem = dtype_problem(*info, given);
  if (!problem.empty()) return Error{ErrorCode::usage, problem, kernel, "choose another dtype"};
  return resolve(*info, given);
}

Result<Selection> first_look(const Lab& lab, const Run& run) {
  return select_all(lab, run, [&](const KernelInfo& info) -> const Params& {
    return info.backend == Backend::cuda ? lab.first_look_gpu : lab.first_look_cpu;
  });
}

Result<Selection> select_table(const Lab& lab, const Table& table, const Run& run,
                               const Params& given) {
  Selection selection;
  for (const TableRow& row : table.rows) {
    const KernelInfo* info = run.kernel(row.kernel);
    const Params params = row_params(table, row, info, given);
    std::string reason = why_not(run, row.kernel);
    if (reason.empty()) reason = dtype_problem(*info, params);
    if (!reason.empty()) {
      selection.not_run.push_back({row.kernel, reason});
      continue;
    }
    RIDGE_TRY_VOID(check_known({info}, params, lab.id));
    RIDGE_TRY(KernelRequest request, resolve(*info, params));
    selection.kernels.push_back(std::move(request));
  }
  // Such tables go from slow to fast: the fast ones first, so that whoever stops early has most.
  std::reverse(selection.kernels.begin(), selection.kernels.end());
  if (!selection.kernels.empty()) return selection;
  return unavailable(table.rows.front().kernel,
                     "none of the table's rows can run here: " + selection.not_run.front().reason);
}

Result<std::vector<Params>> expand_ranges(const Params& given) {
  std::vector<Params> all = {given};
  for (const auto& [name, value] : given) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) continue;
    RIDGE_TRY(const std::vector<ParamValue> values, listed_values(name, *text, kMostCombinations));
    if (values.size() * all.size() > kMostCombinations)
      return too_many(name, *text, kMostCombinations);
    std::vector<Params> more;
    for (const ParamValue& one_value : values) {
      for (Params one : all) {
        one[name] = one_value;
        more.push_back(std::move(one));
      }
    }
    all = std::move(more);
  }
  return all;
}

Result<Selection> select_rungs(const Lab& lab, const Run& run,
                               const std::vector<std::string>& names, const Params& given) {
  if (names.empty()) {
    std::vector<const KernelInfo*> known;
    for (const Rung& rung : lab.rungs) {
      if (const KernelInfo* info = run.kernel(rung.kernel)) known.push_back(info);
    }
    RIDGE_TRY_VOID(check_known(known, given, lab.id));
    RIDGE_TRY_VOID(check_dtype(known, given, lab.id));
    return select_all(lab, run, [&](const KernelInfo&) -> const Params& { return given; });
  }
  Selection selection;
  std::vector<const KernelInfo*> infos;
  for (const std::string& name : names) {
    RIDGE_TRY(const Rung* rung, find_rung_here(lab, run, name));
    const std::string reason = why_not(lab, run, *rung);
    if (!reason.empty()) return unavailable_named(lab, run, *rung, name, reason);
    infos.push_back(run.kernel(rung->kernel));
  }
  RIDGE_TRY_VOID(check_known(infos, given, lab.id));
  for (const KernelInfo* info : infos) {
    const std::string problem = dtype_problem(*info, given);
    if (!problem.empty()) {
      return Error{ErrorCode::usage, problem, info->id, "choose another dtype or other rungs"};
    }
    RIDGE_TRY(KernelRequest request, resolve(*info, given));
    selection.kernels.push_back(std::move(request));
  }
  return selection;
}

namespace {

bool can_run(const Run& run, const Rung& rung) {
  const KernelInfo* info = run.kernel(rung.kernel);
  return info && info->available;
}

/// A GPU's requirement stands at the rung; a library that is not installed ends no ladder.
bool is_past_machine(const Run& run, const Rung& rung) {
  const KernelInfo* info = run.kernel(rung.kernel);
  return info && !info->available && !rung.peer && !info->needs.empty();
}

}  // namespace

const Rung* ladder_end(const Lab& lab, const Run& run, const Rung& rung) {
  if (!is_past_machine(run, rung)) return nullptr;
  const Rung* last = nullptr;
  bool past = false;
  for (const Rung& other : lab.rungs) {
    if (section_at(lab, other)) {
      if (past) break;
      last = nullptr;
    }
    past = past || &other == &rung;
    if (other.peer || !can_run(run, other)) continue;
    if (past) return nullptr;
    last = &other;
  }
  return last;
}

std::string why_not_here(const Lab& lab, const Run& run, const Rung& rung) {
  const KernelInfo* info = run.kernel(rung.kernel);
  if (!info || info->available) return {};
  const Rung* end = ladder_end(lab, run, rung);
  return info->reason + (end ? std::string(": your ladder ends at ") + end->title : "");
}

std::vector<std::string> ladder_ends(const Lab& lab, const Run& run) {
  std::vector<std::string> lines;
  const Rung* known = nullptr;
  std::string section;
  for (const Rung& rung : lab.rungs) {
    if (const Section* begins = section_at(lab, rung)) section = std::string(begins->title) + ": ";
    const Rung* end = ladder_end(lab, run, rung);
    if (!end || end == known) continue;
    known = end;
    lines.push_back(section + "your ladder ends at " + end->title + ". " + rung.title + " " +
                    run.kernel(rung.kernel)->reason);
  }
  return lines;
}

}  // namespace ridge::app
