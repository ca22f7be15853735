// Pipelines compared in pairs, on a clock that the made-up pipelines move: windows in turns, what binds each side,
// verdicts, and what a failure or a cancel leaves.
#include "common/harness/measure/pipeline_pairs.h"

#include <algorithm>
#include <cmath>

#include "common/harness/quality/quality.h"
#include "common/record/pipeline_model.h"
#include "tests/catch.h"

namespace ridge {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- pipelines whose times are made up -----------------------------------------------------------

/// What a side does; PipelineDesc::config.
struct Made {
  char letter = 'A';
  double item_s = 1e-3;
  std::vector<std::pair<std::string, double>> stages = {};  ///< name, seconds an item, alone
  int64_t loses_after = -1;  ///< items; from then on one is lost in each window
  int fails_in_window = -1;  ///< timed or not, from the first
  std::string stage_fails = {};
};

double clock_s = 0;
uint64_t world = 0;  ///< another one for each simulated comparison
uint64_t draws = 0;
std::string windows_made;  ///< the letter of each window, small where a stage ran alone

double noise(double size) {
  return size * quality::normal(world * 100'000 + 7, draws++);
}

class MadePipeline final : public Pipeline {
 public:
  explicit MadePipeline(const Made& made) : made_(made) {}

  Result<PipelineWindow> run_window(double window_s, const SpanSink& sink) override {
    windows_made += made_.letter;
    if (made_.fails_in_window >= 0 && windows_++ >= made_.fails_in_window)
      return Error{ErrorCode::unavailable, "its file went away", "shard 3", ""};
    sink({.stage = "step",
          .worker = 0,
          .buffer = 0,
          .item = 0,
          .items = 1,
          .start_ns = 0,
          .end_ns = 1});
    PipelineWindow out = take(window_s, made_.item_s);
    lost_ += made_.loses_after >= 0 && out_ > made_.loses_after;
    out_ += out.items;
    return out;
  }
  std::vector<PipelineStage> stages() const override {
    std::vector<PipelineStage> all;
    for (const auto& [name, seconds] : made_.stages) all.push_back({name, 1});
    return all;
  }
  Result<PipelineWindow> run_stage(size_t stage, double window_s) override {
    windows_made += static_cast<char>(made_.letter - 'A' + 'a');
    const auto& [name, seconds] = made_.stages[stage];
    if (name == made_.stage_fails)
      return Error{ErrorCode::invalid, "it ran dry", "", "run it again"};
    return take(window_s, seconds);
  }
  QualityCheck check() override {
    QualityCheck check;
    check.what = "each item once";
    check.checked = out_;
    check.passed = lost_ == 0;
    if (!check.passed) check.reason = "items were lost";
    return check;
  }
  double bytes_per_item() const override { return 1000; }
  int64_t items_per_step() const override { return 16; }

 private:
  /// The whole machine gets slower by some per cent meanwhile, and a busy neighbour comes and goes.
  PipelineWindow take(double window_s, double item_s) {
    const double busy = std::sin(clock_s * 7 + double(world)) > 0.9 ? 0.08 : 0;
    const double slow = std::exp(noise(0.01) + 0.004 * clock_s + busy);
    const auto items = std::max<int64_t>(16, 16 * std::llround(window_s / (16 * item_s)));
    const double took_s = double(items) * item_s * slow;
    clock_s += took_s;
    return {items, took_s};
  }
  const Made& made_;
  int windows_ = 0;
  int64_t out_ = 0, lost_ = 0;
};

constexpr PipelineMaker kMadePipelines = {
    .params = nullptr,
    .build = [](const PipelineDesc& desc, const Params&, uint64_t,
                const FamilyProgress&) -> Result<std::unique_ptr<Pipeline>> {
      if (desc.config == nullptr)
        return Error{ErrorCode::unavailable, "there is no folder for the image files", desc.id, ""};
      return std::unique_ptr<Pipeline>(new MadePipeline(*static_cast<const Made*>(desc.config)));
    }};

PipelineDesc pipeline_of(const char* id, const Made* made) {
  PipelineDesc desc;
  desc.id = id;
  desc.maker = &kMadePipelines;
  desc.config = made;
  return desc;
}

class Watcher : public measure::Observer {
 public:
  size_t samples_seen = 0;
  std::vector<Round> rounds_seen;
  int cancel_at_ask = 1 << 30;
  mutable int asks = 0;
  void samples(int, const char*, std::span<const Sample> some) override {
    samples_seen += some.size();
  }
  void rounds(std::span<const Round> some) override {
    rounds_seen.insert(rounds_seen.end(), some.begin(), some.end());
  }
  bool cancelled() const override { return ++asks > cancel_at_ask; }
};

struct Asked {
  Made baseline = {}, candidate = {.letter = 'B'};
  Params theirs = {}, ours = {};
  measure::CompareOptions options = {};
  Watcher watcher = {};
  uint64_t comparisons = 0;

  Result<measure::CompareOutcome> compare() {
    const PipelineDesc a = pipeline_of("made.cpu.baseline", &baseline),
                       b = pipeline_of("made.cpu.candidate", &candidate);
    clock_s = 0, draws = 0;
    world = ++comparisons;
    windows_made.clear();
    watcher.asks = 0;
    options.order_seed = world;
    options.pauses = false;
    return measure::compare_pipelines({{&a, theirs}, {&b, ours}}, options, &watcher);
  }
  measure::CompareOutcome outcome() {
    auto made = compare();
    REQUIRE(made);
    return *std::move(made);
  }
  Comparison one() {
    const auto made = outcome();
    REQUIRE(made.comparisons.size() == 1);
    return made.comparisons.front();
  }
};

// ---- windows in turns ----------------------------------------------------------------------------

TEST_CASE(
    "pipelines in pairs: windows in palindromes, one that follows the other side's after an "
    "untimed one") {
  Asked asked;
  const auto made = asked.outcome();
  CHECK(made.comparisons.front().rounds == measure::kRounds);
  REQUIRE(asked.watcher.rounds_seen.size() == size_t(measure::kRounds));
  bool has_both = false;
  for (const Round& round : asked.watcher.rounds_seen) {
    CHECK((round.order == "0110" || round.order == "1001"));
    has_both |= round.order != asked.watcher.rounds_seen.front().order;
  }
  CHECK(has_both);
  // Both filled; then the rounds alone, and nothing else between them.
  REQUIRE(windows_made.starts_with("AABB"));
  std::string wanted;
  char last = 0;
  for (const Round& round : asked.watcher.rounds_seen) {
    for (const char side : round.order) {
      const char letter = side == '0' ? 'A' : 'B';
      if (letter != last) wanted += letter;
      wanted += last = letter;
    }
  }
  CHECK(windows_made.substr(4) == wanted);
  for (const Series& series : made.series) {
    CHECK(series.samples.size() == 80);
    CHECK(series.mode == RunMode::compare);
    CHECK(series.status == SeriesStatus::ok);
    CHECK(series.checks.size() == 2);
    CHECK(series.items_per_s == Approx(1000).epsilon(0.2));
  }
  CHECK(asked.watcher.samples_seen == 160);
}

TEST_CASE("pipelines in pairs: what binds each side is said, with its evidence") {
  Asked asked;
  asked.baseline.stages = {{"load", 1e-3}, {"step", 0.3e-3}};
  asked.candidate.item_s = 0.5e-3;
  asked.candidate.stages = {{"load", 0.2e-3}, {"step", 0.49e-3}};
  const auto made = asked.outcome();
  CHECK(made.comparisons.front().verdict == Verdict::faster);
  CHECK(made.comparisons.front().ratio == Approx(2).epsilon(0.02));
  REQUIRE(made.series[0].pipeline);
  REQUIRE(made.series[1].pipeline);
  CHECK(made.series[0].pipeline->bound == "load alone");
  CHECK(made.series[1].pipeline->bound == "step alone");
  CHECK(made.series[0].pipeline->ci);
  CHECK(made.series[1].pipeline->ratio == Approx(0.5 / 0.49).epsilon(0.06));
  // The stages ran after the rounds: no window of a round stands beside a stage.
  CHECK(windows_made.find_first_of("ab") > 4 + 160 + 80);
  CHECK(made.series[0].samples.size() == 80);
  const auto sentences = pipeline_sentences(&made.series[0], &made.series[1]);
  REQUIRE(sentences.size() == 3);
  CHECK(has(sentences[0], "throughput "));
  CHECK(has(sentences[1], "the baseline: "));
  CHECK(has(sentences[1], "× its bound, load alone (95 %"));
  CHECK(has(sentences[2], "× its bound, step alone (95 %"));
}

// ---- verdicts ------------------------------------------------------------------------------------

int false_verdicts(Asked* asked, int runs) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    const Verdict verdict = asked->one().verdict;
    count += verdict == Verdict::faster || verdict == Verdict::slower;
  }
  return count;
}

TEST_CASE(
    "pipelines in pairs: A/A, at most one in twenty differs at a margin of 0, none by default") {
  Asked asked;
  asked.options.margin = 0;
  const int at_zero = false_verdicts(&asked, 200);
  INFO(at_zero);
  CHECK(at_zero <= 10);
  asked.options.limit_s = 1e-9;  // as few rounds as there may be
  const int of_twelve = false_verdicts(&asked, 200);
  INFO(of_twelve);
  CHECK(of_twelve <= 10);
  asked.options.limit_s.reset();
  asked.options.margin.reset();
  CHECK(false_verdicts(&asked, 200) == 0);
}

TEST_CASE("pipelines in pairs: a limit leaves twelve rounds at least") {
  Asked asked;
  asked.options.limit_s = 1e-9;
  const Comparison one = asked.one();
  CHECK(one.rounds == 12);
  CHECK(one.ci);
}

TEST_CASE("pipelines in pairs: a planted 10 % is found, each way") {
  Asked asked;
  for (const double factor : {1 / 1.1, 1.1}) {
    asked.candidate.item_s = 1e-3 * factor;
    int found = 0;
    for (int run = 0; run < 40; ++run)
      found += asked.one().verdict == (factor < 1 ? Verdict::faster : Verdict::slower);
    CHECK(found >= 38);
  }
}

TEST_CASE("pipelines in pairs: other pictures or batches stand with the verdict") {
  Asked asked;
  asked.theirs = {{"batch", int64_t{64}}, {"workers", int64_t{1}}};
  asked.ours = {{"batch", int64_t{128}}, {"workers", int64_t{2}}};
  const auto reasons = asked.one().reasons;
  CHECK(std::count(reasons.begin(), reasons.end(),
                   "made.cpu.candidate differs from the baseline: batch 128 instead of 64") == 1);
  CHECK(std::none_of(reasons.begin(), reasons.end(),
                     [](const std::string& one) { return has(one, "workers"); }));
}

// ---- the gate, failures, cancels -----------------------------------------------------------------

TEST_CASE(
    "pipelines in pairs: a side that loses items before timing is INVALID, and nothing is timed") {
  Asked asked;
  asked.candidate.loses_after = 0;
  const auto made = asked.outcome();
  const Comparison& comparison = made.comparisons.front();
  CHECK(comparison.verdict == Verdict::invalid);
  CHECK_FALSE(comparison.ci);
  CHECK(comparison.reasons ==
        std::vector<std::string>{"made.cpu.candidate, each item once: items were lost"});
  CHECK(asked.watcher.rounds_seen.empty());
  CHECK(made.series[1].status == SeriesStatus::failed);
  CHECK(made.series[0].status == SeriesStatus::skipped);
}

TEST_CASE(
    "pipelines in pairs: a side that loses items in the rounds is INVALID, and has no speed") {
  Asked asked;
  asked.candidate.item_s = 0.5e-3;
  asked.candidate.loses_after = 5000;
  const auto made = asked.outcome();
  CHECK(made.comparisons.front().verdict == Verdict::invalid);
  CHECK(made.series[1].status == SeriesStatus::failed);
  CHECK(made.series[1].items_per_s == 0);
  CHECK_FALSE(made.series[1].stats);
  CHECK(made.series[1].samples.size() == 80);  // nothing measured is lost
}

TEST_CASE(
    "pipelines in pairs: a window that fails ends it in one sentence, and whole rounds stay") {
  Asked asked;
  asked.candidate.fails_in_window = 2 + 21;
  const auto made = asked.outcome();
  const Comparison& comparison = made.comparisons.front();
  CHECK(comparison.verdict == Verdict::invalid);
  CHECK(comparison.reasons ==
        std::vector<std::string>{"made.cpu.candidate: its file went away (shard 3)"});
  CHECK(comparison.rounds > 3);
  CHECK(asked.watcher.rounds_seen.size() == size_t(comparison.rounds));
  CHECK(made.series[0].samples.size() == size_t(2 * comparison.rounds));
  CHECK(asked.watcher.samples_seen == size_t(4 * comparison.rounds));
  CHECK(made.series[1].status == SeriesStatus::failed);
  CHECK(made.series[0].status == SeriesStatus::skipped);
}

TEST_CASE("pipelines in pairs: a stage that fails alone is named, and the rounds stay") {
  Asked asked;
  asked.baseline.stages = {{"load", 1e-3}, {"step", 0.3e-3}};
  asked.candidate.stages = asked.baseline.stages;
  asked.candidate.stage_fails = "step";
  const auto made = asked.outcome();
  CHECK(made.comparisons.front().verdict == Verdict::invalid);
  CHECK(made.comparisons.front().reasons ==
        std::vector<std::string>{"made.cpu.candidate: stage step: it ran dry; run it again"});
  CHECK(asked.watcher.rounds_seen.size() == size_t(measure::kRounds));
}

TEST_CASE(
    "pipelines in pairs: a cancel before the first round leaves no comparison, a later one its "
    "rounds") {
  Asked early;
  early.watcher.cancel_at_ask = 2;  // asked before each side is built, then before the first round
  const auto none = early.outcome();
  CHECK(none.cancelled);
  CHECK(none.comparisons.empty());
  CHECK(none.series[0].status == SeriesStatus::cancelled);

  Asked later;
  later.watcher.cancel_at_ask = 40;
  const auto some = later.outcome();
  CHECK(some.cancelled);
  REQUIRE(some.comparisons.size() == 1);
  CHECK(some.comparisons.front().rounds > 5);
  CHECK(some.comparisons.front().reasons.back() == "cancelled");
  CHECK(some.series[0].samples.size() == size_t(2 * some.comparisons.front().rounds));
}

TEST_CASE("pipelines in pairs: a side that cannot be built leaves no verdict, only its sentence") {
  const Made made;
  const PipelineDesc a = pipeline_of("made.cpu.baseline", &made),
                     b = pipeline_of("made.cpu.nowhere", nullptr);
  Watcher watcher;
  const auto outcome = measure::compare_pipelines({{&a, {}}, {&b, {}}}, {}, &watcher);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::unavailable);
  CHECK(outcome.error().sentence() == "made.cpu.nowhere: there is no folder for the image files");
}

}  // namespace
}  // namespace ridge
