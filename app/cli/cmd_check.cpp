// ridgepoint check BUDGET.json: comparisons held to what a team demands of them, for its CI.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/budget_file.h"
#include "app/query/check_answers.h"
#include "app/query/check_formats.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "common/core/files.h"
#include "common/view/report/decision.h"

namespace ridge::app {
namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::string> runs;  ///< saved ones to judge; none: measure
  std::string markdown, junit;    ///< files to write; empty: none
  std::string out;                ///< folder for runs and reports; empty: none is kept
};

/// What `compare` would be told.
MeasureOptions options_of(const BudgetCheck& check) {
  MeasureOptions options;
  options.lab = check.lab;
  options.baseline = check.baseline;
  options.candidates = {check.candidate};
  options.set = check.set;
  options.cache = check.cache;
  options.device = check.device;
  options.margin = check.margin;
  options.limit_s = check.limit_s;
  options.rounds = check.rounds;
  options.check = check.check;
  options.reference = check.reference;
  options.call_limit_s = check.call_limit_s;
  options.budget = {budget_text(check.budget)};
  return options;
}

/// "02-loop-order": of any name a file's.
std::string file_name(size_t index, const std::string& name) {
  constexpr size_t kLongest = 60;
  std::string text = fmt::format("{:02}", index + 1);
  bool is_gap = true;
  for (const char c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_plain) is_gap = true;
    if (!is_plain || text.size() >= kLongest) continue;
    text += (is_gap ? "-" : "") + std::string(1, c);
    is_gap = false;
  }
  return text;
}

class Checking {
 public:
  Checking(const CommonOptions& common, const CheckOptions& options,
           std::vector<BudgetCheck> checks)
      : common_(common), options_(options), checks_(std::move(checks)) {
    answers_.file = options.file;
    answers_.time_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    for (const BudgetCheck& check : checks_)
      answers_.checks.push_back(unmeasured(check, "it did not begin"));
  }

  /// Whatever is wrong with any check is said before the first is measured. Then each in its order; what a check came to
  /// is written before the next begins. Errors: nothing was measured.
  Result<void> measure() {
    RIDGE_TRY_VOID(may_be_measured());
    RIDGE_TRY_VOID(make_folder());
    RIDGE_TRY_VOID(write());
    for (size_t i = 0; i < checks_.size() && interrupts() == 0; ++i) {
      measure_one(i);
      keep_error(write());
    }
    answers_.is_cancelled = interrupts() > 0;
    if (answers_.is_cancelled) keep_error(write());
    return {};
  }

  /// Each check by the latest comparison that is its own.
  Result<void> judge_saved() {
    std::vector<Run> runs;
    for (const std::string& path : options_.runs) {
      RIDGE_TRY(Run run, load_saved(path));
      runs.push_back(std::move(run));
    }
    for (size_t i = 0; i < checks_.size(); ++i) {
      const auto judged = judge_in(runs, checks_[i]);
      if (!judged) return at_place(judged.error(), place(i));
      answers_.checks[i] = *judged;
    }
    return write();
  }

  const CheckAnswers& answers() const { return answers_; }
  /// A file that could not be written in the end.
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string place(size_t i) const { return place_of(options_.file, i, checks_[i].name); }

  Result<void> may_be_measured() {
    std::unique_ptr<Driver> driver;
    for (size_t i = 0; i < checks_.size(); ++i) {
      const BudgetCheck& check = checks_[i];
      if (check.lab.empty()) {
        const auto request = command_request(options_of(check));
        if (!request) return at_place(request.error(), place(i));
        continue;
      }
      if (!driver) {
        RIDGE_TRY(driver, Driver::start(common_, ""));
        RIDGE_TRY_VOID(driver->fetch_catalogue());
      }
      const auto sides = sides_of(check, driver->run());
      if (!sides) return at_place(sides.error(), place(i));
    }
    return {};
  }

  Result<void> make_folder() const {
    std::error_code failed;
    if (!options_.out.empty()) std::filesystem::create_directories(options_.out, failed);
    if (!failed) return {};
    return Error{ErrorCode::cannot_write, "it cannot be made: " + failed.message(), options_.out,
                 "choose a folder that you may write to"};
  }

  void measure_one(size_t i) {
    const BudgetCheck& check = checks_[i];
    const std::string which = fmt::format("{} of {}: {}", i + 1, checks_.size(), check.name);
    complain(which);
    MeasureOptions options = options_of(check);
    const std::string name = file_name(i, check.name);
    if (!options_.out.empty()) options.out = options_.out + "/" + name + ".jsonl";
    const auto start = std::chrono::steady_clock::now();
    const Measured measured = measure_comparison(common_, options, {});
    CheckAnswer& answer = answers_.checks[i];
    answer = answer_of(check, measured);
    answer.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (measured.saved) {
      answer.saved = options.out;
      const std::string page = options_.out + "/" + name + ".html";
      keep_error(write_beside_older(common_, page, [&] {
        return write_run_report(measured.driver->run(), name + ".jsonl", page);
      }));
    }
    complain(fmt::format("{}: {}, {:.1f} s", which, state_text(answer.state), answer.seconds));
  }

  CheckAnswer answer_of(const BudgetCheck& check, const Measured& measured) {
    const Comparison* found = nullptr;
    if (measured.driver) {
      for (const Comparison& one : measured.driver->run().comparisons()) {
        if (one.request == measured.request) found = &one;
      }
    }
    if (found) {
      if (measured.error && measured.error->code != ErrorCode::cancelled)
        keep_error(*measured.error);
      return judged(check, measured.driver->run(), found);
    }
    if (measured.error && measured.error->code == ErrorCode::cancelled)
      return unmeasured(check, "it was cancelled before anything was measured");
    CheckAnswer answer = unmeasured(check, "it has no result");
    answer.error = measured.error.value_or(
        Error{ErrorCode::worker, "the worker sent no comparison", "", "update the worker"});
    answer.state = CheckState::error;
    return answer;
  }

  static Result<CheckAnswer> judge_in(const std::vector<Run>& runs, const BudgetCheck& check) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      RIDGE_TRY(const Comparison* found, find_comparison(check, *run));
      if (!found) continue;
      const Series* candidate = side_series(*run, *found, true);
      const auto kind = candidate ? candidate->kind.value() : std::nullopt;
      const Lab* lab = find_lab(check.lab);
      const bool has_accuracy = lab && std::string_view(lab->quality_metric) == kAccuracyMetric;
      if (kind) RIDGE_TRY_VOID(check_budget(check.budget, *kind, has_accuracy));
      return judged(check, *run, found);
    }
    return judged(check, runs.front(), nullptr);
  }

  Result<void> write() const {
    if (!options_.markdown.empty())
      RIDGE_TRY_VOID(write_whole(options_.markdown, check_markdown(answers_)));
    if (!options_.junit.empty()) RIDGE_TRY_VOID(write_whole(options_.junit, check_junit(answers_)));
    return {};
  }

  /// A full disk must not end the measuring; the exit code says it.
  void keep_error(const Result<void>& written) {
    if (written || error_) return;
    error_ = written.error();
    complain("ridgepoint: " + error_->sentence() + "; measuring goes on");
  }

  const CommonOptions& common_;
  const CheckOptions& options_;
  std::vector<BudgetCheck> checks_;
  CheckAnswers answers_;
  std::optional<Error> error_;
};

int cmd_check(const CommonOptions& common, const CheckOptions& options) {
  const bool is_saved = !options.runs.empty();
  if (is_saved && (!options.out.empty() || !common.worker.empty())) {
    return fail(common, {ErrorCode::usage, "--run measures nothing", "check",
                         std::string("leave out ") + (options.out.empty() ? "--worker" : "--out")});
  }
  auto checks = read_budget_file(options.file);
  if (!checks) return fail(common, checks.error());
  Checking checking(common, options, *std::move(checks));
  const auto done = is_saved ? checking.judge_saved() : checking.measure();
  if (!done) return fail(common, done.error());
  const CheckAnswers& answers = checking.answers();
  if (common.json)
    print_json(check_json(answers));
  else
    print(check_text(answers));
  const int code = answers.exit_code();
  const bool is_open = code == 0 || code == exit_code_of(Verdict::unresolved);
  return is_open && checking.error() ? checking.error()->exit_code() : code;
}

Command setup_check(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("BUDGET", options->file, "BUDGET.json: comparisons and their demands")
      ->required();
  one_at_a_time(command.add_option("--run", options->runs,
                                   "a saved run to judge, without measuring: RUN.jsonl (repeat)"));
  command.add_option("--markdown", options->markdown, "write FILE.md, for a merge request");
  command.add_option("--junit", options->junit, "write FILE.xml, for a CI's page of tests");
  command.add_option("--out", options->out, "keep each check's run and report in this folder");
  return [options, &common] { return cmd_check(common, *options); };
}

RIDGE_COMMAND(check, .about = "hold comparisons to a team's budgets, for its CI",
              .group = CommandGroup::report,
              .use =
                  "Measures the comparisons of a budget file and holds each to its demand: for a "
                  "merge request that must not make the program slower.",
              .examples = {{"check BUDGET.json", "measures, and says what is met"},
                           {"check BUDGET.json --run run.jsonl --markdown budgets.md",
                            "judges a saved run, and writes a table"}},
              .place = 122, .level = Level::kBench, .schema = "check", .setup = setup_check);

}  // namespace
}  // namespace ridge::app
