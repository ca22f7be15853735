#include "kernels/gemm/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "common/core/parallel.h"
#include "common/harness/quality/quality.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge::gemm {
namespace {

constexpr int kSampledElements = 4096;
constexpr int64_t kRowsAPart = 64;

using Vector = std::vector<double>;

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double norm(const Vector& x) {
  return std::sqrt(dot(x, x));
}

/// Rows of a matrix as double, whatever its type.
struct Matrix {
  const std::byte* data;
  int64_t rows, columns;
  DType dtype;

  double operator()(int64_t row, int64_t column) const {
    return quality::load(data, row * columns + column, dtype);
  }
  void row(int64_t row, Vector* out) const {
    out->resize(static_cast<size_t>(columns));
    quality::load_range(data, row * columns, dtype, *out);
  }
  Vector row_norms() const {
    Vector norms(static_cast<size_t>(rows));
    parallel_for(rows, kRowsAPart, [&](int64_t begin, int64_t end) {
      Vector values;
      for (int64_t i = begin; i < end; ++i) {
        row(i, &values);
        norms[static_cast<size_t>(i)] = norm(values);
      }
    });
    return norms;
  }
  /// sum over rows of weights[row] * f(row's elements), added up in the columns.
  template <class F>
  Vector sum_of_rows(const F& add_row) const {
    Vector total(static_cast<size_t>(columns), 0);
    std::mutex mutex;
    parallel_for(rows, kRowsAPart, [&](int64_t begin, int64_t end) {
      Vector values, part(static_cast<size_t>(columns), 0);
      for (int64_t i = begin; i < end; ++i) {
        row(i, &values);
        add_row(i, values, &part);
      }
      const std::lock_guard lock(mutex);
      for (size_t j = 0; j < part.size(); ++j) total[j] += part[j];
    });
    return total;
  }
};

/// B as stored: k x n, or n x k where gemm_b_is_transposed().
struct OperandB {
  Matrix stored;
  bool transposed;

  double operator()(int64_t p, int64_t j) const { return transposed ? stored(j, p) : stored(p, j); }

  Vector column_norms() const {
    if (transposed) return stored.row_norms();
    Vector squares = stored.sum_of_rows([](int64_t, const Vector& row, Vector* sum) {
      for (size_t j = 0; j < row.size(); ++j) (*sum)[j] += row[j] * row[j];
    });
    for (double& square : squares) square = std::sqrt(square);
    return squares;
  }

  /// B x, of length k.
  Vector times(const Vector& x) const {
    if (transposed) {
      return stored.sum_of_rows([&](int64_t j, const Vector& row, Vector* sum) {
        for (size_t p = 0; p < row.size(); ++p) (*sum)[p] += row[p] * x[static_cast<size_t>(j)];
      });
    }
    Vector product(static_cast<size_t>(stored.rows));
    parallel_for(stored.rows, kRowsAPart, [&](int64_t begin, int64_t end) {
      Vector row;
      for (int64_t p = begin; p < end; ++p) {
        stored.row(p, &row);
        product[static_cast<size_t>(p)] = dot(row, x);
      }
    });
    return product;
  }
};

/// A sign at random times a size in [0.5, 1.5): no element can hide behind a factor near zero, and
/// equal errors of opposite sign (two columns swapped) do not cancel as they may under +-1.
Vector random_weights(int64_t count, uint64_t seed) {
  Vector weights(static_cast<size_t>(count));
  for (int64_t j = 0; j < count; ++j) {
    const double z = quality::normal(seed, static_cast<uint64_t>(j));
    const double uniform = std::erf(std::abs(z) / std::sqrt(2.0));
    weights[static_cast<size_t>(j)] = std::copysign(0.5 + uniform, z);
  }
  return weights;
}

class Checker {
 public:
  Checker(const Shape& shape, const HostBuffers& host, uint64_t seed)
      : m_(shape.dim[kGemmM]),
        n_(shape.dim[kGemmN]),
        k_(shape.dim[kGemmK]),
        dtype_(shape.dtype),
        seed_(seed),
        a_{host[kGemmA].data(), m_, k_, dtype_},
        b_{{host[kGemmB].data(), k_, n_, dtype_}, gemm_b_is_transposed(dtype_)},
        c_{host[kGemmC].data(), m_, n_, quality::gemm_output(dtype_)} {
    if (b_.transposed) std::swap(b_.stored.rows, b_.stored.columns);
    a_norms_ = a_.row_norms();
    b_norms_ = b_.column_norms();
    a_norm_ = norm(a_norms_);
    b_norm_ = norm(b_norms_);
  }

  QualityCheck every_element() const {
    const Vector refs = product();
    quality::ErrorSum sum;
    sum.of_rows(n_);
    for_each_element([&](int64_t i, int64_t j, double out) {
      const double ref = refs[static_cast<size_t>(i * n_ + j)];
      sum.add(out, ref, bound(ref, i, j));
    });
    return sum.finish("every element", nmse_limit(dot(refs, refs), m_ * n_));
  }

  QualityCheck graded(Accuracy accuracy) {
    const Vector refs = product(), sizes = class_sizes(accuracy);
    quality::ErrorSum sum;
    sum.of_rows(n_);
    for_each_element([&](int64_t i, int64_t j, double out) {
      const auto at = static_cast<size_t>(i * n_ + j);
      sum.add(out, refs[at], quality::graded_bound(dtype_, refs[at], k_, sizes[at]));
    });
    QualityCheck check = sum.finish("every element, graded", std::numeric_limits<double>::infinity());
    check.nmse_limit = 0;
    return check;
  }

  QualityCheck sampled() const {
    std::vector<std::array<int64_t, 2>> places = sample_places();
    // By column: what stands side by side in B is then read while a cache has its line.
    std::sort(places.begin(), places.end(), [](auto& x, auto& y) { return x[1] < y[1]; });
    Vector refs(places.size());
    parallel_for(static_cast<int64_t>(places.size()), 64, [&](int64_t begin, int64_t end) {
      Vector row;
      for (int64_t s = begin; s < end; ++s) {
        const auto& [i, j] = places[static_cast<size_t>(s)];
        a_.row(i, &row);
        double& ref = refs[static_cast<size_t>(s)];
        for (int64_t p = 0; p < k_; ++p) ref += row[static_cast<size_t>(p)] * b_(p, j);
      }
    });
    quality::ErrorSum sum;
    for (size_t s = 0; s < places.size(); ++s) {
      const auto& [i, j] = places[s];
      sum.add(c_(i, j), refs[s], bound(refs[s], i, j));
    }
    const auto count = static_cast<int64_t>(places.size());
    QualityCheck check = sum.finish("product test and sample", nmse_limit(dot(refs, refs), count));
    check_rows(&check);
    return check;
  }

  /// B once as double, row by row: for the full check.
  void widen_b() {
    wide_b_.resize(static_cast<size_t>(k_ * n_));
    if (b_.transposed) {
      for (int64_t p = 0; p < k_; ++p)
        for (int64_t j = 0; j < n_; ++j) wide_b_[static_cast<size_t>(p * n_ + j)] = b_(p, j);
    } else {
      quality::load_range(b_.stored.data, 0, dtype_, wide_b_);
    }
  }

 private:
  /// A B in float64, row by row; or |A| times what was widened of B.
  Vector product(bool of_magnitudes = false) const {
    Vector refs(static_cast<size_t>(m_ * n_), 0);
    constexpr int64_t kStepsAPart = 1 << 20;  // a thread costs as much as a tenth of these
    parallel_for(m_, kStepsAPart / (n_ * k_) + 1, [&](int64_t begin, int64_t end) {
      Vector a;
      for (int64_t i = begin; i < end; ++i) {
        a_.row(i, &a);
        if (of_magnitudes) make_positive(&a);
        add_product(a, &refs[static_cast<size_t>(i * n_)]);
      }
    });
    return refs;
  }

  template <class Visit>
  void for_each_element(const Visit& visit) const {
    Vector row;
    for (int64_t i = 0; i < m_; ++i) {
      c_.row(i, &row);
      for (int64_t j = 0; j < n_; ++j) visit(i, j, row[static_cast<size_t>(j)]);
    }
  }

  static void make_positive(Vector* values) {
    for (double& value : *values) value = std::abs(value);
  }

  /// What graded_bound() calls the size of each element: |A| |B|, or the products of largest elements times K. What was
  /// widened of B holds magnitudes from then on.
  Vector class_sizes(Accuracy accuracy) {
    make_positive(&wide_b_);
    if (accuracy == Accuracy::componentwise) return product(true);
    Vector of_rows(static_cast<size_t>(m_)), of_columns(static_cast<size_t>(n_), 0), a;
    for (int64_t i = 0; i < m_; ++i) {
      a_.row(i, &a);
      make_positive(&a);
      of_rows[static_cast<size_t>(i)] = *std::max_element(a.begin(), a.end());
    }
    for (size_t at = 0; at < wide_b_.size(); ++at) {
      double& largest = of_columns[at % static_cast<size_t>(n_)];
      largest = std::max(largest, wide_b_[at]);
    }
    if (accuracy == Accuracy::max_norm) {
      for (Vector* all : {&of_rows, &of_columns})
        all->assign(all->size(), *std::max_element(all->begin(), all->end()));
    }
    Vector sizes;
    for (const double row : of_rows)
      for (const double column : of_columns) sizes.push_back(double(k_) * row * column);
    return sizes;
  }

  /// sums += a B. Four rows of B a pass: the sums are then loaded and stored a quarter as often. This is
  /// part of each wait for an edited rung's first number.
  void add_product(const Vector& a, double* __restrict sums) const {
    const double* b = wide_b_.data();
    const size_t n = static_cast<size_t>(n_);
    size_t p = 0;
    for (; p + 4 <= a.size(); p += 4, b += 4 * n) {
      const double *b1 = b + n, *b2 = b1 + n, *b3 = b2 + n;
      const double s0 = a[p], s1 = a[p + 1], s2 = a[p + 2], s3 = a[p + 3];
      for (size_t j = 0; j < n; ++j)
        sums[j] += (s0 * b[j] + s1 * b1[j]) + (s2 * b2[j] + s3 * b3[j]);
    }
    for (; p < a.size(); ++p, b += n) {
      const double s0 = a[p];
      for (size_t j = 0; j < n; ++j) sums[j] += s0 * b[j];
    }
  }

  double bound(double ref, int64_t i, int64_t j) const {
    return quality::dot_bound(dtype_, ref, k_, a_norms_[static_cast<size_t>(i)],
                              b_norms_[static_cast<size_t>(j)]);
  }

  /// NMSE is a mean, and with a handful of outputs the limit must allow for luck. They may all lie
  /// near zero: the error is then held against their size on average, ||A|| ||B|| / sqrt(K m n);
  /// else honest fp32 would be refused in a quarter of the cases with one output. And one error
  /// may be several times its mean: 10 / elements allows 8 standard deviations with one output.
  double nmse_limit(double ref2, int64_t elements) const {
    const double limit = quality::gemm_nmse_limit(dtype_, k_) * (1 + 10 / double(elements));
    const double share = double(elements) / (double(m_) * double(n_));
    const double expected2 = std::pow(a_norm_ * b_norm_, 2) / double(k_) * share;
    return ref2 > 0 ? limit * std::max(1.0, expected2 / ref2) : limit;
  }

  /// The four corners, where tails go wrong, and elements at random (a few may come twice); or all,
  /// where there are no more.
  std::vector<std::array<int64_t, 2>> sample_places() const {
    std::vector<std::array<int64_t, 2>> places;
    if (m_ * n_ <= kSampledElements) {
      for (int64_t e = 0; e < m_ * n_; ++e) places.push_back({e / n_, e % n_});
      return places;
    }
    places = {{0, 0}, {0, n_ - 1}, {m_ - 1, 0}, {m_ - 1, n_ - 1}};
    const auto uniform = [&](uint64_t index, int64_t size) {
      const double z = quality::normal(seed_ ^ 0x5eed'91ace5, index);
      const double u = std::erfc(-z / std::sqrt(2.0)) / 2;
      return std::min(static_cast<int64_t>(u * double(size)), size - 1);
    };
    for (uint64_t s = places.size(); s < kSampledElements; ++s)
      places.push_back({uniform(2 * s, m_), uniform(2 * s + 1, n_)});
    return places;
  }

  /// How far row i's weighted sum is from A (B x), as a share of what is allowed.
  double row_share(int64_t i, const Vector& x, const Vector& bx, Vector* row,
                   int64_t* special) const {
    c_.row(i, row);
    *special += std::count_if(row->begin(), row->end(), [](double v) { return !std::isfinite(v); });
    const double product = dot(*row, x), row_norm = norm(*row);
    a_.row(i, row);
    const double error = std::abs(product - dot(*row, bx));
    const double expected = a_norms_[static_cast<size_t>(i)] * b_norm_ / std::sqrt(double(k_));
    const double size = std::max(expected, row_norm);
    // Exact integers leave the rounding of this very test: 2^-53 in each of n + k additions.
    const double own = 0x1p-53 * double(n_ + k_) * std::sqrt(double(n_)) * size;
    const double allowed = 6 * std::sqrt(quality::gemm_nmse_limit(dtype_, k_)) * size + own;
    return error == 0 ? 0 : error / allowed;
  }

  /// Freivalds, row by row: (C x)_i against (A (B x))_i in float64, x random. Weighted with random
  /// signs, a row's errors add up to less than 6 times their norm (Hoeffding: in all but 1e-7 of
  /// rows), and the norm is held to what the NMSE limit allows; honest fp32 stays at a third of
  /// that. One wrong element moves its row by at least half its error.
  void check_rows(QualityCheck* check) const {
    const Vector x = random_weights(n_, seed_ ^ 0xf4e1'7a1d);
    const Vector bx = b_.times(x);
    Vector shares(static_cast<size_t>(m_));
    std::atomic<int64_t> special_count = 0;
    parallel_for(m_, kRowsAPart, [&](int64_t begin, int64_t end) {
      Vector row;
      int64_t special = 0;
      for (int64_t i = begin; i < end; ++i)
        shares[static_cast<size_t>(i)] = row_share(i, x, bx, &row, &special);
      special_count += special;
    });
    int64_t wrong_rows = 0, first_wrong = -1;
    double worst = 0;
    for (int64_t i = 0; i < m_; ++i) {
      const double share = shares[static_cast<size_t>(i)];
      if (std::isfinite(share)) worst = std::max(worst, share);
      if (share <= 1) continue;
      if (wrong_rows++ == 0) first_wrong = i;
    }
    const int64_t special = special_count;
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
  uint64_t seed_;
  Matrix a_;
  OperandB b_;
  Matrix c_;
  Vector a_norms_, b_norms_, wide_b_;
  double a_norm_ = 0, b_norm_ = 0;
};

}  // namespace

QualityCheck check_product(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed) {
  Checker checker(shape, host, seed);
  if (full) checker.widen_b();
  QualityCheck check = full ? checker.every_element() : checker.sampled();
  check.what = fmt::format("{}x{}x{}, {}", shape.dim[kGemmM], shape.dim[kGemmN], shape.dim[kGemmK],
                           check.what);
  return check;
}

QualityCheck check_graded(const Shape& shape, const HostBuffers& host, Accuracy accuracy) {
  Checker checker(shape, host, 0);
  checker.widen_b();
  return checker.graded(accuracy);
}

}  // namespace ridge::gemm
