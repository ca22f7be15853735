// The GEMM family's problem: parameters, data, and the two checks of C = A * B (gemm.h says how the
// matrices lie). Full: every element against a float64 product. Sampled, at any size in O(n^2):
// Freivalds' test (Probabilistic machines can use less running time, IFIP 1977) on every row, and
// 4,096 elements exactly.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "common/kernel/registry.h"
#include "common/quality/quality.h"
#include "common/record/params.h"
#include "kernels/gemm/gemm.h"

namespace ridge {
namespace {

constexpr int64_t kMaxSize = int64_t{1} << 22;  // memory, not the range, is what ends a size
constexpr int kSampledElements = 4096;

/// Rows of a matrix as double, whatever its type.
class Matrix {
 public:
  Matrix(const std::vector<std::byte>& data, int64_t columns, DType dtype)
      : data_(data.data()), columns_(columns), dtype_(dtype) {}
  double operator()(int64_t row, int64_t column) const {
    return quality::load(data_, row * columns_ + column, dtype_);
  }
  void row(int64_t row, std::vector<double>* out) const {
    out->resize(static_cast<size_t>(columns_));
    quality::load_range(data_, row * columns_, dtype_, *out);
  }

 private:
  const std::byte* data_;
  int64_t columns_;
  DType dtype_;
};

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double norm(const std::vector<double>& x) {
  return std::sqrt(dot(x, x));
}

/// A sign at random times a size in [0.5, 1.5): no element can hide behind a factor near zero, and
/// equal errors of opposite sign (two columns swapped) do not cancel as they may under +-1.
std::vector<double> random_weights(int64_t count, uint64_t seed) {
  std::vector<double> weights(static_cast<size_t>(count));
  for (int64_t j = 0; j < count; ++j) {
    const double z = quality::normal(seed, static_cast<uint64_t>(j));
    const double uniform = std::erf(std::abs(z) / std::sqrt(2.0));
    weights[static_cast<size_t>(j)] = std::copysign(0.5 + uniform, z);
  }
  return weights;
}

/// What both checks need of the inputs: row norms of A, column norms of B, and their Frobenius norms.
struct Norms {
  std::vector<double> a_rows, b_columns;
  double a = 0, b = 0;
};

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
    return {{"A", bytes(m_, k_), false, dtype_},
            {"B", bytes(k_, n_), false, dtype_},
            {"C", bytes(m_, n_), true, dtype_}};
  }

  double flop() const override { return 2.0 * double(m_) * double(n_) * double(k_); }

  double bytes_min() const override {
    return double(dtype_size(dtype_)) *
           (double(m_) * double(k_) + double(k_) * double(n_) + double(m_) * double(n_));
  }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (const int input : {kGemmA, kGemmB}) {
      auto& data = (*host)[static_cast<size_t>(input)];
      data.resize(specs[static_cast<size_t>(input)].bytes);
      quality::fill_normal(data, dtype_, seed + static_cast<uint64_t>(input));
    }
  }

  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    const std::string what =
        fmt::format("{}x{}x{}, {}", m_, n_, k_, full ? "every element" : "product test and sample");
    const std::vector<BufferSpec> specs = buffers();
    for (size_t i = 0; i < specs.size(); ++i) {
      if (host.size() == specs.size() && host[i].size() == specs[i].bytes) continue;
      QualityCheck check;
      check.what = what;
      check.reason = fmt::format("buffer {} has not the size of the problem", specs[i].name);
      return check;
    }
    const Matrix a(host[kGemmA], k_, dtype_), b(host[kGemmB], n_, dtype_);
    const Matrix c(host[kGemmC], n_, dtype_);
    const Norms norms = measure(a, b);
    return full ? check_all(a, b, c, norms, what) : check_sampled(a, b, c, norms, what, seed);
  }

 private:
  size_t bytes(int64_t rows, int64_t columns) const {
    return static_cast<size_t>(rows) * static_cast<size_t>(columns) * dtype_size(dtype_);
  }

  Norms measure(const Matrix& a, const Matrix& b) const {
    Norms norms;
    std::vector<double> row;
    for (int64_t i = 0; i < m_; ++i) {
      a.row(i, &row);
      norms.a_rows.push_back(norm(row));
    }
    norms.b_columns.assign(static_cast<size_t>(n_), 0);
    for (int64_t p = 0; p < k_; ++p) {
      b.row(p, &row);
      for (size_t j = 0; j < row.size(); ++j) norms.b_columns[j] += row[j] * row[j];
    }
    for (double& column : norms.b_columns) column = std::sqrt(column);
    norms.a = norm(norms.a_rows);
    norms.b = norm(norms.b_columns);
    return norms;
  }

  double bound(double ref, int64_t i, int64_t j, const Norms& norms) const {
    return quality::dot_bound(dtype_, ref, k_, norms.a_rows[static_cast<size_t>(i)],
                              norms.b_columns[static_cast<size_t>(j)]);
  }

  /// NMSE is a mean, and with a handful of outputs the limit must allow for luck. They may all lie
  /// near zero: the error is then held against their size on average, ||A|| ||B|| / sqrt(K m n);
  /// else honest fp32 would be refused in a quarter of the cases with one output. And one error
  /// may be several times its mean: 10 / elements allows 8 standard deviations with one output.
  double nmse_limit(double ref2, int64_t elements, const Norms& norms) const {
    const double limit = quality::gemm_nmse_limit(dtype_, k_) * (1 + 10 / double(elements));
    const double share = double(elements) / (double(m_) * double(n_));
    const double expected2 = std::pow(norms.a * norms.b, 2) / double(k_) * share;
    return ref2 > 0 ? limit * std::max(1.0, expected2 / ref2) : limit;
  }

  QualityCheck check_all(const Matrix& a, const Matrix& b, const Matrix& c, const Norms& norms,
                         const std::string& what) const {
    quality::ErrorSum sum;
    std::vector<double> row_b, row_c;
    double ref2 = 0;
    // Blocks of rows: each row of B is read and widened once for eight rows of the reference.
    constexpr int64_t kBlock = 8;
    for (int64_t begin = 0; begin < m_; begin += kBlock) {
      const int64_t end = std::min(begin + kBlock, m_);
      std::array<std::vector<double>, kBlock> ref;
      for (auto& row : ref) row.assign(static_cast<size_t>(n_), 0);
      for (int64_t p = 0; p < k_; ++p) {
        b.row(p, &row_b);
        for (int64_t i = begin; i < end; ++i) {
          const double factor = a(i, p);
          double* row = ref[static_cast<size_t>(i - begin)].data();
          for (size_t j = 0; j < row_b.size(); ++j) row[j] += factor * row_b[j];
        }
      }
      for (int64_t i = begin; i < end; ++i) {
        const std::vector<double>& row = ref[static_cast<size_t>(i - begin)];
        ref2 += dot(row, row);
        c.row(i, &row_c);
        for (int64_t j = 0; j < n_; ++j) {
          const double r = row[static_cast<size_t>(j)];
          sum.add(row_c[static_cast<size_t>(j)], r, bound(r, i, j, norms));
        }
      }
    }
    return sum.finish(what, nmse_limit(ref2, m_ * n_, norms));
  }

  QualityCheck check_sampled(const Matrix& a, const Matrix& b, const Matrix& c, const Norms& norms,
                             const std::string& what, uint64_t seed) const {
    quality::ErrorSum sum;
    std::vector<double> row;
    double ref2 = 0;
    const std::vector<std::array<int64_t, 2>> places = sample_places(seed);
    for (const auto& [i, j] : places) {
      a.row(i, &row);
      double ref = 0;
      for (int64_t p = 0; p < k_; ++p) ref += row[static_cast<size_t>(p)] * b(p, j);
      ref2 += ref * ref;
      sum.add(c(i, j), ref, bound(ref, i, j, norms));
    }
    const auto count = static_cast<int64_t>(places.size());
    QualityCheck check = sum.finish(what, nmse_limit(ref2, count, norms));
    check_rows(a, b, c, norms, seed, &check);
    return check;
  }

  /// The four corners, where tails go wrong, and elements at random (a few may come twice); or all,
  /// where there are no more.
  std::vector<std::array<int64_t, 2>> sample_places(uint64_t seed) const {
    std::vector<std::array<int64_t, 2>> places;
    if (m_ * n_ <= kSampledElements) {
      for (int64_t e = 0; e < m_ * n_; ++e) places.push_back({e / n_, e % n_});
      return places;
    }
    places = {{0, 0}, {0, n_ - 1}, {m_ - 1, 0}, {m_ - 1, n_ - 1}};
    const auto uniform = [&](uint64_t index, int64_t size) {
      const double z = quality::normal(seed ^ 0x5eed'91ace5, index);
      const double u = std::erfc(-z / std::sqrt(2.0)) / 2;
      return std::min(static_cast<int64_t>(u * double(size)), size - 1);
    };
    for (uint64_t s = places.size(); s < kSampledElements; ++s)
      places.push_back({uniform(2 * s, m_), uniform(2 * s + 1, n_)});
    return places;
  }

  /// Freivalds, row by row: (C x)_i against (A (B x))_i in float64, x random. Weighted with random
  /// signs, a row's errors add up to less than 6 times their norm (Hoeffding: in all but 1e-7 of
  /// rows), and the norm is held to what the NMSE limit allows; honest fp32 stays at a third of
  /// that. One wrong element moves its row by at least half its error.
  void check_rows(const Matrix& a, const Matrix& b, const Matrix& c, const Norms& norms,
                  uint64_t seed, QualityCheck* check) const {
    const std::vector<double> x = random_weights(n_, seed ^ 0xf4e1'7a1d);
    std::vector<double> row, bx;
    for (int64_t p = 0; p < k_; ++p) {
      b.row(p, &row);
      bx.push_back(dot(row, x));
    }
    const double limit = std::sqrt(quality::gemm_nmse_limit(dtype_, k_));
    int64_t special = 0, wrong_rows = 0, first_wrong = -1;
    double worst = 0;
    for (int64_t i = 0; i < m_; ++i) {
      c.row(i, &row);
      special += std::count_if(row.begin(), row.end(), [](double v) { return !std::isfinite(v); });
      const double product = dot(row, x), row_norm = norm(row);
      a.row(i, &row);
      const double error = std::abs(product - dot(row, bx));
      const double expected =
          norms.a_rows[static_cast<size_t>(i)] * norms.b / std::sqrt(double(k_));
      const double allowed = 6 * limit * std::max(expected, row_norm);
      if (error == 0) continue;
      if (std::isfinite(error)) worst = std::max(worst, error / allowed);
      if (error <= allowed) continue;
      if (wrong_rows++ == 0) first_wrong = i;
    }
    check->worst_bound_share = std::max(check->worst_bound_share, worst);
    check->nan_count = special;  // of all of C: the inputs are numbers, so every product is one
    if (special == 0 && wrong_rows == 0) return;
    check->passed = false;
    check->reason = special > 0
                        ? fmt::format("{} of {} elements are NaN or Inf", special, m_ * n_)
                        : fmt::format(
                              "{} of {} rows fail the product test, the first is row {}: off by "
                              "{:.3g} times the limit at worst",
                              wrong_rows, m_, first_wrong, worst);
  }

  int64_t m_, n_, k_;
  DType dtype_;
  int threads_;
};

std::vector<ParamSpec> params() {
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const auto size = [](const char* name, const char* help, const char* same_as) {
    ParamSpec spec;
    spec.name = name;
    spec.help = help;
    spec.min = 1;
    spec.max = kMaxSize;
    spec.fallback = int64_t{1024};
    spec.same_as = same_as;
    return spec;
  };
  ParamSpec dtype;
  dtype.name = "dtype";
  dtype.help = "type of the elements of A, B and C";
  dtype.is_choice = true;
  dtype.choices = {"fp32"};
  dtype.fallback = std::string("fp32");
  ParamSpec threads;
  threads.name = "threads";
  threads.help = "CPU threads; GPU rungs ignore it";
  threads.max = cores;
  threads.fallback = int64_t{1};
  return {size("n", "columns of B and C", ""), size("m", "rows of A and C", "n"),
          size("k", "columns of A, rows of B", "n"), dtype, threads};
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
             .shrink = shrink);

}  // namespace ridge
