#include "kernels/runtime/problems/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::attention {
namespace {

/// Of a weight relative to the largest; 0: as far as doubles go.
double min_normal_weight(DType dtype) {
  return dtype == DType::fp16 || dtype == DType::fp8 ? 0x1p-14 : 0;
}

}  // namespace

double average_norm(std::span<const double> k, size_t d) {
  const double squares = std::inner_product(k.begin(), k.end(), k.begin(), 0.0);
  return std::sqrt(squares / (double(k.size()) / double(d)));
}

Reference reference_row(std::span<const double> q, std::span<const double> k,
                        std::span<const double> v, double k_norm, DType dtype) {
  const size_t d = q.size();
  Reference row;
  std::vector<double> p(k.size() / d);
  const double scale = 1 / std::sqrt(double(d));
  row.score_terms =
      std::sqrt(std::inner_product(q.begin(), q.end(), q.begin(), 0.0)) * k_norm * scale;
  for (size_t i = 0; i < p.size(); ++i) {
    double score = 0;
    for (size_t j = 0; j < d; ++j) score += q[j] * k[i * d + j];
    p[i] = score * scale;
    row.max_score = std::max(row.max_score, std::abs(p[i]));
  }
  const double row_max = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& weight : p) sum += weight = std::exp(weight - row_max);
  const double least = min_normal_weight(dtype);
  row.value.assign(d, 0);
  row.noise.assign(d, 0);
  for (size_t i = 0; i < p.size(); ++i) {
    const double weight = p[i] / sum, rounded = std::max(p[i], least) / sum;
    for (size_t j = 0; j < d; ++j) {
      const double value = v[i * d + j];
      row.value[j] += weight * value;
      row.noise[j] += rounded * rounded * value * value;
    }
  }
  for (double& square : row.noise) square = std::sqrt(square);
  return row;
}

void RowErrors::add(const Reference& row, std::span<const double> out, int64_t keys) {
  const double unit = quality::unit_roundoff(quality::gemm_output(dtype_)),
               weights = weight_unit(row, keys);
  for (size_t j = 0; j < out.size(); ++j) {
    const double ref = row.value[j], noise = row.noise[j];
    sum_.add(out[j], ref, 4 * unit * std::abs(ref) + 6 * weights * noise);
    ref2_ += ref * ref;
    allowed2_ += (std::pow(unit * ref, 2) + std::pow(weights * noise, 2)) / 3;
  }
  elements_ += int64_t(out.size());
}

QualityCheck RowErrors::finish(const std::string& what) const {
  // The square of an error that is uniform within a unit is a third of the unit's, on average; one of a
  // handful may be several times its mean.
  const double few = 1 + 10 / double(elements_);
  return sum_.finish(what, ref2_ > 0 ? allowed2_ / ref2_ * few : 0);
}

/// What a weight may be off by, relative to it. The type's unit, since P may be rounded to it; or the
/// accumulator's in the score (an error of a score is a relative error of its weight), where d roundings of
/// partial sums add up and what comes of it is rounded again; in exp (2 units in the last place of CUDA's
/// ex2); and in a sum of that many weights. Tensor cores add up e4m3 products with about 14 bits on Hopper.
double RowErrors::weight_unit(const Reference& row, int64_t keys) const {
  const double accumulator =
      dtype_ == DType::fp8 ? quality::kFp8Accumulator : quality::unit_roundoff(DType::fp32);
  return std::max(quality::unit_roundoff(dtype_),
                  accumulator * (8 + 4 * row.max_score + row.score_terms + std::sqrt(double(keys))));
}

}  // namespace ridge::attention
