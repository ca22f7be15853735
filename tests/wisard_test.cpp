// WiSARD: counting against its definition, and every rung against it at every bleaching.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/record/params.h"
#include "kernels/bloom/model.h"
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

TEST_CASE("every WiSARD and Bloom rung passes the gate on awkward shapes") {
  const auto device = measure::make_cpu_device();
  REQUIRE(device);
  measure::FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    std::string reason;
    const std::string family(family_of(kernel->id));
    if ((family != "wisard" && family != "bloom") || !measure::isa_available(kernel->isa, &reason))
      continue;
    INFO(kernel->id);
    const auto check =
        checks.get(*kernel, *find_family(family), {}, device->get(), measure::Observer());
    if (!check) FAIL(check.error().sentence());
    INFO(check->what << ": " << check->reason);
    CHECK(check->passed);
    ++tested;
  }
  CHECK(tested >= 5);
}

TEST_CASE("Bloom: no false negatives, and false positives near theory") {
  const bloom::BloomConfig config = {
      .bits = 2, .tuple = 24, .hashes = 3, .log2_slots = 9, .bleach = 0, .seed = 3};
  const auto all = all_images();
  const bloom::BloomNet net = bloom::train_bloom(small_set().train, all, config);
  const BloomModel model = net.model();
  const auto rows = weightless::encode_rows(small_set().train.pixels.data(), 400, net.thresholds);
  uint16_t slots[kMaxHashes];
  for (int64_t i = 0; i < 400; ++i) {
    for (int f = 0; f < model.filters; ++f) {
      bloom_slots(&model, f, rows.row(i), slots);
      if (bloom::min_count(model, small_set().train.labels[size_t(i)], f, slots) == 0) {
        FAIL("image " << i << " forgotten by filter " << f);
      }
    }
  }
  // Random tuples, which 24 bits make all but certainly new, against what each filter holds.
  const auto stored_rows = weightless::encode_rows(small_set().train.pixels.data(),
                                                   small_set().train.count(), net.thresholds);
  double expected = 0;
  int yes = 0, asked = 0;
  for (int f = 0; f < model.filters; ++f) {
    std::set<std::vector<bool>> stored;
    for (int64_t i = 0; i < stored_rows.count; ++i) {
      if (small_set().train.labels[size_t(i)] != 4) continue;
      std::vector<bool> tuple;
      for (int b = 0; b < model.tuple; ++b) {
        const int feature = model.order[f * model.tuple + b];
        tuple.push_back(stored_rows.row(i)[feature / 64] >> (feature % 64) & 1);
      }
      stored.insert(tuple);
    }
    for (uint64_t trial = 0; trial < 100; ++trial) {
      std::vector<uint64_t> row(size_t(stored_rows.row_words()));
      for (size_t w = 0; w < row.size(); ++w) {
        row[w] = random_bits(random_key(trial + 1000 * uint64_t(f)), w);
      }
      bloom_slots(&model, f, row.data(), slots);
      yes += bloom::min_count(model, 4, f, slots) > 0;
      ++asked;
      expected += bloom::false_positive_rate(config.hashes, 512, double(stored.size()));
    }
  }
  INFO(yes << " of " << asked << " said yes, theory " << expected);
  CHECK(expected > 50);
  CHECK(std::abs(yes / expected - 1) < 0.25);
}
