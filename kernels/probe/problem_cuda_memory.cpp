#include <cstring>

#include "common/quality/quality.h"
#include "kernels/probe/problem_cuda.h"

namespace ridge::probe {
namespace {

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
  static const std::byte* chunk_of(const std::vector<std::byte>& data, int64_t chunk) {
    return data.data() + chunk * kReadChunk * int64_t{sizeof(uint32_t)};
  }
  static bool chunk_equal(const HostBuffers& host, int64_t chunk) {
    return std::memcmp(chunk_of(host[0], chunk), chunk_of(host[1], chunk),
                       kReadChunk * sizeof(uint32_t)) == 0;
  }
  static bool sum_equal(const HostBuffers& host, int64_t chunk) {
    uint32_t sum = 0, out = 0;
    for (int64_t i = 0; i < kReadChunk; ++i) {
      uint32_t word = 0;
      std::memcpy(&word, chunk_of(host[0], chunk) + i * int64_t{sizeof word}, sizeof word);
      sum += word;
    }
    std::memcpy(&out, host[1].data() + chunk * int64_t{sizeof out}, sizeof out);
    return out == sum;
  }

  bool copy_;
};

}  // namespace

std::unique_ptr<Problem> make_memory_problem(int64_t units, bool copy) {
  return std::make_unique<MemoryProblem>(units, copy);
}

}  // namespace ridge::probe
