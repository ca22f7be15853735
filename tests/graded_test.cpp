// Classes of accuracy: the gate takes a method of each class for what it is and for nothing better, honest products of
// every type pass graded inputs, and what is said of two classes. The methods are written out here: the rungs that have
// them need AVX-512 or a GPU.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/accuracy.h"
#include "common/record/params.h"
#include "kernels/runtime/problems/conv.h"
#include "kernels/runtime/problems/gemm.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

using Floats = std::vector<float>;

void multiply(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  std::fill_n(c, m * n, 0.0f);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

Status plain(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  multiply(g.a, g.b, g.c, g.m, g.n, g.k);
  return {};
}

/// The exponent of the largest of `count` numbers, `step` apart.
int exponent_of(const float* x, int64_t count, int64_t step) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(x[i * step]));
  return largest > 0 ? std::ilogb(largest) : 0;
}

/// Winograd's inner product, its rows and columns scaled as Brent has it: the class is row_column.
Status inner_product(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  Floats a(g.a, g.a + g.m * g.k), b(g.b, g.b + g.k * g.n);
  std::vector<int> of_row(size_t(g.m)), of_column(size_t(g.n));
  for (int64_t i = 0; i < g.m; ++i) {
    of_row[size_t(i)] = exponent_of(&a[size_t(i * g.k)], g.k, 1);
    for (int64_t p = 0; p < g.k; ++p)
      a[size_t(i * g.k + p)] = std::ldexp(a[size_t(i * g.k + p)], -of_row[size_t(i)]);
  }
  for (int64_t j = 0; j < g.n; ++j) {
    of_column[size_t(j)] = exponent_of(&b[size_t(j)], g.k, g.n);
    for (int64_t p = 0; p < g.k; ++p)
      b[size_t(p * g.n + j)] = std::ldexp(b[size_t(p * g.n + j)], -of_column[size_t(j)]);
  }
  const int64_t third = g.k / 3;
  for (int64_t i = 0; i < g.m; ++i) {
    const float* x = &a[size_t(i * g.k)];
    for (int64_t j = 0; j < g.n; ++j) {
      const auto y = [&](int64_t p) { return b[size_t(p * g.n + j)]; };
      float of_a = 0, of_b = 0, sum = 0;
      for (int64_t p = 0; p < third; ++p) of_a += x[p] * x[p + third], of_b += y(p) * y(p + third);
      sum = -of_a - of_b;
      for (int64_t p = 0; p < third; ++p) {
        sum += (x[p] + y(p + third)) * (x[p + third] + y(p));
        sum += x[p + 2 * third] * y(p + 2 * third);
      }
      for (int64_t p = 3 * third; p < g.k; ++p) sum += x[p] * y(p);
      g.c[i * g.n + j] = std::ldexp(sum, of_row[size_t(i)] + of_column[size_t(j)]);
    }
  }
  return {};
}

/// A quarter of a matrix, filled up with zeros where its sizes are odd.
Floats quarter(const float* from, int64_t rows, int64_t columns, int64_t down, int64_t across) {
  const int64_t half_rows = (rows + 1) / 2, half_columns = (columns + 1) / 2;
  Floats part(size_t(half_rows * half_columns), 0.0f);
  for (int64_t i = 0; i < half_rows; ++i)
    for (int64_t j = 0; j < half_columns; ++j) {
      const int64_t row = down * half_rows + i, column = across * half_columns + j;
      if (row < rows && column < columns)
        part[size_t(i * half_columns + j)] = from[row * columns + column];
    }
  return part;
}

Floats sum(const Floats& x, const Floats& y, float sign = 1) {
  Floats out(x);
  for (size_t i = 0; i < out.size(); ++i) out[i] += sign * y[i];
  return out;
}

/// One step of Strassen's method, whose sums mix rows, and columns, that are far apart: max_norm. Of few rows, columns
/// or products it makes the plain product.
Status strassen(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  if (std::min({g.m, g.n, g.k}) < 60) return plain(launch);
  const int64_t m = (g.m + 1) / 2, n = (g.n + 1) / 2, k = (g.k + 1) / 2;
  const auto a = [&](int64_t i, int64_t j) { return quarter(g.a, g.m, g.k, i, j); };
  const auto b = [&](int64_t i, int64_t j) { return quarter(g.b, g.k, g.n, i, j); };
  const auto times = [&](const Floats& x, const Floats& y) {
    Floats out(size_t(m * n));
    multiply(x.data(), y.data(), out.data(), m, n, k);
    return out;
  };
  const Floats m1 = times(sum(a(0, 0), a(1, 1)), sum(b(0, 0), b(1, 1)));
  const Floats m2 = times(sum(a(1, 0), a(1, 1)), b(0, 0));
  const Floats m3 = times(a(0, 0), sum(b(0, 1), b(1, 1), -1));
  const Floats m4 = times(a(1, 1), sum(b(1, 0), b(0, 0), -1));
  const Floats m5 = times(sum(a(0, 0), a(0, 1)), b(1, 1));
  const Floats m6 = times(sum(a(1, 0), a(0, 0), -1), sum(b(0, 0), b(0, 1)));
  const Floats m7 = times(sum(a(0, 1), a(1, 1), -1), sum(b(1, 0), b(1, 1)));
  const Floats parts[2][2] = {{sum(sum(m1, m4), sum(m7, m5, -1)), sum(m3, m5)},
                              {sum(m2, m4), sum(sum(m1, m2, -1), sum(m3, m6))}};
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j)
      g.c[i * g.n + j] = parts[i / m][j / n][size_t(i % m * n + j % n)];
  return {};
}

/// The transforms of F(2, 3) and F(4, 3): kernels/conv/rungs/winograd.cpp and winograd_4x4.cpp.
struct TwoByTwo {
  static constexpr int kTile = 2, kPatch = 4;
  static void input_row(const float* d, float* v) {
    v[0] = d[0] - d[2], v[1] = d[1] + d[2], v[2] = d[2] - d[1], v[3] = d[1] - d[3];
  }
  static void filter_row(const float* g, float* u) {
    u[0] = g[0], u[1] = (g[0] + g[1] + g[2]) / 2, u[2] = (g[0] - g[1] + g[2]) / 2, u[3] = g[2];
  }
  static void output_row(const float* p, float* y) {
    y[0] = p[0] + p[1] + p[2], y[1] = p[1] - p[2] - p[3];
  }
};
struct FourByFour {
  static constexpr int kTile = 4, kPatch = 6;
  static constexpr float kA = 0.625f, kB = 1.5f, kA2 = kA * kA, kB2 = kB * kB;
  static void input_row(const float* d, float* v) {
    const float even_a = d[4] - kB2 * d[2], odd_a = kA * (d[3] - kB2 * d[1]);
    const float even_b = d[4] - kA2 * d[2], odd_b = kB * (d[3] - kA2 * d[1]);
    v[0] = kA2 * kB2 * d[0] - (kA2 + kB2) * d[2] + d[4];
    v[1] = even_a + odd_a, v[2] = even_a - odd_a, v[3] = even_b + odd_b, v[4] = even_b - odd_b;
    v[5] = kA2 * kB2 * d[1] - (kA2 + kB2) * d[3] + d[5];
  }
  static void filter_row(const float* g, float* u) {
    const float of_a = 1 / (2 * kA2 * (kA2 - kB2)), of_b = 1 / (2 * kB2 * (kB2 - kA2));
    u[0] = g[0] / (kA2 * kB2), u[5] = g[2];
    u[1] = (g[0] + kA * g[1] + kA2 * g[2]) * of_a, u[2] = (g[0] - kA * g[1] + kA2 * g[2]) * of_a;
    u[3] = (g[0] + kB * g[1] + kB2 * g[2]) * of_b, u[4] = (g[0] - kB * g[1] + kB2 * g[2]) * of_b;
  }
  static void output_row(const float* p, float* y) {
    const float even_a = p[1] + p[2], odd_a = p[1] - p[2], even_b = p[3] + p[4],
                odd_b = p[3] - p[4];
    y[0] = p[0] + even_a + even_b, y[1] = kA * odd_a + kB * odd_b;
    y[2] = kA2 * even_a + kB2 * even_b, y[3] = kA * kA2 * odd_a + kB * kB2 * odd_b + p[5];
  }
};
/// Rows, then columns.
template <int from, int to>
void transform(void (*row)(const float*, float*), const float* x, float* y) {
  float half[from][to], column[from], out[to];
  for (int i = 0; i < from; ++i) row(x + i * from, half[i]);
  for (int j = 0; j < to; ++j) {
    for (int i = 0; i < from; ++i) column[i] = half[i][j];
    row(column, out);
    for (int i = 0; i < to; ++i) y[i * to + j] = out[i];
  }
}

float direct(const Conv& v, int64_t n, int64_t m, int64_t p, int64_t q) {
  float sum = 0;
  for (int64_t t = 0; t < v.group_c * v.r * v.s; ++t) {
    const int64_t s = t % v.s, r = t / v.s % v.r, c = t / v.s / v.r;
    const int64_t h = p * v.stride + r - v.pad, w = q * v.stride + s - v.pad;
    if (h < 0 || h >= v.h || w < 0 || w >= v.w) continue;
    sum += v.x[conv_place(&v.x_at, n, m / v.group_m * v.group_c + c, h, w)] *
           v.f[m * v.group_c * v.r * v.s + t];
  }
  return sum;
}

template <class F>
void winograd_tile(const Conv& v, int64_t n, int64_t m, int64_t p0, int64_t q0, float* y) {
  constexpr int kPatch = F::kPatch, kElements = kPatch * kPatch;
  float products[kElements] = {};
  for (int64_t c = 0; c < v.c; ++c) {
    float d[kElements] = {}, transformed[kElements], u[kElements];
    for (int64_t e = 0; e < kElements; ++e) {
      const int64_t h = p0 + e / kPatch - v.pad, w = q0 + e % kPatch - v.pad;
      if (h >= 0 && h < v.h && w >= 0 && w < v.w) d[e] = v.x[conv_place(&v.x_at, n, c, h, w)];
    }
    transform<kPatch, kPatch>(F::input_row, d, transformed);
    transform<3, kPatch>(F::filter_row, v.f + (m * v.c + c) * 9, u);
    for (int e = 0; e < kElements; ++e) products[e] += transformed[e] * u[e];
  }
  transform<kPatch, F::kTile>(F::output_row, products, y);
}

template <class F>
Status winograd(const Launch& launch) {
  constexpr int64_t kTile = F::kTile;
  const Conv v = conv_of(&launch);
  const bool fits = v.r == 3 && v.s == 3 && v.stride == 1 && v.groups == 1 && v.c >= 32;
  for (int64_t n = 0; n < v.n; ++n)
    for (int64_t m = 0; m < v.m; ++m)
      for (int64_t p = 0; p < v.p; p += kTile)
        for (int64_t q = 0; q < v.q; q += kTile) {
          float y[kTile * kTile];
          if (fits) winograd_tile<F>(v, n, m, p, q, y);
          for (int64_t e = 0; e < kTile * kTile; ++e) {
            const int64_t row = p + e / kTile, column = q + e % kTile;
            if (row >= v.p || column >= v.q) continue;
            const float sum = fits ? y[e] : direct(v, n, m, row, column);
            v.y[conv_place(&v.y_at, n, m, row, column)] = conv_finish(&v, m, sum);
          }
        }
  return {};
}

QualityCheck full_check(const char* id, Status (*launch)(const Launch&), Accuracy accuracy,
                        const Params& params = {}) {
  static auto device = make_cpu_device();
  REQUIRE(device);
  KernelDesc kernel;
  kernel.id = id;
  kernel.accuracy = accuracy;
  kernel.launch = launch;
  FullChecks checks;
  const auto check =
      checks.get(kernel, *find_family(family_of(id)), params, device->get(), Observer());
  if (!check) FAIL(check.error().sentence());
  return *check;
}

bool says(const QualityCheck& check, const std::string& what, const std::string& reason) {
  INFO(check.what << ": " << check.reason);
  CHECK(check.what.find(what) != std::string::npos);
  CHECK(check.reason.find(reason) != std::string::npos);
  return true;
}

}  // namespace

TEST_CASE("a plain product is accurate in each element, and so in every class") {
  for (const EnumName<Accuracy>& row : EnumTable<Accuracy>::kRows) {
    const QualityCheck check = full_check("gemm.cpu.planted", plain, row.value);
    INFO(row.name << ", " << check.what << ": " << check.reason);
    CHECK(check.passed);
    CHECK(check.what.find("30 awkward problems and 8 graded, worst ") == 0);
  }
}

TEST_CASE("Winograd's inner product passes as row_column, and is refused as componentwise") {
  const QualityCheck own = full_check("gemm.cpu.planted", inner_product, Accuracy::row_column);
  INFO(own.what << ": " << own.reason);
  CHECK(own.passed);
  const QualityCheck better =
      full_check("gemm.cpu.planted", inner_product, Accuracy::componentwise);
  CHECK_FALSE(better.passed);
  says(better, "graded along k", "judged as accurate in each element (componentwise)");
}

TEST_CASE("Strassen's method passes as max_norm, and is refused as row_column") {
  const QualityCheck own = full_check("gemm.cpu.planted", strassen, Accuracy::max_norm);
  INFO(own.what << ": " << own.reason);
  CHECK(own.passed);
  const QualityCheck better = full_check("gemm.cpu.planted", strassen, Accuracy::row_column);
  CHECK_FALSE(better.passed);
  says(better, "graded by", "(row and column)");
}

TEST_CASE("Winograd's convolutions pass as what they are, and are refused as anything better") {
  for (const char* relu : {"no", "yes"}) {
    const auto check = [&](Status (*launch)(const Launch&), Accuracy accuracy) {
      return full_check("conv.cpu.planted", launch, accuracy, {{"relu", std::string(relu)}});
    };
    const QualityCheck two = check(winograd<TwoByTwo>, Accuracy::row_column);
    INFO(two.what << ": " << two.reason);
    CHECK(two.passed);
    const QualityCheck better_two = check(winograd<TwoByTwo>, Accuracy::componentwise);
    CHECK_FALSE(better_two.passed);
    says(better_two, "graded along k, large and small mixed", "(componentwise)");
    const QualityCheck four = check(winograd<FourByFour>, Accuracy::max_norm);
    INFO(four.what << ": " << four.reason);
    CHECK(four.passed);
    const QualityCheck better_four = check(winograd<FourByFour>, Accuracy::row_column);
    CHECK_FALSE(better_four.passed);
    says(better_four, "graded by rows", "(row and column)");
  }
}

TEST_CASE(
    "the rungs of a weaker class are refused as componentwise, where this machine runs them") {
  auto device = make_cpu_device();
  REQUIRE(device);
  for (const char* id : {"gemm.cpu.inner_product", "conv.cpu.winograd", "conv.cpu.winograd_4x4",
                         "conv.cpu.onednn_winograd"}) {
    const KernelDesc* kernel = find_kernel(id);
    std::string reason;
    if (kernel == nullptr || !isa_available(kernel->isa, &reason)) continue;
    INFO(id);
    CHECK(kernel->accuracy != Accuracy::componentwise);
    const FamilyDesc& family = *find_family(family_of(id));
    FullChecks own, checks;
    const auto honest = own.get(*kernel, family, {}, device->get(), Observer());
    REQUIRE(honest);
    INFO(honest->what << ": " << honest->reason);
    CHECK(honest->passed);
    if (std::string(id) == "conv.cpu.onednn_winograd") continue;  // without AVX-512 it has none
    KernelDesc better = *kernel;
    better.accuracy = Accuracy::componentwise;
    const auto check = checks.get(better, family, {}, device->get(), Observer());
    REQUIRE(check);
    CHECK_FALSE(check->passed);
  }
}

namespace {

/// Sums as the least exact tensor cores make them: a step's terms and the sum so far are truncated `bits` below the
/// largest of them, and added (Fasi, Higham, Mikaitis and Pranesh, Numerical Behavior of NVIDIA Tensor Cores, PeerJ
/// Computer Science, 2021).
double tensor_core_sum(const std::vector<double>& products, size_t step, int bits) {
  double sum = 0;
  for (size_t first = 0; first < products.size(); first += step) {
    std::vector<double> terms = {sum};
    for (size_t i = first; i < std::min(first + step, products.size()); ++i)
      terms.push_back(products[i]);
    double largest = 0, next = 0;
    for (const double term : terms) largest = std::max(largest, std::abs(term));
    const double quantum = largest > 0 ? std::ldexp(1.0, std::ilogb(largest) - bits) : 1;
    for (const double term : terms) next += std::trunc(term / quantum) * quantum;
    sum = next;
  }
  return sum;
}

/// A product of 40 x 30 x 160 in a type, posed graded.
struct GradedProduct {
  static constexpr int64_t kM = 40, kN = 30, kK = 160;
  std::unique_ptr<Problem> problem;
  std::vector<BufferSpec> specs;
  HostBuffers host;

  GradedProduct(const char* dtype, Grading grading) {
    const auto params =
        resolve_params(find_family("gemm")->params(),
                       {{"m", kM}, {"n", kN}, {"k", kK}, {"dtype", std::string(dtype)}}, "gemm");
    REQUIRE(params);
    auto made = find_family("gemm")->make_problem(*params);
    REQUIRE(made);
    problem = std::move(*made);
    specs = problem->buffers();
    REQUIRE(problem->grade(grading, Accuracy::componentwise));
    problem->generate(5, &host);
    host[kGemmC].resize(specs[kGemmC].bytes);
  }
  /// C, each element made of its products by `sum`.
  template <class Sum>
  void compute(const Sum& sum) {
    const DType type = specs[kGemmA].dtype;
    for (int64_t at = 0; at < kM * kN; ++at) {
      const int64_t i = at / kN, j = at % kN;
      std::vector<double> products;
      for (int64_t p = 0; p < kK; ++p)
        products.push_back(quality::load(host[kGemmA].data(), i * kK + p, type) *
                           quality::load(host[kGemmB].data(),
                                         gemm_b_is_transposed(type) ? j * kK + p : p * kN + j,
                                         type));
      quality::store(host[kGemmC].data(), at, specs[kGemmC].dtype, sum(products));
    }
  }
  QualityCheck check() const { return problem->check(host, true, 5); }
};

double in_order(const std::vector<double>& products) {
  double sum = 0;
  for (const double product : products) sum += product;
  return sum;
}
double in_order_fp32(const std::vector<double>& products) {
  float sum = 0;
  for (const double product : products) sum += static_cast<float>(product);
  return sum;
}

}  // namespace

TEST_CASE("graded products of every type pass as componentwise, and fail with one element off") {
  for (const char* dtype : {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8"}) {
    for (const Grading grading : kGradings) {
      INFO(dtype << ", grading " << int(grading));
      GradedProduct x(dtype, grading);
      x.compute(std::string(dtype) == "fp64" ? in_order : in_order_fp32);
      const QualityCheck check = x.check();
      INFO(check.reason << ", " << check.worst_bound_share);
      CHECK(check.passed);
      for (const int64_t at :
           {0, 634, 1199}) {  // in a small row too, where a norm of all sees nothing
        const HostBuffers right = x.host;
        const double value = quality::load(x.host[kGemmC].data(), at, x.specs[kGemmC].dtype);
        quality::store(x.host[kGemmC].data(), at, x.specs[kGemmC].dtype, value * 1.25);
        CHECK_FALSE(x.check().passed);
        x.host = right;
      }
    }
  }
}

TEST_CASE("tensor cores' sums of graded inputs pass as componentwise") {
  for (const auto& [dtype, step, bits] :
       {std::tuple{"tf32", 8, 23}, {"bf16", 16, 23}, {"fp16", 16, 23}, {"fp8", 32, 13}}) {
    for (const Grading grading : kGradings) {
      INFO(dtype << ", grading " << int(grading));
      GradedProduct x(dtype, grading);
      x.compute([&](const std::vector<double>& products) {
        return tensor_core_sum(products, size_t(step), bits);
      });
      const QualityCheck check = x.check();
      INFO(check.reason << ", " << check.worst_bound_share);
      CHECK(check.passed);
      CHECK(check.worst_bound_share < 0.7);
    }
  }
}

TEST_CASE("3xTF32 is componentwise: each product is off by 8 u at most") {
  const auto split = [](double value) {
    std::byte part[4];
    quality::store(part, 0, DType::tf32, value);
    const double high = quality::load(part, 0, DType::tf32);
    quality::store(part, 0, DType::tf32, value - high);
    return std::pair{high, quality::load(part, 0, DType::tf32)};
  };
  double worst = 0;
  for (uint64_t i = 0; i < 100'000; ++i) {
    const auto a = double(float(quality::normal(1, i))), b = double(float(quality::normal(2, i)));
    const auto [high_a, low_a] = split(a);
    const auto [high_b, low_b] = split(b);
    const double product = high_a * high_b + high_a * low_b + low_a * high_b;
    worst = std::max(worst, std::abs(product - a * b) / std::abs(a * b) / 0x1p-24);
  }
  CHECK(worst <= 8);
  CHECK(worst > 2);
}

TEST_CASE("what has nothing to grade says so: integers, and sums of one product") {
  const auto grades = [](const char* dtype, int64_t k) {
    const auto params = resolve_params(find_family("gemm")->params(),
                                       {{"k", k}, {"dtype", std::string(dtype)}}, "gemm");
    REQUIRE(params);
    auto problem = find_family("gemm")->make_problem(*params);
    REQUIRE(problem);
    return (*problem)->grade(Grading::mixed, Accuracy::componentwise);
  };
  CHECK_FALSE(grades("int8", 16));
  CHECK_FALSE(grades("fp32", 1));
  CHECK(grades("fp32", 2));
}

TEST_CASE("sizes of graded inputs: powers of two within the span, both ends of them") {
  for (const Grading grading : kGradings) {
    double least = 1, most = 1;
    for (int64_t i = 0; i < 100; ++i) {
      const double factor = quality::grade_factor(grading, i, 100, 12);
      int exponent = 0;
      CHECK(std::frexp(factor, &exponent) == 0.5);
      least = std::min(least, factor), most = std::max(most, factor);
    }
    CHECK(least <= 0x1p-11);
    CHECK(least >= 0x1p-12);
    CHECK(most >= 0x1p11);
    CHECK(most <= 0x1p12);
    CHECK(quality::grade_factor(grading, 0, 1, 0) == 1);
  }
}

TEST_CASE("two classes in one sentence, and none for one class") {
  CHECK(accuracy_difference("a", Accuracy::max_norm, "b", Accuracy::componentwise) ==
        "a is accurate to the largest of A and B (max norm), b in each element (componentwise)");
  CHECK(accuracy_difference("a", Accuracy::row_column, "b", Accuracy::row_column).empty());
}
