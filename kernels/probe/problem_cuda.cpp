#include "kernels/probe/problem_cuda.h"

#include <cmath>
#include <limits>
#include <random>

#include "common/harness/quality/quality.h"
#include "kernels/probe/problem_cpu.h"

namespace ridge::probe {
namespace {

constexpr int64_t kSpotChecks = 4096;
constexpr double kAnyElement = std::numeric_limits<double>::infinity();

class FfmaProblem final : public UnitProblem {
 public:
  explicit FfmaProblem(int64_t units) : UnitProblem(units, DType::fp32) {}
  std::vector<BufferSpec> buffers() const override {
    return {input("a", kFfmaInputs, DType::fp32), input("b", kFfmaInputs, DType::fp32),
            input("c", kFfmaInputs, DType::fp32), output(units_)};
  }
  double flop() const override {
    return 2.0 * kFfmaChains * kFfmaSteps * static_cast<double>(units_);
  }
  void generate(uint64_t seed, HostBuffers* host) const override {
    for (uint64_t i = 0; i < 3; ++i) quality::fill_normal((*host)[i], DType::fp32, 3 * seed + i);
    for (int64_t i = 0; i < kFfmaInputs; ++i) {
      const double x = quality::load((*host)[0].data(), i, DType::fp32);
      const double y = quality::load((*host)[1].data(), i, DType::fp32);
      const double off = (1.5 + x / (1 + std::fabs(x))) / kFfmaSteps;
      quality::store((*host)[0].data(), i, DType::fp32, 1 - off);
      quality::store((*host)[1].data(), i, DType::fp32, y / kFfmaSteps);
    }
  }
  /// After n steps c is a^n c + b (1 - a^n) / (1 - a).
  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    quality::ErrorSum errors;
    for (const int64_t i : spots(units_, full, seed)) {
      const double a = quality::load(host[0].data(), i % kFfmaInputs, DType::fp32);
      const double b = quality::load(host[1].data(), i % kFfmaInputs, DType::fp32);
      const double power = std::pow(a, kFfmaSteps), added = b * (1 - power) / (1 - a);
      double reference = 0;
      for (int j = 0; j < kFfmaChains; ++j)
        reference +=
            power * quality::load(host[2].data(), (i + j) % kFfmaInputs, DType::fp32) + added;
      errors.add(quality::load(host[3].data(), i, DType::fp32), reference, kAnyElement);
    }
    return errors.finish("ffma", kNmseLimit);
  }

 private:
  // Honest chains score 1.5e-13, one step fewer 1.6e-8 (simulated on a CPU).
  static constexpr double kNmseLimit = 1e-9;
};

class GpuExpProblem final : public UnitProblem {
 public:
  explicit GpuExpProblem(int64_t units) : UnitProblem(units, DType::fp32) {}
  std::vector<BufferSpec> buffers() const override {
    return {input("x", kFfmaInputs, DType::fp32), output(units_)};
  }
  double flop() const override {
    return double(kExpChains) * kExpSteps * static_cast<double>(units_);
  }
  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
  }
  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    quality::ErrorSum errors;
    for (const int64_t i : spots(units_, full, seed)) {
      double reference = 0;
      for (int j = 0; j < kExpChains; ++j) {
        reference += exponential_sum(
            quality::load(host[0].data(), (i + j) % kFfmaInputs, DType::fp32), kExpSteps);
      }
      errors.add(quality::load(host[1].data(), i, DType::fp32), reference, kAnyElement);
    }
    // Eight sums of 1,300, each rounded the same way at worst: (1e-4)^2. One step in a hundred missed: 1e-4.
    return errors.finish("gpu_exp", 1e-6);
  }
};

class TensorProblem final : public UnitProblem {
 public:
  TensorProblem(int64_t units, DType dtype, int row_bytes)
      : UnitProblem(units, dtype),
        element_bytes_(static_cast<int>(dtype_size(dtype))),
        k_(row_bytes / element_bytes_) {}
  std::vector<BufferSpec> buffers() const override {
    return {input("A", int64_t{kTensorM} * k_, dtype_), input("B", int64_t{kTensorN} * k_, dtype_),
            output(units_ * kTensorM)};
  }
  double flop() const override {
    return 2.0 * kTensorM * kTensorN * depth() * static_cast<double>(units_);
  }
  void generate(uint64_t seed, HostBuffers* host) const override {
    for (uint64_t i = 0; i < 2; ++i) quality::fill_normal((*host)[i], dtype_, 2 * seed + i);
  }
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    const std::vector<double> rows = reference(host);
    quality::ErrorSum errors;
    for (int64_t i = 0; i < units_ * kTensorM; ++i)
      errors.add(quality::load(host[2].data(), i, DType::fp32),
                 rows[static_cast<size_t>(i % kTensorM)], kAnyElement);
    // fp32 accumulators are truncated 256 times: 1e-9 at the very worst. One instruction missed: 1.5e-5.
    // Those of fp8 have 14 bits and lose more than one instruction brings; five are seen.
    const auto k = static_cast<int64_t>(depth());
    return errors.finish("tensor",
                         dtype_ == DType::fp8 ? quality::gemm_nmse_limit(dtype_, k) : 1e-8);
  }

 private:
  double depth() const { return kTensorDepthBytes / double(element_bytes_); }

  /// The sum of a row of A B^T is that row of A times the sum of B's rows.
  std::vector<double> reference(const HostBuffers& host) const {
    std::vector<double> sum_b(static_cast<size_t>(k_), 0.0), rows(kTensorM, 0.0);
    for (int64_t i = 0; i < int64_t{kTensorN} * k_; ++i)
      sum_b[static_cast<size_t>(i % k_)] += quality::load(host[1].data(), i, dtype_);
    for (int64_t i = 0; i < int64_t{kTensorM} * k_; ++i)
      rows[static_cast<size_t>(i / k_)] += depth() / k_ * sum_b[static_cast<size_t>(i % k_)] *
                                           quality::load(host[0].data(), i, dtype_);
    return rows;
  }

  int element_bytes_, k_;
};

}  // namespace

std::vector<int64_t> spots(int64_t count, bool full, uint64_t seed) {
  std::vector<int64_t> chosen;
  if (full || count <= kSpotChecks) {
    for (int64_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < kSpotChecks; ++i)
    chosen.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(count)));
  return chosen;
}

std::unique_ptr<Problem> make_cuda_problem(const std::string& what, DType dtype, int64_t units) {
  const auto or_default = [&](int64_t fallback) { return units > 0 ? units : fallback; };
  if (what == "ffma") return std::make_unique<FfmaProblem>(or_default(int64_t{1} << 24));
  if (what == "gpu_exp") return std::make_unique<GpuExpProblem>(or_default(int64_t{1} << 20));
  if (what == "tensor_wgmma")
    return std::make_unique<TensorProblem>(or_default(16384), dtype, kTensorRowWgmma);
  if (what == "tensor_mma")
    return std::make_unique<TensorProblem>(or_default(16384), dtype, kTensorRowMma);
  if (what == "gpu_read") return make_memory_problem(or_default(16384), false);
  if (what == "gpu_copy") return make_memory_problem(or_default(8192), true);
  if (what == "l2_read") return make_l2_problem(or_default(8192));
  if (what == "gpu_launch") return make_launch_problem(or_default(kNodes));
  return nullptr;
}

}  // namespace ridge::probe
