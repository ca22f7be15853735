// What the panels look up in the state: specifications, sources, ceilings, the comparison to show.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "app/window/edit/editing.h"
#include "common/record/params.h"

namespace ridge::window {

namespace {

/// The catalogue's entries of the lab: of its family first, then of its rungs of other families.
std::vector<const KernelInfo*> of_lab(const State& state, const Run& run) {
  std::vector<const KernelInfo*> own, others;
  if (!state.view.lab) return own;
  const auto& rungs = state.view.lab->rungs;
  for (const KernelInfo& info : run.catalogue()) {
    if (info.family == state.view.lab->family) {
      own.push_back(&info);
    } else if (std::any_of(rungs.begin(), rungs.end(),
                           [&](const Rung& rung) { return rung.kernel == info.id; })) {
      others.push_back(&info);
    }
  }
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

}  // namespace

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
  if (const KernelInfo* selected = find_info(state, state.view.rung)) {
    if (const ParamSpec* spec = of(*selected)) return spec;
  }
  if (const ParamSpec* spec = in(state.run())) return spec;
  for (const Recording& recording : state.recordings) {
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
  for (const Recording& recording : state.recordings) add(*recording.run);
  if (name == "dtype") {  // from wide to narrow
    constexpr std::string_view kOrder = "own fp64 fp32 tf32 bf16 fp16 fp8 int8";
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const auto& a, const auto& b) { return kOrder.find(a) < kOrder.find(b); });
  }
  return choices;
}

const Comparison* shown_comparison(const State& state, std::string* where, const Run** run) {
  const ViewState& view = state.view;
  const auto find = [&](const Run& in) {
    const KernelInfo* info = in.kernel(view.rung);
    const Params wanted = view_params(state, info);
    return nearest_comparison(in, view.baseline, view.rung, wanted, view.cache);
  };
  if (where) where->clear();
  if (const SnappedComparison found = find(state.run()); found.exact) {
    if (run) *run = &state.run();
    return found.comparison;
  }
  const RungView* row = find_row(state, view.rung);
  if (row && row->can_run) return nullptr;
  for (const Recording& recording : state.recordings) {
    const SnappedComparison found = find(*recording.run);
    if (!found.comparison) continue;
    if (where) {
      *where = recording.machine;
      if (!found.exact) *where += " at " + found.shown_size;
    }
    if (run) *run = recording.run.get();
    return found.comparison;
  }
  return nullptr;
}

const SourceText* find_source(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state, kernel);
  if (row && row->origin == Origin::recorded) {
    if (const SourceText* source = row->run->source(kernel)) return source;
    // Recordings made together hold a text once between them: the same hash, the same text.
    for (const Recording& recording : state.recordings) {
      const SourceText* source = recording.run->source(kernel);
      if (source && row->series && source->hash == row->series->hash) return source;
    }
  }
  if (const SourceText* source = state.run().source(kernel)) return source;
  for (const Recording& recording : state.recordings) {
    if (const SourceText* source = recording.run->source(kernel)) return source;
  }
  return nullptr;
}

const AssemblyText* find_assembly(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state, kernel);
  if (row && row->origin == Origin::recorded) {
    if (const AssemblyText* text = row->run->assembly(kernel)) return text;
  }
  return state.run().assembly(kernel);
}

const std::vector<Ceiling>& shown_ceilings(const State& state, std::string* where) {
  where->clear();
  const RungView* row = find_row(state, state.view.rung);
  if (row && row->origin == Origin::recorded) {
    *where = row->machine;
    return row->run->ceilings();
  }
  if (state.is_replay() && state.run().environment()) *where = state.run().environment()->machine();
  return state.run().ceilings();
}

std::string params_summary(const Lab& lab, const Params& params) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "  ·  ") + part; };
  for (const ParamView& param : lab.params) {
    const std::string name = param.name;
    if (!params.count(name)) continue;
    const std::string value = to_string(params.at(name));
    if (value == kOwnType) continue;
    if (name == "threads")
      add(value + (value == "1" ? " thread" : " threads"));
    else if (name == "dtype")
      add(value);
    else
      add(name + " = " + value);
  }
  return text;
}

std::string device_label(const State& state) {
  if (!state.run().environment()) {
    switch (state.session->state()) {
      case app::WorkerState::starting:
        return "starting the worker";
      case app::WorkerState::lost:
        return "no worker";
      case app::WorkerState::replay:
        return "recordings";
      default:
        return "this machine";
    }
  }
  std::string machine = state.run().environment()->machine();
  if (state.is_replay()) machine += " · replay";
  return machine;
}

namespace {

const app::Exercise* exercise_of(const std::string& kernel) {
  static const auto all = app::all_exercises();
  if (!all) return nullptr;
  const auto found =
      std::find_if(all->begin(), all->end(), [&](const auto& one) { return one.kernel == kernel; });
  return found == all->end() ? nullptr : &*found;
}

}  // namespace

std::string original_rung_of(const State& state, const std::string& edit) {
  const std::string original(original_of(edit));
  const auto& rungs = state.view.lab->rungs;
  const auto is_here = [&](const std::string& kernel) {
    return std::any_of(rungs.begin(), rungs.end(),
                       [&](const Rung& rung) { return rung.kernel == kernel; });
  };
  if (is_here(original)) return original;
  for (const Comparison& comparison : state.run().comparisons()) {
    if (comparison.candidate == edit && is_here(comparison.baseline)) return comparison.baseline;
  }
  const app::Exercise* exercise = exercise_of(original);
  return exercise ? exercise->after : "";
}

namespace {

/// A row's texts at addresses that stay: rungs are few, and what they say depends on their names alone.
const Rung& kept_row(const std::string& kernel, const Rung& after) {
  struct Kept {
    std::string kernel, title, change;
    Rung rung;
  };
  static std::map<std::string, Kept> all;
  const auto [found, is_new] = all.try_emplace(kernel + " " + after.kernel);
  Kept& kept = found->second;
  if (is_new) {
    const std::string original(original_of(kernel));
    const app::Exercise* exercise = exercise_of(original);
    kept.kernel = kernel;
    kept.title = exercise ? "exercise: " + exercise->title : "edited: " + std::string(after.title);
    kept.change = "a learner's, " +
                  std::string(original == after.kernel ? "made from " : "after ") + after.title;
    kept.rung = {kept.kernel.c_str(), kept.title.c_str(), kept.change.c_str()};
    kept.rung.expert = after.expert;
  }
  return kept.rung;
}

}  // namespace

std::vector<const Rung*> kept_edits(const State& state, const Rung& rung) {
  std::vector<const Rung*> rows;
  std::set<std::string> seen;
  for (const Series& series : state.run().series()) {
    if (!is_edit(series.kernel) || !seen.insert(series.kernel).second) continue;
    if (state.editing && state.editing->id == series.kernel) continue;
    if (original_rung_of(state, series.kernel) != rung.kernel) continue;
    rows.push_back(&kept_row(series.kernel, rung));
  }
  return rows;
}

std::string replayed_edit_note(const State& state) {
  if (!state.is_replay() || !is_edit(state.view.rung) || edits_selected(state)) return "";
  return "A learner's edit, recorded elsewhere: read from the saved run; nothing of it is built or "
         "run here.";
}

}  // namespace ridge::window
