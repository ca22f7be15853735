#include "kernels/attention/check.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/quality/quality.h"
#include "kernels/runtime/problems/attention.h"
#include "kernels/runtime/problems/attention_reference.h"

namespace ridge::attention {
namespace {

using Vector = std::vector<double>;

struct Row {
  int64_t head = 0, query = 0;
  Reference reference;
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
        out_dtype_(quality::gemm_output(shape.dtype)),
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
        const int64_t head = (*rows)[begins[at]].head;
        load(kAttentionK, head, 0, k);
        load(kAttentionV, head, 0, v);
        const double k_norm = average_norm(k, static_cast<size_t>(d_));
        for (size_t i = begins[at]; i < begins[at + 1]; ++i) {
          compute_row(k, v, k_norm, &(*rows)[i]);
        }
      }
    });
  }

  QualityCheck judge(const std::vector<Row>& rows, const char* what) const {
    RowErrors errors(dtype_);
    if (std::ssize(rows) == this->rows()) errors.of_all(d_);
    Vector out(static_cast<size_t>(d_));
    for (const Row& row : rows) {
      quality::load_range(host_[kAttentionO].data(), (row.head * sequence_ + row.query) * d_,
                          out_dtype_, out);
      errors.add(row.reference, out, keys_of(row.query));
    }
    return errors.finish(what);
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
          load(kAttentionV, head, i * d_, row);
          for (size_t j = 0; j < row.size(); ++j) {
            low[j] = std::min(low[j], row[j]);
            high[j] = std::max(high[j], row[j]);
          }
        }
        for (int64_t i = 0; i < sequence_; ++i) {
          quality::load_range(host_[kAttentionO].data(), (head * sequence_ + i) * d_, out_dtype_,
                              row);
          for (size_t j = 0; j < row.size(); ++j) {
            const double slack = 8 * quality::unit_roundoff(out_dtype_) *
                                 std::max(std::abs(low[j]), std::abs(high[j]));
            bad += !(row[j] >= low[j] - slack && row[j] <= high[j] + slack);
          }
        }
      }
      count += bad;
    });
    return count;
  }

 private:
  int64_t keys_of(int64_t query) const { return causal_ ? query + 1 : sequence_; }

  void compute_row(const Vector& k, const Vector& v, double k_norm, Row* row) const {
    Vector q(static_cast<size_t>(d_));
    load(kAttentionQ, row->head, row->query * d_, q);
    const auto seen = static_cast<size_t>(keys_of(row->query) * d_);
    row->reference =
        reference_row(q, std::span(k).first(seen), std::span(v).first(seen), k_norm, dtype_);
  }

  /// Elements of head `head` of Q (K, V: the head of keys that it reads) from `first` on; fp8: by their scale.
  void load(AttentionBuffer buffer, int64_t head, int64_t first, Vector& to) const {
    const int64_t kv = head / group_;
    const int64_t at = (buffer == kAttentionQ ? head : kv) * sequence_ * d_ + first;
    quality::load_range(host_[buffer].data(), at, dtype_, to);
    if (dtype_ != DType::fp8) return;
    const double scale =
        quality::load(host_[kAttentionScales].data(), kv * 3 + buffer, DType::fp32);
    for (double& x : to) x *= scale;
  }

  int64_t heads_, group_, sequence_, d_;
  bool causal_;
  DType dtype_, out_dtype_;
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
