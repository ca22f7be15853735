// The convolution lab: every CPU rung through the real gate on awkward and on random shapes, and the gate
// against answers planted wrong.
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/loops/cache_model.h"
#include "kernels/runtime/problems/conv.h"
#include "tests/catch.h"
#include "tests/conv_shapes.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

const FamilyDesc& family_named(const char* name) {
  const FamilyDesc* found = find_family(name);
  REQUIRE(found != nullptr);
  return *found;
}

Params complete(const Params& wanted, const char* family = "conv") {
  const auto params = resolve_params(family_named(family).params(), wanted, family);
  if (!params.ok()) FAIL(params.error().sentence());
  return *params;
}

std::unique_ptr<Problem> problem_of(const Params& wanted) {
  auto problem = family_named("conv").make_problem(complete(wanted));
  if (!problem.ok()) FAIL(problem.error().sentence());
  return std::move(*problem);
}

bool runs_here(const KernelDesc& kernel, const char* family) {
  std::string reason;
  return kernel.backend == Backend::cpu && family_of(kernel.id) == family &&
         std::string(kernel.id) != "conv.cpu.as_printed" && isa_available(kernel.isa, &reason) &&
         (kernel.unavailable == nullptr || kernel.unavailable() == nullptr);
}

/// One check of `kernel`, every output.
QualityCheck checked(const KernelDesc& kernel, const Params& params, uint64_t seed) {
  static auto device = make_cpu_device();
  REQUIRE(device.ok());
  const std::string family(family_of(kernel.id));
  const auto instance = make_instance(family_named(family.c_str()), params, seed, **device);
  if (!instance.ok()) FAIL(instance.error().sentence());
  auto rung = make_ready(kernel, device->get(), *instance);
  if (!rung.ok()) FAIL(kernel.id << " " << to_string(params) << ": " << rung.error().sentence());
  const auto check = check_rung(&*rung, true, "");
  if (!check.ok()) FAIL(kernel.id << " " << to_string(params) << ": " << check.error().sentence());
  return *check;
}

/// Convolution in fp32 by the definition; `term` may spoil one product.
using Term = std::function<float(float x, float f)>;

void convolve(const Problem& problem, HostBuffers* host, const Term& term, int64_t skip_channel) {
  const Shape shape = problem.shape();
  void* buffers[4];
  (*host)[kConvY].assign(problem.buffers()[kConvY].bytes, std::byte{0});
  for (size_t i = 0; i < 4; ++i) buffers[i] = (*host)[i].data();
  const Launch launch = {.shape = shape, .buffers = buffers};
  const Conv v = conv_of(&launch);
  for (int64_t i = 0; i < v.n * v.m * v.p * v.q; ++i) {
    const int64_t q = i % v.q, p = i / v.q % v.p, m = i / v.q / v.p % v.m, n = i / v.q / v.p / v.m;
    float sum = 0;
    for (int64_t t = 0; t < v.group_c * v.r * v.s; ++t) {
      const int64_t s = t % v.s, r = t / v.s % v.r, c = t / v.s / v.r;
      const int64_t h = p * v.stride + r - v.pad, w = q * v.stride + s - v.pad;
      if (c == skip_channel || h < 0 || h >= v.h || w < 0 || w >= v.w) continue;
      sum += term(v.x[conv_place(&v.x_at, n, m / v.group_m * v.group_c + c, h, w)],
                  v.f[m * v.group_c * v.r * v.s + t]);
    }
    v.y[conv_place(&v.y_at, n, m, p, q)] = conv_finish(&v, m, sum);
  }
}

float product(float x, float f) {
  return x * f;
}

float product_tf32(float x, float f) {
  const auto round = [](float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    bits = (bits + 0x1000) & ~0x1fffu;
    std::memcpy(&value, &bits, 4);
    return value;
  };
  return round(x) * round(f);
}

const std::vector<std::string> kLayouts = {"nchw", "nhwc", "nchw16c"};

}  // namespace

TEST_CASE("every CPU rung of conv against float64 on 200 random shapes") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    Params shape = random_conv_shape(&random);
    shape["layout"] = kLayouts[static_cast<size_t>(i) % 3];
    shape["relu"] = std::string(i % 4 == 3 ? "yes" : "no");
    shape["threads"] =
        std::min<int64_t>(i % 16 == 1 ? 2 : 1, std::max(1u, std::thread::hardware_concurrency()));
    for (const KernelDesc* kernel : registered_kernels()) {
      // A library compiles code for each shape; it is not what is tested here.
      if (!runs_here(*kernel, "conv") || (kernel->library != nullptr && i % 16 != 0)) continue;
      const QualityCheck check = checked(*kernel, complete(shape), uint64_t(i));
      INFO(kernel->id << " " << to_string(shape) << ": " << check.reason);
      CHECK(check.passed);
    }
  }
}

TEST_CASE(
    "Winograd with two threads: one batch of tiles that they share, and batches of their own") {
  const KernelDesc* kernel = find_kernel(GENERATE("conv.cpu.winograd", "conv.cpu.winograd_4x4"));
  if (kernel == nullptr || !runs_here(*kernel, "conv")) return;
  int i = 0;
  // 9, 75, 147 and 432 tiles of 2 x 2, and 4, 27, 48 and 108 of 4 x 4, of which a batch has at least 48
  for (const int64_t h : {5, 9, 14, 23}) {
    Params shape = {{"n", int64_t{h == 5 ? 1 : 3}},
                    {"c", int64_t{64}},
                    {"m", int64_t{32}},
                    {"h", h},
                    {"w", h},
                    {"r", int64_t{3}},
                    {"pad", int64_t{1}},
                    {"stride", int64_t{1}}};
    shape["layout"] = kLayouts[static_cast<size_t>(i++) % 3];
    shape["threads"] = std::min<int64_t>(2, std::max(1u, std::thread::hardware_concurrency()));
    const QualityCheck check = checked(*kernel, complete(shape), uint64_t(h));
    INFO(kernel->id << " " << to_string(shape) << ": " << check.reason);
    CHECK(check.passed);
  }
}

TEST_CASE(
    "Winograd with few channels, whose sums round less than its transforms, and outputs in the "
    "padding alone") {
  const KernelDesc* kernel = find_kernel(GENERATE("conv.cpu.winograd", "conv.cpu.winograd_4x4"));
  if (kernel == nullptr || !runs_here(*kernel, "conv")) return;
  for (const int64_t channels : {2, 3, 16, 17}) {
    for (const int64_t pad : {0, 2, 3}) {
      Params shape = {{"c", channels},    {"m", int64_t{64}},    {"h", int64_t{28}},
                      {"w", int64_t{28}}, {"r", int64_t{3}},     {"pad", pad},
                      {"n", int64_t{1}},  {"stride", int64_t{1}}};
      const QualityCheck check = checked(*kernel, complete(shape), uint64_t(channels + pad));
      INFO(kernel->id << " " << to_string(shape) << ": " << check.reason);
      CHECK(check.passed);
    }
  }
}

TEST_CASE("every CPU rung of conv depthwise: blocks of channels that are full and not") {
  int i = 0;
  for (const int64_t channels : {1, 15, 16, 40, 72}) {
    for (const int64_t stride : {1, 2}) {
      for (const int64_t r : {1, 3, 5}) {
        Params shape = {{"n", int64_t{2}},  {"c", channels},
                        {"m", channels},    {"groups", channels},
                        {"h", int64_t{7}},  {"w", int64_t{9}},
                        {"r", r},           {"pad", r / 2},
                        {"stride", stride}, {"layout", kLayouts[static_cast<size_t>(i) % 3]}};
        shape["relu"] = std::string(i++ % 2 == 0 ? "yes" : "no");
        for (const KernelDesc* kernel : registered_kernels()) {
          if (!runs_here(*kernel, "conv") || kernel->library != nullptr) continue;
          const QualityCheck check = checked(*kernel, complete(shape), uint64_t(i));
          INFO(kernel->id << " " << to_string(shape) << ": " << check.reason);
          CHECK(check.passed);
        }
      }
    }
  }
}

TEST_CASE("the loop explorer in every order, tiled at random, on 200 random shapes") {
  std::mt19937_64 random(8);
  const auto tile = [&] { return int64_t(std::array{0, 1, 2, 3, 5, 8, 16}[random() % 7]); };
  for (int i = 0; i < 200; ++i) {
    Params shape = random_conv_shape(&random);
    shape["order"] = std::string(loops::kLoopOrders[i % loops::kLoopOrderCount]);
    for (const char* name : {"tile_m", "tile_c", "tile_h", "tile_w"}) shape[name] = tile();
    for (const char* id : {"loops.cpu.reordered", "loops.cpu.tiled"}) {
      const KernelDesc* kernel = find_kernel(id);
      REQUIRE(kernel != nullptr);
      const QualityCheck check = checked(*kernel, complete(shape, "loops"), uint64_t(i));
      INFO(id << " " << to_string(shape) << ": " << check.reason);
      CHECK(check.passed);
    }
  }
}

TEST_CASE("the cache model counts what can be counted by hand") {
  using namespace ridge::loops;
  // 4 filters of 2 x 1 x 1, an image of 2 x 8 x 16: x has 16 lines, y 32, f half a line.
  Nest nest = {.count = {1, 4, 2, 8, 16, 1, 1}, .tile = {1, 4, 2, 8, 16, 1, 1}};
  nest.x_step[kC] = 128, nest.x_step[kH] = 16, nest.x_step[kW] = 1;
  nest.y_step[kM] = 128, nest.y_step[kH] = 16, nest.y_step[kW] = 1;
  nest.f_step[kM] = 2, nest.f_step[kC] = 1;
  const CacheLevel roomy = {64, 8, 64}, tiny = {1, 4, 64};
  for (int order = 0; order < kLoopOrderCount; ++order) {
    INFO(kLoopOrders[order]);
    const Traffic traffic = predict(nest, order, {roomy, roomy});
    CHECK(traffic.missed == std::vector<double>{16 + 32 + 1, 16 + 32 + 1});  // each line once
    CHECK(traffic.share == 1);
  }
  // nmhcrsw with four lines in all: a row of y stays for both channels, the filters do; x comes once a filter.
  CHECK(predict(nest, 3, {tiny}).missed == std::vector<double>{4 * 16 + 32 + 1});
  // nmcrshw: y is gone when the second channel comes back to it.
  CHECK(predict(nest, 2, {tiny}).missed == std::vector<double>{4 * 16 + 2 * 32 + 1});
  // Half of it simulated: each line still comes once, not twice.
  const Traffic half = predict(nest, 2, {roomy}, 96);
  CHECK(half.share == Approx(0.5).margin(0.02));
  CHECK(half.missed == std::vector<double>{16 + 32 + 1});
  CHECK(predict(nest, 2, {}).missed.empty());
}

TEST_CASE("what the model expects is a part of the result, in bytes of the whole call") {
  // The nest of above: 49 lines, each once, of each of two images and of whatever level.
  const Params wanted = {{"n", int64_t{2}},   {"c", int64_t{2}},
                         {"m", int64_t{4}},   {"h", int64_t{8}},
                         {"w", int64_t{16}},  {"r", int64_t{1}},
                         {"pad", int64_t{0}}, {"order", std::string("ncrsmhw")}};
  auto problem = family_named("loops").make_problem(complete(wanted, "loops"));
  REQUIRE(problem.ok());
  const auto& caches = measure::machine_cache_shapes();
  const auto work = (*problem)->work();
  REQUIRE(work.size() == caches.size());
  for (const auto& [level, bytes] : work) {
    INFO(level);
    CHECK(bytes == 2 * 49 * double(caches.front().line_bytes));
  }
  if (!caches.empty()) CHECK(work.contains("model_memory"));
  std::vector<ParamSpec> specs = family_named("loops").params();
  const size_t all = specs.size();
  family_named("loops").narrow("loops.cpu.tiled", &specs);
  CHECK(specs.size() == all);
  family_named("loops").narrow("loops.cpu.reordered", &specs);
  CHECK(specs.size() == all - 4);
}

TEST_CASE("as printed: refused, but where the filter has one tap") {
  const KernelDesc* kernel = find_kernel("conv.cpu.as_printed");
  REQUIRE(kernel != nullptr);
  for (const std::string& layout : kLayouts) {
    const Params base = {{"h", int64_t{9}}, {"c", int64_t{5}}, {"layout", layout}};
    CHECK_FALSE(checked(*kernel, complete(base), 1).passed);
    Params one_tap = base;
    one_tap["r"] = int64_t{1}, one_tap["pad"] = int64_t{0};
    CHECK(checked(*kernel, complete(one_tap), 1).passed);
  }
}

TEST_CASE("the gate refuses a convolution with a mistake, whole and sampled") {
  const Params shape = {{"n", int64_t{2}},
                        {"c", int64_t{12}},
                        {"m", int64_t{40}},
                        {"h", int64_t{11}},
                        {"groups", int64_t{2}}};
  for (const bool full : {true, false}) {
    for (const std::string& layout : kLayouts) {
      INFO((full ? "whole " : "sampled ") << layout);
      Params params = shape;
      params["layout"] = layout;
      const auto problem = problem_of(params);
      HostBuffers host;
      problem->generate(3, &host);
      convolve(*problem, &host, product, -1);
      CHECK(problem->check(host, full, 3).passed);
      CHECK(problem->check(host, full, 3).worst_bound_share < 0.5);
      for (const float wrong : {99.0f, NAN}) {
        HostBuffers broken = host;
        std::memcpy(broken[kConvY].data() + 4 * 1234, &wrong, 4);
        CHECK_FALSE(problem->check(broken, full, 3).passed);
      }
      convolve(*problem, &host, product, 5);
      CHECK_FALSE(problem->check(host, full, 3).passed);
      convolve(*problem, &host, product_tf32, -1);
      CHECK_FALSE(problem->check(host, full, 3).passed);
    }
  }
}

TEST_CASE("a relu that forgets the bias, or to cut off, is refused") {
  Params params = {
      {"h", int64_t{12}}, {"c", int64_t{7}}, {"m", int64_t{40}}, {"relu", std::string("yes")}};
  const auto problem = problem_of(params);
  HostBuffers host;
  problem->generate(3, &host);
  convolve(*problem, &host, product, -1);
  for (const bool full : {true, false}) CHECK(problem->check(host, full, 3).passed);
  HostBuffers plain = host;
  std::fill(plain[kConvBias].begin(), plain[kConvBias].end(), std::byte{0});
  convolve(*problem, &plain, product, -1);
  plain[kConvBias] = host[kConvBias];
  for (const bool full : {true, false}) CHECK_FALSE(problem->check(plain, full, 3).passed);
  params["relu"] = std::string("no");
  convolve(*problem_of(params), &host, product, -1);
  for (const bool full : {true, false}) CHECK_FALSE(problem->check(host, full, 3).passed);
}

TEST_CASE("work and sizes of a convolution, and what it refuses") {
  const auto problem = problem_of({{"n", int64_t{2}},
                                   {"c", int64_t{16}},
                                   {"m", int64_t{32}},
                                   {"h", int64_t{10}},
                                   {"stride", int64_t{2}}});
  CHECK(problem->flop() == 2.0 * 2 * 32 * 5 * 5 * 16 * 9);
  CHECK(problem->buffers()[kConvY].bytes == 2 * 32 * 5 * 5 * 4);
  const auto blocked = problem_of({{"c", int64_t{3}},
                                   {"m", int64_t{17}},
                                   {"h", int64_t{4}},
                                   {"layout", std::string("nchw16c")}});
  CHECK(blocked->buffers()[kConvX].bytes == 16 * 16 * 4);
  CHECK(blocked->buffers()[kConvY].bytes == 32 * 16 * 4);
  const auto refused = [](const Params& wanted) {
    const auto made = family_named("conv").make_problem(complete(wanted));
    REQUIRE_FALSE(made.ok());
    return made.error().sentence();
  };
  CHECK(refused({{"groups", int64_t{3}}}).find("groups=3 does not divide c=64") !=
        std::string::npos);
  CHECK(refused({{"h", int64_t{2}}, {"pad", int64_t{0}}})
            .find("a filter with r=3 does not fit an image with h=2 and pad=0") !=
        std::string::npos);
  const Params half = family_named("conv").shrink(complete({{"n", int64_t{4}}}), 0.25);
  CHECK(param_int(half, "n") == 1);
  CHECK(param_int(half, "h") == 56);
  const Params least = family_named("conv").shrink(complete({{"pad", int64_t{0}}}), 0);
  CHECK(param_int(least, "h") == 3);
}
