// The attention family's problem: parameters, data, and how it is judged (check.h).
#include <algorithm>
#include <cmath>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/attention/check.h"
#include "kernels/runtime/problems/attention.h"

namespace ridge {
namespace {

/// The last query of each head is so many times as large: its scores reach 100 and more, and a softmax
/// that does not subtract the maximum overflows (exp(89) does in fp32). With standard normals alone no
/// score passes 6, and nobody would notice.
constexpr double kLoudQuery = 32;
/// fp8's scales lie between this and one more: different for each head, so that a forgotten one is seen.
constexpr double kMinScale = 0.5;

class AttentionProblem : public Problem {
 public:
  explicit AttentionProblem(const Shape& shape) : shape_(shape) {}

  Shape shape() const override { return shape_; }

  std::vector<BufferSpec> buffers() const override {
    const size_t q = elements(kAttentionHeads), kv = elements(kAttentionHeadsKv);
    const size_t size = dtype_size(shape_.dtype);
    const DType out = quality::gemm_output(shape_.dtype);
    std::vector<BufferSpec> specs = {{"Q", q * size, false, shape_.dtype},
                                     {"K", kv * size, false, shape_.dtype},
                                     {"V", kv * size, false, shape_.dtype},
                                     {"O", q * dtype_size(out), true, out}};
    if (shape_.dtype == DType::fp8) {
      specs.push_back({"scales", scales() * sizeof(float), false, DType::fp32});
    }
    return specs;
  }

  /// Two products of 2 d FLOP for each pair of query and key; a causal mask leaves s (s + 1) / 2 pairs,
  /// of which half of s^2 is counted, as everybody does.
  double flop() const override {
    const auto s = double(shape_.dim[kAttentionSequence]);
    const double heads = double(shape_.dim[kAttentionBatch] * shape_.dim[kAttentionHeads]);
    const double all = 4 * heads * s * s * double(shape_.dim[kAttentionHeadSize]);
    return shape_.dim[kAttentionCausal] != 0 ? all / 2 : all;
  }

  /// One for each pair that is looked at, half of them under a mask.
  std::map<std::string, double> work() const override {
    return {{"exp", flop() / (4 * double(shape_.dim[kAttentionHeadSize]))}};
  }

  double bytes_min() const override {
    double sum = 0;
    for (const BufferSpec& spec : buffers()) sum += double(spec.bytes);
    return sum;
  }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (const int input : {kAttentionQ, kAttentionK, kAttentionV}) {
      auto& data = (*host)[static_cast<size_t>(input)];
      data.resize(specs[static_cast<size_t>(input)].bytes);
      quality::fill_normal(data, shape_.dtype, seed + static_cast<uint64_t>(input));
    }
    std::byte* q = (*host)[kAttentionQ].data();
    const int64_t d = shape_.dim[kAttentionHeadSize];
    const int64_t heads = shape_.dim[kAttentionBatch] * shape_.dim[kAttentionHeads];
    for (int64_t head = 1; head <= heads; ++head) {
      const int64_t row = (head * shape_.dim[kAttentionSequence] - 1) * d;
      for (int64_t e = row; e < row + d; ++e) {
        quality::store(q, e, shape_.dtype, kLoudQuery * quality::load(q, e, shape_.dtype));
      }
    }
    if (shape_.dtype != DType::fp8) return;
    auto& data = (*host)[kAttentionScales];
    data.resize(specs[kAttentionScales].bytes);
    for (size_t i = 0; i < scales(); ++i) {
      quality::store(data.data(), int64_t(i), DType::fp32, kMinScale + random_unit(random_key(seed), i));
    }
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
    return attention::check_heads(shape_, host, full, seed);
  }

 private:
  size_t elements(AttentionDim heads) const {
    return static_cast<size_t>(shape_.dim[kAttentionBatch] * shape_.dim[heads] *
                               shape_.dim[kAttentionSequence] * shape_.dim[kAttentionHeadSize]);
  }

  size_t scales() const {
    return static_cast<size_t>(shape_.dim[kAttentionBatch] * shape_.dim[kAttentionHeadsKv] * 3);
  }

  Shape shape_;
};

std::vector<ParamSpec> params() {
  constexpr int64_t kMax = int64_t{1} << 12;
  return {extent_param("sequence", "queries, and keys, of a head", int64_t{1} << 20, 1024),
          int_param("batch", "sequences in a call", 1, kMax, 1),
          int_param("heads", "heads of queries", 1, kMax, 1),
          extent_param("heads_kv", "heads of keys and values; divides heads", kMax, 1, "heads"),
          int_param("d", "head size, a multiple of 8; the Hopper rungs take 64 and 128", 8, 256, 128),
          choice_param("causal", "a query sees itself and what came before", {"no", "yes"}),
          choice_param("dtype", "type of Q, K, V and O; fp8 has O in bf16", {"fp32", "bf16", "fp16", "fp8"}),
          threads_param()};
}

Error refused(const Params& params, const std::string& what, const char* hint) {
  return {ErrorCode::usage, what, "attention " + to_string(params), hint};
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  Shape shape;
  const int64_t heads = param_int(params, "heads", 1);
  shape.dim[kAttentionBatch] = param_int(params, "batch", 1);
  shape.dim[kAttentionHeads] = heads;
  shape.dim[kAttentionHeadsKv] = param_int(params, "heads_kv", heads);
  shape.dim[kAttentionSequence] = param_int(params, "sequence", 1024);
  shape.dim[kAttentionHeadSize] = param_int(params, "d", 128);
  shape.dim[kAttentionCausal] = param_text(params, "causal", "no") == "yes";
  shape.threads = static_cast<int>(param_int(params, "threads", 1));
  parse_dtype(param_text(params, "dtype", "fp32"), &shape.dtype);
  if (shape.dim[kAttentionHeadSize] % 8 != 0) {
    return refused(params,
                   "d=" + std::to_string(shape.dim[kAttentionHeadSize]) + " is not a multiple of 8",
                   "take 64 or 128");
  }
  if (heads % shape.dim[kAttentionHeadsKv] != 0) {
    return refused(params,
                   "heads_kv=" + std::to_string(shape.dim[kAttentionHeadsKv]) +
                       " does not divide heads=" + std::to_string(heads),
                   "each head of keys serves as many heads of queries");
  }
  return std::unique_ptr<Problem>(std::make_unique<AttentionProblem>(shape));
}

/// One, primes, tiles of 64 and 128 more or less one, several heads, shared keys and values. The head
/// size, the mask and the type are the run's.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t batch, int64_t heads, int64_t heads_kv, int64_t sequence) {
    shapes.push_back(
        {{"batch", batch}, {"heads", heads}, {"heads_kv", heads_kv}, {"sequence", sequence}});
  };
  add(1, 1, 1, 1), add(3, 2, 1, 2), add(1, 3, 3, 31), add(2, 4, 2, 63), add(1, 2, 2, 65);
  add(2, 1, 1, 127), add(1, 6, 2, 129), add(1, 1, 1, 193), add(1, 2, 1, 257), add(1, 1, 1, 521);
  return shapes;
}

/// The sequence first, whose square the work is; when it is down to 1, heads and batch.
Params shrink(const Params& params, double share) {
  Params smaller = params;
  const auto s = double(param_int(params, "sequence", 1024));
  const double wanted = std::isnan(share) ? 1 : std::clamp(share, 0.0, 1.0);
  const double next = std::max(1.0, std::floor(s * std::sqrt(wanted) + 1e-9));
  smaller["sequence"] = static_cast<int64_t>(next);
  if (s * std::sqrt(wanted) < 1) smaller["batch"] = int64_t{1};
  return smaller;
}

RIDGE_FAMILY(attention, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink, .works = "exp", .inspect = attention::inspect);

}  // namespace
}  // namespace ridge
