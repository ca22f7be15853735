// The GEMM problem: its parameters, its data, and whether both of its checks refuse planted wrong
// outputs and accept honest ones.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/runtime/problems/gemm.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

const FamilyDesc& family() {
  const FamilyDesc* desc = find_family("gemm");
  REQUIRE(desc != nullptr);
  return *desc;
}

std::unique_ptr<Problem> problem_of(int64_t m, int64_t n, int64_t k) {
  const auto params = resolve_params(family().params(), {{"m", m}, {"n", n}, {"k", k}}, "gemm");
  REQUIRE(params);
  auto problem = family().make_problem(*params);
  REQUIRE(problem);
  return std::move(*problem);
}

/// A problem with generated inputs and a poisoned output.
struct Case {
  std::unique_ptr<Problem> problem;
  HostBuffers host;
  int64_t m, n, k;

  Case(int64_t rows, int64_t columns, int64_t depth, uint64_t seed = 1)
      : problem(problem_of(rows, columns, depth)), m(rows), n(columns), k(depth) {
    host.resize(3);
    host[kGemmC].resize(problem->buffers()[kGemmC].bytes);
    poison();
    problem->generate(seed, &host);
  }
  void poison() {
    for (size_t i = 0; i < host[kGemmC].size(); i += 4)
      std::memcpy(&host[kGemmC][i], &quality::kPoison, 4);
  }
  float* a() { return reinterpret_cast<float*>(host[kGemmA].data()); }
  float* b() { return reinterpret_cast<float*>(host[kGemmB].data()); }
  float* c() { return reinterpret_cast<float*>(host[kGemmC].data()); }
  bool passes(bool full, uint64_t seed = 1) const {
    const QualityCheck check = problem->check(host, full, seed);
    CHECK(check.passed == check.reason.empty());
    return check.passed;
  }
};

float same(float value) {
  return value;
}

/// To the 10 mantissa bits of TF32, to nearest even.
float tf32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  bits += 0xfff + (bits >> 13 & 1);
  bits &= ~uint32_t{0x1fff};
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Rows [0, rows) of C over the first `depth` of k, accumulated in T.
template <class T>
void multiply(Case* x, int64_t rows, int64_t depth, float (*round)(float) = same) {
  std::vector<T> row(static_cast<size_t>(x->n));
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), T{0});
    for (int64_t p = 0; p < depth; ++p) {
      const T factor = round(x->a()[i * x->k + p]);
      for (int64_t j = 0; j < x->n; ++j)
        row[static_cast<size_t>(j)] += factor * T{round(x->b()[p * x->n + j])};
    }
    for (int64_t j = 0; j < x->n; ++j)
      x->c()[i * x->n + j] = static_cast<float>(row[static_cast<size_t>(j)]);
  }
}

void honest(Case* x) {
  multiply<float>(x, x->m, x->k);
}

struct Plant {
  const char* name;
  std::function<void(Case*)> spoil;  ///< of an output that is right
};

const std::vector<Plant>& plants() {
  static const std::vector<Plant> list = {
      {"unwritten", [](Case* x) { x->poison(); }},
      {"zeros",
       [](Case* x) { std::fill(x->host[kGemmC].begin(), x->host[kGemmC].end(), std::byte{0}); }},
      {"one NaN", [](Case* x) { x->c()[x->m * x->n / 3] = std::nanf(""); }},
      {"one Inf", [](Case* x) { x->c()[x->m * x->n / 3] = HUGE_VALF; }},
      {"last k dropped", [](Case* x) { multiply<float>(x, x->m, x->k - 1); }},
      {"one row of the tail unwritten",
       [](Case* x) {
         std::memcpy(x->c() + (x->m - 1) * x->n, x->c() + (x->m - 2) * x->n,
                     4 * static_cast<size_t>(x->n));
       }},
      {"last column is its neighbour's",
       [](Case* x) {
         for (int64_t i = 0; i < x->m; ++i) x->c()[(i + 1) * x->n - 1] = x->c()[(i + 1) * x->n - 2];
       }},
      {"two columns swapped",
       [](Case* x) {
         for (int64_t i = 0; i < x->m; ++i) std::swap(x->c()[i * x->n + 3], x->c()[i * x->n + 5]);
       }},
      {"one element's sign", [](Case* x) { x->c()[x->m * x->n * 2 / 5] *= -1; }},
      {"inputs rounded to TF32", [](Case* x) { multiply<float>(x, x->m, x->k, tf32); }},
      {"all a thousandth too large",
       [](Case* x) {
         for (int64_t e = 0; e < x->m * x->n; ++e) x->c()[e] *= 1.001f;
       }},
      {"of another seed's inputs",
       [](Case* x) {
         Case other(x->m, x->n, x->k, 2);
         honest(&other);
         x->host[kGemmC] = other.host[kGemmC];
       }},
  };
  return list;
}

}  // namespace

TEST_CASE("honest products pass both checks") {
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                                   {1, 1, 700},
                                                                   {2, 1, 2},
                                                                   {1, 77, 300},
                                                                   {77, 300, 1},
                                                                   {96, 80, 1000},
                                                                   {31, 37, 41}}) {
    CAPTURE(m, n, k);
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Case x(m, n, k, seed);
      honest(&x);
      CHECK(x.passes(true, seed));
      CHECK(x.passes(false, seed));
      multiply<double>(&x, m, k);
      CHECK(x.passes(true, seed));
      CHECK(x.passes(false, seed));
    }
  }
}

TEST_CASE("one output in fp32 is not refused for lying near zero") {
  // 2,000 dot products of 64: some are a thousandth of their usual size, and their NMSE is 10^6 times
  // as large.
  int refused = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Case x(1, 1, 64, seed);
    honest(&x);
    refused += !x.passes(true, seed) || !x.passes(false, seed);
  }
  CHECK(refused == 0);
}

TEST_CASE("planted wrong outputs are refused by both checks") {
  for (const auto& [m, n, k] :
       std::vector<std::array<int64_t, 3>>{{63, 65, 64}, {128, 192, 96}, {300, 9, 40}}) {
    for (const Plant& plant : plants()) {
      CAPTURE(plant.name, m, n, k);
      Case x(m, n, k);
      honest(&x);
      plant.spoil(&x);
      CHECK_FALSE(x.passes(true));
      CHECK_FALSE(x.passes(false));
    }
  }
}

TEST_CASE("the transpose of a square product is refused") {
  Case x(64, 64, 64);
  honest(&x);
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < i; ++j) std::swap(x.c()[i * 64 + j], x.c()[j * 64 + i]);
  CHECK_FALSE(x.passes(true));
  CHECK_FALSE(x.passes(false));
}

TEST_CASE("one wrong element in 512 x 512 is found wherever it stands") {
  Case x(512, 512, 512);
  honest(&x);
  REQUIRE(x.passes(true));
  // An element is usually sqrt(K) = 22.6 in size; the error is less than a thousandth of that, and
  // the norm of all errors stays within its limit. Sampling (4,096 of 262,144) is likely to miss
  // it, so the product test must speak, and name the row.
  const auto refused_by_row = [&](int64_t place, uint64_t seed) {
    const QualityCheck check = x.problem->check(x.host, false, seed);
    CHECK_FALSE(check.passed);
    CHECK(check.reason.find("row " + std::to_string(place / 512) + ":") != std::string::npos);
  };
  for (uint64_t trial = 0; trial < 12; ++trial) {
    const auto place = static_cast<int64_t>(quality::normal(77, trial) * 1e9) & (512 * 512 - 1);
    CAPTURE(place);
    const float right = x.c()[place];
    x.c()[place] += 0.012f;
    refused_by_row(place, trial);
    if (trial < 2) CHECK_FALSE(x.passes(true));
    x.c()[place] = right;
    // Two elements of a row change places: their errors are opposite.
    std::swap(x.c()[place], x.c()[place ^ 1]);
    refused_by_row(place, trial);
    std::swap(x.c()[place], x.c()[place ^ 1]);
  }
  CHECK(x.passes(false));
}

TEST_CASE("what a check reports") {
  Case x(20, 30, 40);
  honest(&x);
  const QualityCheck full = x.problem->check(x.host, true, 1);
  CHECK(full.checked == 600);
  CHECK(full.nmse > 0);
  CHECK(full.nmse < full.nmse_limit);
  CHECK(full.nmse_limit == Approx(4e-15 * 40).epsilon(0.2));
  CHECK(full.worst_bound_share < 0.5);
  CHECK(full.what == "20x30x40, every element");
  CHECK(x.problem->check(x.host, false, 1).checked == 600);
  Case larger(64, 65, 3);
  honest(&larger);
  CHECK(larger.problem->check(larger.host, false, 1).checked == 4096);
  larger.poison();
  CHECK(larger.problem->check(larger.host, false, 1).nan_count == 64 * 65);
  // Every NaN is counted, not only the sampled ones.
  x.poison();
  CHECK(x.problem->check(x.host, false, 1).nan_count == 600);
  CHECK(x.problem->check(x.host, true, 1).nan_count == 600);
  // Buffers of another problem are refused, not read.
  x.host[kGemmB].pop_back();
  CHECK_FALSE(x.passes(true));
  x.host.pop_back();
  CHECK_FALSE(x.passes(false));
}

TEST_CASE("shape, buffers and work") {
  const auto problem = problem_of(3, 5, 7);
  const Shape shape = problem->shape();
  CHECK(shape.dim[kGemmM] == 3);
  CHECK(shape.dim[kGemmN] == 5);
  CHECK(shape.dim[kGemmK] == 7);
  CHECK(shape.dtype == DType::fp32);
  CHECK(shape.threads == 1);
  CHECK(problem->flop() == 210);
  CHECK(problem->bytes_min() == 4 * (21 + 35 + 15));
  const auto buffers = problem->buffers();
  REQUIRE(buffers.size() == 3);
  CHECK(buffers[kGemmA].bytes == 84);
  CHECK(buffers[kGemmB].bytes == 140);
  CHECK(buffers[kGemmC].bytes == 60);
  CHECK_FALSE(buffers[kGemmB].is_output);
  CHECK(buffers[kGemmC].is_output);

  void* pointers[] = {reinterpret_cast<void*>(16), reinterpret_cast<void*>(32),
                      reinterpret_cast<void*>(48)};
  Launch launch;
  launch.shape = shape;
  launch.buffers = pointers;
  const Gemm gemm = gemm_of(launch);
  CHECK(gemm.m == 3);
  CHECK(gemm.n == 5);
  CHECK(gemm.k == 7);
  CHECK(gemm.a == pointers[0]);
  CHECK(gemm.b == pointers[1]);
  CHECK(gemm.c == pointers[2]);
}

TEST_CASE("the data depend on the seed, A and B differ, and C is left alone") {
  Case x(8, 8, 8), again(8, 8, 8), other(8, 8, 8, 2);
  CHECK(x.host == again.host);
  CHECK(x.host[kGemmA] != other.host[kGemmA]);
  CHECK(x.host[kGemmB] != other.host[kGemmB]);
  CHECK(x.host[kGemmA] != x.host[kGemmB]);
  CHECK(quality::count_poison(x.host[kGemmC], DType::fp32) == 64);
}

TEST_CASE("parameters: n alone is enough, and ranges are kept") {
  const auto specs = family().params();
  const auto resolved = resolve_params(specs, {{"n", int64_t{300}}}, "gemm");
  REQUIRE(resolved);
  CHECK(param_int(*resolved, "m") == 300);
  CHECK(param_int(*resolved, "k") == 300);
  CHECK(param_text(*resolved, "dtype") == "fp32");
  CHECK(param_int(*resolved, "threads") == 1);
  for (const int64_t n : {int64_t{0}, int64_t{-4}, int64_t{4194305}}) {
    const auto refused = resolve_params(specs, {{"n", n}}, "gemm");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
  }
  CHECK_FALSE(resolve_params(specs, {{"dtype", std::string("fp7")}}, "gemm"));
}

TEST_CASE("awkward shapes: in range, with ones, primes and tile edges, and cheap") {
  const auto shapes = family().awkward();
  double flop = 0;
  bool has_one = false, is_square_only = true;
  for (const Params& params : shapes) {
    const auto resolved = resolve_params(family().params(), params, "gemm");
    REQUIRE(resolved);
    const int64_t m = param_int(*resolved, "m"), n = param_int(*resolved, "n"),
                  k = param_int(*resolved, "k");
    flop += 2.0 * double(m) * double(n) * double(k);
    has_one |= m == 1 && n == 1 && k == 1;
    is_square_only &= m == n && n == k;
  }
  CHECK(shapes.size() >= 8);
  CHECK(has_one);
  CHECK_FALSE(is_square_only);
  CHECK(flop < 1e8);  // at 1 GFLOP/s, a naive loop at -O1: 0.1 s
}

TEST_CASE("shrinking keeps the shape and reaches the share") {
  const auto shrink = [](int64_t m, int64_t n, int64_t k, double share) {
    const Params params =
        family().shrink({{"m", m}, {"n", n}, {"k", k}, {"threads", int64_t{2}}}, share);
    CHECK(param_int(params, "threads") == 2);
    return std::vector<int64_t>{param_int(params, "m"), param_int(params, "n"),
                                param_int(params, "k")};
  };
  using Sizes = std::vector<int64_t>;
  CHECK(shrink(1024, 1024, 1024, 1) == Sizes{1024, 1024, 1024});
  CHECK(shrink(1024, 1024, 1024, 1.0 / 8) == Sizes{512, 512, 512});
  CHECK(shrink(1000, 1000, 1000, 0.3) == Sizes{669, 669, 669});
  CHECK(shrink(800, 400, 200, 1.0 / 8) == Sizes{400, 200, 100});
  CHECK(shrink(1, 1, 1, 0.5) == Sizes{1, 1, 1});
  CHECK(shrink(64, 64, 64, 0) == Sizes{1, 1, 1});
  // A vector cannot give its third: the other two halve instead.
  CHECK(shrink(1, 1024, 1024, 0.25) == Sizes{1, 512, 512});
  CHECK(shrink(1024, 1, 1, 0.25) == Sizes{256, 1, 1});
  CHECK(shrink(64, 64, 64, std::numeric_limits<double>::quiet_NaN()) == Sizes{64, 64, 64});
  // m and k that were not set follow n.
  const Params square = family().shrink({{"n", int64_t{80}}}, 0.125);
  CHECK(param_int(square, "m") == 40);
  CHECK(param_int(square, "k") == 40);
}
