// The quality gate's arithmetic: error measures and limits. Everything is phrased so that NaN fails:
// passed = (error <= limit), never error > limit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "common/harness/kernel/family.h"
#include "common/record/types.h"

namespace ridge::quality {

// ---- types -------------------------------------------------------------------------------------

/// Unit roundoff u: half the distance from 1 to the next number.
double unit_roundoff(DType dtype);
/// One element of a buffer as double; and rounding a double to the type and storing it (fp8 and int8
/// saturate).
double load(const std::byte* data, int64_t index, DType dtype);
void store(std::byte* data, int64_t index, DType dtype, double value);
/// Elements first, first + 1 ... as double: the same as load() of each, without a call for each.
void load_range(const std::byte* data, int64_t first, DType dtype, std::span<double> out);

/// Standard normals, counter-based: element i depends on (seed, i) alone, so any part can be made
/// again and any number of threads make the same data.
double normal(uint64_t seed, uint64_t index);
/// int8: kInt8Scale times as wide, so that 127 is four standard deviations.
void fill_normal(std::span<std::byte> data, DType dtype, uint64_t seed);
inline constexpr double kInt8Scale = 32;

// ---- graded inputs -----------------------------------------------------------------------------

/// Sizes of graded inputs go from 2^-span to 2^span: 12, fewer where the type holds less; 0 for integers, whose sums
/// are exact and whose check needs no gradings.
int grade_span(DType dtype);
/// What A's elements with this k (mixed, geometric), this row (rows), or B's with this column (columns), of `count`,
/// are multiplied by: a power of two. B's elements with this k are divided by it.
double grade_factor(Grading grading, int64_t index, int64_t count, int span);

// ---- poison and guards ---------------------------------------------------------------------------

/// Outputs are filled with this 32-bit pattern before every check: a NaN that no arithmetic on numbers
/// produces, in fp64 (which needs the 0x7ff in front), fp32, and both halves as bf16 or fp16.
inline constexpr uint32_t kPoison = 0x7ff5'7ff5;
/// Guard words on both sides of every buffer, kGuardBytes each.
inline constexpr uint32_t kGuardWord = 0xdead'beef;
inline constexpr size_t kGuardBytes = 256;

int64_t count_poison(std::span<const std::byte> data, DType dtype);
bool guard_intact(std::span<const std::byte> guard);

// ---- comparing -----------------------------------------------------------------------------------

/// Collects errors element by element, then says pass or fail.
class ErrorSum {
 public:
  /// `bound` is the elementwise limit; infinite where only the norm counts. NaN and Inf must stand
  /// where the reference has them; they enter no other error. Relative errors leave out ref = 0.
  void add(double out, double ref, double bound);
  /// Every element of an output with rows of `columns` elements will be added, row by row: where the check fails,
  /// finish() says where the output is wrong. An output of over 2^18 elements has no map.
  void of_rows(int64_t columns, const char* row_name = "row", const char* column_name = "column");
  /// Fails on: nothing checked, NaN or Inf parity, nmse over limit, any element over its bound.
  QualityCheck finish(const std::string& what, double nmse_limit) const;

 private:
  double error2_ = 0, ref2_ = 0, max_abs_ = 0, max_rel_ = 0, worst_share_ = 0;
  int64_t nan_count_ = 0, checked_ = 0, finite_ = 0;
  bool nan_bound_ = false;
  struct Element {
    double out, ref, bound;
  };
  std::vector<Element> elements_;  ///< of outputs that have rows
  int64_t columns_ = 0;
  const char *row_name_ = "", *column_name_ = "";
  double tolerance(double nmse_limit) const;
  std::optional<ErrorMap> map(double nmse_limit) const;
};

/// Limits for a product of length K of matrices of `dtype`, whose output is of gemm_output(dtype):
/// fp32 for tf32, bf16 for fp8, int32 for int8.
DType gemm_output(DType dtype);
/// e4m3 products are summed with about 14 bits on Hopper (Liu et al., DeepSeek-V3, 2024, 3.3.2).
inline constexpr double kFp8Accumulator = 0x1p-13;
/// Of NMSE: 4e-15 K for fp32 (honest naive fp32 scores 1.5e-12 at K = 4096, TF32
/// in disguise 1e-7), 4e-6 for bf16, 2e-7 for fp16, 0 for integers. tf32 and fp8 add what a tensor
/// core's accumulator loses by cutting off (compare.cpp).
double gemm_nmse_limit(DType dtype, int64_t k);
/// |out - ref| limit of one dot product: 4 u_out |ref| + c u_acc sqrt(K) ||a|| ||b||, c = 2.5 (fixed
/// by tests/quality_test.cpp), u_acc that of the accumulator: fp32's but for fp64 and fp8.
double dot_bound(DType dtype, double ref, int64_t k, double norm_a, double norm_b);

/// |out - ref| limit of one dot product of graded inputs: 4 u_out |ref| + c u_acc sqrt(K) `size` + the output type's
/// least number. `size` is the class's: sum |a_p| |b_p| (componentwise), K max |a_p| max |b_p| of the row and column
/// (row_column) or of all (max_norm). sqrt(K) where the worst case has K: roundings are as good as independent (Higham
/// and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019).
double graded_bound(DType dtype, double ref, int64_t k, double size);

/// Folds poison and guard findings into a check: any of them fails it.
void apply_guards(QualityCheck* check, int64_t unwritten, bool guard_ok);

}  // namespace ridge::quality
