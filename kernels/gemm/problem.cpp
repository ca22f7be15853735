// The GEMM family's problem: parameters, data, and how it is judged (check.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/gemm/check.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 22;  // memory, not the range, is what ends a size

class GemmProblem : public Problem {
 public:
  GemmProblem(int64_t m, int64_t n, int64_t k, DType dtype, int threads)
      : m_(m), n_(n), k_(k), dtype_(dtype), threads_(threads) {}

  Shape shape() const override {
    Shape shape;
    shape.dim[kGemmM] = m_;
    shape.dim[kGemmN] = n_;
    shape.dim[kGemmK] = k_;
    shape.dtype = dtype_;
    shape.threads = threads_;
    return shape;
  }

  std::vector<BufferSpec> buffers() const override {
    const DType out = quality::gemm_output(dtype_);
    return {{"A", bytes(m_, k_, dtype_), false, dtype_},
            {"B", bytes(k_, n_, dtype_), false, dtype_},
            {"C", bytes(m_, n_, out), true, out}};
  }

  std::vector<BufferGrid> grids() const override {
    const bool transposed = gemm_b_is_transposed(dtype_);
    return {{m_, k_, true}, {transposed ? n_ : k_, transposed ? k_ : n_, true}, {m_, n_}};
  }

  double flop() const override { return 2.0 * double(m_) * double(n_) * double(k_); }

  double bytes_min() const override {
    double sum = 0;
    for (const BufferSpec& spec : buffers()) sum += double(spec.bytes);
    return sum;
  }

  /// Integers are summed exactly, and a sum of one product is rounded on that product's scale by any method.
  bool grade(Grading grading, Accuracy accuracy) override {
    if (quality::grade_span(dtype_) == 0 || k_ < 2) return false;
    grading_ = grading;
    accuracy_ = accuracy;
    return true;
  }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (const int input : {kGemmA, kGemmB}) {
      auto& data = (*host)[static_cast<size_t>(input)];
      data.resize(specs[static_cast<size_t>(input)].bytes);
      quality::fill_normal(data, dtype_, seed + static_cast<uint64_t>(input));
    }
    if (!grading_) return;
    const bool along_k = *grading_ == Grading::mixed || *grading_ == Grading::geometric;
    const int64_t count = along_k ? k_ : *grading_ == Grading::rows ? m_ : n_;
    std::vector<double> factors;
    for (int64_t at = 0; at < count; ++at)
      factors.push_back(
          quality::grade_factor(*grading_, at, count, quality::grade_span(dtype_)));
    if (*grading_ != Grading::columns) scale((*host)[kGemmA].data(), m_, k_, !along_k, factors);
    if (*grading_ == Grading::rows) return;
    if (along_k)
      for (double& factor : factors) factor = 1 / factor;
    const bool transposed = gemm_b_is_transposed(dtype_);
    scale((*host)[kGemmB].data(), transposed ? n_ : k_, transposed ? k_ : n_,
          along_k != transposed, factors);
  }

  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    const std::vector<BufferSpec> specs = buffers();
    for (size_t i = 0; i < specs.size(); ++i) {
      if (host.size() == specs.size() && host[i].size() == specs[i].bytes) continue;
      QualityCheck check;
      check.what = "sizes";
      check.reason = fmt::format("buffer {} has not the size of the problem", specs[i].name);
      return check;
    }
    if (grading_) return gemm::check_graded(shape(), host, accuracy_);
    return gemm::check_product(shape(), host, full, seed);
  }

 private:
  static size_t bytes(int64_t rows, int64_t columns, DType dtype) {
    return static_cast<size_t>(rows) * static_cast<size_t>(columns) * dtype_size(dtype);
  }

  /// Each row, or each column, by its factor.
  void scale(std::byte* data, int64_t rows, int64_t columns, bool by_rows,
             const std::vector<double>& factors) const {
    for (int64_t at = 0; at < rows * columns; ++at) {
      const double factor = factors[static_cast<size_t>(by_rows ? at / columns : at % columns)];
      quality::store(data, at, dtype_, quality::load(data, at, dtype_) * factor);
    }
  }

  int64_t m_, n_, k_;
  DType dtype_;
  int threads_;
  std::optional<Grading> grading_;
  Accuracy accuracy_ = Accuracy::componentwise;
};

std::vector<ParamSpec> params() {
  return {extent_param("n", "columns of B and C", kMaxSize, 1024),
          extent_param("m", "rows of A and C", kMaxSize, 1024, "n"),
          extent_param("k", "columns of A, rows of B", kMaxSize, 1024, "n"),
          choice_param("dtype", "type of the elements of A and B",
                       {"fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp64"}),
          threads_param()};
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  const int64_t n = param_int(params, "n", 1024);
  const int64_t m = param_int(params, "m", n), k = param_int(params, "k", n);
  DType dtype = DType::fp32;
  parse_dtype(param_text(params, "dtype", "fp32"), &dtype);
  return std::unique_ptr<Problem>(std::make_unique<GemmProblem>(
      m, n, k, dtype, static_cast<int>(param_int(params, "threads", 1))));
}

/// m, n, k: one, thin in each direction, primes, around the tile sizes 64 and 128, and a
/// non-square that tiles divide.
std::vector<Params> awkward() {
  constexpr std::array<std::array<int64_t, 3>, 10> kShapes = {{{1, 1, 1},
                                                               {1, 77, 300},
                                                               {300, 1, 77},
                                                               {77, 300, 1},
                                                               {31, 37, 41},
                                                               {63, 64, 65},
                                                               {65, 63, 64},
                                                               {127, 129, 128},
                                                               {129, 127, 65},
                                                               {256, 192, 320}}};
  std::vector<Params> shapes;
  for (const auto& [m, n, k] : kShapes) shapes.push_back({{"m", m}, {"n", n}, {"k", k}});
  return shapes;
}

/// Of the awkward shapes one with a tail in each direction, and one that tiles divide: what is asked of a method's
/// accuracy does not hang on edges.
std::vector<Params> graded() {
  return {{{"m", int64_t{129}}, {"n", int64_t{127}}, {"k", int64_t{65}}},
          {{"m", int64_t{64}}, {"n", int64_t{96}}, {"k", int64_t{160}}}};
}

/// A matrix of this size is 256 lines: all of them can be drawn.
Params walk() {
  return {{"n", int64_t{64}}};
}

/// Scales m, n and k alike, so that a square stays square. A size that would fall below 1 stays
/// there, and the larger ones take over its part.
Params shrink(const Params& params, double share) {
  const int64_t n = param_int(params, "n", 1024);
  std::array<std::pair<const char*, int64_t>, 3> sizes = {
      {{"m", param_int(params, "m", n)}, {"n", n}, {"k", param_int(params, "k", n)}}};
  std::sort(sizes.begin(), sizes.end(), [](auto& x, auto& y) { return x.second < y.second; });
  Params smaller = params;
  double left = std::isnan(share) ? 1 : std::clamp(share, 0.0, 1.0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto size = static_cast<double>(sizes[i].second);
    const double scale = std::max(std::pow(left, 1.0 / double(sizes.size() - i)), 1 / size);
    // 1e-9: a cube root a rounding error below a whole number is that number.
    smaller[sizes[i].first] = static_cast<int64_t>(size * scale + 1e-9);
    left = std::min(left / scale, 1.0);
  }
  return smaller;
}

}  // namespace

RIDGE_FAMILY(gemm, .params = params, .make_problem = make_problem, .awkward = awkward,
             .graded = graded, .shrink = shrink, .walk = walk);

}  // namespace ridge
