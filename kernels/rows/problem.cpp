// The problems of the memory-bound families (rows.h): their parameters, data, and how they are judged.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/rows/reference.h"

namespace ridge {
namespace {

constexpr int64_t kMax = int64_t{1} << 22;  // memory, not the range, is what ends a size
/// Rows judged where not all must be: 2 million elements at n = 8192, 30 ms.
constexpr int64_t kJudgedRows = 256;
/// Every other seed of the full check has values of this size, and masked entries for softmax.
constexpr double kWide = 1e4 / 3;
constexpr int64_t kMaskEvery = 5;

template <class Word>
int64_t count_moved_wrongly(const std::byte* x, const std::byte* y, int64_t m, int64_t n,
                            bool transposed) {
  constexpr int64_t kBlock = 64;
  std::atomic<int64_t> wrong = 0;
  parallel_for((m + kBlock - 1) / kBlock, 4, [&](int64_t begin, int64_t end) {
    int64_t mine = 0;
    for (int64_t i0 = begin * kBlock; i0 < std::min(end * kBlock, m); i0 += kBlock) {
      for (int64_t j0 = 0; j0 < n; j0 += kBlock) {
        for (int64_t i = i0; i < std::min(i0 + kBlock, m); ++i) {
          for (int64_t j = j0; j < std::min(j0 + kBlock, n); ++j) {
            const int64_t to = transposed ? j * m + i : i * n + j;
            mine += std::memcmp(x + (i * n + j) * int64_t{sizeof(Word)},
                                y + to * int64_t{sizeof(Word)}, sizeof(Word)) != 0;
          }
        }
      }
    }
    wrong += mine;
  });
  return wrong;
}

class RowsProblem : public Problem {
 public:
  RowsProblem(RowOp op, const Shape& shape) : op_(op), shape_(shape) { shape_.constants = &op_; }

  Shape shape() const override { return shape_; }
  std::vector<BufferSpec> buffers() const override {
    const size_t size = dtype_size(shape_.dtype), all = static_cast<size_t>(m() * n()) * size;
    return {{"x", all, false, shape_.dtype},
            {"weight", static_cast<size_t>(n()) * size, false, shape_.dtype},
            {"bias", static_cast<size_t>(n()) * size, false, shape_.dtype},
            {"y", all, true, shape_.dtype}};
  }
  double flop() const override { return rows::flop_per_element(op_, layers()) * items(); }
  double bytes_min() const override {
    const int vectors = op_ == RowOp::layernorm || op_ == RowOp::chain ? 2 : op_ == RowOp::rmsnorm;
    return (2 * items() + vectors * double(n())) * double(dtype_size(shape_.dtype));
  }
  double items() const override { return double(m()) * double(n()); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (const size_t input : {kRowsX, kRowsWeight, kRowsBias}) {
      (*host)[input].resize(specs[input].bytes);
      quality::fill_normal((*host)[input], shape_.dtype, seed + input);
    }
    if (seed % 2 != 0) return;
    std::byte* x = (*host)[kRowsX].data();
    for (int64_t i = 0; i < m() * n(); ++i) {
      const bool masked = op_ == RowOp::softmax && i % n() % kMaskEvery == kMaskEvery - 1;
      const double wide = kWide * quality::load(x, i, shape_.dtype);
      quality::store(x, i, shape_.dtype, masked ? -HUGE_VAL : wide);
    }
  }

  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    if (op_ == RowOp::copy || op_ == RowOp::transpose) return check_moved(host);
    const int64_t rows = full ? m() : std::min(m(), kJudgedRows);
    quality::ErrorSum sum;
    if (full) sum.of_rows(n());
    std::vector<double> weight, bias;
    read(host[kRowsWeight], 0, &weight), read(host[kRowsBias], 0, &bias);
    constexpr int64_t kBatch = 64;
    for (int64_t first = 0; first < rows; first += kBatch) {
      const int64_t count = std::min(kBatch, rows - first);
      std::vector<rows::Reference> references(static_cast<size_t>(count));
      parallel_for(count, std::max<int64_t>(1, (1 << 16) / n()), [&](int64_t begin, int64_t end) {
        std::vector<double> x;
        for (int64_t i = begin; i < end; ++i) {
          read(host[kRowsX], row_at(first + i, rows, seed), &x);
          references[static_cast<size_t>(i)] = rows::reference_row(op_, layers(), x, weight, bias);
        }
      });
      for (int64_t i = 0; i < count; ++i)
        add(host, row_at(first + i, rows, seed), references[static_cast<size_t>(i)], &sum);
    }
    return sum.finish(full ? "every element" : "sampled rows", nmse_limit(double(rows * n())));
  }

 private:
  int64_t m() const { return shape_.dim[kRowsM]; }
  int64_t n() const { return shape_.dim[kRowsN]; }
  int64_t layers() const { return shape_.dim[kRowsLayers]; }

  /// The i-th of `rows` that are judged: all, or the first, the last, and others that the seed draws.
  int64_t row_at(int64_t i, int64_t rows, uint64_t seed) const {
    if (rows == m() || i == 0) return i;
    if (i == 1) return m() - 1;
    return random_below(random_key(seed), uint64_t(i), static_cast<uint32_t>(m()));
  }
  void read(const std::vector<std::byte>& from, int64_t row, std::vector<double>* out) const {
    out->resize(static_cast<size_t>(n()));
    quality::load_range(from.data(), row * n(), shape_.dtype, *out);
  }
  void add(const HostBuffers& host, int64_t row, const rows::Reference& reference,
           quality::ErrorSum* sum) const {
    std::vector<double> y;
    read(host[kRowsY], row, &y);
    for (size_t j = 0; j < y.size(); ++j) {
      const double rounding = 4 * quality::unit_roundoff(shape_.dtype) * std::abs(reference.y[j]);
      sum->add(y[j], reference.y[j], reference.bound[j] + rounding);
    }
  }
  /// As a product's: sums of n terms in fp32, and luck where there are few elements. A layer of the
  /// chain multiplies what came in by 1 / sqrt(variance) of its input, 2 for gelu's output.
  double nmse_limit(double elements) const {
    const double own = 4e-15 * (64 + double(n())) * std::pow(4.0, double(layers() - 1));
    // Half units throughout would be 1.5e-5; a fifth to a quarter of that is usual, but where weights
    // make a few elements large it is their luck that counts (seen: 4.4e-6 of 155 elements).
    const double rounding = shape_.dtype == DType::fp32 ? 0 : 6e-6;
    return (own + rounding) * (1 + 10 / elements);
  }
  QualityCheck check_moved(const HostBuffers& host) const {
    QualityCheck check;
    check.what = "every element, bit by bit";
    check.checked = m() * n();
    const auto count = dtype_size(shape_.dtype) == 4 ? count_moved_wrongly<uint32_t>
                                                     : count_moved_wrongly<uint16_t>;
    const int64_t wrong =
        count(host[kRowsX].data(), host[kRowsY].data(), m(), n(), op_ == RowOp::transpose);
    check.passed = wrong == 0 && check.checked > 0;
    if (!check.passed) {
      check.reason = std::to_string(wrong) + " of " + std::to_string(check.checked) +
                     " elements are not where they belong";
    }
    return check;
  }

  RowOp op_;
  Shape shape_;
};

std::vector<ParamSpec> matrix_params() {
  return {extent_param("n", "columns", kMax, 4096), extent_param("m", "rows", kMax, 4096, "n"),
          choice_param("dtype", "type of the elements", {"fp32", "bf16"}), threads_param()};
}

std::vector<ParamSpec> row_params() {
  std::vector<ParamSpec> specs = matrix_params();
  specs.push_back(choice_param("op", "operation on each row; a copy moves the same bytes for all",
                               {"softmax", "layernorm", "rmsnorm", "gelu"}));
  return specs;
}

std::vector<ParamSpec> chain_params() {
  return {extent_param("width", "columns of the chain's matrix", kMax, 1024),
          int_param("height", "rows of the chain's matrix", 1, kMax, 32),
          int_param("layers", "how often bias, layernorm, weight and gelu follow each other", 1, 8, 4),
          threads_param()};
}

std::unique_ptr<Problem> make(RowOp op, int64_t m, int64_t n, int64_t layers,
                              const Params& params) {
  Shape shape;
  shape.dim[kRowsM] = m;
  shape.dim[kRowsN] = n;
  shape.dim[kRowsLayers] = layers;
  shape.threads = static_cast<int>(param_int(params, "threads", 1));
  parse_dtype(param_text(params, "dtype", "fp32"), &shape.dtype);
  return std::make_unique<RowsProblem>(op, shape);
}

template <RowOp op>
Result<std::unique_ptr<Problem>> make_matrix(const Params& params) {
  const int64_t n = param_int(params, "n", 4096);
  return make(op, param_int(params, "m", n), n, 1, params);
}

Result<std::unique_ptr<Problem>> make_rows(const Params& params) {
  const std::string op = param_text(params, "op", "softmax");
  const int64_t n = param_int(params, "n", 4096), m = param_int(params, "m", n);
  return make(op == "layernorm" ? RowOp::layernorm
              : op == "rmsnorm" ? RowOp::rmsnorm
              : op == "gelu"    ? RowOp::gelu
                                : RowOp::softmax,
              m, n, 1, params);
}

Result<std::unique_ptr<Problem>> make_chain(const Params& params) {
  return make(RowOp::chain, param_int(params, "height", 32), param_int(params, "width", 1024),
              param_int(params, "layers", 4), params);
}

template <size_t count>
std::vector<Params> shapes_of(const std::array<std::array<int64_t, 2>, count>& sizes,
                              const char* rows, const char* columns) {
  std::vector<Params> shapes;
  for (const auto& [m, n] : sizes) shapes.push_back({{rows, m}, {columns, n}});
  return shapes;
}

/// m, n: one, one column, primes, vectors +- 1, whole vectors, rows that fill registers, longer ones, and
/// enough of them to stream.
std::vector<Params> awkward_rows() {
  constexpr std::array<std::array<int64_t, 2>, 14> kSizes = {{{1, 1},
                                                              {37, 1},
                                                              {1, 7},
                                                              {5, 31},
                                                              {300, 64},
                                                              {3, 257},
                                                              {4, 1000},
                                                              {2, 1023},
                                                              {7, 4096},
                                                              {3, 8200},
                                                              {2, 16'387},
                                                              {1, 65'544},
                                                              {1, 131'101},
                                                              {33, 8000}}};
  return shapes_of(kSizes, "m", "n");
}

/// Thin both ways, primes, around tiles of 32, 64 and 128, and whole vectors that do not fill a tile.
std::vector<Params> awkward_transpose() {
  constexpr std::array<std::array<int64_t, 2>, 11> kSizes = {{{1, 1},
                                                              {1, 300},
                                                              {300, 1},
                                                              {31, 37},
                                                              {64, 64},
                                                              {65, 63},
                                                              {127, 129},
                                                              {128, 256},
                                                              {136, 72},
                                                              {40, 200},
                                                              {260, 132}}};
  return shapes_of(kSizes, "m", "n");
}

std::vector<Params> awkward_chain() {
  constexpr std::array<std::array<int64_t, 2>, 9> kSizes = {{{1, 1},
                                                             {37, 1},
                                                             {5, 31},
                                                             {64, 64},
                                                             {3, 257},
                                                             {2, 4096},
                                                             {3, 8200},
                                                             {1, 65'544},
                                                             {33, 8000}}};
  std::vector<Params> shapes = shapes_of(kSizes, "height", "width");
  for (size_t i = 0; i < shapes.size(); ++i) shapes[i]["layers"] = int64_t(1 + i % 3);
  return shapes;
}

/// Rows go first: a row's length is what most rungs are about.
Params shrink(const Params& params, double share, const char* rows, const char* columns) {
  const int64_t n = param_int(params, columns, 1024), m = param_int(params, rows, n);
  const double left = std::isnan(share) ? 1 : std::clamp(share, 0.0, 1.0) * double(m);
  Params smaller = params;
  smaller[rows] = std::max<int64_t>(1, static_cast<int64_t>(left));
  if (left < 1) smaller[columns] = std::max<int64_t>(1, static_cast<int64_t>(left * double(n)));
  return smaller;
}
Params shrink_matrix(const Params& params, double share) {
  return shrink(params, share, "m", "n");
}
Params shrink_chain(const Params& params, double share) {
  return shrink(params, share, "height", "width");
}

namespace of_rows {
RIDGE_FAMILY(rows, .params = row_params, .make_problem = make_rows, .awkward = awkward_rows,
             .shrink = shrink_matrix);
}
namespace of_copy {
RIDGE_FAMILY(copy, .params = row_params, .make_problem = make_matrix<RowOp::copy>,
             .awkward = awkward_transpose, .shrink = shrink_matrix);
}
namespace of_transpose {
RIDGE_FAMILY(transpose, .params = matrix_params, .make_problem = make_matrix<RowOp::transpose>,
             .awkward = awkward_transpose, .shrink = shrink_matrix);
}
namespace of_chain {
RIDGE_FAMILY(chain, .params = chain_params, .make_problem = make_chain, .awkward = awkward_chain,
             .shrink = shrink_chain);
}

}  // namespace
}  // namespace ridge
