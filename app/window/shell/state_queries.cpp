#include "app/window/shell/state_queries.h"

#include "app/window/shell/state.h"

namespace ridge::window {

const KernelInfo* find_info(const Sessions& sessions, const std::string& kernel) {
  if (const KernelInfo* info = sessions.run().kernel(kernel)) return info;
  for (const Recording& recording : sessions.recordings) {
    if (const KernelInfo* info = recording.run->kernel(kernel)) return info;
  }
  return nullptr;
}

bool is_stale(const Sessions& sessions, const Series& recorded) {
  const KernelInfo* built = sessions.is_replay() ? nullptr : sessions.run().kernel(recorded.kernel);
  return built && !built->hash.empty() && !recorded.hash.empty() && built->hash != recorded.hash;
}

const Comparison* shown_comparison(const State& state, std::string* where, const Run** run) {
  const Selection& selection = state.selection;
  const auto find = [&](const Run& in) {
    const KernelInfo* info = in.kernel(selection.rung);
    const Params wanted = view_params(state, info);
    return app::nearest_comparison(in, selection.baseline, selection.rung, wanted, selection.cache);
  };
  if (where) where->clear();
  if (const app::SnappedComparison found = find(state.run()); found.exact) {
    if (run) *run = &state.run();
    return found.comparison;
  }
  const RungView* row = find_row(state.ladder, selection.rung);
  if (row && row->can_run) return nullptr;
  for (const Recording& recording : state.sessions.recordings) {
    const app::SnappedComparison found = find(*recording.run);
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
  const RungView* row = find_row(state.ladder, kernel);
  if (row && row->origin == Origin::recorded) {
    if (const SourceText* source = row->run->source(kernel)) return source;
    // Recordings made together hold a text once between them: the same hash, the same text.
    for (const Recording& recording : state.sessions.recordings) {
      const SourceText* source = recording.run->source(kernel);
      if (source && row->series && source->hash == row->series->hash) return source;
    }
  }
  if (const SourceText* source = state.run().source(kernel)) return source;
  for (const Recording& recording : state.sessions.recordings) {
    if (const SourceText* source = recording.run->source(kernel)) return source;
  }
  return nullptr;
}

const AssemblyText* find_assembly(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  if (row && row->origin == Origin::recorded) {
    if (const AssemblyText* text = row->run->assembly(kernel)) return text;
  }
  return state.run().assembly(kernel);
}

const std::vector<Ceiling>& shown_ceilings(const State& state, std::string* where) {
  where->clear();
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && row->origin == Origin::recorded) {
    *where = row->machine;
    return row->run->ceilings();
  }
  if (state.is_replay() && state.run().environment()) *where = state.run().environment()->machine();
  return state.run().ceilings();
}

std::string device_label(const Sessions& sessions) {
  if (!sessions.run().environment()) {
    switch (sessions.shown->state()) {
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
  std::string machine = sessions.run().environment()->machine();
  if (sessions.is_replay()) machine += " · replay";
  return machine;
}

}  // namespace ridge::window
