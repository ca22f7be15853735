#include "app/window/shell/export.h"

#include <filesystem>

#include "app/query/reporting.h"
#include "common/view/report/format.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

/// What is on screen: this session's run; where only recorded results are shown, the recording.
struct Shown {
  const Run* run = nullptr;
  const Comparison* comparison = nullptr;
  Params params;
};

Shown what_is_shown(const State& state) {
  Shown shown;
  shown.comparison = shown_comparison(state, nullptr, &shown.run);
  if (shown.comparison) {
    shown.params = shown.comparison->candidate_params;
    return shown;
  }
  const RungView* recorded = nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (row.series && row.origin == Origin::live) return {&state.run(), nullptr, {}};
    if (row.series && (!recorded || state.selection.rung == row.rung->kernel)) recorded = &row;
  }
  if (recorded) shown = {recorded->run, nullptr, recorded->series->params};
  return shown;
}

const Recording* recording_of(const State& state, const Run* run) {
  for (const Recording& recording : state.sessions.recordings) {
    if (recording.run.get() == run) return &recording;
  }
  return nullptr;
}

}  // namespace

Result<report::Report> shown_report(const State& state) {
  const Shown shown = what_is_shown(state);
  const Recording* recording = recording_of(state, shown.run);
  report::Options options =
      app::report_options(*state.selection.lab, recording ? *shown.run : state.run());
  if (shown.comparison) {
    options.baseline = shown.comparison->baseline;
    options.candidate = shown.comparison->candidate;
  }
  // A saved run may hold many sizes and types: the report is of what is on screen.
  if (recording || state.is_replay()) {
    options.only = shown.params;
    options.only.erase("threads");
  }
  const report::Input input = {recording ? shown.run : &state.run(), "run.jsonl"};
  return report::build_report({&input, 1}, options);
}

Result<std::string> write_export(const State& state, const std::string& root) {
  RIDGE_TRY(const report::Report report, shown_report(state));
  const Recording* recording = recording_of(state, what_is_shown(state).run);
  RIDGE_TRY(const fs::path folder, app::make_report_folder(root, state.selection.lab->id));
  for (const report::FormatDesc* format : report::all_formats()) {
    const std::string name = std::string("report") + format->ending;
    RIDGE_TRY_VOID(report::write_report(report, (folder / name).string()));
  }
  if (!recording) {
    RIDGE_TRY_VOID(state.sessions.shown->save((folder / "run.jsonl").string()));
    return folder.string();
  }
  std::error_code failed;
  fs::copy_file(recording->path, folder / "run.jsonl", failed);
  if (failed) {
    return Error{ErrorCode::cannot_write, "the recording could not be copied", folder.string(),
                 "make room, or write to another folder"};
  }
  return folder.string();
}

void export_report(State& state) {
  const auto folder = write_export(state, state.settings.export_root);
  if (!folder) {
    state.notice = {"Export failed. " + folder.error().sentence(), true};
    return;
  }
  state.history.last_export = *folder;
  std::string names;
  for (const report::FormatDesc* format : report::all_formats())
    names += (names.empty() ? "" : ", ") + std::string(format->name);
  state.notice = {"Report (" + names + ") and transcript written to " + *folder, false};
}

}  // namespace ridge::window
