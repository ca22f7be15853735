// A family of its own for the tests of gate, harness and comparison, right and wrong kernels for it,
// and a device whose clock is made up, so that what is decided does not depend on how busy this
// machine is. For one file of a test program: it registers the family.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/harness.h"
#include "common/harness/quality/quality.h"
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
Status prepare_refusal(const Shape&, Plan*) {
  return refuse("takes even sizes only");
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
/// A right kernel that does not take the problem.
KernelDesc picky() {
  KernelDesc desc = kernel("toy.cpu.picky", good);
  desc.prepare = prepare_refusal;
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

}  // namespace
}  // namespace ridge
