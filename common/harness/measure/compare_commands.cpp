#include "common/harness/measure/compare_commands.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "common/core/format.h"
#include "common/harness/measure/command.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/command.h"
#include "common/stats/stats.h"

namespace ridge::measure {
namespace {

constexpr double kCommandRounds_s = 30, kCommandBlock_s = 0.1;
/// Of a library: so many runs that a reading of the clock is nothing beside them.
constexpr double kLibrarySlot_ns = 2e6;

/// Where two texts part: "at byte 17 (line 2)"; counted from 1.
std::string first_difference(const std::string& one, const std::string& other) {
  const auto [left, right] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  const auto line = 1 + std::count(one.begin(), left, '\n');
  return "at byte " + std::to_string(left - one.begin() + 1) + " (line " + std::to_string(line) +
         ")";
}

class CommandComparison final : public PairedComparison {
 public:
  CommandComparison(const std::vector<CommandSide>& sides, const CommandRule& rule,
                    const CompareOptions& options, Observer* observer)
      : PairedComparison(sides.size(), options, observer),
        sides_(sides),
        rule_(rule),
        runner_(rule.call_limit_s, [observer] { return observer->cancelled(); }),
        calls_(sides.size(), 1),
        slot_ns_(sides.size()) {}

 private:
  bool is_gated() const {
    return !rule_.check.empty() || !rule_.reference.empty() || judge_.is_there();
  }
  std::string name(size_t i) const { return std::string(command_name(sides_[i].id)); }
  /// All programs and files are there; nothing has run.
  Result<void> prepare();
  Result<void> read_reference();
  void describe_sides();
  Result<void> steps() override;
  Comparison compared(const SidePair& pair) const override;
  void close(const Result<void>& outcome) override;
  /// Libraries: loads them, one after the other, and chooses who judges.
  Result<void> load();
  Result<Sample> call(size_t i);
  /// A call for its output's sake.
  Result<void> make_output(size_t i);
  Result<void> gate(size_t i, bool before);
  std::string judges() const;
  Result<void> judge_output(size_t i, bool before, QualityCheck* check);
  /// Why the output of the last call does not equal the reference; empty: it does.
  Result<std::string> compare_output(size_t i, bool before);
  Result<void> warm_up(size_t i);
  int slots_per_block() const;
  void summarize_sides(double foreign_cpus);

  const std::vector<CommandSide>& sides_;
  const CommandRule& rule_;
  CommandRunner runner_;
  std::vector<std::unique_ptr<Library>> libraries_;  ///< of all sides, or none
  LibraryJudge judge_;
  std::vector<int64_t> calls_;   ///< of each side in a slot; a command's is 1
  std::vector<double> slot_ns_;  ///< of each side, from the warm-up
  std::string reference_;        ///< its bytes
};

Result<void> CommandComparison::prepare() {
  for (size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i].library) continue;
    const auto found = find_program(sides_[i].words.front());
    if (!found)
      return Error{found.error().code, found.error().what, name(i),
                   found.error().hint + "; rungs are compared with their lab named first"};
  }
  if (!rule_.check.empty()) {
    const auto found = find_program(rule_.check.front());
    if (!found)
      return Error{found.error().code, found.error().what, "the check", found.error().hint};
  }
  RIDGE_TRY_VOID(runner_.open());
  return rule_.reference.empty() ? Result<void>() : read_reference();
}

Result<void> CommandComparison::read_reference() {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(rule_.reference, none);
  std::ifstream file(rule_.reference, std::ios::binary);
  if (none || !file) {
    return Error{ErrorCode::usage, "it cannot be read",
                 "reference " + one_line(rule_.reference, 80),
                 "give a file of the machine where the commands run"};
  }
  if (bytes > uint64_t(kMostCommandOutput_bytes)) {
    return Error{ErrorCode::usage,
                 "it has more than " + format_bytes(double(kMostCommandOutput_bytes)),
                 "reference " + one_line(rule_.reference, 80), "use --check CMD"};
  }
  reference_.assign(std::istreambuf_iterator<char>(file), {});
  return {};
}

Result<void> CommandComparison::load() {
  for (size_t i = 0; i < sides_.size(); ++i) {
    if (!sides_[i].library) return {};
    observer_->phase(static_cast<int>(i), {.phase = "prepare", .text = "loading " + name(i)});
    libraries_.push_back(std::make_unique<Library>(name(i), *sides_[i].library, rule_.call_limit_s,
                                                   [this] { return observer_->cancelled(); }));
    RIDGE_TRY_VOID(libraries_.back()->load());
  }
  return judge_.choose(libraries_);
}

void CommandComparison::describe_sides() {
  std::error_code unknown;
  const std::string folder = std::filesystem::current_path(unknown).string();
  for (size_t i = 0; i < sides_.size(); ++i) {
    Series series;
    series.index = static_cast<int>(i);
    series.kernel = sides_[i].id;
    series.kind = RungKind::command;
    series.cache = options_.cache;
    series.mode = RunMode::compare;
    series.status = SeriesStatus::ok;
    series.command = CommandFacts{.text = command_text(sides_[i].words),
                                  .folder = folder,
                                  .check = rule_.check.empty() ? "" : command_text(rule_.check),
                                  .reference = rule_.reference,
                                  .cpu_ns = {}};
    if (sides_[i].library) series.note = sides_[i].library->note;
    observer_->problem(series);
    out_.series.push_back(std::move(series));
  }
}

Result<Sample> CommandComparison::call(size_t i) {
  if (!libraries_.empty()) {
    RIDGE_TRY(Sample sample, libraries_[i]->time(calls_[i]));
    out_.series[i].memory_bytes = libraries_[i]->peak_bytes();
    return sample;
  }
  RIDGE_TRY(const CommandCall made, runner_.call(name(i), sides_[i].words));
  Series& series = out_.series[i];
  series.memory_bytes = std::max(series.memory_bytes, made.peak_bytes);
  if (made.left_running > 0 && series.note.empty()) {
    add_note("its calls left processes running, which were ended with each call", &series);
    add_reason(name(i) + " left processes running, which were ended with each call");
  }
  Sample sample;
  sample.t_ns = made.t_ns;
  sample.cpu_ns = made.cpu_ns;
  return sample;
}

// ---- the gate ------------------------------------------------------------------------------------

Result<void> CommandComparison::make_output(size_t i) {
  if (libraries_.empty()) {
    RIDGE_TRY_VOID(call(i));
    return {};
  }
  RIDGE_TRY(const std::string output, libraries_[i]->output());
  return runner_.put_output(output);
}

Result<std::string> CommandComparison::compare_output(size_t i, bool before) {
  RIDGE_TRY(const std::string output, runner_.output());
  if (output == reference_) return std::string();
  const std::string file = one_line(rule_.reference, 80);
  if (output.empty()) {
    return "it wrote nothing to its standard output, and " + file + " has " +
           std::to_string(reference_.size()) + " bytes";
  }
  const std::string unlike =
      "its output differs from " + file + " " + first_difference(output, reference_);
  constexpr const char* kVaries =
      "; two calls of it write different outputs, so that no file equals them: judge it with "
      "--check";
  if (!before) return unlike + kVaries;
  RIDGE_TRY_VOID(make_output(i));
  RIDGE_TRY(const std::string again, runner_.output());
  return unlike + (again == output ? "" : kVaries);
}

std::string CommandComparison::judges() const {
  std::string text;
  const auto add = [&](const std::string& judge) {
    text += (text.empty() ? "" : ", and ") + judge;
  };
  if (!rule_.reference.empty()) add("against the reference");
  if (!rule_.check.empty() && rule_.reference.empty()) add("by the check");
  if (judge_.is_there()) add("by " + judge_.title());
  return text;
}

Result<void> CommandComparison::judge_output(size_t i, bool before, QualityCheck* check) {
  check->checked = runner_.output_bytes();
  if (!rule_.reference.empty()) {
    RIDGE_TRY(check->reason, compare_output(i, before));
  }
  if (check->reason.empty() && !rule_.check.empty()) {
    const auto judged = runner_.check(rule_.check);
    if (!judged && judged.error().code != ErrorCode::invalid) return judged.error();
    if (!judged) {
      check->reason = judged.error().sentence();
      if (check->checked == 0) check->reason += "; it wrote nothing to its standard output";
    }
  }
  if (!check->reason.empty() || !judge_.is_there()) return {};
  RIDGE_TRY(const std::string output, runner_.output());
  return judge_.judge(output, check);
}

Result<void> CommandComparison::gate(size_t i, bool before) {
  Series& series = out_.series[i];
  observer_->phase(series.index, {.phase = "check", .text = "checking the output"});
  RIDGE_TRY_VOID(make_output(i));
  if (!is_gated()) return {};
  QualityCheck check;
  check.what = output_check_name(judges(), before);
  RIDGE_TRY_VOID(judge_output(i, before, &check));
  check.passed = check.reason.empty();
  series.checks.push_back(check);
  observer_->check(series.index, check);
  if (check.passed) return {};
  return Error{ErrorCode::invalid, check.reason, name(i) + ", " + check.what, ""};
}

// ---- timing --------------------------------------------------------------------------------------

/// As a kernel's in mode measure: three calls and `warmup_s` at least, up to 2 s while the median still moves by more
/// than 1 %; one call where it takes over a second.
Result<void> CommandComparison::warm_up(size_t i) {
  constexpr double kLongest_s = 2, kSteady = 0.01;
  constexpr size_t kFewest = 3;
  observer_->phase(static_cast<int>(i), {.phase = "warmup", .text = "warming up"});
  std::vector<double> times;
  const double start = now_s();
  for (;;) {
    if (observer_->cancelled()) return cancelled_error();
    RIDGE_TRY(const Sample sample, call(i));
    times.push_back(sample.t_ns);
    if (!libraries_.empty())
      calls_[i] = static_cast<int64_t>(std::clamp(kLibrarySlot_ns / sample.t_ns, 1.0, 1e6));
    const double elapsed_s = now_s() - start;
    const size_t half = times.size() / 2;
    const std::span<const double> all(times);
    if (sample.t_ns > 1e9 || elapsed_s >= kLongest_s) break;
    if (times.size() < kFewest || elapsed_s < options_.warmup_s) continue;
    const double early = stats::median(all.first(half)), late = stats::median(all.subspan(half));
    if (std::abs(late - early) <= kSteady * late) break;
  }
  slot_ns_[i] = stats::median(times) * double(calls_[i]);
  return {};
}

/// One round fills a block of commands that take more than a few milliseconds.
int CommandComparison::slots_per_block() const {
  double sum_ns = 0;
  for (const double ns : slot_ns_) sum_ns += ns;
  const double slot_s = 1e-9 * sum_ns / double(sides_.size());
  return static_cast<int>(std::min(1000.0, kCommandBlock_s / std::max(slot_s, 1e-6)));
}

// ---- the whole -----------------------------------------------------------------------------------

/// A command's time is its latency: it is called alone, from its start to its end.
void CommandComparison::summarize_sides(double foreign_cpus) {
  const bool disturbed = is_contended(foreign_cpus, Backend::cpu);
  for (Series& series : out_.series) {
    if (series.samples.empty()) continue;
    summarize(&series, disturbed, false);
    if (libraries_.empty()) series.latency = stats::summarize_latency_times(series.samples.times_ns());
    std::vector<double> cpu_ns;
    for (const Sample& sample : series.samples) cpu_ns.push_back(sample.cpu_ns);
    series.command->cpu_ns = stats::median(cpu_ns);
  }
  if (disturbed) add_reason(kContended);
}

Result<void> CommandComparison::steps() {
  RIDGE_TRY_VOID(prepare());
  describe_sides();
  RIDGE_TRY_VOID(load());
  RIDGE_TRY_VOID(judge_all([&](size_t i) { return gate(i, true); }));
  for (size_t i = 0; i < sides_.size(); ++i) RIDGE_TRY_VOID(warm_up(i));
  const ForeignLoad foreign;
  const RoundsPlan plan = plan_of(kRounds, kCommandRounds_s, slots_per_block());
  const auto timed = take_rounds(
      plan, [&](const std::vector<uint8_t>& order, std::vector<Sample>* samples) -> Result<void> {
        for (const uint8_t side : order) {
          RIDGE_TRY(Sample sample, call(side));
          samples->push_back(std::move(sample));
        }
        return {};
      });
  summarize_sides(foreign.cpus());
  RIDGE_TRY_VOID(timed);
  for (size_t i = 0; i < sides_.size(); ++i) RIDGE_TRY_VOID(gate(i, false));
  for (const auto& library : libraries_) RIDGE_TRY_VOID(library->teardown());
  return {};
}

Comparison CommandComparison::compared(const SidePair& pair) const {
  Comparison comparison = unjudged(pair, options_.margin.value_or(default_margin(true)));
  judge_sides(rounds(), {}, claims(), &comparison);
  return comparison;
}

void CommandComparison::close(const Result<void>& outcome) {
  for (size_t i = 0; i < out_.series.size(); ++i) close_series(outcome, name(i), &out_.series[i]);
}

}  // namespace

Result<CompareOutcome> compare_commands(const std::vector<CommandSide>& sides,
                                        const CommandRule& rule, const CompareOptions& options,
                                        Observer* observer) {
  return CommandComparison(sides, rule, options, observer).run();
}

}  // namespace ridge::measure
