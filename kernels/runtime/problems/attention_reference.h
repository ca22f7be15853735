// A row of attention in float64, and what an honest error of it is measured by: shared by the checks of the
// families that end in softmax(q Kt / sqrt(d)) V.
#pragma once

#include <span>
#include <vector>

#include "common/harness/quality/quality.h"

namespace ridge::attention {

/// One query and the keys that it sees.
struct Reference {
  std::vector<double> value;  ///< d elements of O
  /// sqrt(sum over keys of (p v)^2): what independent errors of the weights add up to. A weight below 2^-14 of
  /// the largest counts as that where P's type has no smaller normal number (fp16; fp8 with P times 2^8).
  std::vector<double> noise;
  double max_score = 0;
  /// ||q|| ||k|| / sqrt(d), k of average size: scores are this / sqrt(d) wide.
  double score_terms = 0;
};

/// `k`, `v`: keys x d, row-major; d is q's size. `k_norm`: the root mean square of the keys' norms. `dtype`:
/// what Q, K and V are stored in.
Reference reference_row(std::span<const double> q, std::span<const double> k,
                        std::span<const double> v, double k_norm, DType dtype);

/// The root mean square of the norms of the rows of `k`.
double average_norm(std::span<const double> k, size_t d);

/// Adds up the errors of rows, and judges them by what rounding explains.
class RowErrors {
 public:
  explicit RowErrors(DType dtype) : dtype_(dtype) {}
  /// `out`: the row as it was written; `keys`: how many the query sees.
  void add(const Reference& row, std::span<const double> out, int64_t keys);
  /// Every row will be added: where the check fails, it says which are wrong.
  void of_all(int64_t columns) { sum_.of_rows(columns, "query", "dimension"); }
  QualityCheck finish(const std::string& what) const;

 private:
  double weight_unit(const Reference& row, int64_t keys) const;

  DType dtype_;
  quality::ErrorSum sum_;
  double ref2_ = 0, allowed2_ = 0;
  int64_t elements_ = 0;
};

}  // namespace ridge::attention
