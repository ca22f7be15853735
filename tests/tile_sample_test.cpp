// What the check of a timed shape cannot miss: one tile of a large output that is wrong, where only a sample of the
// elements is judged. Inputs are made so that the right output is cheap to write down.
#include <cmath>
#include <cstring>
#include <tuple>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/attention_backward/backward.h"
#include "kernels/gemv/gemv.h"
#include "kernels/runtime/problems/conv.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

std::unique_ptr<Problem> problem_of(const char* family, const Params& wanted) {
  const auto params = resolve_params(find_family(family)->params(), wanted, family);
  REQUIRE(params);
  auto problem = find_family(family)->make_problem(*params);
  REQUIRE(problem);
  return std::move(*problem);
}

std::string refusal(const Problem& problem, const HostBuffers& host, uint64_t seed) {
  const QualityCheck check = problem.check(host, false, seed);
  CHECK(check.passed == check.reason.empty());
  return check.reason;
}

// ---- gemv ----------------------------------------------------------------------------------------

/// So many rows that 64 of them, judged whole, miss most tiles of 128.
constexpr int64_t kRows = 16384, kDepth = 512, kBatch = 512;

/// A product above 3e9 multiplications, whose rows of W have a single weight.
struct LargeGemv {
  std::unique_ptr<Problem> problem;
  std::vector<BufferSpec> specs;
  HostBuffers host;

  LargeGemv(const char* dtype, const char* epilogue)
      : problem(problem_of("gemv", {{"n", kRows},
                                    {"k", kDepth},
                                    {"batch", kBatch},
                                    {"copies", int64_t{1}},
                                    {"dtype", std::string(dtype)},
                                    {"epilogue", std::string(epilogue)}})),
        specs(problem->buffers()) {
    problem->generate(1, &host);
    host[kGemvY].resize(specs[kGemvY].bytes);
    const DType type = specs[kGemvW].dtype;
    for (int64_t j = 0; j < kRows; ++j) {
      const double weight = quality::load(host[kGemvW].data(), j * kDepth + column(j), type);
      std::memset(&host[kGemvW][size_t(j * kDepth) * dtype_size(type)], 0,
                  size_t(kDepth) * dtype_size(type));
      quality::store(host[kGemvW].data(), j * kDepth + column(j), type, weight);
    }
    const int64_t kind = problem->shape().dim[kGemvKind];
    const bool layer = kind == kGemvW8a8 || kind == kGemvW8a8Fp8;
    const bool finished = layer && problem->shape().dim[kGemvFused] != 0;
    const bool scaled = kind == kGemvInt8 || kind == kGemvFp8 || finished;
    for (int64_t i = 0; i < kBatch; ++i) {
      for (int64_t j = 0; j < kRows; ++j) {
        double y = quality::load(host[kGemvW].data(), j * kDepth + column(j), type) *
                   quality::load(host[kGemvX].data(), i * kDepth + column(j), specs[kGemvX].dtype);
        if (scaled) y *= quality::load(host[kGemvScales].data(), j, DType::fp32);
        if (finished) {
          y *= quality::load(host[kGemvXScales].data(), i, DType::fp32);
          y = std::max(0.0, y + quality::load(host[kGemvBias].data(), j, specs[kGemvBias].dtype));
        }
        put(&host, i, j, y);
      }
    }
  }
  /// The same column for the rows of a pair of tiles: outputs of the wrong tile have the right sizes.
  static int64_t column(int64_t j) { return j * 5 % kDepth; }
  double at(int64_t i, int64_t j) const {
    return quality::load(host[kGemvY].data(), i * kRows + j, specs[kGemvY].dtype);
  }
  void put(HostBuffers* to, int64_t i, int64_t j, double y) const {
    quality::store((*to)[kGemvY].data(), i * kRows + j, specs[kGemvY].dtype, y);
  }
  /// `rows` rows of W and `batch` rows of x hold what belongs to the tile before.
  HostBuffers with_wrong_tile(int64_t row, int64_t rows, int64_t first, int64_t batch) const {
    HostBuffers wrong = host;
    for (int64_t i = first; i < first + batch; ++i)
      for (int64_t j = row; j < row + rows; ++j) put(&wrong, i, j, at(i, j - rows));
    return wrong;
  }
};

}  // namespace

TEST_CASE(
    "gemv: one wrong tile of 128 rows of W is seen in a product of which a sample is judged") {
  for (const auto& [dtype, epilogue] :
       {std::pair{"fp32", "fused"}, {"int8", "fused"}, {"w8a8", "none"}, {"w8a8", "fused"}}) {
    const LargeGemv large(dtype, epilogue);
    INFO(dtype << ", " << epilogue);
    CHECK(refusal(*large.problem, large.host, 1) == "");
    // Of all rows of x, and of tiles of 64 of them: the last, and some in the middle.
    for (const auto& [row, first, batch] : {std::tuple{kRows - 128, int64_t{0}, kBatch},
                                            {int64_t{384}, int64_t{192}, int64_t{64}},
                                            {int64_t{4992}, int64_t{0}, int64_t{64}},
                                            {int64_t{8192}, int64_t{320}, int64_t{64}},
                                            {kRows - 128, kBatch - 64, int64_t{64}}}) {
      INFO("rows from " << row << ", rows of x from " << first);
      const HostBuffers wrong = large.with_wrong_tile(row, 128, first, batch);
      CHECK(refusal(*large.problem, wrong, 2) != "");
    }
    if (std::string(dtype).find("w8a8") == 0) continue;
    HostBuffers lost = large.host;
    large.put(&lost, kBatch - 3, 700, NAN);
    CHECK(refusal(*large.problem, lost, 1) != "");
  }
}

// ---- convolution ---------------------------------------------------------------------------------

namespace {

/// A convolution whose filters have one weight each, in their middle.
struct LargeConv {
  std::unique_ptr<Problem> problem;
  HostBuffers host;
  Conv v;

  explicit LargeConv(const Params& params) : problem(problem_of("conv", params)) {
    const Shape shape = problem->shape();
    v = conv_shape(&shape);
    problem->generate(1, &host);
    host[kConvY].assign(problem->buffers()[kConvY].bytes, std::byte{0});
    const auto f = reinterpret_cast<float*>(host[kConvF].data());
    for (int64_t i = 0; i < v.m * v.c * 9; ++i)
      if (i % 9 != 4 || i / 9 % v.c != i / 9 / v.c % v.c) f[i] = 0;
    const auto x = reinterpret_cast<const float*>(host[kConvX].data());
    const auto bias = reinterpret_cast<const float*>(host[kConvBias].data());
    for (int64_t i = 0; i < v.n * v.m * v.p * v.q; ++i) {
      const int64_t q = i % v.q, p = i / v.q % v.p, m = i / v.q / v.p % v.m,
                    n = i / v.q / v.p / v.m;
      const float sum = f[(m * v.c + m % v.c) * 9 + 4] * x[conv_place(&v.x_at, n, m % v.c, p, q)];
      *at(&host, n, m, p, q) = std::max(0.0f, sum + bias[m]);
    }
  }
  float* at(HostBuffers* of, int64_t n, int64_t m, int64_t p, int64_t q) const {
    return reinterpret_cast<float*>((*of)[kConvY].data()) + conv_place(&v.y_at, n, m, p, q);
  }
};

}  // namespace

TEST_CASE("a relu: every output is judged at 56 x 56 x 64") {
  const LargeConv conv({{"relu", std::string("yes")}});
  REQUIRE(conv.v.m * conv.v.p * conv.v.q == 56 * 56 * 64);
  CHECK(refusal(*conv.problem, conv.host, 1) == "");
  CHECK(conv.problem->check(conv.host, false, 1).checked == 56 * 56 * 64);
  HostBuffers wrong = conv.host;
  *conv.at(&wrong, 0, 17, 31, 40) += 0.001f;
  CHECK(refusal(*conv.problem, wrong, 1) != "");
}

TEST_CASE("a relu: one wrong tile of a large convolution is seen") {
  for (const char* layout : {"nchw", "nhwc"}) {
    const LargeConv conv({{"n", int64_t{3}},
                          {"h", int64_t{45}},
                          {"c", int64_t{96}},
                          {"m", int64_t{104}},
                          {"relu", std::string("yes")},
                          {"layout", std::string(layout)}});
    for (const uint64_t seed : {1, 2, 3}) {
      INFO(layout << ", seed " << seed);
      CHECK(refusal(*conv.problem, conv.host, seed) == "");
      // A block of 8 x 8 pixels and 16 filters; and the last one, which the image and the filters end in.
      for (const auto& [p0, q0, m0] : {std::tuple{16, 24, 32}, {40, 40, 96}}) {
        HostBuffers wrong = conv.host;
        for (int64_t p = p0; p < std::min<int64_t>(p0 + 8, conv.v.p); ++p)
          for (int64_t q = q0; q < std::min<int64_t>(q0 + 8, conv.v.q); ++q)
            for (int64_t m = m0; m < std::min<int64_t>(m0 + 16, conv.v.m); ++m)
              *conv.at(&wrong, 1, m, p, q) += 0.01f;
        CHECK(refusal(*conv.problem, wrong, seed) != "");
      }
      // What a tile of 16 x 16 pixels and 64 filters left unwritten after another call: the neighbour's values.
      HostBuffers stale = conv.host;
      for (int64_t p = 16; p < 32; ++p)
        for (int64_t q = 16; q < 32; ++q)
          for (int64_t m = 0; m < 64; ++m)
            *conv.at(&stale, 2, m, p, q) = *conv.at(&stale, 1, m, p, q);
      CHECK(refusal(*conv.problem, stale, seed) != "");
    }
  }
}

// ---- gradients of attention ----------------------------------------------------------------------

TEST_CASE("gradients: one wrong tile of 64 rows of one head is seen") {
  const auto problem = problem_of("attention_backward", {{"sequence", int64_t{160}},
                                                         {"heads", int64_t{64}},
                                                         {"heads_kv", int64_t{32}},
                                                         {"d", int64_t{8}}});
  HostBuffers host;
  problem->generate(3, &host);
  std::vector<void*> buffers;
  for (auto& buffer : host) buffers.push_back(buffer.data());
  const KernelDesc* stored = find_kernel("attention_backward.cpu.stored");
  REQUIRE(stored != nullptr);
  Plan plan;
  REQUIRE(stored->prepare(problem->shape(), &plan).ok());
  Launch launch;
  launch.shape = problem->shape();
  launch.buffers = buffers.data();
  launch.plan_state = plan.state;
  REQUIRE(stored->launch(launch).ok());
  plan.release(plan.state);
  for (const uint64_t seed : {3, 4, 5}) {
    CHECK(refusal(*problem, host, seed) == "");
    for (const int buffer : {int(kBackwardDQ), int(kBackwardDK), int(kBackwardDV)}) {
      for (const auto& [head, row] : {std::pair{5, 0}, {17, 64}, {31, 128}}) {
        INFO("buffer " << buffer << ", head " << head << ", rows from " << row);
        HostBuffers wrong = host;
        const auto values = reinterpret_cast<float*>(wrong[size_t(buffer)].data());
        for (int64_t i = row; i < std::min(row + 64, 160); ++i)
          for (int64_t c = 0; c < 8; ++c) values[(head * 160 + i) * 8 + c] *= 1.01f;
        CHECK(refusal(*problem, wrong, seed) != "");
      }
    }
  }
}
