// The GEMM problem in each of its types: how the matrices lie, that honest products pass both checks,
// and that small wrongs do not.
#include <cmath>
#include <memory>
#include <string>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/runtime/problems/gemm.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

struct Case {
  std::unique_ptr<Problem> problem;
  HostBuffers host;
  Shape shape;

  Case(const std::string& dtype, int64_t m, int64_t n, int64_t k, uint64_t seed = 1) {
    const FamilyDesc* family = find_family("gemm");
    REQUIRE(family != nullptr);
    const auto params =
        resolve_params(family->params(), {{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}}, "gemm");
    REQUIRE(params);
    auto made = family->make_problem(*params);
    REQUIRE(made);
    problem = std::move(*made);
    shape = problem->shape();
    host.resize(3);
    host[kGemmC].resize(problem->buffers()[kGemmC].bytes);
    problem->generate(seed, &host);
  }

  double a(int64_t i, int64_t p) const {
    return quality::load(host[kGemmA].data(), i * shape.dim[kGemmK] + p, shape.dtype);
  }
  double b(int64_t p, int64_t j) const {
    const bool transposed = gemm_b_is_transposed(shape.dtype);
    return quality::load(host[kGemmB].data(),
                         transposed ? j * shape.dim[kGemmK] + p : p * shape.dim[kGemmN] + j,
                         shape.dtype);
  }
  /// C over the first `depth` of k, summed in double and rounded to the output's type.
  void multiply(int64_t depth) {
    const DType out = quality::gemm_output(shape.dtype);
    for (int64_t i = 0; i < shape.dim[kGemmM]; ++i) {
      for (int64_t j = 0; j < shape.dim[kGemmN]; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < depth; ++p) sum += a(i, p) * b(p, j);
        quality::store(host[kGemmC].data(), i * shape.dim[kGemmN] + j, out, sum);
      }
    }
  }
  double c(int64_t index) const {
    return quality::load(host[kGemmC].data(), index, quality::gemm_output(shape.dtype));
  }
  void set_c(int64_t index, double value) {
    quality::store(host[kGemmC].data(), index, quality::gemm_output(shape.dtype), value);
  }
  bool passes(bool full) const { return problem->check(host, full, 1).passed; }
};

const char* const kTypes[] = {"fp32", "tf32", "bf16", "fp16", "fp8", "int8"};

}  // namespace

TEST_CASE("an honest product passes both checks in every type") {
  for (const char* dtype : kTypes) {
    INFO(dtype);
    Case x(dtype, 37, 41, 200);
    x.multiply(200);
    CHECK(x.passes(true));
    CHECK(x.passes(false));
  }
}

TEST_CASE("a product that leaves out one step of k is refused in every type") {
  for (const char* dtype : kTypes) {
    INFO(dtype);
    Case x(dtype, 70, 90, 256);
    x.multiply(255);
    CHECK_FALSE(x.passes(true));
    CHECK_FALSE(x.passes(false));
  }
}

TEST_CASE("the sampled check sees one wrong element in a large C through its row") {
  for (const char* dtype : kTypes) {
    INFO(dtype);
    Case x(dtype, 120, 110, 64);
    x.multiply(64);
    const int64_t index = 57 * 110 + 23;
    x.set_c(index, -x.c(index) + 40);
    CHECK_FALSE(x.passes(true));
    CHECK_FALSE(x.passes(false));
  }
}

TEST_CASE("integers are exact: off by one is wrong") {
  Case x("int8", 80, 70, 100);
  x.multiply(100);
  REQUIRE(x.passes(true));
  REQUIRE(x.passes(false));
  x.set_c(1234, x.c(1234) + 1);
  CHECK_FALSE(x.passes(true));
  CHECK_FALSE(x.passes(false));
}

TEST_CASE("tf32 inputs are rounded already; bf16 in disguise is refused") {
  Case x("tf32", 40, 40, 128);
  for (int64_t i = 0; i < 40; ++i) {
    const auto value = static_cast<float>(x.a(i, i));
    quality::store(x.host[kGemmA].data(), i * 128 + i, DType::tf32, double(value));
    CHECK(x.a(i, i) == double(value));
  }
  x.multiply(128);
  REQUIRE(x.passes(true));
  Case disguised("tf32", 40, 40, 128);
  disguised.multiply(128);
  for (int64_t e = 0; e < 1600; ++e) {
    std::byte rounded[2];
    quality::store(rounded, 0, DType::bf16, disguised.c(e));
    disguised.set_c(e, quality::load(rounded, 0, DType::bf16));
  }
  CHECK_FALSE(disguised.passes(true));
}

TEST_CASE("fp8 and int8 saturate, and e4m3 rounds to nearest even") {
  std::byte byte[1];
  const auto fp8 = [&](double value) {
    quality::store(byte, 0, DType::fp8, value);
    return quality::load(byte, 0, DType::fp8);
  };
  CHECK(fp8(448) == 448);
  CHECK(fp8(1e6) == 448);
  CHECK(fp8(-1e6) == -448);
  CHECK(fp8(1.0625) == 1);       // a tie between 1 and 1.125: even
  CHECK(fp8(1.1875) == 1.25);    // and between 1.125 and 1.25
  CHECK(fp8(0x1p-9) == 0x1p-9);  // the least subnormal
  CHECK(fp8(0x1p-11) == 0);
  CHECK(std::isnan(fp8(std::nan(""))));
  quality::store(byte, 0, DType::int8, 300.0);
  CHECK(quality::load(byte, 0, DType::int8) == 127);
  quality::store(byte, 0, DType::int8, -2.5);
  CHECK(quality::load(byte, 0, DType::int8) == -2);
}

TEST_CASE("int8 inputs use the range without living at its ends") {
  Case x("int8", 64, 64, 64);
  int at_end = 0;
  double squares = 0;
  for (int64_t i = 0; i < 64; ++i) {
    for (int64_t p = 0; p < 64; ++p) {
      at_end += std::abs(x.a(i, p)) == 127;
      squares += x.a(i, p) * x.a(i, p);
    }
  }
  CHECK(at_end <= 3);
  CHECK(std::sqrt(squares / 4096) == Approx(32).epsilon(0.05));
}
