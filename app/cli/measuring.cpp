#include "app/cli/measuring.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/query/reporting.h"
#include "app/query/terminal.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

Result<void> carry_out(const CommonOptions& common, const MeasureOptions& options,
                       const std::string& type, const Choose& choose,
                       const std::function<void(const WorkRequest&)>& before, Measured* measured) {
  RIDGE_TRY(measured->lab, require_lab(options.lab));
  RIDGE_TRY(const Params given, parse_params(options.set));
  RIDGE_TRY(measured->driver, Driver::start(common, options.out));
  Driver& driver = *measured->driver;
  RIDGE_TRY_VOID(driver.fetch_catalogue());
  for (const std::string& text : options.edits) {
    RIDGE_TRY(const EditBuild build, build_file(&driver, edit_argument(text), given));
    measured->edited.push_back(build.kernel);
  }
  RIDGE_TRY(measured->selection, choose(*measured->lab, driver.run(), given, measured->edited));

  WorkRequest request;
  request.type = type;
  request.lab = measured->lab->id;
  request.kernels = measured->selection.kernels;
  request.table = options.table;
  request.mode = options.mode;
  request.cache = options.cache;
  request.margin = options.margin;
  request.limit_s = options.limit_s;
  request.device = options.device;
  request.counters = options.counters;
  if (before) before(request);
  RIDGE_TRY_VOID(driver.fetch_sources(request.kernels));
  return driver.carry_out(std::move(request), &measured->request);
}

std::string first_reason(const Measured& measured) {
  for (const Series& series : measured.driver->run().series()) {
    if (series.request == measured.request) return series.kernel + ": " + series.reason;
  }
  return "the worker sent no result";
}

}  // namespace

Measured measure(const CommonOptions& common, const MeasureOptions& options,
                 const std::string& type, const Choose& choose,
                 const std::function<void(const WorkRequest&)>& before) {
  Measured measured;
  if (auto done = carry_out(common, options, type, choose, before, &measured); !done) {
    measured.error = done.error();
  }
  // Nothing was asked of the worker: an empty file would only replace an older run.
  if (!measured.driver || measured.request == 0) return measured;
  const auto saved = measured.driver->close_file();
  if (saved) {
    measured.saved = *saved;
  } else if (!measured.error) {
    measured.error = saved.error();
  } else {
    complain("ridgepoint: " + saved.error().sentence());
  }
  return measured;
}

int finish_command(const CommonOptions& common, const MeasureOptions& options,
                   const Measured& measured, int code) {
  if (measured.saved && !common.json) complain("saved " + options.out);
  if (code == static_cast<int>(ErrorCode::unavailable) && !measured.error) {
    complain("ridgepoint: nothing was measured: " + first_reason(measured));
  }
  if (!measured.error) return code;
  complain("ridgepoint: " + measured.error->sentence());
  return measured.error->exit_code();
}

Result<EditBuild> build_file(Driver* driver, const EditArgument& edit, const Params& given) {
  RIDGE_TRY(const std::string text, read_learner_file(edit.file));
  RIDGE_TRY(const EditBuild build, driver->build(edit.kernel, param_text(given, "dtype"), text));
  const std::string messages = messages_text(build, edit.file);
  if (!messages.empty()) complain(messages);
  if (!build.built) return Error{ErrorCode::invalid, build.reason, edit.file, ""};
  return build;
}

Json json_of(const Measured& measured) {
  DocumentOptions options;
  options.request = measured.request;
  options.titles = titles_of(*measured.lab);
  options.levers = levers_of(*measured.lab);
  for (const NotRun& rung : measured.selection.not_run) {
    Series& series = options.left_out.emplace_back();
    series.lab = measured.lab->id;
    series.kernel = rung.kernel;
    series.status = SeriesStatus::skipped;
    series.reason = rung.reason;
  }
  Json made = document(measured.driver->run(), options);
  for (Json& result : made["results"]) {
    const auto rung = find_rung(*measured.lab, result.value("kernel", ""));
    if (rung && (*rung)->wrong && result.value("status", "") == "failed")
      result["reason"] = "refused by design: " + result.value("reason", "");
  }
  return made;
}

}  // namespace ridge::app
