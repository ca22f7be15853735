// What the gate refuses, before timing and after.
#include "common/harness/measure/gate.h"

#include "tests/toy_family.h"

namespace ridge {
namespace {

/// Into an output that nobody set.
Status adds(const Launch& l) {
  const auto* x = static_cast<const float*>(l.buffers[0]);
  for (int64_t i = 0; i < l.shape.dim[0]; ++i) y_of(l)[i] += 2 * x[i];
  return {};
}

struct Planted {
  const char* id;
  Status (*launch)(const Launch&);
  const char* reason;  ///< what must be said
};

TEST_CASE("the gate refuses each planted wrong kernel before it is timed") {
  const Planted planted[] = {{"toy.cpu.nan", with_nan, "NaN"},
                             {"toy.cpu.zeros", zeros, "error 1 "},
                             {"toy.cpu.unwritten", unwritten, "never written"},
                             {"toy.cpu.adds", adds, "it was read before it was set"},
                             {"toy.cpu.overrun", overrun, "outside buffer y"},
                             {"toy.cpu.underrun", underrun, "outside buffer y"},
                             {"toy.cpu.input", spoils_input, "changed its inputs"},
                             {"toy.cpu.refuses", refuses, "no such luck (refuses())"}};
  for (const Planted& wrong : planted) {
    INFO(wrong.id);
    const Series series = run_live(kernel(wrong.id, wrong.launch));
    CHECK(series.status == SeriesStatus::failed);
    CHECK(contains(series.reason, wrong.reason));
    CHECK(series.samples.empty());
    CHECK_FALSE(series.stats);
  }
}

TEST_CASE("a kernel that goes wrong while it is timed loses its speed") {
  calls = 0;
  wrong_from = 10;  // check and warm-up take three calls
  const Series series = run_live(kernel("toy.cpu.goes_wrong", goes_wrong));
  CHECK(series.status == SeriesStatus::failed);
  CHECK(contains(series.reason, "after timing"));
  CHECK_FALSE(series.samples.empty());  // they stand in the transcript
  CHECK_FALSE(series.stats);
  CHECK_FALSE(series.latency);
}

TEST_CASE("an answer kept from an earlier call is seen by the full check") {
  KernelDesc desc = kernel("toy.cpu.stale", stale);
  desc.prepare = prepare_stale;
  FakeDevice device;
  measure::FullChecks checks;
  const FamilyDesc* family = find_family("toy");
  REQUIRE(family);
  const auto check = checks.get(desc, *family, kParams, &device, Listener());
  REQUIRE(check);
  CHECK_FALSE(check->passed);
  CHECK(contains(check->what, "seed 2"));
}

TEST_CASE("the full check sees a failure that has no error to weigh, after checks that passed") {
  const auto nan_in_long = [](const Launch& l) -> Status {
    answer(l);
    if (l.shape.dim[0] > 1) y_of(l)[0] = NAN;
    return {};
  };
  FakeDevice device;
  measure::FullChecks checks;
  const auto check = checks.get(kernel("toy.cpu.nan_in_long", nan_in_long), *find_family("toy"),
                                kParams, &device, Listener());
  REQUIRE(check);
  CHECK_FALSE(check->passed);
  CHECK(contains(check->what, "n=7"));
}

TEST_CASE("the full check covers shapes and seeds, once") {
  FakeDevice device;
  measure::FullChecks checks;
  const FamilyDesc* family = find_family("toy");
  calls = 0;
  const auto first = checks.get(kGood, *family, kParams, &device, Listener());
  REQUIRE(first);
  CHECK(first->passed);
  CHECK(calls == 2 * measure::kSeeds);
  CHECK(first->checked == 3 * (1 + 7));
  const auto again = checks.get(kGood, *family, kParams, &device, Listener());
  CHECK(again->passed);
  CHECK(calls == 2 * measure::kSeeds);
}

TEST_CASE("a lost device is an error of its own: the process has to end") {
  FakeDevice device;
  measure::Bench bench;
  Listener listener;
  const auto series = measure::measure_kernel(&bench, &device, kernel("toy.cpu.lost", loses_device),
                                              kParams, live(), 0, &listener);
  REQUIRE_FALSE(series);
  CHECK(series.error().code == ErrorCode::worker);
}

TEST_CASE("guards and poison end exactly where an odd buffer does") {
  auto cpu = measure::make_cpu_device();
  REQUIRE(cpu);
  const std::vector<BufferSpec> specs = {{"half", 7 * 2, true, DType::bf16}};
  auto set = measure::BufferSet::make(cpu->get(), specs);
  REQUIRE(set);
  REQUIRE((*set)->poison_outputs());
  CHECK((*set)->broken_guard()->empty());
  auto* data = static_cast<std::byte*>((*set)->pointers()[0]);
  CHECK(quality::count_poison({data, 14}, DType::bf16) == 7);
  data[14] = std::byte{0};
  CHECK(*(*set)->broken_guard() == "half");
}

}  // namespace
}  // namespace ridge
