// WiSARD: counting against its definition, and every rung against it at every bleaching.
#include <algorithm>
#include <numeric>

#include "common/kernel/registry.h"
#include "common/measure/gate.h"
#include "common/measure/isa.h"
#include "common/record/params.h"
#include "kernels/wisard/model.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::wisard;

namespace {

const Garments& small_set() {
  static const Garments set = synthetic_garments(1500, 300, 3);
  return set;
}

std::vector<int32_t> all_images() {
  std::vector<int32_t> all(static_cast<size_t>(small_set().train.count()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// What a rung answers, without the harness.
std::vector<uint8_t> answers(const char* id, const Wisard& wisard, const weightless::BitRows& rows,
                             std::vector<uint64_t>& planes) {
  const KernelDesc* kernel = find_kernel(id);
  REQUIRE(kernel != nullptr);
  const WisardModel model = wisard.model();
  Shape shape;
  shape.dim[kRamImages] = rows.count;
  shape.constants = &model;
  Plan plan;
  if (kernel->prepare != nullptr) REQUIRE(kernel->prepare(shape, &plan).ok());
  std::vector<uint8_t> classes(static_cast<size_t>(rows.count), 99);
  void* buffers[] = {const_cast<uint64_t*>(rows.words.data()), planes.data(), classes.data()};
  REQUIRE(kernel->launch({.shape = shape, .buffers = buffers, .plan_state = plan.state}).ok());
  if (plan.release != nullptr) plan.release(plan.state);
  return classes;
}

}  // namespace

TEST_CASE(
    "counts: every training image is in its class's RAMs once, and it learns to tell them apart") {
  const Wisard wisard = train_wisard(small_set().train, all_images(), 2, 7, 0, 1);
  CHECK(wisard.rams() == (1568 + 6) / 7);
  const auto rows = weightless::encode_rows(small_set().train.pixels.data(), 50, wisard.thresholds);
  const WisardModel model = wisard.model();
  for (int64_t i = 0; i < 50; ++i) {
    int scores[10];
    predict_one(wisard, rows.row(i), scores);
    CHECK(scores[small_set().train.labels[size_t(i)]] == model.rams);  // each address was seen
  }
  // A RAM's counters add up to the images of its class, unless one of them is full.
  for (int c = 0; c < 10; ++c) {
    int64_t sum = 0;
    bool full = false;
    for (uint32_t a = 0; a < 128; ++a)
      sum += seen(&model, c, 5, a), full |= seen(&model, c, 5, a) == 255;
    const auto& labels = small_set().train.labels;
    if (!full) CHECK(sum == std::count(labels.begin(), labels.end(), c));
  }
  const auto test = weightless::encode_rows(small_set().test.pixels.data(), 300, wisard.thresholds);
  int right = 0;
  for (int64_t i = 0; i < 300; ++i) {
    right += predict_one(wisard, test.row(i)) == small_set().test.labels[size_t(i)];
  }
  CHECK(right > 200);
}

TEST_CASE("direct tables, packed and interleaved equal the hash map at every bleaching level") {
  Wisard wisard = train_wisard(small_set().train, all_images(), 1, 6, 0, 2);
  const auto rows = weightless::encode_rows(small_set().test.pixels.data(), 70, wisard.thresholds);
  std::vector<uint64_t> planes(static_cast<size_t>(rows.features) * kRamTileWords, 0);
  for (int64_t s = 0; s < rows.count; ++s) {
    for (int f = 0; f < rows.features; ++f) {
      const uint64_t bit = rows.row(s)[f / 64] >> (f % 64) & 1;
      planes[static_cast<size_t>(f * kRamTileWords + s / 64)] |= bit << (s % 64);
    }
  }
  std::string reason;
  std::vector<std::vector<uint8_t>> distinct;
  for (int bleach = 0; bleach < 255; bleach += bleach < 20 ? 1 : 13) {
    wisard.bleach = bleach;
    INFO("bleach " << bleach);
    const auto expected = answers("wisard.cpu.hash_map", wisard, rows, planes);
    for (int64_t i = 0; i < rows.count; ++i) {
      if (expected[size_t(i)] != predict_one(wisard, rows.row(i))) FAIL("image " << i);
    }
    CHECK(answers("wisard.cpu.direct_tables", wisard, rows, planes) == expected);
    CHECK(answers("wisard.cpu.packed", wisard, rows, planes) == expected);
    CHECK(answers("wisard.cpu.class_interleaved", wisard, rows, planes) == expected);
    if (measure::isa_available("avx512f", &reason)) {
      CHECK(answers("wisard.cpu.class_interleaved_avx512", wisard, rows, planes) == expected);
    }
    distinct.push_back(expected);
  }
  std::sort(distinct.begin(), distinct.end());
  CHECK(std::unique(distinct.begin(), distinct.end()) - distinct.begin() >
        10);  // bleaching matters
}

TEST_CASE("every WiSARD rung passes the gate on awkward shapes") {
  const auto device = measure::make_cpu_device();
  REQUIRE(device);
  measure::FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    std::string reason;
    if (family_of(kernel->id) != "wisard" || !measure::isa_available(kernel->isa, &reason))
      continue;
    INFO(kernel->id);
    const auto check =
        checks.get(*kernel, *find_family("wisard"), {}, device->get(), measure::Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(check->what << ": " << check->reason);
    CHECK(check->passed);
    ++tested;
  }
  CHECK(tested >= 4);
}
