#include "labs/lab.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "common/core/nearest.h"
#include "common/record/derive.h"

namespace ridge {
namespace {

std::string_view last_part(std::string_view id) {
  return id.substr(id.rfind('.') + 1);
}

/// "gemm.cuda" of "gemm.cuda.naive".
std::string_view stem(std::string_view id) {
  return id.substr(0, id.rfind('.'));
}

/// What a name that no rung has was meant to be, by the ends of the ids: they are what people type. An end that
/// several rungs share is said as the whole id.
std::string rung_hint(const Lab& lab, std::string_view name) {
  std::vector<std::string> ends, shown;
  for (const Rung& rung : lab.rungs) {
    ends.emplace_back(last_part(rung.kernel));
    const bool is_unique = rungs_named(lab, ends.back()).size() == 1;
    shown.emplace_back(is_unique ? ends.back() : rung.kernel);
  }
  return name_hint(last_part(name), ends, "ridgepoint list --all", shown);
}

/// Groups in their order, in each its labs by their place.
auto order_in_course(const Lab* lab) {
  const std::string_view title = lab->group;
  const auto group = std::find(std::begin(kLabGroups), std::end(kLabGroups), title);
  return std::tuple(group - std::begin(kLabGroups), title, lab->place, std::string_view(lab->id));
}

}  // namespace

std::vector<const Lab*> all_labs() {
  static const auto kAll = [] {  // who looks a rung up asks for them, many times a frame
    std::vector<const Lab*> labs;
    for (const LabDesc* entry : registered_labs()) labs.push_back(&entry->lab());
    std::sort(labs.begin(), labs.end(),
              [](const Lab* a, const Lab* b) { return order_in_course(a) < order_in_course(b); });
    return labs;
  }();
  return kAll;
}

const Lab* short_climb_lab() {
  for (const Lab* lab : all_labs()) {
    if (!lab->short_climb.empty()) return lab;
  }
  return nullptr;
}

std::vector<LabGroup> labs_by_group() {
  std::vector<LabGroup> groups;
  for (const Lab* lab : all_labs()) {
    if (groups.empty() || groups.back().title != lab->group) groups.push_back({lab->group, {}});
    groups.back().labs.push_back(lab);
  }
  return groups;
}

const Lab* find_lab(std::string_view id) {
  for (const Lab* lab : all_labs()) {
    if (lab->id == id) return lab;
  }
  return nullptr;
}

std::string unit_in_words(const Lab& lab, const std::string& unit, std::string_view kernel) {
  if (unit != "items/s") return unit;
  const auto own = lab.items_of.find(family_of(kernel));
  return std::string(own == lab.items_of.end() ? lab.items : own->second) + "/s";
}

namespace {

const ParamView* find_param(const Lab& lab, std::string_view name) {
  const auto shown = std::find_if(lab.params.begin(), lab.params.end(),
                                  [&](const ParamView& param) { return param.name == name; });
  return shown == lab.params.end() ? nullptr : &*shown;
}

std::string name_in_words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

std::string param_title(const Lab& lab, std::string_view name) {
  const ParamView* shown = find_param(lab, name);
  return shown ? shown->label : name_in_words(name);
}

std::string param_in_words(const Lab& lab, std::string_view name, const ParamValue& value) {
  const std::string text = to_string(value);
  if (name == "threads") return text + (text == "1" ? " thread" : " threads");
  if (name == "dtype") return text;
  const ParamView* shown = find_param(lab, name);
  return (shown ? shown->control() : name_in_words(name)) + " = " + text;
}

std::string params_in_words(const Lab& lab, const Params& params, std::string_view between) {
  std::string text;
  const auto add = [&](const std::string& name, const ParamValue& value) {
    text += (text.empty() ? "" : std::string(between)) + param_in_words(lab, name, value);
  };
  for (const ParamView& shown : lab.params) {
    if (const auto found = params.find(shown.name); found != params.end())
      add(found->first, found->second);
  }
  for (const auto& [name, value] : params) {
    if (!find_param(lab, name)) add(name, value);
  }
  return text;
}

std::string params_in_words(std::string_view lab_or_rung, const Params& params) {
  const Lab* lab = find_lab(lab_or_rung);
  for (const Lab* one : all_labs()) {
    if (lab) break;
    const auto is_asked = [&](const Rung& rung) { return lab_or_rung == rung.kernel; };
    if (std::any_of(one->rungs.begin(), one->rungs.end(), is_asked)) lab = one;
  }
  return lab ? params_in_words(*lab, params) : to_string(params);
}

std::map<std::string, std::string> param_titles(const Lab& lab) {
  std::map<std::string, std::string> titles;
  for (const ParamView& param : lab.params) titles[param.name] = param.label;
  return titles;
}

std::vector<Network> networks_of(const Lab& lab) {
  if (lab.score_card) return lab.score_card->networks;
  std::vector<Network> networks;
  for (const Rung& rung : lab.rungs) {
    if (lab.networks_of && family_of(rung.kernel) == lab.networks_of)
      networks.push_back({.title = rung.title, .kernels = {rung.kernel}, .from_raw = Params{}});
  }
  return networks;
}

const Rung* rung_of(std::string_view kernel) {
  for (const Lab* lab : all_labs()) {
    for (const Rung& rung : lab->rungs) {
      if (rung.kernel == kernel) return &rung;
    }
  }
  return nullptr;
}

std::string why_no_step(std::string_view kernel, const Params& params) {
  const Rung* rung = rung_of(kernel);
  const char* why = rung && rung->no_step ? rung->no_step(params) : nullptr;
  return why ? why : "";
}

std::vector<const Rung*> rungs_named(const Lab& lab, std::string_view name) {
  std::vector<const Rung*> matches;
  for (const Rung& rung : lab.rungs) {
    if (rung.kernel == name) return {&rung};
    const std::string_view kernel = rung.kernel;
    const bool is_end = kernel.size() > name.size() && kernel.ends_with(name) &&
                        kernel[kernel.size() - name.size() - 1] == '.';
    if (is_end) matches.push_back(&rung);
  }
  return matches;
}

Result<const Rung*> find_rung(const Lab& lab, std::string_view name) {
  const std::vector<const Rung*> matches = rungs_named(lab, name);
  if (matches.size() == 1) return matches.front();
  const std::string where = "lab " + std::string(lab.id);
  if (matches.empty()) {
    return Error{ErrorCode::usage, "there is no rung '" + std::string(name) + "'", where,
                 rung_hint(lab, name)};
  }
  std::string meant;
  for (const Rung* rung : matches)
    meant += (meant.empty() ? "" : " or ") + std::string(rung->kernel);
  return Error{ErrorCode::usage, "'" + std::string(name) + "' names several rungs", where,
               "say " + meant};
}

const Section* section_at(const Lab& lab, const Rung& rung) {
  for (const Section& section : lab.sections) {
    if (std::string_view(section.first) == rung.kernel) return &section;
  }
  return nullptr;
}

const Rung& first_rung(const Lab& lab) {
  const auto found = std::find_if(lab.rungs.begin(), lab.rungs.end(),
                                  [](const Rung& rung) { return !rung.wrong; });
  return found == lab.rungs.end() ? lab.rungs.front() : *found;
}

const Rung* previous_rung(const Lab& lab, const Rung& rung) {
  const Rung* previous = nullptr;
  if (!lab.is_ladder) return nullptr;
  for (const Rung& candidate : lab.rungs) {
    if (section_at(lab, candidate)) previous = nullptr;
    if (std::string_view(candidate.kernel) == rung.kernel) return previous;
    if (!candidate.peer && !candidate.branch && stem(candidate.kernel) == stem(rung.kernel))
      previous = &candidate;
  }
  return nullptr;
}

Levers levers_of(const Lab& lab) {
  Levers levers;
  for (size_t i = 0; i < lab.rungs.size(); ++i) {
    const Rung& rung = lab.rungs[i];
    if (rung.peer) continue;
    const auto own_stem = stem(rung.kernel);
    for (const Lever& lever : lab.levers) {
      if (stem(lever.kernel) != own_stem) continue;
      const auto later = std::find_if(
          lab.rungs.begin() + static_cast<std::ptrdiff_t>(i) + 1, lab.rungs.end(),
          [&](const Rung& other) { return std::string_view(other.kernel) == lever.kernel; });
      if (later == lab.rungs.end()) continue;
      levers.emplace(std::pair(std::string(rung.kernel), lever.bottleneck), lever.kernel);
    }
  }
  return levers;
}

}  // namespace ridge
