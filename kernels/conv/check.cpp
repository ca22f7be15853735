#include "kernels/conv/check.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "common/core/ceil_div.h"
#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/quality/quality.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge::conv {
namespace {

constexpr int64_t kSampledOutputs = 4096;

using Vector = std::vector<double>;

/// The sum of term(i): four sums at once, since with one each addition waits for the one before.
template <class Term>
double sum_of(int64_t count, const Term& term) {
  double sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int64_t j = 0; j < 4; ++j) sums[j] += term(i + j);
  for (; i < count; ++i) sums[0] += term(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double dot(const double* x, const double* y, int64_t count) {
  return sum_of(count, [&](int64_t i) { return x[i] * y[i]; });
}

double dot_of_magnitudes(const double* x, const double* y, int64_t count) {
  return sum_of(count, [&](int64_t i) { return std::abs(x[i] * y[i]); });
}

double largest_of(const double* x, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(x[i]));
  return largest;
}

/// An output as it should be: its limit, the square that it has on average, and whether it sees any of the image.
struct Expected {
  int64_t at = 0, m = 0;  ///< pixel and filter
  double ref = 0, bound = 0, mean2 = 0;
  bool sees = false;
};

/// Of the outputs that were looked at: sums of squares, and how many see any of the image. Those that lie in the
/// padding alone are exact, and say nothing about rounding.
struct Totals {
  double ref2 = 0, expected2 = 0;
  int64_t outputs = 0;
};

class Checker {
 public:
  Checker(const Shape& shape, const HostBuffers& host, uint64_t seed)
      : v_(conv_shape(&shape)), dtype_(shape.dtype), host_(host), seed_(seed) {
    terms_ = v_.group_c * v_.r * v_.s;
    filters_.resize(static_cast<size_t>(v_.m * terms_));
    quality::load_range(host[kConvF].data(), 0, dtype_, filters_);
    for (int64_t m = 0; m < v_.m; ++m) {
      filter_norms_.push_back(std::sqrt(dot(filter(m), filter(m), terms_)));
      bias_.push_back(v_.relu ? quality::load(host[kConvBias].data(), m, dtype_) : 0);
    }
  }

  QualityCheck every_output() {
    widen_x();
    return judge_pixels([&](const Seen& seen, int64_t m) { return expect(seen, m); }).finish_normal(
        "every output", *this);
  }

  QualityCheck every_graded_output(Accuracy accuracy) {
    widen_x();
    const double most = largest_of(x_.data(), std::ssize(x_)) *
                        largest_of(filters_.data(), std::ssize(filters_));
    const Judged judged = judge_pixels([&](const Seen& seen, int64_t m) {
      const double size = accuracy == Accuracy::max_norm ? double(terms_) * most
                          : accuracy == Accuracy::row_column
                              ? double(terms_) * largest_of(seen.patch.data(), terms_) *
                                    largest_of(filter(m), terms_)
                              : dot_of_magnitudes(seen.patch.data(), filter(m), terms_);
      return expect_graded(seen, m, size);
    });
    QualityCheck check =
        judged.sum.finish("every output, graded", std::numeric_limits<double>::infinity());
    check.nmse_limit = 0;
    return check;
  }

  QualityCheck sampled() {
    const double all = double(pixels()) * double(v_.m);
    if (all <= kSampledOutputs || (v_.relu && all * double(terms_) <= kMaxJudged))
      return every_output();
    Judged judged;
    std::vector<Expected> expected(static_cast<size_t>(kSampledOutputs));
    const uint64_t key = random_key(seed_ ^ 0x5eed'c0c0);
    parallel_for(kSampledOutputs, 64, [&](int64_t begin, int64_t end) {
      Seen seen;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t corner[] = {0, v_.q - 1, (v_.p - 1) * v_.q, pixels() - 1};
        const auto index = static_cast<uint64_t>(i);
        const int64_t at = i < 4 ? corner[i] : random_below(key, 2 * index, uint32_t(pixels()));
        const int64_t m = random_below(key, 2 * index + 1, uint32_t(v_.m));
        look(at, m / v_.group_m, &seen);
        expected[static_cast<size_t>(i)] = expect(seen, m);
      }
    });
    add(expected, &judged);
    if (v_.relu) judge_blocks(&judged);
    QualityCheck check = judged.finish_normal(
        v_.relu ? "an output of each tile, sign of all" : "outputs sampled, sum of all", *this);
    if (check.passed) check_pixels(&check);
    return check;
  }

  /// Filled-up channels that are not zero.
  int64_t spoilt_padding() const {
    int64_t spoilt = 0;
    for (int64_t m = v_.m; m < conv_stored(v_.m, v_.layout); ++m)
      for (int64_t at = 0; at < pixels(); ++at) spoilt += !(output(at, m) == 0);
    return spoilt;
  }

 private:
  int64_t pixels() const { return v_.n * v_.p * v_.q; }
  const double* filter(int64_t m) const { return filters_.data() + m * terms_; }

  double output(int64_t at, int64_t m) const {
    const int64_t q = at % v_.q, p = at / v_.q % v_.p, n = at / v_.q / v_.p;
    return quality::load(host_[kConvY].data(), conv_place(&v_.y_at, n, m, p, q), dtype_);
  }

  /// What the filters of group g see at output pixel `at`: [c][r][s]. Its norm.
  double gather(int64_t at, int64_t g, Vector* patch) const {
    const int64_t q = at % v_.q, p = at / v_.q % v_.p, n = at / v_.q / v_.p;
    patch->assign(static_cast<size_t>(terms_), 0);
    size_t i = 0;
    for (int64_t c = g * v_.group_c; c < (g + 1) * v_.group_c; ++c) {
      for (int64_t r = 0; r < v_.r; ++r) {
        const int64_t h = p * v_.stride + r - v_.pad;
        for (int64_t s = 0; s < v_.s; ++s, ++i) {
          const int64_t w = q * v_.stride + s - v_.pad;
          if (h < 0 || h >= v_.h || w < 0 || w >= v_.w) continue;
          const int64_t place = conv_place(&v_.x_at, n, c, h, w);
          (*patch)[i] = x_.empty() ? quality::load(host_[kConvX].data(), place, dtype_)
                                   : x_[static_cast<size_t>(place)];
        }
      }
    }
    return std::sqrt(dot(patch->data(), patch->data(), terms_));
  }

  /// What one group of filters sees at an output pixel.
  struct Seen {
    int64_t at = 0, group = -1;
    Vector patch;
    double norm = 0;
  };
  void look(int64_t at, int64_t group, Seen* seen) const {
    if (seen->at == at && seen->group == group) return;
    seen->at = at, seen->group = group;
    seen->norm = gather(at, group, &seen->patch);
  }

  Expected expect(const Seen& seen, int64_t m) const {
    const double filter_norm = filter_norms_[static_cast<size_t>(m)];
    Expected out = reference(seen, m);
    out.bound += quality::dot_bound(dtype_, out.ref, terms_, seen.norm, filter_norm);
    out.mean2 = seen.norm * seen.norm * filter_norm * filter_norm / double(terms_);
    return cut_off(out);
  }
  Expected expect_graded(const Seen& seen, int64_t m, double size) const {
    Expected out = reference(seen, m);
    out.bound += quality::graded_bound(dtype_, out.ref, terms_, size);
    return cut_off(out);
  }
  /// Before the relu, and the bound's part for the bias.
  Expected reference(const Seen& seen, int64_t m) const {
    const double bias = bias_[static_cast<size_t>(m)];
    return {seen.at, m, dot(seen.patch.data(), filter(m), terms_) + bias,
            quality::unit_roundoff(DType::fp32) * std::abs(bias), 0, seen.norm > 0};
  }
  Expected cut_off(Expected out) const {
    if (v_.relu) out.ref = std::max(0.0, out.ref);
    return out;
  }

  /// What outputs were found to be off by, beside their Totals.
  struct Judged {
    quality::ErrorSum sum;
    Totals totals;
    QualityCheck finish_normal(const char* what, const Checker& of) const {
      return sum.finish(what, of.nmse_limit(totals));
    }
  };
  void add(const std::vector<Expected>& outputs, Judged* judged) const {
    for (const Expected& out : outputs) {
      judged->sum.add(output(out.at, out.m), out.ref, out.bound);
      judged->totals.ref2 += out.ref * out.ref;
      judged->totals.expected2 += out.mean2;
      judged->totals.outputs += out.sees;
    }
  }

  void widen_x() {
    x_.resize(static_cast<size_t>(v_.n * v_.x_at.image));
    quality::load_range(host_[kConvX].data(), 0, dtype_, x_);
  }

  /// Every output; so many pixels at a time that what is expected of them takes little memory.
  template <class Expect>
  Judged judge_pixels(const Expect& expect_one) const {
    constexpr int64_t kOutputsAtOnce = 1 << 20, kStepsAPart = 1 << 20;
    const int64_t at_once = std::max<int64_t>(1, kOutputsAtOnce / v_.m);
    Judged judged;
    judged.sum.of_rows(v_.m, "output pixel", "channel");
    std::vector<Expected> expected;
    for (int64_t first = 0; first < pixels(); first += at_once) {
      const int64_t count = std::min(at_once, pixels() - first);
      expected.resize(static_cast<size_t>(count * v_.m));
      parallel_for(count, kStepsAPart / (v_.m * terms_) + 1, [&](int64_t begin, int64_t end) {
        Seen seen;
        for (int64_t at = begin; at < end; ++at) {
          for (int64_t m = 0; m < v_.m; ++m) {
            look(first + at, m / v_.group_m, &seen);
            expected[static_cast<size_t>(at * v_.m + m)] = expect_one(seen, m);
          }
        }
      });
      add(expected, &judged);
    }
    return judged;
  }

  /// One output in each block of pixels and filters, at random.
  void judge_blocks(Judged* judged) const {
    const int64_t down = ceil_div(v_.p, kBlockPixels), across = ceil_div(v_.q, kBlockPixels);
    const int64_t deep = ceil_div(v_.m, kBlockFilters), places = v_.n * down * across;
    const uint64_t key = random_key(seed_ ^ 0xb10c'5eed);
    const auto within = [&](int64_t block, int64_t size, int64_t end, uint64_t index) {
      const int64_t first = block * size, count = std::min(size, end - first);
      return first + random_below(key, index, uint32_t(count));
    };
    constexpr int64_t kPlacesAtOnce = 1 << 12;
    std::vector<Expected> expected;
    for (int64_t first = 0; first < places; first += kPlacesAtOnce) {
      const int64_t count = std::min(kPlacesAtOnce, places - first);
      expected.resize(static_cast<size_t>(count * deep));
      parallel_for(count, 4, [&](int64_t begin, int64_t end) {
        Seen seen;
        for (int64_t i = begin; i < end; ++i) {
          const int64_t place = first + i, n = place / across / down;
          const auto index = static_cast<uint64_t>(place * (deep + 2));
          const int64_t p = within(place / across % down, kBlockPixels, v_.p, index);
          const int64_t q = within(place % across, kBlockPixels, v_.q, index + 1);
          for (int64_t block = 0; block < deep; ++block) {
            const int64_t m = within(block, kBlockFilters, v_.m, index + 2 + uint64_t(block));
            look((n * v_.p + p) * v_.q + q, m / v_.group_m, &seen);
            expected[static_cast<size_t>(i * deep + block)] = expect(seen, m);
          }
        }
      });
      add(expected, judged);
    }
  }

  /// As gemm's check has it: a mean over a handful of outputs that may all lie near zero.
  double nmse_limit(const Totals& of) const {
    const double outputs = std::max(1.0, double(of.outputs));
    const double limit = quality::gemm_nmse_limit(dtype_, terms_) * (1 + 10 / outputs);
    return of.ref2 > 0 ? limit * std::max(1.0, of.expected2 / of.ref2) : limit;
  }

  /// Of each pixel and group: sum over m of u(m) y(m) against the patch times sum over m of u(m) f(m).
  void check_pixels(QualityCheck* check) const {
    Vector u, sums(static_cast<size_t>(v_.groups * terms_));
    Vector norms2(static_cast<size_t>(v_.groups));
    const uint64_t key = random_key(seed_ ^ 0xf4e1'7a1d);
    for (int64_t m = 0; m < v_.m; ++m) {
      const float part = random_unit(key, static_cast<uint64_t>(m)) - 0.5f;
      u.push_back(part < 0 ? part - 0.5 : part + 0.5);
      const int64_t g = m / v_.group_m;
      for (int64_t i = 0; i < terms_; ++i)
        sums[static_cast<size_t>(g * terms_ + i)] += u.back() * filter(m)[i];
      norms2[static_cast<size_t>(g)] += std::pow(filter_norms_[static_cast<size_t>(m)], 2);
    }
    std::atomic<int64_t> wrong = 0;
    parallel_for(pixels(), 64, [&](int64_t begin, int64_t end) {
      Vector patch;
      int64_t bad = 0;
      for (int64_t at = begin; at < end; ++at) bad += !pixel_holds(at, u, sums, norms2, &patch);
      wrong += bad;
    });
    if (wrong == 0) return;
    check->passed = false;
    check->reason = std::to_string(wrong.load()) + " of " + std::to_string(pixels()) +
                    (v_.relu ? " pixels have an output that is negative or no number"
                             : " pixels fail the sum over their filters");
  }

  /// Weighted with random signs, the errors of a pixel's outputs add up to less than 6 times their norm.
  bool pixel_holds(int64_t at, const Vector& u, const Vector& sums, const Vector& norms2,
                   Vector* patch) const {
    for (int64_t g = 0; g < v_.groups; ++g) {
      double sum = 0, norm2 = 0;
      bool positive = true;
      for (int64_t m = g * v_.group_m; m < (g + 1) * v_.group_m; ++m) {
        const double y = output(at, m);
        sum += u[static_cast<size_t>(m)] * y;
        norm2 += y * y;
        positive &= y >= 0;
      }
      if (v_.relu) {
        if (!positive || !std::isfinite(sum)) return false;
        continue;
      }
      const double norm = gather(at, g, patch);
      const double ref = dot(patch->data(), sums.data() + g * terms_, terms_);
      const double expected2 = norm * norm * norms2[static_cast<size_t>(g)] / double(terms_);
      const double size = std::sqrt(std::max(expected2, norm2));
      const double allowed = 6 * std::sqrt(quality::gemm_nmse_limit(dtype_, terms_)) * size;
      if (!(std::abs(sum - ref) <= allowed)) return false;
    }
    return true;
  }

  Conv v_;
  DType dtype_;
  const HostBuffers& host_;
  uint64_t seed_;
  int64_t terms_ = 0;
  Vector x_;  ///< all of x where every output is checked
  Vector filters_, filter_norms_, bias_;
};

}  // namespace

QualityCheck check_conv(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed) {
  Checker checker(shape, host, seed);
  QualityCheck check = full ? checker.every_output() : checker.sampled();
  if (const int64_t spoilt = checker.spoilt_padding(); check.passed && spoilt > 0) {
    check.passed = false;
    check.reason = std::to_string(spoilt) + " elements of filled-up channels are not zero";
  }
  return check;
}

QualityCheck check_graded(const Shape& shape, const HostBuffers& host, Accuracy accuracy) {
  return Checker(shape, host, 0).every_graded_output(accuracy);
}

}  // namespace ridge::conv
