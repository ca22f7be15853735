#include "kernels/probe/problem_cpu.h"

#include <cmath>
#include <cstring>

#include "common/harness/quality/quality.h"
#include "kernels/probe/probe.h"

namespace ridge::probe {
namespace {

/// A well mixed word per index (SplitMix64's finaliser; Steele, Lea and Flood, OOPSLA 2014).
uint64_t mixed(uint64_t seed, uint64_t index) {
  uint64_t z = (seed + index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

void fill_mixed(std::vector<std::byte>* data, uint64_t seed) {
  for (size_t at = 0; at + 8 <= data->size(); at += 8) {
    const uint64_t word = mixed(seed, at / 8);
    std::memcpy(data->data() + at, &word, sizeof(word));
  }
}

uint64_t word_at(const std::vector<std::byte>& data, size_t index) {
  uint64_t word = 0;
  std::memcpy(&word, data.data() + 8 * index, sizeof(word));
  return word;
}

uint64_t sum_of(const std::vector<std::byte>& data) {
  uint64_t sum = 0;
  for (size_t i = 0; i < data.size() / 8; ++i) sum += word_at(data, i);
  return sum;
}

class FmaProblem : public Problem {
 public:
  explicit FmaProblem(Shape shape) : shape_(shape) {}
  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    const auto bytes = static_cast<size_t>(units()) * sizeof(float);
    return {{"x", bytes, false, DType::fp32},
            {"ab", 2 * sizeof(float), false, DType::fp32},
            {"out", bytes, true, DType::fp32}};
  }
  double flop() const override { return 2.0 * kProbeSteps * double(n()) * double(units()); }
  double bytes_min() const override { return 8.0 * double(units()) + 8; }

  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
    // |a|^steps = 1/e: dropping 1 % of the steps moves the result by 0.4 %. The sign keeps each
    // step's rounding random, since the value jumps instead of creeping.
    const float ab[2] = {-(1.0f - 1.0f / kProbeSteps), 0.75f};
    std::memcpy((*host)[1].data(), ab, sizeof(ab));
  }

  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    const double a = quality::load(host[1].data(), 0, DType::fp32);
    const double b = quality::load(host[1].data(), 1, DType::fp32);
    // acc = f + (x - f) a^steps with the fixed point f = b / (1 - a).
    const double fixed = b / (1 - a), power = std::pow(a, double(kProbeSteps)),
                 passes = double(n());
    quality::ErrorSum sum;
    for (int64_t i = 0; i < units(); ++i) {
      const double x = quality::load(host[0].data(), i, DType::fp32);
      // Rounding of a chain adds up to 1e-4 at worst (steps times half a unit in the last place).
      const double bound = 1e-3 * (std::fabs(x - fixed) + std::fabs(fixed)) * passes;
      sum.add(quality::load(host[2].data(), i, DType::fp32), passes * (fixed + (x - fixed) * power),
              bound);
    }
    return sum.finish("probe", 1e-6);
  }

 private:
  int64_t n() const { return shape_.dim[kProbeDimN]; }
  int64_t units() const { return shape_.dim[kProbeDimUnits]; }
  Shape shape_;
};

/// Pairs of bf16 products added up.
class DotProblem : public Problem {
 public:
  explicit DotProblem(Shape shape) : shape_(shape) { shape_.dtype = DType::bf16; }
  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    const auto count = static_cast<size_t>(units());
    return {{"x", 4 * count, false, DType::bf16},
            {"f", 4, false, DType::bf16},
            {"out", 4 * count, true, DType::fp32}};
  }
  double flop() const override { return 4.0 * steps() * double(units()); }
  double bytes_min() const override { return 8.0 * double(units()) + 4; }

  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::bf16, seed);
    quality::store((*host)[1].data(), 0, DType::bf16, 0.75);
    quality::store((*host)[1].data(), 1, DType::bf16, -1.25);
  }

  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    const double f0 = quality::load(host[1].data(), 0, DType::bf16);
    const double f1 = quality::load(host[1].data(), 1, DType::bf16);
    quality::ErrorSum sum;
    for (int64_t i = 0; i < units(); ++i) {
      const double x0 = f0 * quality::load(host[0].data(), 2 * i, DType::bf16);
      const double x1 = f1 * quality::load(host[0].data(), 2 * i + 1, DType::bf16);
      // Rounding: half a unit in the last place a step at worst, 2.4e-4 over a chain of 4096.
      const double bound = 1e-3 * (std::fabs(x0) + std::fabs(x1)) * steps();
      sum.add(quality::load(host[2].data(), i, DType::fp32), (x0 + x1) * steps(), bound);
    }
    return sum.finish("probe", 1e-6);
  }

 private:
  double steps() const { return double(kProbeSteps) * double(shape_.dim[kProbeDimN]); }
  int64_t units() const { return shape_.dim[kProbeDimUnits]; }
  Shape shape_;
};

/// Exponentials, each of the one before.
class ExpProblem : public Problem {
 public:
  explicit ExpProblem(Shape shape) : shape_(shape) {}
  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    const auto bytes = static_cast<size_t>(units()) * sizeof(float);
    return {{"x", bytes, false, DType::fp32}, {"out", bytes / 3, true, DType::fp32}};
  }
  double flop() const override { return kProbeSteps * passes() * double(units()); }
  double bytes_min() const override { return 16.0 / 3 * double(units()); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
  }

  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    quality::ErrorSum errors;
    for (int64_t u = 0; u < units() / 3; ++u) {
      double all = 0;
      for (int64_t lane = 0; lane < 3; ++lane) {
        const int64_t at = u / kExpSums * kProbeLanes + u % kExpSums + lane * kExpSums;
        all +=
            passes() * exponential_sum(quality::load(host[0].data(), at, DType::fp32), kProbeSteps);
      }
      // 12,288 additions to a sum of 8,000, each rounded the same way at worst: 4e-4.
      errors.add(quality::load(host[1].data(), u, DType::fp32), all, 1e-3 * all);
    }
    return errors.finish("probe", 1e-6);
  }

 private:
  double passes() const { return double(shape_.dim[kProbeDimN]); }
  int64_t units() const { return shape_.dim[kProbeDimUnits]; }
  Shape shape_;
};

/// Reading: the sum of the words says that each was read.
class ReadProblem : public Problem {
 public:
  explicit ReadProblem(Shape shape) : shape_(shape) {}
  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    return {{"data", bytes(), false, DType::fp64},
            {"out", static_cast<size_t>(shape_.dim[kProbeDimUnits]) * 8, true, DType::fp64}};
  }
  double flop() const override { return 0; }
  double bytes_min() const override { return double(bytes()); }

  void generate(uint64_t seed, HostBuffers* host) const override { fill_mixed(&(*host)[0], seed); }

  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    QualityCheck check;
    check.checked = static_cast<int64_t>(bytes() / 8);
    check.passed = sum_of(host[0]) == sum_of(host[1]);
    if (!check.passed) check.reason = "the sum of the words is wrong";
    return check;
  }

 private:
  size_t bytes() const { return static_cast<size_t>(shape_.dim[kProbeDimN]); }
  Shape shape_;
};

/// Reading and writing: the bytes are those of the input.
class CopyProblem : public Problem {
 public:
  explicit CopyProblem(Shape shape) : shape_(shape) {}
  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    return {{"data", bytes(), false, DType::fp64}, {"out", bytes(), true, DType::fp64}};
  }
  double flop() const override { return 0; }
  double bytes_min() const override { return 2 * double(bytes()); }

  void generate(uint64_t seed, HostBuffers* host) const override { fill_mixed(&(*host)[0], seed); }

  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    QualityCheck check;
    check.what = "copied bytes";
    check.checked = static_cast<int64_t>(bytes());
    check.passed = std::memcmp(host[0].data(), host[1].data(), bytes()) == 0;
    if (!check.passed) check.reason = "the copy differs";
    return check;
  }

 private:
  size_t bytes() const { return static_cast<size_t>(shape_.dim[kProbeDimN]); }
  Shape shape_;
};

}  // namespace

double exponential_sum(double x, int steps) {
  double sum = 0;
  int done = 0;
  // Nearer by 0.44 with every step, so that after 80 it stands still.
  for (; done < steps && done < 80; ++done) sum += x = std::exp2(-x);
  return sum + double(steps - done) * x;
}

std::unique_ptr<Problem> make_cpu_problem(const Shape& shape) {
  if (shape.dim[kProbeDimWhat] == kProbeRead) return std::make_unique<ReadProblem>(shape);
  if (shape.dim[kProbeDimWhat] == kProbeCopy) return std::make_unique<CopyProblem>(shape);
  if (shape.dim[kProbeDimWhat] == kProbeDot) return std::make_unique<DotProblem>(shape);
  if (shape.dim[kProbeDimWhat] == kProbeExp) return std::make_unique<ExpProblem>(shape);
  if (auto integer = make_integer_problem(shape)) return integer;
  return std::make_unique<FmaProblem>(shape);
}

}  // namespace ridge::probe
