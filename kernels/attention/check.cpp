#include "kernels/attention/check.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/quality/quality.h"
#include "kernels/attention/attention.h"

namespace ridge::attention {
namespace {

using Vector = std::vector<double>;

/// A row of the reference, and what an honest error of it is measured by.
struct Row {
  int64_t head = 0, query = 0;
  Vector value;  ///< d elements of O
  Vector
      noise;  ///< sqrt(sum over keys of (p v)^2): what independent errors of the weights add up to
  double largest_score = 0;
  double score_terms =
      0;  ///< ||q|| ||k|| / sqrt(d), k of average size: scores are this / sqrt(d) wide
};

class Checker {
 public:
  Checker(const Shape& shape, const HostBuffers& host)
      : heads_(shape.dim[kAttentionBatch] * shape.dim[kAttentionHeads]),
        group_(shape.dim[kAttentionHeads] / shape.dim[kAttentionHeadsKv]),
        sequence_(shape.dim[kAttentionSequence]),
        d_(shape.dim[kAttentionHeadSize]),
        causal_(shape.dim[kAttentionCausal] != 0),
        dtype_(shape.dtype),
        host_(host) {}

  int64_t heads() const { return heads_; }
  int64_t rows() const { return heads_ * sequence_; }

  /// All rows, or some of them: of each head, as far as they reach, the last (the loud one) and others at
  /// random.
  std::vector<Row> places(bool full, uint64_t seed) const {
    std::vector<Row> rows;
    const int64_t wanted = full ? this->rows() : std::min(kSampledRows, this->rows());
    const uint64_t key = random_key(seed ^ 0xa77e'4710);
    for (int64_t i = 0; i < wanted; ++i) {
      Row row;
      row.head = full ? i / sequence_ : i * heads_ / wanted;
      const bool next_head = i == 0 || rows.back().head != row.head;
      row.query = full        ? i % sequence_
                  : next_head ? sequence_ - 1
                  : i == 1    ? 0
                              : random_below(key, uint64_t(i), uint32_t(sequence_));
      rows.push_back(std::move(row));
    }
    return rows;
  }

  /// Rows of one head share its keys and values as double.
  void compute(std::vector<Row>* rows) const {
    const auto head_of = [&](size_t i) { return (*rows)[i].head / group_; };
    std::vector<size_t> begins;
    for (size_t i = 0; i < rows->size(); ++i) {
      if (i == 0 || head_of(i) != head_of(i - 1)) begins.push_back(i);
    }
    begins.push_back(rows->size());
    std::atomic<size_t> next = 0;
    parallel_for(int64_t(begins.size()) - 1, 1, [&](int64_t, int64_t) {
      Vector k(size_t(sequence_ * d_)), v(k.size());
      for (size_t at = next++; at + 1 < begins.size(); at = next++) {
        const int64_t first = head_of(begins[at]) * sequence_ * d_;
        quality::load_range(host_[kAttentionK].data(), first, dtype_, k);
        quality::load_range(host_[kAttentionV].data(), first, dtype_, v);
        const double k2 = std::inner_product(k.begin(), k.end(), k.begin(), 0.0);
        for (size_t i = begins[at]; i < begins[at + 1]; ++i) {
          compute_row(k, v, std::sqrt(k2 / double(sequence_)), &(*rows)[i]);
        }
      }
    });
  }

  QualityCheck judge(const std::vector<Row>& rows, const char* what) const {
    quality::ErrorSum sum;
    double ref2 = 0, allowed2 = 0;
    Vector out(static_cast<size_t>(d_));
    for (const Row& row : rows) {
      quality::load_range(host_[kAttentionO].data(), (row.head * sequence_ + row.query) * d_,
                          dtype_, out);
      const double weights = weight_unit(row);
      for (size_t j = 0; j < out.size(); ++j) {
        const double ref = row.value[j], noise = row.noise[j];
        sum.add(out[j], ref, 4 * out_unit() * std::abs(ref) + 6 * weights * noise);
        ref2 += ref * ref;
        allowed2 += (std::pow(out_unit() * ref, 2) + std::pow(weights * noise, 2)) / 3;
      }
    }
    // The square of an error that is uniform within a unit is a third of the unit's, on average; one of a
    // handful may be several times its mean.
    const double few = 1 + 10 / (double(rows.size()) * double(d_));
    return sum.finish(what, ref2 > 0 ? allowed2 / ref2 * few : 0);
  }

  /// Elements outside [least, largest] of their column of V (and of 0, where the head has no key), or not
  /// numbers. A mean of numbers rounded to the type can pass by its unit.
  int64_t impossible() const {
    std::atomic<int64_t> count = 0;
    parallel_for(heads_, 1, [&](int64_t begin, int64_t end) {
      Vector row(static_cast<size_t>(d_)), low, high;
      int64_t bad = 0;
      for (int64_t head = begin; head < end; ++head) {
        low.assign(row.size(), std::numeric_limits<double>::infinity());
        high.assign(row.size(), -std::numeric_limits<double>::infinity());
        for (int64_t i = 0; i < sequence_; ++i) {
          quality::load_range(host_[kAttentionV].data(), (head / group_ * sequence_ + i) * d_,
                              dtype_, row);
          for (size_t j = 0; j < row.size(); ++j) {
            low[j] = std::min(low[j], row[j]);
            high[j] = std::max(high[j], row[j]);
          }
        }
        for (int64_t i = 0; i < sequence_; ++i) {
          quality::load_range(host_[kAttentionO].data(), (head * sequence_ + i) * d_, dtype_, row);
          for (size_t j = 0; j < row.size(); ++j) {
            const double slack = 8 * out_unit() * std::max(std::abs(low[j]), std::abs(high[j]));
            bad += !(row[j] >= low[j] - slack && row[j] <= high[j] + slack);
          }
        }
      }
      count += bad;
    });
    return count;
  }

 private:
  void compute_row(const Vector& k, const Vector& v, double k_norm, Row* row) const {
    const auto d = static_cast<size_t>(d_);
    Vector q(d), p(static_cast<size_t>(causal_ ? row->query + 1 : sequence_));
    quality::load_range(host_[kAttentionQ].data(), (row->head * sequence_ + row->query) * d_,
                        dtype_, q);
    const double scale = 1 / std::sqrt(double(d_));
    const double q_norm = std::sqrt(std::inner_product(q.begin(), q.end(), q.begin(), 0.0));
    row->score_terms = q_norm * k_norm * scale;
    for (size_t i = 0; i < p.size(); ++i) {
      double score = 0;
      for (size_t j = 0; j < d; ++j) score += q[j] * k[i * d + j];
      p[i] = score * scale;
      row->largest_score = std::max(row->largest_score, std::abs(p[i]));
    }
    const double largest = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& weight : p) sum += weight = std::exp(weight - largest);
    row->value.assign(d, 0);
    row->noise.assign(d, 0);
    for (size_t i = 0; i < p.size(); ++i) {
      const double weight = p[i] / sum;
      for (size_t j = 0; j < d; ++j) {
        const double term = weight * v[i * d + j];
        row->value[j] += term;
        row->noise[j] += term * term;
      }
    }
    for (double& square : row->noise) square = std::sqrt(square);
  }

  double out_unit() const { return quality::unit_roundoff(dtype_); }

  /// What a weight may be off by, relative to it. The type's unit, since P may be rounded to it; or fp32's
  /// in the score (an error of a score is a relative error of its weight), where d roundings of partial sums
  /// add up and what comes of it is rounded again; in exp (2 units in the last place of CUDA's ex2); and in a
  /// sum of that many weights.
  double weight_unit(const Row& row) const {
    const double fp32 = quality::unit_roundoff(DType::fp32);
    const double sum = std::sqrt(double(causal_ ? row.query + 1 : sequence_));
    return std::max(out_unit(), fp32 * (8 + 4 * row.largest_score + row.score_terms + sum));
  }

  int64_t heads_, group_, sequence_, d_;
  bool causal_;
  DType dtype_;
  const HostBuffers& host_;
};

}  // namespace

QualityCheck check_heads(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed) {
  const Checker checker(shape, host);
  std::vector<Row> rows = checker.places(full, seed);
  checker.compute(&rows);
  QualityCheck check = checker.judge(rows, full ? "every row" : "rows sampled, range of all");
  if (const int64_t bad = full ? 0 : checker.impossible(); bad > 0) {
    check.passed = false;
    check.nan_count = std::max(check.nan_count, bad);
    check.reason = std::to_string(bad) + " of " +
                   std::to_string(checker.rows() * shape.dim[kAttentionHeadSize]) +
                   " elements are no weighted mean of their values";
  }
  return check;
}

}  // namespace ridge::attention
