// ridgepoint report: a report from one saved run, or from a baseline's and a candidate's.
#include "app/cli/cli.h"
#include "app/query/reporting.h"
#include "app/query/terminal.h"
#include "common/record/json.h"
#include "common/record/params.h"
#include "common/view/report/report.h"

namespace ridge::app {

int cmd_report(const CommonOptions& common, const ReportFileOptions& options) {
  std::vector<Run> runs;
  runs.reserve(options.runs.size());
  std::vector<report::Input> inputs;
  for (const std::string& path : options.runs) {
    auto run = Run::load(path);
    if (!run) return fail(common, run.error());
    runs.push_back(*std::move(run));
    inputs.push_back({&runs.back(), path});
  }
  report::Options wanted = report_options(runs.back());
  wanted.baseline = options.baseline;
  wanted.candidate = options.candidate;
  auto only = parse_params(options.set);
  if (!only) return fail(common, only.error());
  wanted.only = *std::move(only);
  const auto report = report::build_report(inputs, wanted);
  if (!report) return fail(common, report.error());
  if (!options.out.empty()) {
    if (auto written = report::write_report(*report, options.out); !written) {
      return fail(common, written.error());
    }
  }
  if (common.json) {
    write_out(report::to_json(*report));  // UTF-8 whatever the terminal
  } else {
    print(options.out.empty() ? report::to_markdown(*report) : report->sentence + "\n");
    if (!options.out.empty()) complain("wrote " + options.out);
  }
  return 0;
}

}  // namespace ridge::app
