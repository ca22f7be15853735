// Winograd's inner product beyond what the gate's normal inputs ask: rows and columns of any size, infinities
// and NaN.
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "kernels/runtime/problems/gemm_product.h"
#include "tests/catch.h"
#include "tests/rung_here.h"

using namespace ridge;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// m, n, k: more than one block of k, and tiles that C ends in.
struct Matrices {
  int64_t m = 61, n = 75, k = 1100;
  std::vector<float> a, b, c;

  Matrices() : a(size_t(m * k)), b(size_t(k * n)), c(size_t(m * n), 7.0f) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (float& x : a) x = normal(random);
    for (float& x : b) x = normal(random);
  }
  float& at_a(int64_t i, int64_t p) { return a[size_t(i * k + p)]; }
  float& at_b(int64_t p, int64_t j) { return b[size_t(p * n + j)]; }
  float at_c(int64_t i, int64_t j) const { return c[size_t(i * n + j)]; }

  void scale_row(int64_t i, float by) {
    for (int64_t p = 0; p < k; ++p) at_a(i, p) *= by;
  }
  void scale_column(int64_t j, float by) {
    for (int64_t p = 0; p < k; ++p) at_b(p, j) *= by;
  }
  /// False where this CPU cannot run it.
  bool multiply(int threads = 1) {
    const KernelDesc* kernel = test::rung_here("gemm.cpu.inner_product");
    if (kernel == nullptr) return false;
    const gemm::Product product(kernel, m, n, k, threads);
    REQUIRE(product.run(a.data(), b.data(), c.data()).ok());
    return true;
  }
  /// Whether C's element is what the gate allows a sum of these sizes.
  bool right(int64_t i, int64_t j) {
    double sum = 0, a2 = 0, b2 = 0;
    for (int64_t p = 0; p < k; ++p) {
      const double x = at_a(i, p), y = at_b(p, j);
      sum += x * y, a2 += x * x, b2 += y * y;
    }
    const double bound = quality::dot_bound(DType::fp32, sum, k, std::sqrt(a2), std::sqrt(b2));
    return std::abs(at_c(i, j) - sum) <= bound + std::numeric_limits<float>::denorm_min();
  }
  /// How many elements are wrong, of those that `counts(i, j)`.
  template <class F>
  int wrong(const F& counts) {
    int count = 0;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) count += counts(i, j) && !right(i, j);
    return count;
  }
  int wrong() {
    return wrong([](int64_t, int64_t) { return true; });
  }
};

}  // namespace

TEST_CASE("inner product: rows and columns of very different sizes, all as accurate") {
  for (const float factor : {1e3f, 1e9f, 1e-9f}) {
    Matrices x;
    for (int64_t i = 0; i < x.m; i += 2) x.scale_row(i, factor);
    for (int64_t j = 0; j < x.n; j += 3) x.scale_column(j, 1 / factor);
    if (!x.multiply(2)) return;
    INFO(factor);
    CHECK(x.wrong() == 0);
  }
}

TEST_CASE("inner product: a block of k that is larger than the next one") {
  Matrices x;
  for (int64_t i = 0; i < x.m; ++i)
    for (int64_t p = 0; p < 600; ++p) x.at_a(i, p) *= 1e6f;
  for (int64_t p = 0; p < 600; ++p)
    for (int64_t j = 0; j < x.n; ++j) x.at_b(p, j) *= 1e-6f;
  if (!x.multiply()) return;
  CHECK(x.wrong() == 0);
}

TEST_CASE("inner product: near both ends of fp32's range no sum on the way leaves it") {
  Matrices x;
  for (int64_t i = 0; i < x.m; ++i) x.scale_row(i, 0x1p120f);
  for (int64_t j = 0; j < x.n; ++j) x.scale_column(j, 0x1p-120f);
  x.scale_column(5, 0x1p-20f);  // denormal
  if (!x.multiply()) return;
  CHECK(x.wrong() == 0);
}

TEST_CASE("inner product: rows and columns of zeros give zeros") {
  Matrices x;
  x.scale_row(30, 0);
  x.scale_column(33, 0);
  x.scale_row(31, 0x1p100f);
  if (!x.multiply()) return;
  for (int64_t j = 0; j < x.n; ++j) CHECK(x.at_c(30, j) == 0);
  for (int64_t i = 0; i < x.m; ++i) CHECK(x.at_c(i, 33) == 0);
  CHECK(x.wrong() == 0);
}

TEST_CASE("inner product: what is no number makes its row or column none, and no other") {
  for (const float special : {kInfinity, -kInfinity, std::nanf("")}) {
    // In a pair, its partner, what is multiplied as it is, and in the second block of k.
    for (const int64_t p : {0, 200, 400, 1099}) {
      Matrices x;
      x.at_a(40, p) = special;
      x.at_b(p, 41) = special;
      if (!x.multiply()) return;
      INFO(special << " at " << p);
      int numbers = 0;
      for (int64_t j = 0; j < x.n; ++j) numbers += std::isfinite(x.at_c(40, j));
      for (int64_t i = 0; i < x.m; ++i) numbers += std::isfinite(x.at_c(i, 41));
      CHECK(numbers == 0);
      CHECK(x.wrong([](int64_t i, int64_t j) { return i != 40 && j != 41; }) == 0);
    }
  }
}
