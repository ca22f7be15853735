// Trainings compared in pairs, on a clock that the simulated trainings move: turns, seeds, verdicts, what is refused.
#include "common/harness/measure/training_pairs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "common/record/trained.h"
#include "tests/catch.h"
#include "tests/simulation.h"
#include "tests/toy_family.h"

namespace ridge {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- trainings whose time and accuracy are made up -----------------------------------------------

/// What a side does; TrainDesc::config.
struct Made {
  double step_s = 1e-4;
  int64_t steps = 96, items = 256;
  double noise = 0.02;        ///< of ln t of a step
  bool is_disturbed = false;  ///< one step in fifty takes twenty times as long
  double luck = 0;            ///< of ln t of a whole training: where its memory lies
  double accuracy = 0.87, accuracy_noise = 0.003;  ///< at the end; it is reached along a line
  bool emulated = false;
  int64_t fails_with = 0;  ///< a seed
  double power_w = 50;
};

double clock_s = 0;
uint64_t world = 0;  ///< another one for each simulated comparison
uint64_t trainings_built = 0;
std::string turns_made;  ///< a letter a step: the side's, which its config says
std::multiset<int64_t> seeds_built;
const Made* first_side = nullptr;
double drawn_j = 0, power_now_w = 0;

double simulated_clock() {
  return clock_s;
}

class Simulated : public Training {
 public:
  Simulated(const Made& made, int64_t seed)
      : made_(made),
        seed_(seed),
        chance_(world * 1'000 + trainings_built++),
        luck_(made.luck * quality::normal(chance_ + 77'000'000, 0)) {}

  Result<void> step() override {
    const double start_s = clock_s;
    const double z = quality::normal(chance_, static_cast<uint64_t>(done_++));
    const bool is_stolen =
        made_.is_disturbed && quality::normal(chance_ + 55'000'000, uint64_t(done_)) > 2.05;
    if (is_stolen) clock_s += 20 * made_.step_s;
    // The whole machine gets slower by 2 % in 0.15 s, whatever side is on.
    clock_s += made_.step_s * std::exp(made_.noise * z + luck_ + 0.13 * clock_s);
    power_now_w = made_.power_w;
    drawn_j += power_now_w * (clock_s - start_s);
    turns_made += &made_ == first_side ? 'A' : 'B';
    return {};
  }
  std::map<std::string, double> observe() override { return {{"loss", 1 / double(done_)}}; }
  std::map<std::string, double> look() override {
    return {{"accuracy", accuracy() * double(done_) / double(made_.steps)}};
  }
  QualityCheck evaluate() override {
    QualityCheck check;
    check.what = "made-up set";
    check.task["accuracy"] = accuracy();
    check.passed = seed_ != made_.fails_with;
    if (!check.passed) check.reason = "it diverged";
    return check;
  }
  int64_t steps() const override { return made_.steps; }
  int64_t items_per_step() const override { return made_.items; }
  double flop_per_step() const override { return 0; }
  double memory_bytes() const override { return 1e6; }
  bool is_emulated() const override { return made_.emulated; }

 private:
  double accuracy() const {
    return made_.accuracy +
           made_.accuracy_noise * quality::normal(chance_ + 99'000'000, uint64_t(seed_));
  }
  const Made& made_;
  int64_t seed_;
  uint64_t chance_;
  double luck_;
  int64_t done_ = 0;
};

Result<std::unique_ptr<Training>> build_made(const TrainDesc& desc, const Params& params,
                                             uint64_t) {
  const int64_t seed = param_int(params, "seed");
  seeds_built.insert(seed);
  return std::unique_ptr<Training>(new Simulated(*static_cast<const Made*>(desc.config), seed));
}
constexpr TrainMaker kMade = {.build = build_made};

TrainDesc training_of(const char* id, const Made& made) {
  TrainDesc desc;
  desc.id = id;
  desc.maker = &kMade;
  desc.config = &made;
  return desc;
}

class Watcher : public measure::Observer {
 public:
  size_t samples_seen = 0, rounds_seen = 0, cancel_after = ~size_t{0};
  std::vector<measure::Phase> phases;
  void samples(int, const char*, std::span<const Sample> some) override {
    samples_seen += some.size();
  }
  void rounds(std::span<const Round> some) override { rounds_seen += some.size(); }
  void phase(int, const measure::Phase& one) override { phases.push_back(one); }
  int cancel_at_ask = 1 << 30;  ///< it is asked before each turn
  mutable int asks = 0;
  bool cancelled() const override { return samples_seen >= cancel_after || ++asks > cancel_at_ask; }
};

struct Asked {
  Made baseline, candidate;
  int seeds = 8;
  measure::CompareOptions options = {};
  Watcher watcher = {};
  uint64_t comparisons = 0;

  Result<measure::CompareOutcome> compare() {
    const TrainDesc a = training_of("made.cpu.baseline", baseline),
                    b = training_of("made.cpu.candidate", candidate);
    std::vector<measure::PairedTraining> all;
    for (int64_t seed = 1; seed <= seeds; ++seed) {
      const Params params = {{"epochs", int64_t{4}}, {"seed", seed}};
      all.push_back({&a, params, nullptr});
      all.push_back({&b, params, nullptr});
    }
    return compare(all);
  }
  Result<measure::CompareOutcome> compare(const std::vector<measure::PairedTraining>& all) {
    clock_s = drawn_j = 0;
    power_now_w = 5;
    world = ++comparisons;
    trainings_built = 0;
    turns_made.clear();
    seeds_built.clear();
    first_side = &baseline;
    options.order_seed = world;
    return measure::compare_trainings(all, options, &watcher, simulated_clock);
  }
  Comparison one() {
    auto outcome = compare();
    REQUIRE(outcome);
    REQUIRE(outcome->comparisons.size() == 1);
    return outcome->comparisons.front();
  }
  std::string refusal() {
    const auto outcome = compare();
    REQUIRE_FALSE(outcome);
    return outcome.error().sentence();
  }
};

// ---- turns ---------------------------------------------------------------------------------------

TEST_CASE("trainings in pairs: as many steps each, in palindromes, with the same seeds") {
  Asked asked;
  asked.candidate.step_s = 1.5e-4;
  auto outcome = asked.compare();
  REQUIRE(outcome);
  REQUIRE(outcome->series.size() == 16);
  CHECK(asked.watcher.samples_seen == 16 * 96);
  CHECK(asked.watcher.rounds_seen == 8);
  for (int64_t seed = 1; seed <= 8; ++seed) CHECK(seeds_built.count(seed) == 2);
  // Of a seed's steps: as many of both sides, and the same read backwards.
  std::set<char> begins;
  for (size_t seed = 0; seed < 8; ++seed) {
    const std::string made = turns_made.substr(seed * 192, 192);
    CHECK(std::count(made.begin(), made.end(), 'A') == 96);
    // The first palindrome has a step a turn; the last one has what is left.
    const std::string whole = made.substr(4, 168);
    CHECK(std::equal(whole.begin(), whole.end(), whole.rbegin()));
    begins.insert(made.front());
    // Never long by one side: that would be one training after the other.
    CHECK(made.find(std::string(40, 'A')) == std::string::npos);
  }
  CHECK(begins.size() == 2);
  const Comparison& comparison = outcome->comparisons.front();
  CHECK(comparison.verdict == Verdict::slower);
  CHECK(comparison.ratio == Approx(1 / 1.5).epsilon(0.01));
  CHECK(comparison.rounds == 8);
  CHECK(comparison.margin == 0.02);
  REQUIRE(comparison.trained);
  CHECK(comparison.trained->seeds == std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(comparison.trained->steps == 96);
  const TrainedSide& side = comparison.trained->sides.at(1);
  CHECK(side.step_ns == Approx(1.5e5).epsilon(0.05));
  CHECK(*side.total_s == Approx(96 * 1.5e-4).epsilon(0.05));
  CHECK(*side.epoch_s == Approx(*side.total_s / 4));
  CHECK(side.memory_bytes == 1e6);
  for (const Series& series : outcome->series) {
    CHECK(series.status == SeriesStatus::ok);
    CHECK(series.curve.size() == 96);
    CHECK(series.quality_passed());
  }
}

TEST_CASE("trainings in pairs: a turn is as long as it has to be, and no longer") {
  Asked asked;
  asked.baseline.step_s = asked.candidate.step_s = 0.009;  // three steps are over 20 ms
  asked.seeds = 1;
  REQUIRE(asked.compare());
  // Two turns of a side meet where palindromes do.
  CHECK(turns_made.find("AAAAAA") != std::string::npos);
  CHECK(turns_made.find("AAAAAAA") == std::string::npos);
}

TEST_CASE("trainings in pairs: long steps take a turn each, and an odd number of steps is made") {
  Asked asked;
  asked.baseline.step_s = asked.candidate.step_s = 0.05;
  asked.baseline.steps = asked.candidate.steps = 13;
  asked.seeds = 1;
  const auto outcome = asked.compare();
  REQUIRE(outcome);
  CHECK(std::count(turns_made.begin(), turns_made.end(), 'A') == 13);
  CHECK(std::count(turns_made.begin(), turns_made.end(), 'B') == 13);
  CHECK(outcome->series[0].samples.size() == 13);
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
    "trainings in pairs: A/A, at most one in twenty differs at a margin of 0, none by default") {
  Asked asked;
  // Where a training's memory lies favours it for all its steps: steps of one seed are no independent witnesses.
  asked.baseline.luck = asked.candidate.luck = 0.01;
  asked.options.margin = 0;
  const int at_zero = false_verdicts(&asked, 200);
  INFO(at_zero);
  CHECK(at_zero <= 10);
  asked.options.margin.reset();
  CHECK(false_verdicts(&asked, 200) == 0);
}

TEST_CASE("trainings in pairs: a planted 10 % is found, each way") {
  Asked asked;
  asked.baseline.luck = asked.candidate.luck = 0.01;
  for (const double factor : {1 / 1.1, 1.1}) {
    asked.candidate.step_s = 1e-4 * factor;
    int found = 0;
    for (int run = 0; run < 40; ++run)
      found += asked.one().verdict == (factor < 1 ? Verdict::faster : Verdict::slower);
    CHECK(found >= 38);
  }
}

TEST_CASE("trainings in pairs: what a busy machine steals of single steps hides no 10 %") {
  Asked asked;
  asked.baseline.is_disturbed = asked.candidate.is_disturbed = true;
  asked.baseline.steps = asked.candidate.steps = 288;
  asked.baseline.step_s = 0.004;
  asked.candidate.step_s = 0.004 / 1.1;
  for (int run = 0; run < 3; ++run) CHECK(asked.one().verdict == Verdict::faster);
}

TEST_CASE("trainings in pairs: of fewer than eight seeds nothing is claimed") {
  Asked asked;
  asked.candidate.step_s = 0.5e-4;
  asked.seeds = 7;
  const Comparison seven = asked.one();
  CHECK(seven.verdict == Verdict::unresolved);
  CHECK(seven.ratio == Approx(2).epsilon(0.02));
  CHECK(seven.rounds_needed == kSeedsToClaim);
  CHECK(seven.reasons.at(0) == "7 seeds are too few for a claim; 8 are needed");
  CHECK(accuracy_stand(*seven.trained) == AccuracyStand::few);
  asked.seeds = 1;
  const Comparison alone = asked.one();
  CHECK(alone.reasons.at(0) == "1 seed is too few for a claim; 8 are needed");
  CHECK_FALSE(alone.trained->accuracy_ci);
  asked.seeds = 8;
  CHECK(asked.one().verdict == Verdict::faster);
}

// ---- accuracy ------------------------------------------------------------------------------------

TEST_CASE(
    "trainings in pairs: the accuracy's difference has an interval over the seeds, and a limit") {
  Asked asked;
  asked.candidate.accuracy = 0.85;
  asked.options.budget.accuracy_lost = 0.01;
  const Comparison lost = asked.one();
  REQUIRE(lost.trained);
  CHECK(lost.trained->judged == 8);
  CHECK(*lost.trained->accuracy_delta == Approx(-0.02).margin(0.004));
  REQUIRE(lost.trained->accuracy_ci);
  CHECK(lost.trained->accuracy_ci->low < *lost.trained->accuracy_delta);
  CHECK(accuracy_stand(*lost.trained) == AccuracyStand::lost);
  asked.options.budget.accuracy_lost = 0.05;
  CHECK(accuracy_stand(*asked.one().trained) == AccuracyStand::kept);
  asked.options.budget.accuracy_lost = 0.02;
  CHECK(accuracy_stand(*asked.one().trained) == AccuracyStand::open);
}

TEST_CASE("trainings in pairs: the time to an accuracy, where all reached it") {
  Asked asked;
  asked.candidate.step_s = 0.5e-4;
  asked.options.budget.accuracy_target = 0.6;
  const Comparison comparison = asked.one();
  REQUIRE(comparison.trained->to_target);
  CHECK(comparison.trained->to_target->verdict == Verdict::faster);
  CHECK(comparison.trained->to_target->ratio == Approx(2).epsilon(0.1));
  CHECK(comparison.trained->sides[0].reached == 8);
  // 0.6 of 0.87 in a line: after 0.69 of the steps, seen at the next look.
  CHECK(*comparison.trained->sides[0].to_target_s == Approx(0.69 * 96e-4).epsilon(0.06));
}

TEST_CASE(
    "trainings in pairs: a share of the baseline's accuracy is the target, and what may be lost") {
  Asked asked;
  asked.baseline.accuracy_noise = asked.candidate.accuracy_noise = 0;
  asked.options.budget.accuracy_kept = 0.9;
  const Comparison near = asked.one();
  REQUIRE(near.trained->target);
  CHECK(*near.trained->target == Approx(0.9 * 0.87));
  CHECK(near.trained->may_lose == Approx(0.1 * 0.87));
  CHECK(near.trained->to_target);
  asked.candidate.accuracy = 0.6;
  const Comparison far = asked.one();
  CHECK_FALSE(far.trained->to_target);
  CHECK(has(far.trained->no_to_target, "8 of 8 trainings of the baseline"));
  CHECK(accuracy_stand(*far.trained) == AccuracyStand::lost);
}

TEST_CASE("trainings in pairs: an accuracy that was not reached says which accuracy each reached") {
  Asked asked;
  asked.baseline.accuracy_noise = asked.candidate.accuracy_noise = 0;
  asked.candidate.accuracy = 0.86;
  asked.options.budget.accuracy_target = 0.99;
  const Comparison none = asked.one();
  CHECK_FALSE(none.trained->to_target);
  CHECK(none.trained->no_to_target ==
        "an accuracy of 0.99 was reached by 0 of 8 trainings of the baseline (at most 0.87) and 0 "
        "of 8 of the candidate (at most 0.86), so their times to it have no ratio");
  asked.options.budget.accuracy_target = 0.865;
  const Comparison one = asked.one();
  CHECK_FALSE(one.trained->to_target);
  CHECK(has(one.trained->no_to_target, "by 8 of 8 trainings of the baseline"));
}

// ---- energy --------------------------------------------------------------------------------------

/// Shows what was drawn until its last tick. Reading takes 10 µs, in which the machine draws 5 W.
class TickingMeter : public measure::EnergyMeter {
 public:
  explicit TickingMeter(double tick_s) : tick_s_(tick_s) {}
  std::string source() const override { return "made up"; }
  std::optional<double> read() override {
    clock_s += 1e-5;
    drawn_j += 5e-5;
    const double since_s = std::fmod(clock_s, tick_s_);
    if (clock_s - since_s > last_s_) {
      last_s_ = clock_s - since_s;
      shown_j_ = std::max(shown_j_, drawn_j - power_now_w * since_s);
    }
    power_now_w = 5;
    return shown_j_;
  }

 private:
  double tick_s_, last_s_ = -1, shown_j_ = 0;
};

class TickingDevice : public FakeDevice {
 public:
  double tick_s = 1e-3;
  Result<std::unique_ptr<measure::EnergyMeter>> energy_meter() override {
    return std::unique_ptr<measure::EnergyMeter>(new TickingMeter(tick_s));
  }
};

Comparison metered(Asked* asked, TickingDevice* device) {
  const TrainDesc a = training_of("made.cpu.baseline", asked->baseline),
                  b = training_of("made.cpu.candidate", asked->candidate);
  std::vector<measure::PairedTraining> all;
  for (int64_t seed = 1; seed <= 8; ++seed) {
    const Params params = {{"epochs", int64_t{4}}, {"seed", seed}};
    all.push_back({&a, params, device});
    all.push_back({&b, params, device});
  }
  auto outcome = asked->compare(all);
  REQUIRE(outcome);
  return outcome->comparisons.front();
}

TEST_CASE(
    "trainings in pairs: each side has the joules of its own turns, where a turn has ten ticks") {
  Asked asked;
  asked.baseline.step_s = asked.candidate.step_s = 0.005;
  asked.candidate.power_w = 100;
  TickingDevice device;
  const Comparison fine = metered(&asked, &device);
  INFO(fine.trained->no_energy);
  const auto& sides = fine.trained->sides;
  REQUIRE(sides.at(0).epoch_energy_j);
  REQUIRE(sides.at(1).epoch_energy_j);
  CHECK(*sides[0].epoch_energy_j == Approx(50 * *sides[0].epoch_s).epsilon(0.1));
  CHECK(*sides[1].epoch_energy_j / *sides[0].epoch_energy_j == Approx(2).epsilon(0.1));
  CHECK(fine.trained->no_energy.empty());

  device.tick_s = 0.1;
  const Comparison coarse = metered(&asked, &device);
  CHECK_FALSE(coarse.trained->sides.at(1).epoch_energy_j);
  CHECK(has(coarse.trained->no_energy, "too seldom to tell them apart"));
  device.tick_s = 1e9;
  CHECK(metered(&asked, &device).trained->no_energy == "its energy counter does not move");
}

// ---- what is refused, and what stays -------------------------------------------------------------

TEST_CASE("trainings in pairs: what is no pair is refused in one sentence") {
  Asked asked;
  const TrainDesc a = training_of("made.cpu.baseline", asked.baseline),
                  b = training_of("made.cpu.candidate", asked.candidate);
  const auto sentence = [&](const std::vector<measure::PairedTraining>& all) {
    const auto outcome = asked.compare(all);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == ErrorCode::usage);
    return outcome.error().sentence();
  };
  const auto seed = [](int64_t value) { return Params{{"seed", value}}; };
  CHECK(sentence({{&a, seed(1), nullptr}, {&b, seed(2), nullptr}}) ==
        "compare: seed 1 is in one side only; give every side the same seeds");
  CHECK(sentence({{&a, seed(1), nullptr}, {&b, seed(1), nullptr}, {&a, seed(2), nullptr}}) ==
        "compare: seed 2 is in one side only; give every side the same seeds");
  CHECK(has(sentence({{&a, seed(1), nullptr},
                      {&b, seed(1), nullptr},
                      {&b, seed(2), nullptr},
                      {&a, seed(2), nullptr}}),
            "made.cpu.candidate: it is not the side that the first seed has in its place"));
  CHECK(has(sentence({{&a, {}, nullptr}, {&b, {}, nullptr}}), "it takes no seed"));
  CHECK(turns_made.empty());
}

TEST_CASE("trainings in pairs: other steps, another batch and emulation are refused") {
  Asked steps;
  steps.candidate.steps = 48;
  CHECK(steps.refusal() ==
        "made.cpu.candidate: it makes 48 steps, the baseline 96; set as many epochs, or steps, for "
        "both");
  Asked batch;
  batch.candidate.items = 512;
  CHECK(has(batch.refusal(), "its step takes 512 items, the baseline's 256"));
  Asked emulated;
  emulated.candidate.emulated = true;
  CHECK(has(emulated.refusal(), "emulated"));
  Asked single;
  single.baseline.steps = single.candidate.steps = 1;
  CHECK(has(single.refusal(), "it makes one step"));
}

TEST_CASE("trainings in pairs: one that fails its check makes it INVALID, and its accuracy stays") {
  Asked asked;
  asked.candidate.fails_with = 3;
  auto outcome = asked.compare();
  REQUIRE(outcome);
  const Comparison& comparison = outcome->comparisons.front();
  CHECK(comparison.verdict == Verdict::invalid);
  CHECK_FALSE(comparison.ci);
  CHECK(has(comparison.reasons.at(0), "it diverged, seed 3"));
  CHECK(comparison.trained->judged == 8);
  CHECK(outcome->series[5].status == SeriesStatus::failed);
  CHECK(outcome->series[4].status == SeriesStatus::ok);
}

TEST_CASE(
    "trainings in pairs: after a cancel what was measured stays, and whole seeds are judged") {
  Asked asked;
  asked.baseline.step_s = asked.candidate.step_s = 0.01;  // so that it reports many times a seed
  asked.watcher.cancel_after = 2 * 192 + 50;
  auto outcome = asked.compare();
  REQUIRE(outcome);
  CHECK(outcome->cancelled);
  const Comparison& comparison = outcome->comparisons.front();
  CHECK(comparison.rounds == 2);
  CHECK(comparison.trained->seeds == std::vector<int64_t>{1, 2});
  CHECK(comparison.verdict == Verdict::unresolved);
  CHECK(comparison.reasons.back() == "cancelled");
  CHECK(outcome->series[0].status == SeriesStatus::ok);
  CHECK(outcome->series[4].status == SeriesStatus::cancelled);
  CHECK(outcome->series[4].samples.size() > 10);
  CHECK(outcome->series[4].samples.size() < 96);
  CHECK(outcome->series[15].samples.empty());
  size_t kept = 0;
  for (const Series& series : outcome->series) kept += series.samples.size();
  CHECK(kept == asked.watcher.samples_seen);  // all of them were sent
}

TEST_CASE("trainings in pairs: a cancel between two reports loses no step") {
  Asked asked;
  asked.watcher.cancel_at_ask = 12;  // within the third palindrome: nothing was sent yet
  auto outcome = asked.compare();
  REQUIRE(outcome);
  CHECK(outcome->cancelled);
  CHECK(outcome->series[0].samples.size() > 4);
  CHECK(asked.watcher.samples_seen ==
        outcome->series[0].samples.size() + outcome->series[1].samples.size());
}

TEST_CASE(
    "trainings in pairs: a limit ends a seed, and its accuracy is not judged as a whole one's") {
  Asked asked;
  asked.options.limit_s = 5e-3;
  auto outcome = asked.compare();
  REQUIRE(outcome);
  const Series& series = outcome->series.front();
  CHECK(series.status == SeriesStatus::partial);
  CHECK(has(series.reason, "stopped at the limit"));
  CHECK(series.checks.empty());
  CHECK(outcome->comparisons.front().trained->judged == 0);
  CHECK(accuracy_stand(*outcome->comparisons.front().trained) == AccuracyStand::unknown);
  CHECK(outcome->comparisons.front().rounds == 8);
}

TEST_CASE("trainings in pairs: progress names seed and step") {
  Asked asked;
  (void)asked.one();
  const auto rounds =
      std::find_if(asked.watcher.phases.begin(), asked.watcher.phases.end(),
                   [](const measure::Phase& phase) { return has(phase.open, "seed 3 of 8, "); });
  REQUIRE(rounds != asked.watcher.phases.end());
  CHECK(*rounds->progress > 0.25);
  CHECK(*rounds->progress <= 0.375);
}

}  // namespace
}  // namespace ridge
