// The problem of the collectives (collectives.h): what every rank has, what each of them is to get, and how that is judged.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr int64_t kUsualBytes = int64_t{1} << 20;
/// Elements judged where not all must be, in all ranks together.
constexpr int64_t kJudged = int64_t{1} << 18;
const std::vector<std::string> kOperations = {"all_reduce", "all_gather", "reduce_scatter",
                                              "broadcast", "all_to_all"};

class CollectiveProblem : public Problem {
 public:
  explicit CollectiveProblem(const Shape& shape) : shape_(shape) {}

  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    return {{"x", bytes_of(ranks() * count()), false, DType::fp32},
            {"y", bytes_of(outcome()), true, DType::fp32}};
  }
  double flop() const override { return 0; }
  double bytes_min() const override { return 4 * double(ranks() * count() + outcome()); }
  /// Bytes that cross the busiest rank's link at least, one way, where ranks alone add: over time, the bus bandwidth of nccl-tests (PERFORMANCE.md).
  double items() const override {
    const double n = double(ranks()), bytes = 4 * double(count());
    switch (operation()) {
      case Collective::all_reduce:
        return bytes * 2 * (n - 1) / n;
      case Collective::broadcast:
        return bytes;
      default:
        return bytes * (n - 1) / n;
    }
  }

  void generate(uint64_t seed, HostBuffers* host) const override {
    quality::fill_normal((*host)[0], DType::fp32, seed);
  }

  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    const bool all = full || outcome() <= kJudged;
    const uint64_t key = random_key(seed);
    quality::ErrorSum sum;
    int64_t first = 0;
    for (int64_t rank = 0; rank < ranks(); ++rank) {
      const int64_t n = outcome_of(operation(), count(), ranks(), rank);
      const int64_t judged = all ? n : std::min(n, kJudged / ranks());
      for (int64_t j = 0; j < judged; ++j) {
        const int64_t i =
            all ? j : random_below(key, static_cast<uint64_t>(j), static_cast<uint32_t>(n));
        judge(host, rank, i, first + i, &sum);
      }
      first += n;
    }
    return sum.finish(all ? "every element of every rank" : "sampled elements of every rank",
                      nmse_limit());
  }

 private:
  Collective operation() const { return collective_of(shape_); }
  int64_t ranks() const { return shape_.dim[kCollectiveRanks]; }
  int64_t count() const { return shape_.dim[kCollectiveCount]; }
  bool adds() const {
    return operation() == Collective::all_reduce || operation() == Collective::reduce_scatter;
  }
  /// Among few elements one whose terms cancel decides the norm: there the elements' own bounds judge.
  double nmse_limit() const {
    constexpr int64_t kFew = 1 << 14;
    if (!adds()) return 0;
    return outcome() < kFew ? 1e-6 : quality::gemm_nmse_limit(DType::fp32, ranks());
  }
  int64_t outcome() const {
    int64_t all = 0;
    for (int64_t r = 0; r < ranks(); ++r) all += outcome_of(operation(), count(), ranks(), r);
    return all;
  }
  static size_t bytes_of(int64_t elements) { return static_cast<size_t>(elements) * sizeof(float); }

  double x(const HostBuffers& host, int64_t rank, int64_t i) const {
    return quality::load(host[0].data(), rank * count() + i, DType::fp32);
  }
  /// The rank and the element of its x that element i of y[rank] is a copy of.
  std::pair<int64_t, int64_t> origin(int64_t rank, int64_t i) const {
    const Chunk own = chunk_of(count(), ranks(), rank);
    if (operation() == Collective::all_to_all) return {i / own.count, own.begin + i % own.count};
    if (operation() == Collective::broadcast) return {0, i};
    int64_t source = 0;  // of an all-gather: whose chunk holds i
    while (chunk_of(count(), ranks(), source).begin + chunk_of(count(), ranks(), source).count <= i)
      ++source;
    return {source, i};
  }
  /// Element i of what `rank` gets, which is element `at` of y. Any order of the additions is right.
  void judge(const HostBuffers& host, int64_t rank, int64_t i, int64_t at,
             quality::ErrorSum* sum) const {
    const double got = quality::load(host[1].data(), at, DType::fp32);
    if (!adds()) {
      const auto [source, element] = origin(rank, i);
      sum->add(got, x(host, source, element), 0);
      return;
    }
    if (operation() == Collective::reduce_scatter) i += chunk_of(count(), ranks(), rank).begin;
    double exact = 0, size = 0;
    for (int64_t r = 0; r < ranks(); ++r) {
      exact += x(host, r, i);
      size += std::abs(x(host, r, i));
    }
    sum->add(got, exact, double(ranks()) * quality::unit_roundoff(DType::fp32) * size);
  }

  Shape shape_;
};

std::vector<ParamSpec> collectives_params() {
  std::vector<ParamSpec> specs = {
      extent_param("bytes", "bytes of a rank's buffer, a multiple of 4", kMostBytes, kUsualBytes),
      choice_param("op", "what the ranks do together", kOperations),
      int_param("ranks", "ranks, each a process", 2, kMostRanks, 4),
      int_param("delay_us",
                "microseconds that a message takes however short it is; 0: none is added", 0,
                10'000, 200),
      int_param("rate_mb_s", "MB/s of a link; 0: as fast as memory", 0, 100'000, 1000)};
  specs.front().min = 4;
  return specs;
}

Result<std::unique_ptr<Problem>> make_collective(const Params& params) {
  const int64_t bytes = param_int(params, "bytes", kUsualBytes);
  if (bytes % 4 != 0) {
    return Error{ErrorCode::usage,
                 std::to_string(bytes) + " bytes are no whole number of fp32 elements",
                 "parameter bytes of collectives", "choose a multiple of 4"};
  }
  const auto op =
      std::find(kOperations.begin(), kOperations.end(), param_text(params, "op", kOperations[0]));
  Shape shape;
  shape.dim[kCollectiveOp] = op - kOperations.begin();
  shape.dim[kCollectiveRanks] = param_int(params, "ranks", 4);
  shape.dim[kCollectiveCount] = bytes / 4;
  shape.dim[kCollectiveDelay] = param_int(params, "delay_us", 0);
  shape.dim[kCollectiveRate] = param_int(params, "rate_mb_s", 0);
  return std::unique_ptr<Problem>(std::make_unique<CollectiveProblem>(shape));
}

/// Fewer elements than ranks, primes, and chunks that are a page and more. Links cost nothing, and there are as many ranks as the
/// run has: with GPUs as ranks there may be no more.
std::vector<Params> awkward_collectives() {
  std::vector<Params> all;
  for (const int64_t count : {1, 3, 7, 1021, 40'961})
    all.push_back({{"bytes", 4 * count}, {"delay_us", int64_t{0}}, {"rate_mb_s", int64_t{0}}});
  return all;
}

Params shrink_collective(const Params& params, double share) {
  Params smaller = params;
  const double left = double(param_int(params, "bytes", kUsualBytes)) * std::clamp(share, 0.0, 1.0);
  smaller["bytes"] = std::max<int64_t>(1, static_cast<int64_t>(left / 4)) * 4;
  return smaller;
}

RIDGE_FAMILY(collectives, .params = collectives_params, .make_problem = make_collective,
             .awkward = awkward_collectives, .shrink = shrink_collective);

}  // namespace
}  // namespace ridge
