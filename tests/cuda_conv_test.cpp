// The convolution lab's GPU rungs through the real gate. What needs a GPU says why it was skipped where there is
// none.
#include <random>
#include <string_view>

#include "common/kernel/registry.h"
#include "common/measure/gate.h"
#include "common/record/params.h"
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

bool takes(const KernelDesc& kernel, const std::string& dtype, const std::string& layout) {
  const bool tensor_cores = std::string_view(kernel.dtypes).find("fp32") == std::string_view::npos;
  return std::string_view(kernel.dtypes).find(dtype) != std::string_view::npos &&
         (!tensor_cores || layout == "nhwc");
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
        if (!takes(*kernel, dtype, layout)) continue;
        for (const std::string relu : {"no", "yes"}) {
          ++tested;
          INFO(kernel->id << ", " << dtype << ", " << layout << ", relu " << relu);
          const Params params = {{"dtype", dtype}, {"layout", layout}, {"relu", relu}};
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

/// Channels in eights, which the copy engine takes: slices that are not full, strides, filters larger than the
/// image, tiles that end in the middle of an image.
TEST_CASE("CUDA conv rungs on 200 random shapes of bf16 images in nhwc") {
  Device* device = gpu();
  if (!device) return;
  std::mt19937_64 random(3);
  const auto below = [&](int64_t most) { return int64_t(random() % uint64_t(most)); };
  const FamilyDesc& family = *find_family("conv");
  for (int i = 0; i < 200; ++i) {
    const int64_t r = 1 + below(5), s = 1 + below(5), pad = below(3);
    const Params wanted = {{"n", 1 + below(4)},
                           {"c", 8 * (1 + below(20))},
                           {"m", 1 + below(300)},
                           {"h", std::max<int64_t>(std::max<int64_t>(1, r - 2 * pad), below(20))},
                           {"w", std::max<int64_t>(std::max<int64_t>(1, s - 2 * pad), below(20))},
                           {"r", r},
                           {"s", s},
                           {"stride", 1 + below(3)},
                           {"pad", pad},
                           {"layout", std::string("nhwc")},
                           {"relu", std::string(i % 3 == 0 ? "yes" : "no")},
                           {"dtype", std::string("bf16")}};
    const auto params = resolve_params(family.params(), wanted, "conv");
    REQUIRE(params.ok());
    for (const KernelDesc* kernel : own_rungs()) {
      INFO(kernel->id << ", " << to_string(*params));
      auto posed = pose(family, *params, 5, *device);
      REQUIRE(posed.ok());
      auto rung = make_ready(*kernel, device, *posed);
      if (!rung) FAIL(rung.error().sentence());
      const auto check = check_rung(&*rung, true, "");
      if (!check) FAIL(check.error().sentence());
      INFO(check->reason);
      CHECK(check->passed);
    }
  }
}
