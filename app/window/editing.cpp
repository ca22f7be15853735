#include "app/window/editing.h"

#include <fmt/format.h>

#include <chrono>

#include "app/window/actions.h"
#include "common/core/format.h"
#include "common/core/write_file.h"

namespace ridge::window {
namespace {

constexpr double kLookEvery_s = 0.1;

double since_s(int64_t real_ns) {
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return 1e-9 * static_cast<double>(now.count() - real_ns);
}

/// The rung that the action is about: the selected one, or what it was made from.
const RungView* original_row(const State& state) {
  return find_row(state, std::string(original_of(state.view.rung)));
}

void ask_to_build(Editing* editing) {
  editing->wants_build = true;
  editing->saved_ns = editing->watch.saved_ns();
}

/// Somebody saved it, here or in an editor of their own.
bool look_at_file(State& state, Editing* editing) {
  if (!editing->watch.changed()) return false;
  const auto text = app::read_learner_file(editing->watch.path());
  if (!text) {
    state.notice = {text.error().sentence(), true};
    return true;
  }
  if (*text == editing->on_disk) return false;
  if (editing->is_unsaved()) {
    state.notice = {"The file was changed elsewhere too; what stands here is not saved.", true};
  } else {
    editing->text = *text;
    ++editing->texts;
  }
  editing->on_disk = *text;
  ask_to_build(editing);
  return true;
}

bool build_now(State& state, Editing* editing) {
  const auto id = state.session->build(editing->kernel, editing->on_disk);
  editing->wants_build = editing->cancels = false;
  editing->run_request = 0;
  state.assembly_asked.erase(editing->id);
  editing->first_s.reset();
  if (!id) {
    state.notice = {id.error().sentence(), true};
    return true;
  }
  editing->build_request = *id;
  editing->built = editing->on_disk;
  editing->wants_run = true;
  return true;
}

bool run_now(State& state, Editing* editing) {
  const EditBuild* build = state.run().build(editing->build_request);
  if (!build) return false;
  editing->wants_run = false;
  const KernelInfo* info = state.run().kernel(editing->id);
  if (!build->built || !info || !info->available) return true;
  WorkRequest request = request_for(state, "run");
  request.mode = "live";
  request.counters = false;
  request.kernels = {{editing->id, params_for(state, *info)}};
  send(state, std::move(request), &state.run_request);
  editing->run_request = state.run_request;
  return true;
}

/// Its series in the run under way or just ended; null before it has begun.
const Series* own_series(const State& state) {
  const auto& all = state.run().series();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->request == state.editing->run_request && it->kernel == state.editing->id) return &*it;
  }
  return nullptr;
}

}  // namespace

Editing::Editing(const Rung& original, const std::string& file)
    : kernel(original.kernel),
      id(kernel + std::string(kEditSuffix)),
      title("yours: " + std::string(original.title)),
      change("your copy of " + std::string(original.title)),
      rung{id.c_str(), title.c_str(), change.c_str()},
      watch(file) {
  rung.expert = original.expert;
}

bool edits_selected(const State& state) {
  return state.editing && state.view.rung == state.editing->id;
}

std::string why_no_edit(const State& state) {
  if (!state.view.lab) return "This build has no labs.";
  if (state.is_replay()) return "This is a saved run; start ridgepoint without --replay to edit.";
  const RungView* row = original_row(state);
  if (!row || !row->info || !state.run().source(row->rung->kernel)) {
    return "The worker has not sent this rung's source.";
  }
  if (!row->info->library.empty()) return "Its work is done by " + row->info->library + ".";
  if (row->info->kind != "kernel") {
    return "It is a " + row->info->kind + "; only kernels are edited.";
  }
  return row->can_run ? "" : "It cannot run on this machine, so that an edit could not be checked.";
}

std::string why_no_save(const State& state) {
  return state.editing ? "" : "Nothing is being edited: press Edit in the source tab first.";
}

void start_editing(State& state) {
  const RungView* row = original_row(state);
  const std::string kernel = row->rung->kernel;
  if (!state.editing || state.editing->kernel != kernel) {
    const SourceText* source = state.run().source(kernel);
    const std::string file = app::learner_file(
        state.edits_folder.empty() ? app::learner_folder("edits") : state.edits_folder, kernel,
        source->path.ends_with(".cu"));
    const auto made = app::make_copy(file, source->text);
    const auto text = made ? app::read_learner_file(file) : Result<std::string>(made.error());
    if (!text) {
      state.notice = {text.error().sentence(), true};
      return;
    }
    state.editing = std::make_shared<Editing>(*row->rung, file);
    state.editing->text = state.editing->on_disk = *text;
    ask_to_build(state.editing.get());
  }
  if (state.view.baseline.empty()) state.view.baseline = kernel;
  state.view.tab = Tab::source;
  state.view.assembly = false;
  rebuild_ladder(state);
  select_rung(state, state.editing->id);
}

void save_edit(State& state) {
  Editing& editing = *state.editing;
  if (const auto written = write_whole(editing.watch.path(), editing.text); !written) {
    state.notice = {written.error().sentence(), true};
    return;
  }
  editing.on_disk = editing.text;
  editing.watch.changed();
  ask_to_build(&editing);
  state.dirty = true;
}

void revert_edit(State& state) {
  Editing& editing = *state.editing;
  const SourceText* source = state.run().source(editing.kernel);
  if (!source || editing.text == source->text) return;
  const std::string kept = editing.watch.path() + ".before";
  if (const auto written = write_whole(kept, editing.text); !written) {
    state.notice = {written.error().sentence(), true};
    return;
  }
  editing.text = source->text;
  ++editing.texts;
  save_edit(state);
  state.notice = {"The original's text is back; what was here is in " + kept + ".", false};
}

bool tick_editing(State& state, double now_s) {
  if (!state.editing || state.is_replay()) return false;
  Editing* editing = state.editing.get();
  bool moved = false;
  if (now_s - editing->look_s >= kLookEvery_s) {
    editing->look_s = now_s;
    moved = look_at_file(state, editing);
  }
  const bool is_free = !state.run_request && !state.compare_request;
  // The figures of the text before are of no use any more.
  const bool own_run = state.run_request && state.run_request == editing->run_request;
  if (editing->wants_build && own_run && !editing->cancels) {
    editing->cancels = true;
    state.session->cancel(state.run_request);
  }
  if (editing->wants_build && is_free) moved |= build_now(state, editing);
  if (editing->wants_run && is_free) moved |= run_now(state, editing);
  if (editing->run_request && !editing->first_s) {
    const Series* series = own_series(state);
    if (series && series->quality_passed() && !series->samples.empty()) {
      editing->first_s = since_s(editing->saved_ns);
      moved = true;
    }
  }
  return moved;
}

const EditBuild* last_build(const State& state) {
  return state.editing ? state.run().build(state.editing->build_request) : nullptr;
}

std::string editing_status(const State& state, bool* is_error) {
  const Editing& editing = *state.editing;
  const EditBuild* build = last_build(state);
  *is_error = false;
  if (editing.wants_build) return "Saved; it is built when the measurement under way has ended.";
  if (!build) return editing.build_request ? "Compiling." : "Not saved yet.";
  *is_error = !build->built;
  if (!build->built) return build->reason;
  std::string text =
      fmt::format("compiled {:.2f} s, loaded {:.2f} s", build->compile_s, build->load_s);
  if (editing.first_s)
    text += fmt::format(", first verified number {:.2f} s after the save", *editing.first_s);
  const Series* series = editing.run_request ? own_series(state) : nullptr;
  if (!series) return text;
  if (series->status == SeriesStatus::failed || series->status == SeriesStatus::skipped) {
    *is_error = true;
    return series->reason;
  }
  if (series->stats) text += "; " + format_time_ns(series->stats->median_ns) + " a call";
  return text;
}

}  // namespace ridge::window
