// The convolution lab's GPU rungs through the real gate. What needs a GPU says why it was skipped where there is
// none.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/conv_shapes.h"
#include "tests/cuda_support.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

/// Ours that run here.
std::vector<const KernelDesc*> own_rungs() {
  std::vector<const KernelDesc*> rungs;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->backend != Backend::cuda || family_of(kernel->id) != "conv") continue;
    if (kernel->library == nullptr && kernel->arch <= capability()) rungs.push_back(kernel);
  }
  return rungs;
}

bool has_type(const KernelDesc& kernel, const std::string& dtype) {
  return std::string_view(kernel.dtypes).find(dtype) != std::string_view::npos;
}

/// One check of every output; false where the rung refuses the layout, which it has to give as its reason.
bool check_shape(const KernelDesc& kernel, const Params& wanted, uint64_t seed, Device* device) {
  const FamilyDesc& family = *find_family("conv");
  const auto params = resolve_params(family.params(), wanted, "conv");
  REQUIRE(params.ok());
  INFO(kernel.id << ", " << to_string(*params));
  auto instance = make_instance(family, *params, seed, *device);
  if (!instance) FAIL(instance.error().sentence());
  auto rung = make_ready(kernel, device, *instance);
  if (!rung) {
    INFO(rung.error().sentence());
    CHECK(rung.error().sentence().find("layout=nhwc") != std::string::npos);
    CHECK(param_text(*params, "layout", "") != "nhwc");
    return false;
  }
  const auto check = check_rung(&*rung, true, "");
  if (!check) FAIL(check.error().sentence());
  INFO(check->reason);
  CHECK(check->passed);
  return true;
}

/// Channels in eights, which the copy engine takes: slices that are not full, strides, filters larger than the
/// image, tiles that end in the middle of an image.
Params random_engine_shape(std::mt19937_64* random) {
  const auto below = [&](int64_t most) { return int64_t((*random)() % uint64_t(most)); };
  const int64_t r = 1 + below(5), s = 1 + below(5), pad = below(3);
  return {{"n", 1 + below(4)},
          {"c", 8 * (1 + below(20))},
          {"m", 1 + below(300)},
          {"h", std::max<int64_t>(std::max<int64_t>(1, r - 2 * pad), below(20))},
          {"w", std::max<int64_t>(std::max<int64_t>(1, s - 2 * pad), below(20))},
          {"r", r},
          {"s", s},
          {"stride", 1 + below(3)},
          {"pad", pad}};
}

/// So many pixels and filters that tiles come out even on an H200: pixels and filters that end in the middle of one.
std::vector<Params> even_shapes() {
  std::vector<Params> shapes;
  for (const auto& [c, side, m, r] : {std::array<int64_t, 4>{72, 14, 256, 1},
                                      {16, 14, 248, 3},
                                      {136, 13, 200, 1},
                                      {8, 14, 256, 2}})
    shapes.push_back({{"n", int64_t{64}},
                      {"c", c},
                      {"h", side},
                      {"w", int64_t{14}},
                      {"m", m},
                      {"r", r},
                      {"s", r},
                      {"pad", r / 2},
                      {"layout", std::string("nhwc")},
                      {"dtype", std::string("bf16")},
                      {"relu", std::string(r == 3 ? "yes" : "no")}});
  return shapes;
}

}  // namespace

TEST_CASE("every CUDA conv rung passes the gate: types, layouts, relu") {
  Device* device = gpu();
  if (!device) return;
  FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : own_rungs()) {
    for (const std::string dtype : {"fp32", "bf16", "fp16"}) {
      for (const std::string layout : {"nchw", "nhwc", "nchw16c"}) {
        if (!has_type(*kernel, dtype)) continue;
        for (const std::string relu : {"no", "yes"}) {
          INFO(kernel->id << ", " << dtype << ", " << layout << ", relu " << relu);
          const Params params = {{"dtype", dtype}, {"layout", layout}, {"relu", relu}};
          if (!check_shape(*kernel, params, 1, device)) continue;
          ++tested;
          const auto check = checks.get(*kernel, *find_family("conv"), params, device, Observer());
          if (!check) FAIL(check.error().sentence());
          INFO(check->what << ": " << check->reason);
          CHECK(check->passed);
        }
      }
    }
  }
  CHECK(tested >= 4);
}

/// One, three and seventeen channels, images of one pixel, filters larger than the image, groups, strides.
TEST_CASE("CUDA conv rungs on 200 random shapes") {
  Device* device = gpu();
  if (!device) return;
  std::mt19937_64 random(7);
  const char* const kLayouts[] = {"nchw", "nhwc", "nchw16c"};
  const char* const kTypes[] = {"fp32", "fp32", "bf16", "fp16"};
  int64_t tested = 0;
  for (int i = 0; i < 200; ++i) {
    Params shape = random_conv_shape(&random);
    shape["layout"] = std::string(kLayouts[i % 3]);
    shape["dtype"] = std::string(kTypes[i % 4]);
    shape["relu"] = std::string(i % 5 == 0 ? "yes" : "no");
    for (const KernelDesc* kernel : own_rungs())
      if (has_type(*kernel, kTypes[i % 4]))
        tested += check_shape(*kernel, shape, uint64_t(i), device);
  }
  CHECK(tested >= 200);
}

TEST_CASE("CUDA conv rungs on 200 random shapes of bf16 images in nhwc") {
  Device* device = gpu();
  if (!device) return;
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    Params shape = random_engine_shape(&random);
    shape["layout"] = std::string("nhwc"), shape["dtype"] = std::string("bf16");
    shape["relu"] = std::string(i % 3 == 0 ? "yes" : "no");
    for (const KernelDesc* kernel : own_rungs())
      if (has_type(*kernel, "bf16")) check_shape(*kernel, shape, 5, device);
  }
}

/// Few channels: packed taps, with every stride that they take and some that they refuse, rows that do not end with a
/// tile, filters that end in the middle of a word, images smaller than the filter.
TEST_CASE("CUDA conv rungs on 100 random shapes of few channels") {
  Device* device = gpu();
  if (!device) return;
  std::mt19937_64 random(4);
  const auto below = [&](int64_t most) { return int64_t(random() % uint64_t(most)); };
  for (int i = 0; i < 100; ++i) {
    const int64_t r = 1 + below(9), s = 1 + below(9), pad = below(5);
    const Params shape = {{"n", 1 + below(3)},
                          {"c", 1 + below(i % 2 ? 4 : 8)},
                          {"m", i % 3 == 0 ? 64 : 1 + below(140)},
                          {"h", std::max<int64_t>(std::max<int64_t>(1, r - 2 * pad), below(30))},
                          {"w", std::max<int64_t>(std::max<int64_t>(1, s - 2 * pad), below(250))},
                          {"r", r},
                          {"s", s},
                          {"stride", i % 2 ? 2 : 1 + below(4)},
                          {"pad", pad},
                          {"layout", std::string("nhwc")},
                          {"relu", std::string(i % 5 == 0 ? "yes" : "no")},
                          {"dtype", std::string(i % 7 == 0 ? "fp16" : "bf16")}};
    for (const KernelDesc* kernel : own_rungs())
      if (has_type(*kernel, "fp16")) check_shape(*kernel, shape, 5, device);
  }
}

/// Groups, depthwise every other time, in pieces of 16 bytes and in others.
TEST_CASE("CUDA conv rungs on 60 random shapes in groups") {
  Device* device = gpu();
  if (!device) return;
  std::mt19937_64 random(5);
  const auto below = [&](int64_t most) { return int64_t(random() % uint64_t(most)); };
  for (int i = 0; i < 60; ++i) {
    const bool depthwise = i % 2 == 0;
    const int64_t groups = 1 + below(depthwise ? 12 : 5);
    const int64_t c = groups * (depthwise ? 8 : 1 + below(20));
    Params shape = random_engine_shape(&random);
    shape["c"] = c, shape["m"] = depthwise ? c : groups * (1 + below(40));
    shape["groups"] = depthwise ? c : groups;
    shape["layout"] = std::string("nhwc"), shape["dtype"] = std::string(i % 3 ? "bf16" : "fp32");
    shape["relu"] = std::string(i % 3 == 1 ? "yes" : "no");
    for (const KernelDesc* kernel : own_rungs())
      if (has_type(*kernel, i % 3 ? "bf16" : "fp32")) check_shape(*kernel, shape, 5, device);
  }
}

TEST_CASE("even tiles on shapes that fill the SMs") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : own_rungs())
    if (std::string_view(kernel->id) == "conv.cuda.even_tiles")
      for (const Params& shape : even_shapes()) check_shape(*kernel, shape, 9, device);
}

TEST_CASE("even tiles run under the sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  if (!device) return;
  for (const KernelDesc* kernel : own_rungs())
    if (std::string_view(kernel->id) == "conv.cuda.even_tiles")
      for (const Params& shape : even_shapes()) check_shape(*kernel, shape, 9, device);
}

/// 3 x 3 at stride 1, where Winograd does not fall back: rows in fours and not, borders of no and of two pixels,
/// filters and channels that fill no block, more work than there are SMs.
TEST_CASE("CUDA conv rungs in fp32 on 3 x 3 filters at stride 1") {
  Device* device = gpu();
  if (!device) return;
  std::mt19937_64 random(11);
  const auto below = [&](int64_t most) { return int64_t(random() % uint64_t(most)); };
  for (int i = 0; i < 60; ++i) {
    const int64_t pad = below(3), least = std::max<int64_t>(1, 3 - 2 * pad);
    Params shape = {{"n", 1 + below(9)},
                    {"c", 1 + below(70)},
                    {"m", 1 + below(150)},
                    {"h", least + below(20)},
                    {"w", i % 2 == 0 ? 4 * (1 + below(5)) : least + below(20)},
                    {"pad", i % 2 == 0 ? 1 : pad},
                    {"relu", std::string(i % 3 == 0 ? "yes" : "no")}};
    if (i % 10 == 0) shape["n"] = int64_t{60}, shape["h"] = int64_t{15}, shape["c"] = int64_t{17};
    shape["layout"] = std::string(i % 4 < 2 ? "nchw" : i % 4 == 2 ? "nhwc" : "nchw16c");
    for (const KernelDesc* kernel : own_rungs())
      if (has_type(*kernel, "fp32")) check_shape(*kernel, shape, uint64_t(i), device);
  }
}

/// For compute-sanitizer, which slows shared memory a hundredfold: a ring that goes round more than once, more
/// tiles than SMs, edges, strides, groups. RIDGE_SANITIZE in the environment names one rung.
TEST_CASE("every own CUDA conv rung runs under the sanitizer", "[.sanitizer]") {
  Device* device = gpu();
  if (!device) return;
  const char* only = std::getenv("RIDGE_SANITIZE");
  struct {
    int64_t n, c, h, w, m, r, stride, pad, groups;
  } const kShapes[] = {{1, 40, 8, 8, 72, 3, 1, 1, 1},    {2, 3, 1, 1, 17, 3, 1, 1, 1},
                       {1, 8, 140, 136, 16, 3, 1, 1, 1}, {1, 16, 9, 7, 24, 3, 2, 1, 2},
                       {1, 72, 5, 5, 40, 1, 1, 0, 1},    {1, 3, 20, 20, 8, 7, 2, 3, 1}};
  for (const KernelDesc* kernel : own_rungs()) {
    if (only && std::string_view(kernel->id).find(only) == std::string_view::npos) continue;
    for (const std::string dtype : {"fp32", "bf16"}) {
      if (!has_type(*kernel, dtype)) continue;
      int64_t tested = 0;
      for (const auto& s : kShapes) {
        for (const std::string layout : {"nchw", "nhwc"}) {
          const Params shape = {{"n", s.n},           {"c", s.c},      {"h", s.h},
                                {"w", s.w},           {"m", s.m},      {"r", s.r},
                                {"stride", s.stride}, {"pad", s.pad},  {"groups", s.groups},
                                {"layout", layout},   {"dtype", dtype}};
          tested += check_shape(*kernel, shape, 3, device);
        }
      }
      CHECK(tested >= 6);
    }
    std::printf("%s\n", kernel->id);
    std::fflush(stdout);
  }
}
