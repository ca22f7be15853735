// The roofline family: sums of what becomes of each element, held against the closed form in float64.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/roofline/roofline.h"
#include "kernels/runtime/problems/working_set.h"

namespace ridge {
namespace {

/// Just above -1 and a fixed point off 0: elements stay apart, and a step that is missing changes every sign.
constexpr float kFactors[2] = {-(1.0f - 1.0f / 4096), 0.75f};

class RooflineProblem : public Problem {
 public:
  explicit RooflineProblem(const Shape& shape) : shape_(shape) {}
  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    const auto blocks = static_cast<size_t>(shape_.dim[0]);
    return {{"x", blocks * kRoofBlock * 4, false, DType::fp32},
            {"ab", sizeof(kFactors), false, DType::fp32},
            {"out", blocks * kRoofSums * 4, true, DType::fp32}};
  }
  double flop() const override { return (2 * double(fmas()) + 1) * items(); }
  double bytes_min() const override { return 4 * (items() + double(sums())) + sizeof(kFactors); }
  double items() const override { return double(shape_.dim[0]) * kRoofBlock; }

  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
    std::memcpy((*host)[1].data(), kFactors, sizeof(kFactors));
  }

  QualityCheck check(const HostBuffers& host, bool full, uint64_t) const override {
    // v = fixed + (x - fixed) a^fmas with the fixed point b / (1 - a).
    const double fixed = kFactors[1] / (1 - double(kFactors[0]));
    const double power = std::pow(double(kFactors[0]), double(fmas()));
    constexpr int64_t kSampled = 4096;
    const int64_t step = full ? 1 : std::max<int64_t>(1, sums() / kSampled);
    quality::ErrorSum errors;
    for (int64_t i = 0; i < sums(); i += step) {
      double sum = 0, size = 0;
      const int64_t first = i / kRoofSums * kRoofBlock + i % kRoofSums;
      for (int64_t at = first; at < first + kRoofBlock - kRoofSums + 1; at += kRoofSums) {
        const double x = quality::load(host[0].data(), at, DType::fp32);
        sum += fixed + (x - fixed) * power;
        size += std::fabs(x - fixed) + fixed;
      }
      // Half a unit a step and an addition at worst.
      errors.add(quality::load(host[2].data(), i, DType::fp32), sum,
                 0x1p-24 * double(fmas() + kRoofBlock / kRoofSums) * size);
    }
    return errors.finish(full ? "every sum" : "sampled sums", 1e-9);
  }

 private:
  int64_t fmas() const { return shape_.dim[1]; }
  int64_t sums() const { return shape_.dim[0] * kRoofSums; }
  Shape shape_;
};

std::vector<ParamSpec> roofline_params() {
  return {extent_param("fmas", "multiply-adds for each element that is loaded", kMostRoofFmas, 4),
          int_param("kib", kWorkingSetHelp, 1, kMostKib, kUsualKib)};
}

Result<std::unique_ptr<Problem>> make_roofline(const Params& params) {
  Shape shape;
  shape.dim[0] = param_int(params, "kib", kUsualKib) * 1024 / (4 * kRoofBlock);
  shape.dim[1] = param_int(params, "fmas", 4);
  return std::unique_ptr<Problem>(std::make_unique<RooflineProblem>(shape));
}

std::vector<Params> awkward_roofline() {
  std::vector<Params> all;
  for (const int64_t fmas : {1, 2, 3, 17, 64, 256}) {
    for (const int64_t kib : {1, 37}) all.push_back({{"fmas", fmas}, {"kib", kib}});
  }
  return all;
}

Params shrink_roofline(const Params& params, double share) {
  return with_share(params, "kib", share);
}

RIDGE_FAMILY(roofline, .params = roofline_params, .make_problem = make_roofline,
             .awkward = awkward_roofline, .shrink = shrink_roofline, .narrow = past_gpu_caches);

}  // namespace
}  // namespace ridge
