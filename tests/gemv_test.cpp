// The gemv family: every CPU rung through the real gate, the gate against answers planted wrong, and whose turn it is.
#include <cmath>
#include <cstring>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/gemv/gemv.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

const FamilyDesc& gemv_family() {
  const FamilyDesc* found = find_family("gemv");
  REQUIRE(found != nullptr);
  return *found;
}

Result<std::unique_ptr<Problem>> try_problem(const Params& wanted) {
  RIDGE_TRY(const Params params, resolve_params(gemv_family().params(), wanted, "gemv"));
  return gemv_family().make_problem(params);
}

std::unique_ptr<Problem> problem_of(const Params& wanted) {
  auto problem = try_problem(wanted);
  REQUIRE(problem.ok());
  return std::move(*problem);
}

/// What a planted kernel does otherwise.
struct Mistake {
  bool drops_last_k = false, next_rows_scale = false, next_groups_scale = false,
       next_groups_positions = false, halves_swapped = false, no_bias = false, no_relu = false,
       sum_off_by_one = false;
};

/// Column p of a row with two of each four left, as gemv.h describes it.
double sparse_weight(const std::byte* w, const std::byte* positions, int64_t p, bool next_group) {
  const int64_t group = p / 4, told = next_group ? group ^ 1 : group;
  const int64_t chunk = told % 64 / 16, four = told % 16 / 4, lane = told % 4;
  uint16_t word = 0;
  std::memcpy(&word, positions + told / 64 * 32 + (4 * lane + chunk) * 2, 2);
  for (int64_t i = 0; i < 2; ++i) {
    if ((word >> (4 * four + 2 * i) & 3) == p % 4)
      return quality::load(w, 2 * group + i, DType::bf16);
  }
  return 0;
}

/// The product as gemv.h describes it, in float64, from the last copy of the weights.
void answer(const Problem& problem, const Mistake& m, HostBuffers* host) {
  const Shape shape = problem.shape();
  (*host)[kGemvY].resize(problem.buffers()[kGemvY].bytes);
  void* buffers[6];
  for (size_t i = 0; i < 6; ++i) buffers[i] = (*host)[i].data();
  int64_t turn = shape.dim[kGemvCopies] - 1;
  const Gemv g = gemv_next({.shape = shape, .buffers = buffers}, &turn);
  CHECK(turn == 0);
  const int64_t kind = shape.dim[kGemvKind];
  const bool layer = kind == kGemvW8a8 || kind == kGemvW8a8Fp8;
  const auto* w = static_cast<const std::byte*>(g.w);
  const auto* scales = static_cast<const std::byte*>(g.scales);
  for (int64_t i = 0; i < g.batch; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < g.k - (m.drops_last_k ? 1 : 0); ++p) {
        const int64_t at = j * g.k + p;
        double weight = 0;
        if (kind == kGemvInt4) {
          const auto two = uint8_t(w[at / 2]);
          weight = ((p % 2 == 0) != m.halves_swapped ? two & 15 : two >> 4) - 8;
          const int64_t groups = g.k / RIDGE_GEMV_GROUP;
          const int64_t group = (p / RIDGE_GEMV_GROUP + (m.next_groups_scale ? 1 : 0)) % groups;
          weight *= quality::load(scales, j * gemv_scale_row(g.k) + group, DType::bf16);
        } else if (kind == kGemvSparse) {
          weight = sparse_weight(w + j * g.k, scales + j * gemv_position_row(g.k), p,
                                 m.next_groups_positions);
        } else {
          weight = quality::load(w, at, problem.buffers()[kGemvW].dtype);
        }
        sum += weight *
               quality::load((*host)[kGemvX].data(), i * g.k + p, problem.buffers()[kGemvX].dtype);
      }
      if (m.sum_off_by_one && i == g.batch - 1 && j == g.n - 1) sum += 1;
      const int64_t scale_row = m.next_rows_scale ? (j + 1) % g.n : j;
      if ((kind == kGemvInt8 || kind == kGemvFp8 || layer) && (g.fused || !layer))
        sum *= quality::load(scales, scale_row, DType::fp32);
      if (layer && g.fused) {
        sum = sum * g.x_scales[i] + (m.no_bias
                                         ? 0
                                         : quality::load(static_cast<const std::byte*>(g.bias), j,
                                                         problem.buffers()[kGemvBias].dtype));
        if (!m.no_relu) sum = std::max(0.0, sum);
      }
      quality::store((*host)[kGemvY].data(), i * g.n + j, problem.buffers()[kGemvY].dtype, sum);
    }
  }
}

bool passes(const char* dtype, const Mistake& mistake, const char* epilogue = "fused",
            bool full = true) {
  const auto problem = problem_of({{"n", int64_t{37}},
                                   {"k", int64_t{384}},
                                   {"batch", int64_t{3}},
                                   {"copies", int64_t{2}},
                                   {"dtype", std::string(dtype)},
                                   {"epilogue", std::string(epilogue)}});
  HostBuffers host;
  problem->generate(3, &host);
  answer(*problem, mistake, &host);
  return problem->check(host, full, 3).passed;
}

}  // namespace

TEST_CASE("every CPU gemv rung passes the gate: types, threads") {
  auto device = make_cpu_device();
  REQUIRE(device.ok());
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "gemv") continue;
    std::string reason;
    if (!isa_available(kernel->isa, &reason)) continue;
    for (const char* dtype : {"fp32", "bf16", "int8", "int4"}) {
      if (std::string_view(kernel->dtypes).find(dtype) == std::string_view::npos) continue;
      for (const int64_t threads : {1, 2}) {
        if (threads > int64_t(std::thread::hardware_concurrency())) continue;
        if (threads > 1 && std::string_view(kernel->id) != "gemv.cpu.avx512_int4") continue;
        ++tested;
        INFO(kernel->id << ", " << dtype << ", " << threads << " threads");
        const Params params = {{"dtype", std::string(dtype)}, {"threads", threads}};
        const auto check = checks.get(*kernel, gemv_family(), params, device->get(), Observer());
        if (!check) FAIL(check.error().sentence());
        INFO(check->what << ": " << check->reason);
        CHECK(check->passed);
      }
    }
  }
  CHECK(tested >= 4);
}

TEST_CASE("the gate takes every type's definition, and refuses each mistake") {
  for (const char* dtype : {"fp32", "bf16", "fp8", "int8", "int4", "w8a8", "w8a8_fp8", "sparse"}) {
    INFO(dtype);
    CHECK(passes(dtype, {}));
    CHECK(passes(dtype, {}, "none", false));
    CHECK_FALSE(passes(dtype, {.drops_last_k = true}));
    CHECK_FALSE(passes(dtype, {.drops_last_k = true}, "fused", false));
  }
  for (const char* dtype : {"fp8", "int8", "w8a8", "w8a8_fp8"}) {
    INFO(dtype);
    CHECK_FALSE(passes(dtype, {.next_rows_scale = true}));
  }
  CHECK_FALSE(passes("int4", {.next_groups_scale = true}));
  CHECK_FALSE(passes("int4", {.halves_swapped = true}));
  CHECK_FALSE(passes("sparse", {.next_groups_positions = true}));
  for (const char* dtype : {"w8a8", "w8a8_fp8"}) {
    INFO(dtype);
    CHECK_FALSE(passes(dtype, {.no_bias = true}));
    CHECK_FALSE(passes(dtype, {.no_relu = true}));
  }
  CHECK_FALSE(passes("w8a8", {.sum_off_by_one = true}, "none"));
}

TEST_CASE("fewer bits err more, and the copies are the same and take turns") {
  double before = 0;
  for (const char* dtype : {"fp32", "bf16", "int8", "fp8", "int4"}) {
    const Params params = {{"n", int64_t{64}},
                           {"k", int64_t{1024}},
                           {"copies", int64_t{3}},
                           {"dtype", std::string(dtype)}};
    const auto problem = problem_of(params);
    HostBuffers host;
    problem->generate(1, &host);
    answer(*problem, {}, &host);
    const QualityCheck check = problem->check(host, false, 1);
    INFO(dtype << " " << check.reason);
    REQUIRE(check.passed);
    const double error = check.task.at("output_error");
    CHECK(error >= before);
    CHECK(error < 0.2);
    before = error;
    const std::vector<std::byte>& w = host[kGemvW];
    REQUIRE(w.size() % 3 == 0);
    CHECK(std::memcmp(w.data(), w.data() + w.size() / 3 * 2, w.size() / 3) == 0);
  }
}

TEST_CASE("gemv counts one copy's bytes, and says which columns it refuses") {
  const auto int4 = problem_of({{"n", int64_t{256}},
                                {"k", int64_t{1024}},
                                {"copies", int64_t{8}},
                                {"dtype", std::string("int4")}});
  CHECK(int4->bytes_min() == 256 * 512 + 256 * 8 * 2 + 1024 * 2 + 256 * 2);
  CHECK(int4->flop() == 2.0 * 256 * 1024);
  CHECK(int4->buffers()[kGemvW].bytes == 8 * 256 * 512);
  const auto odd = try_problem({{"k", int64_t{200}}});
  REQUIRE_FALSE(odd.ok());
  CHECK(odd.error().sentence().find("k=200 is not a multiple of 128") != std::string::npos);
}
