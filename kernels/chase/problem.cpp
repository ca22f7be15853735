// The chase family: a random cycle through all lines of a working set.
#include <algorithm>
#include <cstring>
#include <string>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/chase/chase.h"
#include "kernels/runtime/problems/working_set.h"

namespace ridge {
namespace {

constexpr int64_t kLineBytes = kLineWords * 8;
constexpr int64_t kLinesOfKib = 1024 / kLineBytes;
constexpr uint64_t kCycleSeed = 30;
/// Steps of all chases in a call, at the least: 5 ms of a GPU's L1. In a set of 128 KiB one of 128 is a first visit.
constexpr int64_t kFewestSteps = 1 << 18;
/// A warp.
constexpr int64_t kUsualGpuChases = 32;

uint64_t word_at(const std::vector<std::byte>& buffer, int64_t index) {
  uint64_t word = 0;
  std::memcpy(&word, buffer.data() + index * 8, 8);
  return word;
}

class ChaseProblem : public Problem {
 public:
  ChaseProblem(int64_t lines, int64_t chases)
      : lines_(lines), chases_(chases), order_(shuffled(lines, kCycleSeed)) {
    next_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i)
      next_[static_cast<size_t>(order_[i])] = order_[(i + 1) % order_.size()];
    cycle_.next = next_.data();
  }

  Shape shape() const override {
    Shape shape;
    shape.dim[0] = lines_;
    shape.dim[1] = chases_;
    shape.dim[2] = steps();
    shape.constants = &cycle_;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    const auto chases = static_cast<size_t>(chases_);
    return {{"start", 8 * chases, false, DType::fp64},
            {"out", 8 * (chases + 1), true, DType::fp64}};
  }
  double flop() const override { return 0; }
  double items() const override { return double(steps()) * double(chases_); }
  /// Whole lines are what memory moves.
  double bytes_min() const override { return items() * double(kLineBytes); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const uint64_t first = random_bits(random_key(seed), 0) % static_cast<uint64_t>(lines_);
    for (int64_t i = 0; i < chases_; ++i) {
      const uint64_t at = (first + static_cast<uint64_t>(i * lap())) % order_.size();
      const auto line = static_cast<uint64_t>(order_[at]);
      std::memcpy((*host)[0].data() + i * 8, &line, 8);
    }
  }

  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    QualityCheck check;
    check.what = "every step of every chase";
    check.checked = steps() * chases_;
    uint64_t all = 0;
    for (int64_t i = 0; i < chases_; ++i) {
      uint64_t line = word_at(host[0], i), sum = 0;
      for (int64_t step = 0; step < steps(); ++step) {
        line = static_cast<uint64_t>(next_[line]);
        sum = with_line(sum, line);
      }
      all += sum;
      if (word_at(host[1], 1 + i) == line) continue;
      check.reason = "chase " + std::to_string(i) + " ends at the wrong line";
      return check;
    }
    check.passed = word_at(host[1], 0) == all;
    if (!check.passed) check.reason = "lines were left out, or visited in another order";
    return check;
  }

 private:
  int64_t lap() const { return lines_ / chases_; }
  int64_t steps() const { return lap() * std::max<int64_t>(1, kFewestSteps / lines_); }
  int64_t lines_, chases_;
  std::vector<int32_t> order_, next_;
  Cycle cycle_ = {};
};

std::vector<ParamSpec> chase_params() {
  return {extent_param("kib", kWorkingSetHelp, kMostKib, kUsualKib),
          int_param("chases", "independent chases through the set", 1, kMostGpuChases, 8)};
}

Result<std::unique_ptr<Problem>> make_chase(const Params& params) {
  const int64_t lines = param_int(params, "kib", kUsualKib) * kLinesOfKib;
  const int64_t chases = param_int(params, "chases", 8);
  if (chases > lines) {
    return Error{
        ErrorCode::usage,
        std::to_string(chases) + " chases are more than the " + std::to_string(lines) + " lines",
        "parameter chases of chase", "choose fewer, or more KiB"};
  }
  return std::unique_ptr<Problem>(std::make_unique<ChaseProblem>(lines, chases));
}

/// Every number of chases, among them those that leave lines over.
std::vector<Params> awkward_chase() {
  std::vector<Params> all;
  for (int64_t chases = 1; chases <= kMostChases; ++chases) {
    for (const int64_t kib : {1, 37}) all.push_back({{"kib", kib}, {"chases", chases}});
  }
  return all;
}

Params shrink_chase(const Params& params, double share) {
  Params smaller = with_share(params, "kib", share);
  const int64_t fewest = (param_int(params, "chases", 8) + kLinesOfKib - 1) / kLinesOfKib;
  smaller["kib"] = std::max(fewest, param_int(smaller, "kib", 1));
  return smaller;
}

void narrow_chase(std::string_view kernel, std::vector<ParamSpec>* specs) {
  const bool is_cuda = kernel.find(".cuda.") != std::string_view::npos;
  for (ParamSpec& spec : *specs) {
    if (spec.name != "chases") continue;
    if (is_cuda)
      spec.fallback = kUsualGpuChases;
    else
      spec.max = kMostChases;
  }
}

RIDGE_FAMILY(chase, .params = chase_params, .make_problem = make_chase, .awkward = awkward_chase,
             .shrink = shrink_chase, .narrow = narrow_chase);

}  // namespace
}  // namespace ridge
