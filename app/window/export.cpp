#include "app/window/export.h"

#include <filesystem>

#include "app/reporting.h"

namespace ridge::window {
namespace fs = std::filesystem;

Result<std::string> write_export(const State& state, const std::string& root) {
  report::Options options = app::report_options(*state.view.lab);
  const Run* owner = nullptr;
  const Comparison* shown = shown_comparison(state, nullptr, &owner);
  if (shown && owner == &state.run()) {
    options.baseline = shown->baseline;
    options.candidate = shown->candidate;
  }
  const report::Input input = {&state.run(), "run.jsonl"};
  RIDGE_TRY(const report::Report report, report::build_report({&input, 1}, options));

  RIDGE_TRY(const fs::path folder, app::make_report_folder(root, state.view.lab->id));
  for (const char* name : {"report.html", "report.md", "report.json", "report.csv"}) {
    RIDGE_TRY_VOID(report::write_report(report, (folder / name).string()));
  }
  RIDGE_TRY_VOID(state.session->save((folder / "run.jsonl").string()));
  return folder.string();
}

void export_report(State& state) {
  const auto folder = write_export(state, state.export_root);
  if (!folder) {
    state.notice = {"Export failed. " + folder.error().sentence(), true};
    return;
  }
  state.last_export = *folder;
  state.notice = {"Report (HTML, Markdown, JSON, CSV) and transcript written to " + *folder, false};
}

}  // namespace ridge::window
