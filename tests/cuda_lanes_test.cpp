// The copies of rungs with clock stamps: none is listed as a rung, each is built, and on a Hopper GPU each passes the check
// of its rung and leaves stamps in order.
#include <memory>
#include <set>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"
#include "tests/cuda_support.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::measure;

namespace {

constexpr int kStampedCapability = 90;

Result<ReadyRung> ready_for(const KernelDesc& kernel, Device* device, int64_t n,
                            const std::string& dtype) {
  const FamilyDesc* family = find_family("gemm");
  RIDGE_TRY(const Params params,
            resolve_params(family->params(), {{"n", n}, {"dtype", dtype}}, "gemm"));
  RIDGE_TRY(auto instance, make_instance(*family, params, 5, *device));
  return make_ready(kernel, device, instance);
}

void check_order(const ClockStamp* stamps, int* spans) {
  uint64_t before = 0;
  for (int i = 0; i < kStampsOfLane && stamps[i].begin != 0; ++i) {
    const uint64_t begin = stamps[i].begin >> ClockStamp::kShift,
                   end = stamps[i].end >> ClockStamp::kShift;
    INFO("stamp " << i << ": " << begin << " to " << end);
    REQUIRE(begin <= end);
    REQUIRE(before <= begin);  // a thread does one thing after the other
    before = end;
    ++*spans;
  }
}

}  // namespace

TEST_CASE("each rung that asks for a stamped copy has one, and no copy is a rung") {
  std::set<std::string> asked, built;
  for (const KernelSource& source : kernel_sources()) {
    if (source.stamped) asked.insert(source.id);
  }
  for (const StampedDesc* stamped : registered_stamped()) {
    built.insert(stamped->rung);
    CHECK(find_kernel(stamped->kernel->id) == nullptr);
    CHECK(find_kernel(stamped->rung) != nullptr);
    CHECK(find_kernel(stamped->rung) != stamped->kernel);
  }
  CHECK(asked.size() >= 4);
  CHECK(built == asked);
}

TEST_CASE("a stamped copy passes its rung's check, and its stamps are in order") {
  Device* device = gpu();
  if (device == nullptr) return;
  if (capability() != kStampedCapability) RIDGE_SKIP("GPU of another capability than 9.0");
  for (const StampedDesc* stamped : registered_stamped()) {
    for (const char* dtype : {"bf16", "int8"}) {
      INFO(stamped->rung << " " << dtype);
      auto small = ready_for(*stamped->kernel, device, 300, dtype);
      REQUIRE(small.ok());
      const auto whole = check_rung(&*small, true, "every element");
      REQUIRE(whole.ok());
      CHECK(whole->passed);
      auto ready = ready_for(*stamped->kernel, device, 2048, dtype);  // a tile for each SM
      REQUIRE(ready.ok());
      void* at = nullptr;
      REQUIRE(stamped->ring(&at).ok());
      auto ring = std::make_unique<StampRing>();
      ring->keeps_first = 1;
      REQUIRE(device->upload(at, ring.get(), sizeof *ring).ok());
      const auto check = check_rung(&*ready, false, "stamped");
      REQUIRE(check.ok());
      CHECK(check->passed);
      REQUIRE(device->download(ring.get(), at, sizeof *ring).ok());
      REQUIRE(ring->blocks > 0);
      int stamps = 0, lanes = 0;
      for (int lane = 0; lane < kStampLanes; ++lane) {
        const int before = stamps;
        check_order(ring->stamps[0][lane], &stamps);
        lanes += stamps > before;
      }
      CHECK(lanes >= 2);  // a producer and a consumer at least
      CHECK(ring->block[0].last_clock > ring->block[0].first_clock);
      CHECK(ring->block[0].last_ns > ring->block[0].first_ns);
    }
  }
}
