// Probes whose answers are exact: sums of products of bytes, words through logic, words from the L2.
#include <cstring>

#include "common/core/random.h"
#include "common/harness/quality/quality.h"
#include "kernels/probe/probe.h"
#include "kernels/probe/problem_cpu.h"

namespace ridge::probe {
namespace {

void fill_random(std::vector<std::byte>* data, uint64_t seed) {
  const uint64_t key = random_key(seed);
  for (size_t at = 0; at < data->size(); at += 8) {
    const uint64_t word = random_bits(key, at / 8);
    std::memcpy(data->data() + at, &word, std::min<size_t>(8, data->size() - at));
  }
}

template <class T>
T number_at(const std::vector<std::byte>& data, int64_t index) {
  T number;
  std::memcpy(&number, data.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return number;
}

class IntegerProblem : public Problem {
 public:
  explicit IntegerProblem(const Shape& shape) : shape_(shape) {}
  Shape shape() const override { return shape_; }
  double flop() const override { return 0; }
  void generate(uint64_t seed, HostBuffers* host) const override {
    fill_random(&(*host)[0], seed);
    if (host->size() > 2) fill_random(&(*host)[1], seed + 1);
  }
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    QualityCheck check;
    check.checked = units();
    check.passed = right(host);
    if (!check.passed) check.reason = "its numbers are not those that as many steps give";
    return check;
  }

 protected:
  virtual bool right(const HostBuffers& host) const = 0;
  int64_t units() const { return shape_.dim[kProbeDimUnits]; }
  int64_t passes() const { return shape_.dim[kProbeDimN]; }
  size_t count() const { return static_cast<size_t>(units()); }

 private:
  Shape shape_;
};

class DotInt8Problem : public IntegerProblem {
 public:
  using IntegerProblem::IntegerProblem;
  std::vector<BufferSpec> buffers() const override {
    return {{"x", 4 * count(), false, DType::int8},
            {"f", 4, false, DType::int8},
            {"out", 4 * count(), true, DType::int32}};
  }
  double flop() const override { return 8.0 * kProbeSteps * double(passes()) * double(units()); }
  double bytes_min() const override { return 8.0 * double(units()) + 4; }

 private:
  bool right(const HostBuffers& host) const override {
    bool same = true;
    for (int64_t i = 0; i < units(); ++i) {
      int64_t sum = 0;
      for (int64_t j = 0; j < 4; ++j) {
        sum += int64_t{number_at<uint8_t>(host[0], 4 * i + j)} * number_at<int8_t>(host[1], j);
      }
      const auto expected = static_cast<uint32_t>(sum * kProbeSteps * passes());
      same &= number_at<uint32_t>(host[2], i) == expected;
    }
    return same;
  }
};

class LogicProblem : public IntegerProblem {
 public:
  using IntegerProblem::IntegerProblem;
  std::vector<BufferSpec> buffers() const override {
    return {{"x", 8 * count(), false, DType::fp64},
            {"c", 8, false, DType::fp64},
            {"out", 8 * count(), true, DType::fp64}};
  }
  double flop() const override {
    return double(kProbeSteps) * double(passes()) * double(units()) / double(kLogicWidth);
  }
  double bytes_min() const override { return 16.0 * double(units()) + 8; }

 private:
  bool right(const HostBuffers& host) const override {
    const auto c = number_at<uint64_t>(host[1], 0);
    bool same = true;
    for (int64_t first = 0; first < units(); first += kLogicLanes) {
      for (int lane = 0; lane < kLogicWidth; ++lane) {
        uint64_t v[kLogicChains];
        const auto at = [&](int i) { return first + i * kLogicWidth + lane; };
        for (int i = 0; i < kLogicChains; ++i) v[i] = number_at<uint64_t>(host[0], at(i));
        for (int step = 0; step < kProbeSteps; ++step) {
          for (int i = 0; i < kLogicChains; ++i) v[i] ^= v[(i + 1) % kLogicChains] ^ c;
        }
        for (int i = 0; i < kLogicChains; ++i) {
          same &= number_at<uint64_t>(host[2], at(i)) == v[i] * static_cast<uint64_t>(passes());
        }
      }
    }
    return same;
  }
};

class L2Problem : public IntegerProblem {
 public:
  using IntegerProblem::IntegerProblem;
  std::vector<BufferSpec> buffers() const override {
    return {{"data", 8 * kL2Words * count(), false, DType::fp64},
            {"out", 8 * count(), true, DType::fp64}};
  }
  double bytes_min() const override {
    return 8.0 * double(kL2Words) * double(passes()) * double(units());
  }

 private:
  bool right(const HostBuffers& host) const override {
    bool same = true;
    for (int64_t i = 0; i < units(); ++i) {
      uint64_t sum = 0;
      for (int64_t w = 0; w < kL2Words; w += kL2Step) {
        sum += number_at<uint64_t>(host[0], i * kL2Words + w);
      }
      same &= number_at<uint64_t>(host[1], i) == sum * static_cast<uint64_t>(passes());
    }
    return same;
  }
};

}  // namespace

std::unique_ptr<Problem> make_integer_problem(const Shape& shape) {
  switch (shape.dim[kProbeDimWhat]) {
    case kProbeDotInt8:
      return std::make_unique<DotInt8Problem>(shape);
    case kProbeLogic:
      return std::make_unique<LogicProblem>(shape);
    case kProbeL2:
      return std::make_unique<L2Problem>(shape);
    default:
      return nullptr;
  }
}

}  // namespace ridge::probe
