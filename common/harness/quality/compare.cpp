// Error sums, limits, and what a check says when it fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "common/harness/quality/quality.h"

namespace ridge::quality {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMostMapped = size_t{1} << 18;

/// The ratio that a limit is held against: 0 of 0 is no error, anything of 0 is infinitely much.
double share_of(double error, double whole) {
  if (error == 0) return 0;
  return whole == 0 ? kInfinity : error / whole;
}

bool same_special(double out, double ref) {
  return std::isnan(ref) ? std::isnan(out) : out == ref;
}

}  // namespace

void ErrorSum::add(double out, double ref, double bound) {
  ++checked_;
  if (columns_ > 0 && elements_.size() < kMostMapped) elements_.push_back({out, ref, bound});
  if (std::isnan(bound)) nan_bound_ = true;
  if (!std::isfinite(ref) || !std::isfinite(out)) {
    nan_count_ += !same_special(out, ref);
    return;
  }
  ++finite_;
  const double error = std::abs(out - ref);
  error2_ += error * error;
  ref2_ += ref * ref;
  max_abs_ = std::max(max_abs_, error);
  if (ref != 0) max_rel_ = std::max(max_rel_, error / std::abs(ref));
  worst_share_ = std::max(worst_share_, share_of(error, bound));
}

QualityCheck ErrorSum::finish(const std::string& what, double nmse_limit) const {
  QualityCheck check;
  check.what = what;
  check.nmse = share_of(error2_, ref2_);
  check.nmse_limit = nmse_limit;
  check.max_abs = max_abs_;
  check.max_rel = max_rel_;
  check.worst_bound_share = worst_share_;
  check.nan_count = nan_count_;
  check.checked = checked_;
  if (checked_ == 0) {
    check.reason = "nothing was compared";
  } else if (nan_count_ > 0) {
    check.reason = fmt::format("{} of {} elements are NaN or Inf where the reference is not",
                               nan_count_, checked_);
  } else if (nan_bound_) {
    check.reason = "an elementwise limit is NaN";
  } else if (!(check.nmse <= nmse_limit)) {
    check.reason =
        fmt::format("error {:.2g} (NMSE) is over the limit {:.2g}", check.nmse, nmse_limit);
  } else if (!(worst_share_ <= 1)) {
    check.reason = fmt::format("an element is off by {:.3g} times its limit", worst_share_);
  }
  check.passed = check.reason.empty();
  if (!check.passed) check.errors = map(nmse_limit);
  return check;
}

void ErrorSum::of_rows(int64_t columns, const char* row_name, const char* column_name) {
  columns_ = columns;
  row_name_ = row_name, column_name_ = column_name;
}

namespace {

/// To two digits: a grid of them has to fit a line.
double rounded(double value) {
  return value > 0 ? std::strtod(fmt::format("{:.2g}", value).c_str(), nullptr) : 0;
}

/// Cells of which `count` lines make at most kMostCells.
int64_t cells_of(int64_t count) {
  const int64_t lines = (count + ErrorMap::kMostCells - 1) / ErrorMap::kMostCells;
  return (count + lines - 1) / lines;
}

}  // namespace

/// The error up to which an element counts as right where its own bound allows more. Any, where bounds are broken or
/// the whole is within its limit; else four times what one element may err by where all err alike, or that.
double ErrorSum::tolerance(double nmse_limit) const {
  const bool is_over = !(share_of(error2_, ref2_) <= nmse_limit);
  if (!(worst_share_ <= 1) || !is_over) return kInfinity;
  const double mean = std::sqrt(nmse_limit * ref2_ / static_cast<double>(checked_));
  return max_abs_ > 4 * mean ? 4 * mean : mean;
}

std::optional<ErrorMap> ErrorSum::map(double nmse_limit) const {
  const auto count = static_cast<int64_t>(elements_.size());
  if (columns_ == 0 || count == 0 || count != checked_ || count % columns_ != 0)
    return std::nullopt;
  ErrorMap made;
  made.row_name = row_name_, made.column_name = column_name_;
  made.rows = count / columns_, made.columns = columns_;
  made.cell_rows = cells_of(made.rows), made.cell_columns = cells_of(made.columns);
  const int64_t down = (made.rows + made.cell_rows - 1) / made.cell_rows,
                across = (made.columns + made.cell_columns - 1) / made.cell_columns;
  const double rms = std::sqrt(ref2_ / static_cast<double>(std::max<int64_t>(1, finite_))),
               allowed = tolerance(nmse_limit);
  made.cells.assign(static_cast<size_t>(made.cell_rows * made.cell_columns), 0);
  for (int64_t i = 0; i < count; ++i) {
    const Element& one = elements_[static_cast<size_t>(i)];
    const bool is_special = !std::isfinite(one.out) || !std::isfinite(one.ref);
    const double error = std::abs(one.out - one.ref);
    const bool is_wrong =
        is_special ? !same_special(one.out, one.ref) : !(error <= one.bound) || !(error <= allowed);
    if (!is_wrong) continue;
    const int64_t row = i / columns_, column = i % columns_;
    double& cell =
        made.cells[static_cast<size_t>(row / down * made.cell_columns + column / across)];
    if (is_special) cell = -1;
    if (cell >= 0) cell = std::max(cell, std::min(share_of(error, rms), 1e99));
    if (made.wrong++ > 0) continue;
    made.row = row, made.column = column;
    made.value = one.out, made.expected = one.ref;
  }
  for (double& cell : made.cells) cell = cell < 0 ? -1 : rounded(cell);
  return made;
}

DType gemm_output(DType dtype) {
  switch (dtype) {
    case DType::tf32:
      return DType::fp32;
    case DType::fp8:
      return DType::bf16;
    case DType::int8:
      return DType::int32;
    default:
      return dtype;
  }
}

namespace {

/// What a tensor core's accumulator loses: it cuts off instead of rounding, towards zero, once for
/// every `depth` products. The losses then add up instead of cancelling: 2/3 of the steps times half
/// a unit, relative to the sum. Twice that is allowed.
double cut_off_limit(double unit, int depth, int64_t k) {
  const double steps = std::ceil(static_cast<double>(k) / depth);
  return std::pow(2 * 2 / 3.0 * steps * unit / 2, 2);
}

}  // namespace

double gemm_nmse_limit(DType dtype, int64_t k) {
  switch (dtype) {
    case DType::fp64:
      return 4e-15 * 0x1p-58 * static_cast<double>(k);  // u is 2^-29 of fp32's
    case DType::fp32:
      return 4e-15 * static_cast<double>(k);
    case DType::tf32:
      return 4e-15 * static_cast<double>(k) + cut_off_limit(0x1p-22, 8, k);
    case DType::bf16:
      return 4e-6;
    case DType::fp16:
      return 2e-7;
    case DType::fp8:
      return 4e-6 + cut_off_limit(kFp8Accumulator, 32, k);
    case DType::int8:
    case DType::int32:
      return 0;
  }
  return std::nan("");
}

namespace {

/// The unit of a sum on its way.
double accumulator_unit(DType dtype) {
  return dtype == DType::fp64   ? unit_roundoff(DType::fp64)
         : dtype == DType::fp8  ? kFp8Accumulator / 2
         : dtype == DType::int8 ? 0
                                : unit_roundoff(DType::fp32);
}

constexpr double kC = 2.5;

}  // namespace

double graded_bound(DType dtype, double ref, int64_t k, double size) {
  // Of the types of outputs, fp16 alone has numbers so large that graded sums fall below the least.
  const double least = gemm_output(dtype) == DType::fp16 ? 0x1p-24 : 0x1p-126;
  return 4 * unit_roundoff(gemm_output(dtype)) * std::abs(ref) +
         kC * accumulator_unit(dtype) * std::sqrt(static_cast<double>(k)) * size + least;
}

double dot_bound(DType dtype, double ref, int64_t k, double norm_a, double norm_b) {
  // Measured on random normals, a million dot products each for K = 1 to 64 and fewer beyond: honest
  // naive fp32 reaches at most 0.34 of the bound (K = 4), 0.18 at K = 64, 0.02 at K = 4096. Inputs
  // rounded to TF32 break it in 99.7 %, 97 % and 4 % of the elements; there, 5 x 10^3 to 10^7 times
  // over, the NMSE limit is the one that speaks for all.
  return 4 * unit_roundoff(gemm_output(dtype)) * std::abs(ref) +
         kC * accumulator_unit(dtype) * std::sqrt(static_cast<double>(k)) * norm_a * norm_b;
}

void apply_guards(QualityCheck* check, int64_t unwritten, bool guard_ok) {
  check->unwritten_count = unwritten;
  check->guard_ok = guard_ok;
  // What was never written or was written elsewhere explains the errors: it is said first.
  if (unwritten != 0) {
    check->passed = false;
    check->reason = unwritten == 1
                        ? "1 element of the output was never written"
                        : fmt::format("{} elements of the output were never written", unwritten);
  } else if (!guard_ok) {
    check->passed = false;
    check->reason = "something was written outside the buffers";
  }
}

}  // namespace ridge::quality
