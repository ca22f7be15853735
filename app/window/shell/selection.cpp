#include "app/window/shell/selection.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "app/window/shell/state.h"
#include "common/core/level.h"
#include "common/record/derive.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

/// Where a rung that was measured in this saved run begins: at the first look, where it was measured there.
const Series* first_measured(const State& state, const std::string& kernel, const Params& look) {
  const Series* first = nullptr;
  for (const Series* series : state.run().series_of_kernel(kernel)) {
    if (series->lab != state.selection.lab->id) continue;
    if (agrees(asked_params(*series), look)) return series;
    if (!first) first = series;
  }
  return first;
}

/// Of a rung without a result in this saved run: with what the others were measured first.
Params measured_elsewhere(const State& state) {
  Params measured;
  for (const Series& series : state.run().series()) {
    if (series.lab != state.selection.lab->id) continue;
    const Params asked = asked_params(series);
    measured.insert(asked.begin(), asked.end());
  }
  return measured;
}

Params starting_params(const State& state, const KernelInfo& info) {
  const Lab& lab = *state.selection.lab;
  Params look = info.backend == Backend::cuda ? lab.first_look_gpu : lab.first_look_cpu;
  if (!state.is_replay()) return look;
  const Series* first = first_measured(state, info.id, look);
  Params start = first ? asked_params(*first) : measured_elsewhere(state);
  if (!first) start.erase("dtype");  // another rung's
  start.insert(look.begin(), look.end());
  return start;
}

/// The catalogue's entries of the lab: of its family first, then of its rungs of other families.
std::vector<const KernelInfo*> of_lab(const State& state, const Run& run) {
  std::vector<const KernelInfo*> found;
  if (!state.selection.lab) return found;
  const std::string_view family = state.selection.lab->family;
  for (const KernelInfo& info : run.catalogue()) {
    if (info.family == family) found.push_back(&info);
  }
  for (const Rung& rung : state.selection.lab->rungs) {
    if (family_of(rung.kernel) == family) continue;
    if (const KernelInfo* info = run.kernel(rung.kernel)) found.push_back(info);
  }
  return found;
}

}  // namespace

Result<Params> params_of_words(const std::string& assignments) {
  std::istringstream words(assignments);
  const std::vector<std::string> each(std::istream_iterator<std::string>(words), {});
  return parse_params(each);
}

/// The parameters that a series was asked for: its own, or those that it was reduced from ("n=4096").
Params asked_params(const Series& series) {
  Params asked = series.params;
  if (series.reduced_from.empty()) return asked;
  if (const auto from = params_of_words(series.reduced_from)) {
    for (const auto& [name, value] : *from) asked[name] = value;
  }
  return asked;
}

Params params_beside(const State& state, const KernelInfo& info, const KernelInfo& other) {
  Params wanted = state.selection.params;
  Params start = starting_params(state, other);
  // What copies another parameter copies the one that was chosen: a saved run says m and k beside n.
  for (const ParamSpec& spec : info.params) {
    if (wanted.contains(spec.same_as)) start.erase(spec.name);
  }
  wanted.insert(start.begin(), start.end());
  Params params;
  for (const auto& [name, value] : wanted) {
    const bool taken =
        std::any_of(info.params.begin(), info.params.end(),
                    [&name = name](const ParamSpec& spec) { return spec.name == name; });
    const bool own = name == "dtype" && value == ParamValue(std::string(kOwnType));
    if (taken && !own) params[name] = value;
  }
  return params;
}

Params params_for(const State& state, const KernelInfo& info) {
  return params_beside(state, info, info);
}

Params shown_params(const State& state) {
  Params shown = state.selection.params;
  if (!state.selection.lab) return shown;
  const KernelInfo* selected = find_info(state.sessions, state.selection.rung);
  const Params asked = selected ? view_params(state, selected) : Params();
  for (const ParamView& param : state.selection.lab->params) {
    if (shown.count(param.name)) continue;
    const ParamSpec* spec = find_spec(state, param.name);
    if (param.name == std::string_view("dtype")) {
      shown["dtype"] = std::string(kOwnType);
    } else if (const auto found = asked.find(param.name); found != asked.end()) {
      shown[param.name] = found->second;
    } else if (spec) {
      shown[param.name] = spec->fallback;
    }
  }
  return shown;
}

Params view_params(const State& state, const KernelInfo* info) {
  if (!info) return shown_params(state);
  Params wanted = params_for(state, *info);
  if (auto full = resolve_params(info->params, wanted, info->family)) wanted = *std::move(full);
  return wanted;
}

bool selected_takes(const State& state, const std::string& name) {
  const KernelInfo* selected = find_info(state.sessions, state.selection.rung);
  if (!selected) return true;
  // A kernel of a GPU has its own threads: those of this parameter are the CPU's.
  if (name == "threads" && selected->kind == RungKind::kernel && selected->backend == Backend::cuda)
    return false;
  return std::any_of(selected->params.begin(), selected->params.end(),
                     [&](const ParamSpec& spec) { return spec.name == name; });
}

Params title_params(const State& state) {
  Params params = shown_params(state);
  for (const ParamView& param : state.selection.lab->params) {
    const bool is_here =
        is_shown(param.level, state.appearance.level) || param.name == std::string_view("threads");
    if (!is_here || !selected_takes(state, param.name)) params.erase(param.name);
  }
  return params;
}

const ParamSpec* find_spec(const State& state, const std::string& name) {
  const auto of = [&](const KernelInfo& info) -> const ParamSpec* {
    const auto found = std::find_if(info.params.begin(), info.params.end(),
                                    [&](const ParamSpec& spec) { return spec.name == name; });
    return found == info.params.end() ? nullptr : &*found;
  };
  const auto in = [&](const Run& run) -> const ParamSpec* {
    for (const KernelInfo* info : of_lab(state, run)) {
      if (const ParamSpec* spec = of(*info)) return spec;
    }
    return nullptr;
  };
  if (const KernelInfo* selected = find_info(state.sessions, state.selection.rung)) {
    if (const ParamSpec* spec = of(*selected)) return spec;
  }
  if (const ParamSpec* spec = in(state.run())) return spec;
  for (const Recording& recording : state.sessions.recordings) {
    if (const ParamSpec* spec = in(*recording.run)) return spec;
  }
  return nullptr;
}

std::vector<std::string> choices_of(const State& state, const std::string& name) {
  std::vector<std::string> choices;
  if (name == "dtype") choices.push_back(kOwnType);
  const auto add = [&](const Run& run) {
    for (const KernelInfo* info : of_lab(state, run)) {
      for (const ParamSpec& spec : info->params) {
        if (spec.name != name) continue;
        for (const std::string& choice : spec.choices) {
          if (std::find(choices.begin(), choices.end(), choice) == choices.end())
            choices.push_back(choice);
        }
      }
    }
  };
  add(state.run());
  for (const Recording& recording : state.sessions.recordings) add(*recording.run);
  if (name == "dtype") {  // from wide to narrow
    constexpr std::string_view kOrder = "own fp64 fp32 tf32 bf16 fp16 fp8 int8";
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const auto& a, const auto& b) { return kOrder.find(a) < kOrder.find(b); });
  }
  return choices;
}

std::string params_summary(const Lab& lab, const Params& params) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "  ·  ") + part; };
  for (const ParamView& param : lab.params) {
    const std::string name = param.name;
    if (!params.count(name)) continue;
    if (to_string(params.at(name)) == kOwnType) continue;
    add(param_in_words(lab, name, params.at(name)));
  }
  return text;
}

}  // namespace ridge::window
