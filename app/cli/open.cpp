// ridgepoint without a command: the window where there is a display, else the first lab's ladder in
// the terminal, with a report left behind.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/open.h"

#include "app/cli/driver.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/view/report/format.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/window.h"
#endif

namespace ridge::app {
namespace {

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value && *value) return true;
  }
  return false;
}

Result<void> write_html(const Run& run, const std::string& name, const std::string& path) {
  const report::Input input{&run, name};
  RIDGE_TRY(const report::Report report, report::build_report({&input, 1}, report_options(run)));
  return report::write_report(report, path);
}

int climb_in_terminal(const CommonOptions& common) {
  if (all_labs().empty()) {
    return fail(common, {ErrorCode::unavailable, "this program was built without labs", "", ""});
  }
  const Lab& first = *all_labs().front();
  MeasureOptions options;
  options.lab = first.id;
  options.mode = RunMode::live;  // a first look; `run` measures
  const auto folder = make_report_folder(report_root(), options.lab);
  if (!folder) return fail(common, folder.error());
  options.out = *folder + "/run.jsonl";
  complain("no display: climbing the ladder of lab " + options.lab + " here");
  const Measured measured =
      measure(common, options, RequestType::run,
              [](const Lab& lab, const Run& run, const Params&, const std::vector<std::string>&) {
                return first_look(lab, run);
              });
  if (measured.request == 0) {
    std::error_code ignored;
    std::filesystem::remove(*folder, ignored);  // empty; else it stays
    return fail(common, *measured.error);
  }
  const Run& run = measured.driver->run();
  if (common.json) {
    print_json(json_of(measured));
  } else {
    print(results_text(run, measured.request, measured.selection.not_run));
  }
  const std::string page = *folder + "/report.html";
  const auto written = write_html(run, "run.jsonl", page);
  complain(written ? "report: " + page : "no report: " + written.error().sentence());
  return finish_command(common, options, measured,
                        run_exit_code(run, measured.request, *measured.lab));
}

int show_saved(const CommonOptions& common) {
  auto session = Session::replay(common.replay);
  if (!session) return fail(common, session.error());
  const Run& run = (*session)->run();
  if (common.json) {
    print_json(document(run));
  } else {
    print(results_text(run, 0, {}) + "\n" + comparisons_text(run, 0));
  }
  return 0;
}

}  // namespace

int open(const CommonOptions& common) {
#ifdef RIDGE_HAS_WINDOW
  if (has_display() && !common.json) {
    window::WindowOptions options;
    options.replay = common.replay;
    options.presenter = common.presenter;
    if (!common.worker.empty()) {
      auto command = split_command(common.worker);
      if (!command) return fail(common, command.error());
      options.worker_command = *std::move(command);
    }
    return window::open_window(options);
  }
#else
  (void)has_display;
#endif
  return common.replay.empty() ? climb_in_terminal(common) : show_saved(common);
}

}  // namespace ridge::app
