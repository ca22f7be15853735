#include "app/window/export.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "common/report/report.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

std::string utc_stamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &utc);
  return text;
}

/// Two exports within one second get folders of their own.
fs::path free_folder(const fs::path& root, const std::string& name) {
  fs::path folder = root / name;
  std::error_code error;
  for (int i = 2; fs::exists(folder, error) && i < 100; ++i) {
    folder = root / (name + "-" + std::to_string(i));
  }
  return folder;
}

}  // namespace

std::string default_export_root() {
  if (const char* documents = std::getenv("XDG_DOCUMENTS_DIR"); documents && *documents) {
    return (fs::path(documents) / "ridgepoint-reports").string();
  }
  const char* home = std::getenv("HOME");
  return (fs::path(home && *home ? home : ".") / "ridgepoint-reports").string();
}

Result<std::string> write_export(const State& state, const std::string& root) {
  report::Options options;
  options.lab_title = state.view.lab->title;
  options.quality_limit = state.view.lab->quality_limit;
  for (const Rung& rung : state.view.lab->rungs) options.titles[rung.kernel] = rung.title;
  const Run* owner = nullptr;
  const Comparison* shown = shown_comparison(state, nullptr, &owner);
  if (shown && owner == &state.run()) {
    options.baseline = shown->baseline;
    options.candidate = shown->candidate;
  }
  const report::Input input = {&state.run(), "run.jsonl"};
  RIDGE_TRY(const report::Report report, report::build_report({&input, 1}, options));

  const fs::path folder = free_folder(root, std::string(state.view.lab->id) + "-" + utc_stamp());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{ErrorCode::cannot_write, "the folder could not be made (" + error.message() + ")",
                 folder.string(), "make it writable, or set XDG_DOCUMENTS_DIR to one that is"};
  }
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
