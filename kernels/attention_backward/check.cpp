#include "kernels/attention_backward/check.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/quality/quality.h"
#include "kernels/attention_backward/backward.h"

namespace ridge::attention_backward {
namespace {

using Vector = std::vector<double>;

/// A row of one gradient: the reference, and the square of what honest errors add up to.
struct Row {
  int64_t at = 0;  ///< which row of the buffer
  Vector value, noise2;
};

/// Of a head of queries, as double; `of_d` is what D may be off by.
struct Queries {
  Vector q, d_o, l, d, of_d, q_norm, do_norm;
};
struct Keys {
  Vector k, v, k_norm, v_norm;
};

/// One pair of query and key: the weight, dS before 1 / sqrt(d), and the squares of their errors.
struct Pair {
  double p = 0, ds = 0, p_error2 = 0, ds_error2 = 0;
};

class Checker {
 public:
  Checker(const Shape& shape, const HostBuffers& host) : host_(host), dtype_(shape.dtype) {
    void* none[kBackwardBuffers] = {};
    a_ = attention_of({.shape = shape, .buffers = none});
    scale_ = 1 / std::sqrt(double(a_.d));
  }

  int64_t heads_kv() const { return a_.heads / a_.group; }

  /// The rows of dQ, dK and dV of one head of keys: all of them, or one of each tile.
  void compute(int64_t head_kv, bool full, uint64_t key, std::vector<Row>* dq,
               std::vector<Row>* dk, std::vector<Row>* dv) const {
    const Keys keys = load_keys(head_kv);
    const std::vector<int64_t> of_keys = rows(full, key);
    for (const int64_t j : of_keys) {
      dk->push_back(empty(head_kv * a_.sequence + j));
      dv->push_back(empty(head_kv * a_.sequence + j));
    }
    for (int64_t head = head_kv * a_.group; head < (head_kv + 1) * a_.group; ++head) {
      const Queries queries = load_queries(head);
      for (const int64_t i : rows(full, random_key(key + uint64_t(head)))) {
        dq->push_back(empty(head * a_.sequence + i));
        for (int64_t j = 0; j < attention_keys(a_, i); ++j) {
          const Pair pair = pair_of(queries, keys, i, j);
          add(pair.ds * scale_, pair.ds_error2 * scale_ * scale_, &keys.k[size_t(j * a_.d)],
              &dq->back());
        }
      }
      for (size_t at = 0; at < of_keys.size(); ++at) {
        const int64_t j = of_keys[at];
        for (int64_t i = a_.causal ? j : 0; i < a_.sequence; ++i) {
          const Pair pair = pair_of(queries, keys, i, j);
          add(pair.ds * scale_, pair.ds_error2 * scale_ * scale_, &queries.q[size_t(i * a_.d)],
              &(*dk)[dk->size() - of_keys.size() + at]);
          add(pair.p, pair.p_error2, &queries.d_o[size_t(i * a_.d)],
              &(*dv)[dv->size() - of_keys.size() + at]);
        }
      }
    }
  }

  /// The rows of dQ, dK and dV, in one measure: with a single key dQ and dK are zero, and no error is small beside
  /// that. Each element has its own limit all the same.
  QualityCheck judge(const std::vector<Row> (&gradients)[3], const char* what) const {
    quality::ErrorSum sum;
    const double out_unit = quality::unit_roundoff(dtype_);
    double ref2 = 0, allowed2 = 0;
    int64_t count = 0;
    Vector out(static_cast<size_t>(a_.d));
    for (size_t i = 0; i < 3; ++i) {
      for (const Row& row : gradients[i]) {
        quality::load_range(host_[kBackwardDQ + i].data(), row.at * a_.d, dtype_, out);
        for (size_t c = 0; c < out.size(); ++c, ++count) {
          const double ref = row.value[c];
          sum.add(out[c], ref,
                  4 * out_unit * std::abs(ref) + 6 * std::sqrt(row.noise2[c]) + least());
          ref2 += ref * ref;
          allowed2 += (std::pow(out_unit * ref, 2) + row.noise2[c]) / 3;
        }
      }
    }
    // As attention's check has it: a uniform error's square is a third, one of a handful may be more.
    return sum.finish(what, ref2 > 0 ? allowed2 / ref2 * (1 + 10 / double(count)) : 0);
  }

  int64_t not_numbers(int buffer) const {
    const int64_t all = int64_t(host_[size_t(buffer)].size() / dtype_size(dtype_));
    std::atomic<int64_t> count = 0;
    parallel_for(
        all, 1 << 16,
        [&](int64_t begin, int64_t end) {
          Vector part(static_cast<size_t>(a_.d));
          int64_t bad = 0;
          for (int64_t at = begin; at < end; at += a_.d) {
            quality::load_range(host_[size_t(buffer)].data(), at, dtype_, part);
            for (const double x : part) bad += !std::isfinite(x);
          }
          count += bad;
        },
        a_.d);
    return count;
  }

 private:
  /// And the last row: the loud query, whose errors are large beside its gradient, and the key that fewest see.
  std::vector<int64_t> rows(bool full, uint64_t key) const {
    const int64_t tile = full ? 1 : kTileRows, last = a_.sequence - 1;
    std::vector<int64_t> rows;
    for (int64_t first = 0; first < last; first += tile) {
      const auto count = uint32_t(std::min(tile, last - first));
      rows.push_back(first + random_below(key, uint64_t(first), count));
    }
    rows.push_back(last);
    return rows;
  }

  Row empty(int64_t at) const { return {at, Vector(size_t(a_.d), 0.0), Vector(size_t(a_.d), 0.0)}; }

  void add(double weight, double error2, const double* from, Row* row) const {
    // What is rounded when fp32 sums are added up: more where there are more of them.
    const double sums = quality::unit_roundoff(DType::fp32);
    error2 += weight * weight * sums * sums * double(a_.sequence * a_.group);
    for (size_t c = 0; c < size_t(a_.d); ++c) {
      row->value[c] += weight * from[c];
      row->noise2[c] += error2 * from[c] * from[c];
    }
  }

  Vector load_head(int buffer, int64_t head) const {
    Vector values(size_t(a_.sequence * a_.d));
    quality::load_range(host_[size_t(buffer)].data(), head * a_.sequence * a_.d, dtype_, values);
    return values;
  }

  /// Four sums at once: with one, each addition waits for the one before.
  double dot(const double* x, const double* y) const {
    double sums[4] = {};
    int64_t c = 0;
    for (; c + 4 <= a_.d; c += 4)
      for (int64_t i = 0; i < 4; ++i) sums[i] += x[c + i] * y[c + i];
    for (; c < a_.d; ++c) sums[0] += x[c] * y[c];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  Vector norms(const Vector& rows) const {
    Vector norms(size_t(a_.sequence));
    for (size_t i = 0; i < norms.size(); ++i) {
      const double* row = &rows[i * size_t(a_.d)];
      norms[i] = std::sqrt(dot(row, row));
    }
    return norms;
  }

  Keys load_keys(int64_t head) const {
    Keys keys = {load_head(kAttentionK, head), load_head(kAttentionV, head), {}, {}};
    keys.k_norm = norms(keys.k);
    keys.v_norm = norms(keys.v);
    return keys;
  }

  /// D may be off by a rounding of each element of O: a library makes its own O.
  Queries load_queries(int64_t head) const {
    Queries queries = {load_head(kAttentionQ, head),
                       load_head(kBackwardDO, head),
                       Vector(size_t(a_.sequence)),
                       {},
                       {},
                       {},
                       {}};
    const Vector o = load_head(kAttentionO, head);
    quality::load_range(host_[kBackwardL].data(), head * a_.sequence, DType::fp32, queries.l);
    queries.q_norm = norms(queries.q);
    queries.do_norm = norms(queries.d_o);
    const double unit = quality::unit_roundoff(dtype_);
    for (size_t i = 0; i < queries.l.size(); ++i) {
      double sum = 0, squares = 0;
      for (size_t c = i * size_t(a_.d); c < (i + 1) * size_t(a_.d); ++c) {
        sum += o[c] * queries.d_o[c];
        squares += std::pow(o[c] * queries.d_o[c], 2);
      }
      queries.d.push_back(sum);
      queries.of_d.push_back((unit + 4 * quality::unit_roundoff(DType::fp32)) * std::sqrt(squares));
    }
    return queries;
  }

  /// A weight is off by its rounding, and by what its score and L are off (which is relative then): fp32's unit
  /// of each, of the terms they are summed of, and of exp. dS by the weight's, its own rounding, and dP - D's.
  Pair pair_of(const Queries& queries, const Keys& keys, int64_t i, int64_t j) const {
    const double unit = quality::unit_roundoff(dtype_), fp32 = quality::unit_roundoff(DType::fp32);
    const auto qi = size_t(i), kj = size_t(j);
    const double score = scale_ * dot(&queries.q[qi * size_t(a_.d)], &keys.k[kj * size_t(a_.d)]);
    const double dp = dot(&queries.d_o[qi * size_t(a_.d)], &keys.v[kj * size_t(a_.d)]);
    Pair pair;
    pair.p = std::exp(score - queries.l[qi]);
    pair.ds = pair.p * (dp - queries.d[qi]);
    const double of_p = unit + fp32 * (8 + 4 * (std::abs(score) + std::abs(queries.l[qi])) +
                                       scale_ * queries.q_norm[qi] * keys.k_norm[kj]);
    const double of_dp = 2 * fp32 * queries.do_norm[qi] * keys.v_norm[kj];
    pair.p_error2 = std::pow(pair.p * of_p, 2) + least() * least();
    pair.ds_error2 = pair.ds * pair.ds * (of_p * of_p + unit * unit) +
                     pair.p * pair.p * (of_dp * of_dp + std::pow(queries.of_d[qi], 2)) +
                     least() * least() * (1 + dp * dp);
    return pair;
  }

  /// Below this a weight or a gradient may be taken for zero: fp16's least number; of the others' (2^-126 is the least
  /// normal one, and a tensor core's sums lose bits some way above it) one that no gradient is missed at.
  double least() const { return dtype_ == DType::fp16 ? 0x1p-24 : 0x1p-110; }

  const HostBuffers& host_;
  DType dtype_;
  Attention a_;
  double scale_;
};

}  // namespace

QualityCheck check_gradients(const Shape& shape, const HostBuffers& host, bool full,
                             uint64_t seed) {
  const Checker checker(shape, host);
  const int64_t heads = checker.heads_kv();
  std::vector<std::vector<Row>> parts[3];
  for (auto& part : parts) part.resize(size_t(heads));
  const uint64_t key = random_key(seed ^ 0xbac4'0a7d);
  parallel_for(heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      checker.compute(i, full, random_key(key + uint64_t(i)), &parts[0][size_t(i)],
                      &parts[1][size_t(i)], &parts[2][size_t(i)]);
    }
  });
  std::vector<Row> gradients[3];
  int64_t bad = 0;
  for (int i = 0; i < 3; ++i) {
    for (auto& part : parts[i]) {
      std::move(part.begin(), part.end(), std::back_inserter(gradients[i]));
    }
    if (!full) bad += checker.not_numbers(kBackwardDQ + i);
  }
  QualityCheck check = checker.judge(gradients, full ? "every row" : "a row of each tile, all numbers");
  if (bad > 0) {
    check.passed = false;
    check.nan_count = std::max(check.nan_count, bad);
    check.reason = std::to_string(bad) + " elements are no numbers";
  }
  return check;
}

}  // namespace ridge::attention_backward
