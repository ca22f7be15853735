// The attention_backward family's problem: attention's own parameters and inputs, a forward pass, a gradient.
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/attention_backward/backward.h"
#include "kernels/attention_backward/check.h"

namespace ridge {
namespace {

const FamilyDesc& forward_family() {
  return *find_family("attention");
}

class BackwardProblem : public Problem {
 public:
  explicit BackwardProblem(std::unique_ptr<Problem> forward)
      : forward_(std::move(forward)), shape_(forward_->shape()) {}

  Shape shape() const override { return shape_; }

  std::vector<BufferSpec> buffers() const override {
    std::vector<BufferSpec> specs = forward_->buffers();
    const size_t q = specs[kAttentionQ].bytes, kv = specs[kAttentionK].bytes;
    const auto rows = static_cast<size_t>(
        shape_.dim[kAttentionBatch] * shape_.dim[kAttentionHeads] * shape_.dim[kAttentionSequence]);
    specs[kAttentionO].is_output = false;
    specs.push_back({"dO", q, false, shape_.dtype});
    specs.push_back({"L", rows * sizeof(float), false, DType::fp32});
    specs.push_back({"dQ", q, true, shape_.dtype});
    specs.push_back({"dK", kv, true, shape_.dtype});
    specs.push_back({"dV", kv, true, shape_.dtype});
    return specs;
  }

  /// Five products where the forward pass has two; what is computed a second time is not counted, as
  /// everybody does.
  double flop() const override { return 2.5 * forward_->flop(); }

  std::map<std::string, double> work() const override { return forward_->work(); }

  double bytes_min() const override {
    double sum = 0;
    for (const BufferSpec& spec : buffers()) sum += double(spec.bytes);
    return sum;
  }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    forward_->generate(seed, host);
    host->resize(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) (*host)[i].resize(specs[i].bytes);
    quality::fill_normal((*host)[kBackwardDO], shape_.dtype, seed + kBackwardDO);
    attention_backward::run_forward(shape_, host);
  }

  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    const std::vector<BufferSpec> specs = buffers();
    for (size_t i = 0; i < specs.size(); ++i) {
      if (host.size() == specs.size() && host[i].size() == specs[i].bytes) continue;
      QualityCheck check;
      check.what = "sizes";
      check.reason = "buffer " + specs[i].name + " has not the size of the problem";
      return check;
    }
    return attention_backward::check_gradients(shape_, host, full, seed);
  }

 private:
  std::unique_ptr<Problem> forward_;
  Shape shape_;
};

/// Attention's, but for the types that have no gradients.
std::vector<ParamSpec> params() {
  std::vector<ParamSpec> specs = forward_family().params();
  for (ParamSpec& spec : specs) {
    if (spec.name != "dtype") continue;
    spec.choices = {"fp32", "bf16", "fp16"};
    spec.help = "type of all but L";
  }
  return specs;
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  RIDGE_TRY(auto forward, forward_family().make_problem(params));
  return std::unique_ptr<Problem>(std::make_unique<BackwardProblem>(std::move(forward)));
}

std::vector<Params> awkward() {
  return forward_family().awkward();
}

Params shrink(const Params& params, double share) {
  return forward_family().shrink(params, share);
}

RIDGE_FAMILY(attention_backward, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink, .works = "exp");

}  // namespace
}  // namespace ridge
