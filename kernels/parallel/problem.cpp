// One step of training (parallel.h) in float64, and how a rung's is judged.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

constexpr int64_t kUsualWidth = 256, kUsualLayers = 8, kUsualBatch = 64, kUsualParts = 8;
/// Of means and loss. Roundings come to 1e-12 and less; a rank whose rows are missing to 1e-3 and more.
constexpr double kMeanLimit = 1e-9, kLossLimit = 1e-10;
/// What a step adds to a parameter may be smaller than the parameter's own rounding: each is judged by its own bound.
constexpr double kStepLimit = 1, kStepShare = 1e-4, kRounding = 0x1p-22;

using Matrix = std::vector<double>;

enum { kW, kM, kV, kX, kT, kNewW, kNewM, kNewV, kLoss };

/// y = x w; with the sides turned by strides: y[i][j] = sum of x[i xi + k xk] w[k wk + j wj].
struct Strides {
  int64_t xi, xk, wk, wj;
};
void add_product(const double* x, const double* w, int64_t m, int64_t n, int64_t k,
                 const Strides& at, double* y) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const double factor = x[i * at.xi + p * at.xk];
      for (int64_t j = 0; j < n; ++j) y[i * n + j] += factor * w[p * at.wk + j * at.wj];
    }
  }
}

/// Gradients of all layers, layer after layer, and the loss.
struct Reference {
  Matrix gradients;
  double loss = 0;
};

class ParallelProblem : public Problem {
 public:
  explicit ParallelProblem(const Shape& shape) : shape_(shape), s_(training_shape(shape)) {}

  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    std::vector<BufferSpec> all;
    for (const char* name : {"w", "m", "v"})
      all.push_back({name, bytes_of(parameters()), false, DType::fp32});
    for (const char* name : {"x", "t"}) all.push_back({name, bytes_of(rows()), false, DType::fp32});
    for (const char* name : {"w after", "m after", "v after"})
      all.push_back({name, bytes_of(parameters()), true, DType::fp32});
    all.push_back({"loss", bytes_of(1), true, DType::fp32});
    return all;
  }
  double flop() const override { return 6 * double(s_.batch) * double(parameters()); }
  double bytes_min() const override { return 4 * double(6 * parameters() + 2 * rows() + 1); }
  double items() const override { return double(s_.batch); }

  /// Outputs of about one; Adam's means as after some steps, none of them near zero where it divides.
  void generate(uint64_t seed, HostBuffers* host) const override {
    for (int i = kW; i <= kT; ++i)
      quality::fill_normal((*host)[size_t(i)], DType::fp32, seed + uint64_t(i));
    const auto scale = static_cast<float>(1 / std::sqrt(double(s_.width)));
    auto* w = reinterpret_cast<float*>((*host)[kW].data());
    auto* m = reinterpret_cast<float*>((*host)[kM].data());
    auto* v = reinterpret_cast<float*>((*host)[kV].data());
    for (int64_t i = 0; i < parameters(); ++i) {
      w[i] *= scale;
      m[i] *= 0.1f;
      v[i] = 0.01f * (1 + v[i] * v[i]);
    }
  }

  QualityCheck check(const HostBuffers& host, bool /*full*/, uint64_t /*seed*/) const override {
    const Reference exact = reference(host);
    double squares = 0;
    for (const double g : exact.gradients) squares += g * g;
    const double size = std::sqrt(squares / double(parameters()));  // of a gradient
    std::array<quality::ErrorSum, 4> sums;
    const auto at = [&](int buffer, int64_t i) {
      return quality::load(host[size_t(buffer)].data(), i, DType::fp32);
    };
    for (int64_t i = 0; i < parameters(); ++i) {
      const double g = exact.gradients[size_t(i)];
      const double m = kDecay * at(kM, i) + (1 - kDecay) * g;
      const double v = kSquareDecay * at(kV, i) + (1 - kSquareDecay) * g * g;
      const double rate = kAdamRate / kMeanShare / (std::sqrt(v / kSquareShare) + kEpsilon);
      const double bound =
          kRounding * std::fabs(at(kW, i)) + kStepShare * rate * (std::fabs(at(kM, i)) + size);
      sums[0].add(at(kNewM, i), m, HUGE_VAL);
      sums[1].add(at(kNewV, i), v, HUGE_VAL);
      sums[2].add(at(kNewW, i) - at(kW, i), -rate * m, bound);
    }
    sums[3].add(at(kLoss, 0), exact.loss, HUGE_VAL);
    return worst(sums);
  }

 private:
  int64_t parameters() const { return s_.layers * s_.width * s_.width; }
  int64_t rows() const { return s_.batch * s_.width; }
  static size_t bytes_of(int64_t numbers) { return static_cast<size_t>(numbers) * sizeof(float); }
  Matrix matrix(const HostBuffers& host, int buffer) const {
    const size_t n = host[size_t(buffer)].size() / sizeof(float);
    Matrix all(n);
    for (size_t i = 0; i < n; ++i)
      all[i] = quality::load(host[size_t(buffer)].data(), int64_t(i), DType::fp32);
    return all;
  }
  Reference reference(const HostBuffers& host) const;
  static QualityCheck worst(const std::array<quality::ErrorSum, 4>& sums);

  Shape shape_;
  TrainingShape s_;
};

Reference ParallelProblem::reference(const HostBuffers& host) const {
  const int64_t n = s_.width, b = s_.batch, weights = n * n;
  const Matrix w = matrix(host, kW), t = matrix(host, kT);
  std::vector<Matrix> outputs = {matrix(host, kX)};
  for (int64_t l = 0; l < s_.layers; ++l) {
    Matrix y(size_t(b * n), 0.0);
    add_product(outputs.back().data(), &w[size_t(l * weights)], b, n, n, {n, 1, n, 1}, y.data());
    if (l + 1 < s_.layers)
      for (double& one : y) one = std::tanh(one);
    outputs.push_back(std::move(y));
  }
  Reference made{.gradients = Matrix(size_t(s_.layers * weights), 0.0)};
  Matrix d(size_t(b * n));
  for (size_t i = 0; i < d.size(); ++i) {
    const double miss = outputs.back()[i] - t[i];
    d[i] = miss / double(b);
    made.loss += 0.5 * miss * miss / double(b);
  }
  for (int64_t l = s_.layers; l-- > 0;) {
    if (l + 1 < s_.layers) {
      const Matrix& y = outputs[size_t(l + 1)];
      for (size_t i = 0; i < d.size(); ++i) d[i] *= 1 - y[i] * y[i];
    }
    add_product(outputs[size_t(l)].data(), d.data(), n, n, b, {1, n, n, 1},
                &made.gradients[size_t(l * weights)]);
    Matrix below(size_t(b * n), 0.0);
    add_product(d.data(), &w[size_t(l * weights)], b, n, n, {n, 1, 1, n}, below.data());
    d = std::move(below);
  }
  return made;
}

/// The output that is worst by its own limit.
QualityCheck ParallelProblem::worst(const std::array<quality::ErrorSum, 4>& sums) {
  const std::array<const char*, 4> names = {"the mean of gradients", "the mean of squares",
                                            "the step of the parameters", "the loss"};
  const std::array<double, 4> limits = {kMeanLimit, kMeanLimit, kStepLimit, kLossLimit};
  QualityCheck found;
  double share = -1;
  int64_t checked = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    QualityCheck one = sums[i].finish(names[i], limits[i]);
    checked += one.checked;
    const double own = one.passed ? one.nmse / limits[i] : HUGE_VAL;
    if (own <= share) continue;
    share = own, found = std::move(one);
  }
  found.checked = checked;
  if (!found.passed) found.reason = std::string(found.what) + ": " + found.reason;
  return found;
}

std::vector<ParamSpec> parallel_params() {
  ParamSpec width = extent_param("width", "inputs and outputs of a layer", 1024, kUsualWidth);
  return {width,
          int_param("layers", "layers, all of the same size", 1, kMostLayers, kUsualLayers),
          int_param("batch", "rows of a step", 1, 1024, kUsualBatch),
          int_param("ranks", "ranks, each a process", 2, kMostRanks, 4),
          int_param("parts", "parts of the batch, one after another through a pipeline", 1,
                    kMostParts, kUsualParts),
          int_param("mflop_s", "MFLOP/s of a rank; 0: as fast as it is", 0, 1'000'000, 2000),
          int_param("delay_us", "microseconds that a message takes however short it is; 0: none", 0,
                    10'000, 200),
          int_param("rate_mb_s", "MB/s of a link; 0: as fast as memory", 0, 100'000, 1000)};
}

Result<std::unique_ptr<Problem>> make_parallel(const Params& params) {
  Shape shape;
  shape.dim[kParallelRanks] = param_int(params, "ranks", 4);
  shape.dim[kParallelLayers] = param_int(params, "layers", kUsualLayers);
  shape.dim[kParallelWidth] = param_int(params, "width", kUsualWidth);
  shape.dim[kParallelBatch] = param_int(params, "batch", kUsualBatch);
  shape.dim[kParallelParts] = param_int(params, "parts", kUsualParts);
  shape.dim[kParallelDelay] = param_int(params, "delay_us", 0);
  shape.dim[kParallelRate] = param_int(params, "rate_mb_s", 0);
  shape.dim[kParallelSpeed] = param_int(params, "mflop_s", 0);
  return std::unique_ptr<Problem>(std::make_unique<ParallelProblem>(shape));
}

/// Fewer rows, columns and layers than ranks, and primes. Links and products cost nothing. Layers are in pairs, and ranks and
/// parts those of the run, since some rungs take no others.
std::vector<Params> awkward_parallel() {
  std::vector<Params> all;
  const struct {
    int64_t width, layers, batch;
  } kOdd[] = {{1, 2, 1}, {3, 2, 2}, {7, 4, 13}, {37, 6, 5}, {64, 10, 31}};
  for (const auto& one : kOdd)
    all.push_back({{"width", one.width},
                   {"layers", one.layers},
                   {"batch", one.batch},
                   {"mflop_s", int64_t{0}},
                   {"delay_us", int64_t{0}},
                   {"rate_mb_s", int64_t{0}}});
  return all;
}

Params shrink_parallel(const Params& params, double share) {
  Params smaller = params;
  const double width = double(param_int(params, "width", kUsualWidth));
  smaller["width"] =
      std::max<int64_t>(1, static_cast<int64_t>(width * std::sqrt(std::clamp(share, 0.0, 1.0))));
  return smaller;
}

RIDGE_FAMILY(parallel, .params = parallel_params, .make_problem = make_parallel,
             .awkward = awkward_parallel, .shrink = shrink_parallel);

}  // namespace
}  // namespace ridge::parallel
