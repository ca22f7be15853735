#include <cstring>

#include "common/harness/quality/quality.h"
#include "kernels/probe/problem_cuda.h"

namespace ridge::probe {
namespace {

const std::byte* chunk_of(const std::vector<std::byte>& data, int64_t chunk) {
  return data.data() + chunk * kReadChunk * int64_t{sizeof(uint32_t)};
}
uint32_t sum_of(const std::vector<std::byte>& data, int64_t chunk) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < kReadChunk; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, chunk_of(data, chunk) + i * int64_t{sizeof word}, sizeof word);
    sum += word;
  }
  return sum;
}
uint32_t out_of(const HostBuffers& host, int64_t index) {
  uint32_t out = 0;
  std::memcpy(&out, host[1].data() + index * int64_t{sizeof out}, sizeof out);
  return out;
}

class MemoryProblem final : public UnitProblem {
 public:
  MemoryProblem(int64_t units, bool copy) : UnitProblem(units, DType::fp32), copy_(copy) {}
  std::vector<BufferSpec> buffers() const override {
    return {input("in", units_ * kReadChunk, DType::fp32),
            output(copy_ ? units_ * kReadChunk : units_)};
  }
  double flop() const override { return 0; }
  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
  }
  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    QualityCheck check;
    check.what = copy_ ? "copied bytes" : "sums of 64 KiB";
    int64_t wrong = 0;
    for (const int64_t chunk : spots(units_, full || copy_, seed)) {
      wrong += copy_ ? !chunk_equal(host, chunk) : !sum_equal(host, chunk);
      ++check.checked;
    }
    check.passed = wrong == 0 && check.checked > 0;
    if (!check.passed)
      check.reason = std::to_string(wrong) + " of " + std::to_string(check.checked) +
                     " chunks of 64 KiB are wrong";
    return check;
  }

 private:
  static bool chunk_equal(const HostBuffers& host, int64_t chunk) {
    return std::memcmp(chunk_of(host[0], chunk), chunk_of(host[1], chunk),
                       kReadChunk * sizeof(uint32_t)) == 0;
  }
  static bool sum_equal(const HostBuffers& host, int64_t chunk) {
    return out_of(host, chunk) == sum_of(host[0], chunk);
  }

  bool copy_;
};

/// bytes_min() counts what is read, over and over, not what must be.
class GpuL2Problem final : public UnitProblem {
 public:
  explicit GpuL2Problem(int64_t units) : UnitProblem(units, DType::fp32) {}
  std::vector<BufferSpec> buffers() const override {
    return {input("in", int64_t{kL2Chunks} * kReadChunk, DType::fp32), output(units_)};
  }
  double flop() const override { return 0; }
  double bytes_min() const override {
    return double(units_) * kL2Passes * kReadChunk * sizeof(uint32_t);
  }
  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
  }
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    QualityCheck check;
    check.what = "sums over the L2";
    std::vector<uint32_t> sums;
    for (int64_t chunk = 0; chunk < kL2Chunks; ++chunk) sums.push_back(sum_of(host[0], chunk));
    int64_t wrong = 0;
    for (int64_t i = 0; i < units_; ++i, ++check.checked) {
      uint32_t sum = 0;
      for (int64_t p = 0; p < kL2Passes; ++p) sum += sums[static_cast<size_t>((i + p) % kL2Chunks)];
      wrong += out_of(host, i) != sum;
    }
    check.passed = wrong == 0 && check.checked > 0;
    if (!check.passed)
      check.reason =
          std::to_string(wrong) + " of " + std::to_string(check.checked) + " sums are wrong";
    return check;
  }
};

/// Its items are the launches.
class LaunchProblem final : public UnitProblem {
 public:
  explicit LaunchProblem(int64_t units) : UnitProblem(units, DType::fp32) {}
  std::vector<BufferSpec> buffers() const override {
    return {input("in", 1, DType::fp32), output(1)};
  }
  double flop() const override { return 0; }
  double items() const override { return double(units_); }
  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
  }
  QualityCheck check(const HostBuffers& host, bool, uint64_t) const override {
    QualityCheck check;
    check.what = "launches";
    check.checked = 1;
    check.passed = out_of(host, 0) == units_;
    if (!check.passed) check.reason = "the last kernel did not say that it ran";
    return check;
  }
};

}  // namespace

std::unique_ptr<Problem> make_launch_problem(int64_t units) {
  return std::make_unique<LaunchProblem>(units);
}

std::unique_ptr<Problem> make_l2_problem(int64_t units) {
  return std::make_unique<GpuL2Problem>(units);
}

std::unique_ptr<Problem> make_memory_problem(int64_t units, bool copy) {
  return std::make_unique<MemoryProblem>(units, copy);
}

}  // namespace ridge::probe
