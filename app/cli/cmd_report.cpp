// ridgepoint report: a report from one saved run, or from a baseline's and a candidate's.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include "app/cli/cli.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "common/record/json.h"
#include "common/record/params.h"
#include "common/view/report/format.h"

namespace ridge::app {
namespace {

struct ReportFileOptions {
  std::vector<std::string> runs;  ///< one or two files
  std::string baseline, candidate, lab, out;
  std::vector<std::string> set;    ///< "n=4096": of a run with many sizes, this one
  std::vector<std::string> notes;  ///< "question=...": what a person says of it
  bool text = false;               ///< the table that 'run' printed, in place of a report
  bool markdown = false;           ///< the report whole, on stdout
};

std::set<std::string> labs_of(const std::vector<Run>& runs) {
  std::set<std::string> labs;
  for (const Run& run : runs) {
    for (const Series& series : run.series()) labs.insert(series.lab);
  }
  return labs;
}

/// What page 1 says, in few lines, and where all of it is.
std::string summary_text(const report::Report& report, const std::vector<std::string>& runs) {
  constexpr size_t kMostLines = 22;
  std::istringstream said(folded(report::plain_summary(report)));
  std::string text;
  size_t lines = 0;
  for (std::string line; lines < kMostLines && std::getline(said, line); ++lines)
    text += line + "\n";
  return text + fmt::format(
                    "the whole report:\nridgepoint report {0} --out report.html\n"
                    "the table of every result:\nridgepoint report {0} --text\n",
                    fmt::join(runs, " "));
}

/// Of two runs each under its name.
std::string tables_text(const std::vector<report::Input>& inputs) {
  std::string text;
  for (const report::Input& input : inputs)
    text += (inputs.size() > 1 ? input.name + "\n" : "") + saved_text(*input.run);
  return text;
}

int cmd_report(const CommonOptions& common, const ReportFileOptions& options) {
  std::vector<Run> runs;
  runs.reserve(options.runs.size());
  std::vector<report::Input> inputs;
  for (const std::string& path : options.runs) {
    auto run = load_saved(path);
    if (!run) return fail(common, run.error());
    runs.push_back(*std::move(run));
    inputs.push_back({&runs.back(), path});
  }
  if (options.text && !common.json) {
    print(tables_text(inputs));
    return 0;
  }
  const Lab* lab = find_lab(options.lab);
  if (!options.lab.empty() && !labs_of(runs).contains(options.lab)) {
    return fail(common, {ErrorCode::usage, "there is no result of lab '" + options.lab + "' in it",
                         options.runs.front(),
                         fmt::format("choose from: {}", fmt::join(labs_of(runs), ", "))});
  }
  report::Options wanted = lab ? report_options(*lab, runs.back()) : report_options(runs.back());
  wanted.baseline = options.baseline;
  wanted.candidate = options.candidate;
  auto only = parse_params(options.set);
  if (!only) return fail(common, only.error());
  wanted.only = *std::move(only);
  for (const std::string& text : options.notes) {
    const auto note = parse_note(text);
    if (!note) return fail(common, note.error());
    if (!wanted.notes.insert(*note).second)
      return fail(common,
                  {ErrorCode::usage, note->first + " stands twice", "--note", "give it once"});
  }
  const auto report = report::build_report(inputs, wanted);
  if (!report) return fail(common, report.error());
  if (!options.out.empty()) {
    const auto written = write_beside_older(
        common, options.out, [&] { return report::write_report(*report, options.out); });
    if (!written) {
      return fail(common, written.error());
    }
  }
  if (common.json) {
    write_out(report::print_as(*report, ".json"));  // UTF-8 whatever the terminal
  } else if (!options.out.empty()) {
    print(report->sentence + "\n");
    complain("wrote " + options.out);
  } else if (options.markdown) {
    print_as_is(report::print_as(*report, ".md"));
  } else {
    print(summary_text(*report, options.runs));
  }
  return 0;
}

Command setup_report(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ReportFileOptions>();
  command.add_option("RUN", options->runs, "RUN.jsonl, or the baseline's and the candidate's; JSON of Google Benchmark or nvbench too")
      ->required()
      ->expected(1, 2);
  command.add_option("--lab", options->lab, "of a run with several labs: default the last one");
  command.add_option("--baseline", options->baseline, "rung");
  command.add_option("--candidate", options->candidate, "rung");
  one_at_a_time(command.add_option("--set", options->set,
                                   "only results with this parameter: n=4096 (repeat)"));
  one_at_a_time(command.add_option("--note", options->notes,
                                   "your words on page 1: question=TEXT, hypothesis, decision, "
                                   "surprise, name, course (repeat)"));
  const auto out = command.add_option(
      "--out", options->out, "FILE" + report::format_endings() + "; default: a summary here");
  const auto text =
      command.add_flag("--text", options->text,
                       "every result and comparison in the table that 'run' and 'compare' print");
  text->excludes(out);
  command.add_flag("--markdown", options->markdown, "all of it here, as Markdown")
      ->excludes(out)
      ->excludes(text);
  return [options, &common] { return cmd_report(common, *options); };
}

RIDGE_COMMAND(
    report, .about = "write a report of saved runs", .group = CommandGroup::report,
    .use =
        "Writes what a saved run says: a summary here, or a page, a chart or data by the ending "
        "of the file.",
    .examples = {{"report run.jsonl", "a summary; all of it with --markdown"},
                 {"report run.jsonl --out report.html", "a page for a browser"},
                 {"report before.jsonl after.jsonl --baseline loop_order --candidate loop_order",
                  "a rung in two runs"}},
    .place = 120, .level = Level::kLearn, .schema = "document", .setup = setup_report);

}  // namespace
}  // namespace ridge::app
