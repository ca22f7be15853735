// The harness, the gate and the comparison on a family of their own, mostly on a device whose clock is
// made up, so that what is decided does not depend on how busy this machine is.
#include <cmath>
#include <cstring>
#include <deque>

#include "common/kernel/registry.h"
#include "common/measure/ceilings.h"
#include "common/measure/compare.h"
#include "common/measure/environment.h"
#include "common/measure/harness.h"
#include "common/measure/isa.h"
#include "common/measure/machine.h"
#include "common/quality/quality.h"
#include "common/record/params.h"
#include "tests/catch.h"

namespace ridge {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- a family: y = 2 x, n floats -----------------------------------------------------------------

class Doubling : public Problem {
 public:
  explicit Doubling(int64_t n) : n_(n) {}
  Shape shape() const override {
    Shape shape;
    shape.dim[0] = n_;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    return {{"x", size_t(n_) * 4, false, DType::fp32}, {"y", size_t(n_) * 4, true, DType::fp32}};
  }
  double flop() const override { return double(n_) * 1e6; }
  double bytes_min() const override { return 8.0 * double(n_); }
  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
  }
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    quality::ErrorSum sum;
    for (int64_t i = 0; i < n_; ++i) {
      const double ref = 2 * quality::load(host[0].data(), i, DType::fp32);
      sum.add(quality::load(host[1].data(), i, DType::fp32), ref, 1e-6 * std::fabs(ref));
    }
    return sum.finish("y", 1e-12);
  }

 private:
  int64_t n_;
};

std::vector<ParamSpec> params() {
  std::vector<ParamSpec> specs(2);
  specs[0].name = "n";
  specs[0].max = 1 << 20;
  specs[0].fallback = int64_t{100};
  specs[1].name = "twin";
  specs[1].max = 1 << 20;
  specs[1].same_as = "n";
  return specs;
}
Result<std::unique_ptr<Problem>> make_problem(const Params& p) {
  return std::unique_ptr<Problem>(new Doubling(param_int(p, "n")));
}
std::vector<Params> awkward() {
  return {{{"n", int64_t{1}}}, {{"n", int64_t{7}}}};
}
Params shrink(const Params& p, double share) {
  const int64_t n = std::max<int64_t>(1, int64_t(double(param_int(p, "n")) * share));
  return {{"n", n}, {"twin", n}};
}
RIDGE_FAMILY(toy, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink);

int calls = 0;

void answer(const Launch& l) {
  ++calls;
  const auto* x = static_cast<const float*>(l.buffers[0]);
  auto* y = static_cast<float*>(l.buffers[1]);
  for (int64_t i = 0; i < l.shape.dim[0]; ++i) y[i] = 2 * x[i];
}
float* y_of(const Launch& l) {
  return static_cast<float*>(l.buffers[1]);
}

Status good(const Launch& l) {
  answer(l);
  return {};
}
Status with_nan(const Launch& l) {
  answer(l);
  y_of(l)[l.shape.dim[0] - 1] = NAN;
  return {};
}
Status zeros(const Launch& l) {
  std::memset(y_of(l), 0, size_t(l.shape.dim[0]) * 4);
  return {};
}
Status unwritten(const Launch& l) {
  float first = 0;
  std::memcpy(&first, y_of(l), 4);
  answer(l);
  std::memcpy(y_of(l), &first, 4);
  return {};
}
Status overrun(const Launch& l) {
  answer(l);
  y_of(l)[l.shape.dim[0]] = 1;
  return {};
}
Status underrun(const Launch& l) {
  answer(l);
  y_of(l)[-1] = 1;
  return {};
}
Status spoils_input(const Launch& l) {
  answer(l);
  static_cast<float*>(l.buffers[0])[0] += 1;
  return {};
}
/// Right until a call that the test chooses: wrong in the middle of the timing.
int wrong_from = 0;
Status goes_wrong(const Launch& l) {
  answer(l);
  if (calls > wrong_from) y_of(l)[0] += 1;
  return {};
}
/// Answers once per plan and keeps the answer.
Status prepare_stale(const Shape& shape, Plan* plan) {
  auto* old = new std::vector<float>;
  old->reserve(size_t(shape.dim[0]));
  plan->state = old;
  plan->release = [](void* state) { delete static_cast<std::vector<float>*>(state); };
  return {};
}
Status stale(const Launch& l) {
  auto* old = static_cast<std::vector<float>*>(l.plan_state);
  if (old->empty()) {
    answer(l);
    old->assign(y_of(l), y_of(l) + l.shape.dim[0]);
  }
  std::copy(old->begin(), old->end(), y_of(l));
  return {};
}
Status refuses(const Launch&) {
  return {.what = "no such luck", .expression = "refuses()"};
}
Status loses_device(const Launch&) {
  return {.what = "gone", .sticky = true};
}

KernelDesc kernel(const char* id, Status (*launch)(const Launch&)) {
  KernelDesc desc;
  desc.id = id;
  desc.launch = launch;
  return desc;
}
const KernelDesc kGood = kernel("toy.cpu.good", good);
const KernelDesc kOther = kernel("toy.cpu.other", good);

const Params kParams = {{"n", int64_t{100}}, {"twin", int64_t{100}}};

// ---- a device with a made-up clock ---------------------------------------------------------------

class FakeDevice : public measure::Device {
 public:
  /// Time per call of a kernel, before noise and drift.
  std::map<const KernelDesc*, double> call_ns;
  double noise = 1e-4, drift_per_slot = 0;
  int slots = 25, blocks = 0;
  std::vector<std::vector<uint8_t>> orders;

  Backend backend() const override { return Backend::cpu; }
  std::string name() const override { return "fake"; }
  void* stream() const override { return nullptr; }
  Result<void*> allocate(size_t bytes) override { return std::malloc(bytes); }
  void release(void* memory) override { std::free(memory); }
  Result<void> upload(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Result<void> download(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Result<void> fill(void* to, uint32_t pattern, size_t bytes) override {
    for (size_t i = 0; i < bytes / 4; ++i) static_cast<uint32_t*>(to)[i] = pattern;
    return {};
  }
  size_t free_bytes() const override { return 1 << 30; }
  Result<void> synchronize() override { return {}; }
  Result<void> call(const measure::Side& side) override {
    const Status status = side.kernel->launch(side.launch);
    if (!status.ok()) return measure::to_error(status, *side.kernel);
    return {};
  }
  Result<Sample> time_latency(const measure::Side& side) override {
    RIDGE_TRY_VOID(call(side));
    return next(side);
  }
  Result<std::unique_ptr<measure::Side>> make_side(const KernelDesc& k, const Launch& launch,
                                                   measure::Cache cache, double) override {
    auto side = std::make_unique<measure::Side>();
    side->kernel = &k;
    side->launch = launch;
    side->cache = cache;
    return side;
  }
  Result<std::vector<Sample>> time(std::span<measure::Side* const> sides,
                                   std::span<const uint8_t> order) override {
    ++blocks;
    orders.emplace_back(order.begin(), order.end());
    std::vector<Sample> samples;
    for (const uint8_t index : order) {
      RIDGE_TRY_VOID(call(*sides[index]));
      ++timed_;
      samples.push_back(next(*sides[index]));
    }
    return samples;
  }
  int slots_per_block(std::span<measure::Side* const>) const override { return slots; }

 private:
  Sample next(const measure::Side& side) {
    const auto known = call_ns.find(side.kernel);
    const double base = known == call_ns.end() ? 1e6 : known->second;
    const double wobble = quality::normal(11, uint64_t(turn_));
    Sample sample;
    ++turn_;
    sample.t_ns = base * std::exp(noise * wobble + drift_per_slot * double(timed_));
    return sample;
  }
  int64_t turn_ = 0, timed_ = 0;
};

class Listener : public measure::Observer {
 public:
  std::vector<std::string> phases;
  std::vector<QualityCheck> checks;
  std::vector<Round> all_rounds;
  int announced = 0, call_samples = 0, latency_samples = 0;
  int cancel_after = 1 << 30;  ///< call samples
  void phase(int, const measure::Phase& p) override {
    if (phases.empty() || phases.back() != p.phase) phases.push_back(p.phase);
  }
  void check(int, const QualityCheck& c) override { checks.push_back(c); }
  void announce(int) override { ++announced; }
  void samples(int, const char* kind, std::span<const Sample> s) override {
    (std::string(kind) == "call" ? call_samples : latency_samples) += int(s.size());
  }
  void rounds(std::span<const Round> r) override {
    all_rounds.insert(all_rounds.end(), r.begin(), r.end());
  }
  bool cancelled() const override { return call_samples >= cancel_after; }
};

/// Measure mode with a warm-up that a made-up clock does not need.
measure::Options thorough() {
  measure::Options options;
  options.warmup_s = 0.01;
  return options;
}

measure::Options live() {
  measure::Options options;
  options.mode = measure::Mode::live;
  return options;
}

Series run_live(const KernelDesc& k, FakeDevice* device = nullptr) {
  FakeDevice own;
  measure::Bench bench;
  Listener listener;
  auto series =
      measure::measure_kernel(&bench, device ? device : &own, k, kParams, live(), 0, &listener);
  REQUIRE(series);
  return *series;
}

// ---- the gate ------------------------------------------------------------------------------------

struct Planted {
  const char* id;
  Status (*launch)(const Launch&);
  const char* reason;  ///< what must be said
};

TEST_CASE("the gate refuses each planted wrong kernel before it is timed") {
  const Planted planted[] = {{"toy.cpu.nan", with_nan, "NaN"},
                             {"toy.cpu.zeros", zeros, "error 1 "},
                             {"toy.cpu.unwritten", unwritten, "never written"},
                             {"toy.cpu.overrun", overrun, "outside buffer y"},
                             {"toy.cpu.underrun", underrun, "outside buffer y"},
                             {"toy.cpu.input", spoils_input, "changed its inputs"},
                             {"toy.cpu.refuses", refuses, "no such luck (refuses())"}};
  for (const Planted& wrong : planted) {
    INFO(wrong.id);
    const Series series = run_live(kernel(wrong.id, wrong.launch));
    CHECK(series.status == SeriesStatus::failed);
    CHECK(contains(series.reason, wrong.reason));
    CHECK(series.samples.empty());
    CHECK_FALSE(series.stats);
  }
}

TEST_CASE("a kernel that goes wrong while it is timed loses its speed") {
  calls = 0;
  wrong_from = 10;  // check and warm-up take three calls
  const Series series = run_live(kernel("toy.cpu.goes_wrong", goes_wrong));
  CHECK(series.status == SeriesStatus::failed);
  CHECK(contains(series.reason, "after timing"));
  CHECK_FALSE(series.samples.empty());  // they stand in the transcript
  CHECK_FALSE(series.stats);
  CHECK_FALSE(series.latency);
}

TEST_CASE("an answer kept from an earlier call is seen by the full check") {
  KernelDesc desc = kernel("toy.cpu.stale", stale);
  desc.prepare = prepare_stale;
  FakeDevice device;
  measure::FullChecks checks;
  const FamilyDesc* family = find_family("toy");
  REQUIRE(family);
  const auto check = checks.get(desc, *family, kParams, &device, Listener());
  REQUIRE(check);
  CHECK_FALSE(check->passed);
  CHECK(contains(check->what, "seed 2"));
}

TEST_CASE("the full check covers shapes and seeds, once") {
  FakeDevice device;
  measure::FullChecks checks;
  const FamilyDesc* family = find_family("toy");
  calls = 0;
  const auto first = checks.get(kGood, *family, kParams, &device, Listener());
  REQUIRE(first);
  CHECK(first->passed);
  CHECK(calls == 2 * measure::kSeeds);
  CHECK(first->checked == 3 * (1 + 7));
  const auto again = checks.get(kGood, *family, kParams, &device, Listener());
  CHECK(again->passed);
  CHECK(calls == 2 * measure::kSeeds);
}

TEST_CASE("a lost device is an error of its own: the process has to end") {
  FakeDevice device;
  measure::Bench bench;
  Listener listener;
  const auto series = measure::measure_kernel(&bench, &device, kernel("toy.cpu.lost", loses_device),
                                              kParams, live(), 0, &listener);
  REQUIRE_FALSE(series);
  CHECK(series.error().code == ErrorCode::worker);
}

TEST_CASE("guards and poison end exactly where an odd buffer does") {
  auto cpu = measure::make_cpu_device();
  REQUIRE(cpu);
  const std::vector<BufferSpec> specs = {{"half", 7 * 2, true, DType::bf16}};
  auto set = measure::BufferSet::make(cpu->get(), specs);
  REQUIRE(set);
  REQUIRE((*set)->poison_outputs());
  CHECK((*set)->broken_guard()->empty());
  auto* data = static_cast<std::byte*>((*set)->pointers()[0]);
  CHECK(quality::count_poison({data, 14}, DType::bf16) == 7);
  data[14] = std::byte{0};
  CHECK(*(*set)->broken_guard() == "half");
}

// ---- the harness ---------------------------------------------------------------------------------

TEST_CASE("live mode: two checks, at most 50 samples, 59 latencies, blocks announced") {
  FakeDevice device;
  measure::Bench bench;
  Listener listener;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, live(), 3, &listener);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::ok);
  CHECK(series->index == 3);
  CHECK(series->samples.size() == 50);
  CHECK(listener.call_samples == 50);
  CHECK(series->latency_samples.size() == 59);
  CHECK(series->latency->p95_ns);
  CHECK_FALSE(series->latency->p99_ns);
  CHECK(contains(series->unavailable.at("p99_ns"), "needs 299"));
  CHECK(listener.checks.size() == 2);
  CHECK(series->quality_passed());
  CHECK(listener.announced >= device.blocks);
  CHECK(listener.phases ==
        std::vector<std::string>{"prepare", "check", "warmup", "timing", "latency"});
}

TEST_CASE("measure mode stops when the interval is narrow, and checks the awkward shapes first") {
  FakeDevice device;
  measure::Bench bench;
  Listener listener;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, thorough(), 0, &listener);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::ok);
  CHECK(series->samples.size() == 20);  // 0.01 % of noise: the first look is enough
  CHECK(series->latency_samples.size() == 300);
  CHECK(series->latency->p99_ns);
  REQUIRE(listener.checks.size() == 3);
  CHECK(contains(listener.checks[0].what, "6 awkward problems"));
}

TEST_CASE("measure mode goes on while the interval is wide, then says noisy") {
  FakeDevice device;
  device.noise = 0.5;
  measure::Bench bench;
  Listener listener;
  measure::Options options = thorough();
  options.limit_s = 0.1;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, options, 0, &listener);
  REQUIRE(series);
  CHECK(series->samples.size() > 20);
  const auto& flags = series->stats->flags;
  CHECK(std::find(flags.begin(), flags.end(), "noisy") != flags.end());
}

TEST_CASE("cancel acts between blocks and keeps the samples") {
  FakeDevice device;
  device.noise = 0.5;
  measure::Bench bench;
  Listener listener;
  listener.cancel_after = 20;
  const auto series =
      measure::measure_kernel(&bench, &device, kGood, kParams, thorough(), 0, &listener);
  REQUIRE(series);
  CHECK(series->status == SeriesStatus::cancelled);
  CHECK(series->samples.size() == 20);
  CHECK(series->stats);
  CHECK(series->latency_samples.empty());
}

TEST_CASE("a rung whose call would pass 5 s is run smaller, and says from what") {
  FakeDevice device;
  device.call_ns[&kGood] = 10e9;  // of any size, the shrunk one too
  device.noise = 0;
  const FamilyDesc* family = find_family("toy");
  const Params big = {{"n", int64_t{1000}}, {"twin", int64_t{1000}}};
  const auto estimate = measure::estimate_call(kGood, *family, big, &device, true);
  REQUIRE(estimate);
  CHECK(estimate->reduced_from == "n=1000");  // twin only follows n
  CHECK(param_int(estimate->params, "n") < 1000);
  CHECK(estimate->call_ns <= measure::kLongestCallNs);
  device.call_ns[&kGood] = 1e6;
  const auto quick = measure::estimate_call(kGood, *family, big, &device, true);
  CHECK(quick->reduced_from.empty());
  CHECK(quick->params == big);
}

TEST_CASE("a kernel for another instruction set or type is skipped, with the reason") {
  KernelDesc desc = kGood;
  desc.dtypes = "bf16 fp16";
  const Series series = run_live(desc);
  CHECK(series.status == SeriesStatus::skipped);
  CHECK(contains(series.reason, "computes bf16 fp16, not fp32"));

  setenv("RIDGE_MAX_ISA", "portable", 1);
  std::string reason;
  CHECK_FALSE(measure::isa_available("avx512f", &reason));
  CHECK(contains(reason, "needs avx512f"));
  CHECK(measure::isa_available("", &reason));
  CHECK(measure::read_cpu().isa == "portable");
  unsetenv("RIDGE_MAX_ISA");
}

TEST_CASE("memory that is not there is refused before anything is allocated") {
  FakeDevice device;
  FamilyDesc family = *find_family("toy");
  family.make_problem = [](const Params&) -> Result<std::unique_ptr<Problem>> {
    return std::unique_ptr<Problem>(new Doubling(int64_t{1} << 50));
  };
  const auto posed = measure::pose(family, kParams, 1, device);
  REQUIRE_FALSE(posed);
  CHECK(posed.error().code == ErrorCode::unavailable);
  CHECK(contains(posed.error().sentence(), "may be used"));
}

// ---- the CPU device ------------------------------------------------------------------------------

TEST_CASE("the CPU device: samples of 200 us, hot and cold told apart") {
  auto cpu = measure::make_cpu_device();
  REQUIRE(cpu);
  const FamilyDesc* family = find_family("toy");
  auto posed = measure::pose(*family, kParams, 1, **cpu);
  REQUIRE(posed);
  auto rung = measure::make_ready(kGood, cpu->get(), *posed);
  REQUIRE(rung);
  auto hot = (*cpu)->make_side(kGood, rung->launch(), measure::Cache::hot, 1000);
  CHECK((*hot)->calls == 200);
  auto cold = (*cpu)->make_side(kGood, rung->launch(), measure::Cache::cold, 1000);
  CHECK((*cold)->calls == 10);
  measure::Side* sides[] = {hot->get(), cold->get()};
  const uint8_t order[] = {0, 1, 0};
  calls = 0;
  const auto samples = (*cpu)->time(sides, order);
  REQUIRE(samples);
  REQUIRE(samples->size() == 3);
  CHECK(samples->at(1).calls == 10);
  CHECK(samples->at(0).cpu_ns > 0);
  CHECK(calls >= 410);  // more where a sample was taken again

  measure::Bench bench;
  Listener listener;
  measure::Options options = live();
  options.cache = measure::Cache::cold;
  const auto series =
      measure::measure_kernel(&bench, cpu->get(), kGood, kParams, options, 0, &listener);
  REQUIRE(series);
  CHECK(series->cache == "cold");
}

// ---- comparison ----------------------------------------------------------------------------------

measure::CompareOptions quick() {
  measure::CompareOptions options;
  options.warmup_s = 0.01;
  return options;
}

measure::CompareOutcome compare(FakeDevice* device, std::vector<const KernelDesc*> kernels,
                                Listener* listener, measure::CompareOptions options = quick()) {
  measure::Bench bench;
  std::vector<measure::CompareSide> sides;
  for (const KernelDesc* k : kernels) sides.push_back({k, kParams, device});
  auto outcome = measure::compare(&bench, sides, options, listener);
  REQUIRE(outcome);
  return std::move(*outcome);
}

TEST_CASE("compare: a rung 1.5 times slower is SLOWER, in palindromes, with percentiles") {
  FakeDevice device;
  device.call_ns = {{&kGood, 1e6}, {&kOther, 1.5e6}};
  device.drift_per_slot = 1e-4;  // 1 % over the comparison
  Listener listener;
  const auto outcome = compare(&device, {&kGood, &kOther}, &listener);
  REQUIRE(outcome.comparisons.size() == 1);
  const Comparison& comparison = outcome.comparisons[0];
  CHECK(comparison.verdict == Verdict::slower);
  CHECK(comparison.ratio == Approx(1 / 1.5).epsilon(1e-3));
  CHECK(comparison.rounds == measure::kRounds);
  CHECK(comparison.margin == 0.02);
  int abba = 0;
  for (const Round& round : listener.all_rounds) {
    CHECK((round.order == "0110" || round.order == "1001"));
    CHECK(round.t_ns.size() == 4);
    abba += round.order == "0110";
  }
  CHECK(abba > 0);
  CHECK(abba < measure::kRounds);
  REQUIRE(outcome.series.size() == 2);
  for (const Series& series : outcome.series) {
    CHECK(series.samples.size() == 80);
    CHECK(series.latency->p95_ns);
    CHECK(series.quality_passed());
  }
}

TEST_CASE("compare: a rung against itself is SAME, whatever the clock does") {
  FakeDevice device;
  device.drift_per_slot = 1e-4;
  Listener listener;
  const auto outcome = compare(&device, {&kGood, &kGood}, &listener);
  CHECK(outcome.comparisons[0].verdict == Verdict::same);
}

TEST_CASE("compare: two candidates, one of them wrong, is INVALID and nothing is timed") {
  FakeDevice device;
  Listener listener;
  const KernelDesc wrong = kernel("toy.cpu.zeros", zeros);
  const auto outcome = compare(&device, {&kGood, &kOther, &wrong}, &listener);
  REQUIRE(outcome.comparisons.size() == 2);
  for (const Comparison& comparison : outcome.comparisons) {
    CHECK(comparison.verdict == Verdict::invalid);
    CHECK(contains(comparison.reasons.at(0), "toy.cpu.zeros"));
    CHECK_FALSE(comparison.ci);
  }
  CHECK(device.blocks == 0);
  CHECK(outcome.series[2].status == SeriesStatus::failed);
  CHECK(outcome.series[0].status == SeriesStatus::skipped);
}

TEST_CASE("compare: the limit ends it, but not before an interval is possible") {
  FakeDevice device;
  device.slots = 1;  // one round a block
  Listener listener;
  measure::CompareOptions options = quick();
  options.limit_s = 1e-6;
  const auto outcome = compare(&device, {&kGood, &kOther, &kGood}, &listener, options);
  CHECK(outcome.comparisons[0].rounds == 7);  // two candidates
  CHECK(outcome.comparisons[0].ci);
  CHECK(listener.all_rounds[0].order.size() == 6);
  for (const auto& order : device.orders) CHECK(order.size() == 6);  // no lead slots
}

TEST_CASE("compare: cancelled between blocks, the rounds so far are judged") {
  FakeDevice device;
  Listener listener;
  listener.cancel_after = 40;
  const auto outcome = compare(&device, {&kGood, &kOther}, &listener);
  CHECK(outcome.cancelled);
  CHECK(outcome.comparisons[0].rounds > 0);
  CHECK(outcome.comparisons[0].rounds < measure::kRounds);
  CHECK(outcome.series[0].status == SeriesStatus::cancelled);
}

TEST_CASE("compare: sides of different sizes have buffers of their own, and say so") {
  FakeDevice device;
  Listener listener;
  measure::Bench bench;
  const Params small = {{"n", int64_t{50}}, {"twin", int64_t{50}}};
  const auto outcome = measure::compare(
      &bench, {{&kGood, kParams, &device}, {&kGood, small, &device}}, quick(), &listener);
  REQUIRE(outcome);
  CHECK(contains(outcome->comparisons[0].reasons.at(0), "buffers of their own"));
}

// ---- machine and ceilings ------------------------------------------------------------------------

TEST_CASE("the environment names this machine, and a debug build is not quiet") {
  Environment environment = measure::read_environment();
  CHECK_FALSE(environment.cpu.model.empty());
  CHECK(environment.cpu.cores >= 1);
  CHECK(environment.cpu.memory_bytes > 0);
  CHECK(environment.time_utc.size() == 20);
  CHECK((environment.gpus.empty() == !environment.no_gpu_reason.empty()));
  environment.build_type = "Debug";
  environment.power_source = "battery";
  environment.cpu.governor = "powersave";
  const QuietState state = measure::judge_quiet(environment, 1.5, {"2 other processes on the GPU"});
  CHECK_FALSE(state.quiet);
  for (const char* reason : {"debug build", "on battery", "governor powersave",
                             "other processes use 1.5", "2 other processes on the GPU"}) {
    const bool said = std::any_of(state.reasons.begin(), state.reasons.end(), [&](const auto& r) {
      return r.find(reason) != std::string::npos;
    });
    INFO(reason);
    CHECK(said);
  }
}

TEST_CASE("every ceiling's probe passes its gate, and one that skips work does not") {
  auto cpu = measure::make_cpu_device();
  const FamilyDesc* family = find_family("probe");
  REQUIRE(family);
  for (const measure::CeilingRow& row : measure::ceiling_rows()) {
    if (row.backend != Backend::cpu) continue;
    for (const auto& choice : row.choices) {
      const KernelDesc* probe = find_kernel(choice.kernel);
      INFO(choice.kernel);
      REQUIRE(probe);
      if (!measure::check_supported(*probe, {}, **cpu)) continue;
      for (const int threads : {1, 2}) {
        const Params given = {{"what", std::string(choice.what)},
                              {"n", int64_t{1024}},
                              {"threads", int64_t{threads}}};
        const auto full = resolve_params(family->params(), given, "probe");
        REQUIRE(full);
        auto posed = measure::pose(*family, *full, 1, **cpu);
        REQUIRE(posed);
        auto rung = measure::make_ready(*probe, cpu->get(), *posed);
        REQUIRE(rung);
        const auto check = measure::check_rung(&*rung, true, "probe");
        REQUIRE(check);
        INFO(check->reason);
        CHECK(check->passed);
        // A hundredth of the passes fewer must show.
        if (std::string(choice.what) != "fma") continue;
        for (int64_t i = 0; i < 192 * threads; ++i) {
          auto& out = rung->posed->host[2];
          quality::store(out.data(), i, DType::fp32,
                         0.99 * quality::load(out.data(), i, DType::fp32));
        }
        CHECK_FALSE(rung->posed->problem->check(rung->posed->host, true, 1).passed);
      }
    }
  }
}

}  // namespace
}  // namespace ridge
