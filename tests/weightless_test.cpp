// The weightless lab: encoding, training and inference against their definitions. Networks are small and
// the data synthetic, so that every case takes well under a second.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/gate.h"
#include "common/harness/measure/isa.h"
#include "common/record/params.h"
#include "kernels/runtime/weightless/trainer.h"
#include "kernels/weightless/generated_code.h"
#include "kernels/weightless/lut_circuit.h"
#include "kernels/weightless/rungs/naive_luts.h"
#include "tests/catch.h"

using namespace ridge;
using namespace ridge::weightless;

namespace {

const Garments& small_set() {
  static const Garments set = synthetic_garments(2000, 500, 3);
  return set;
}

LutNetwork train(const TrainConfig& config, const LutKernel& kernel, int threads) {
  Trainer trainer(config, small_set(), kernel, threads);
  while (trainer.done() < trainer.steps()) trainer.step();
  return trainer.network();
}

TrainConfig small_config() {
  TrainConfig config;
  config.luts = 60, config.bits = 2, config.candidates = 9, config.epochs = 1;
  return config;
}

bool has(const std::string& isa) {
  std::string reason;
  return measure::isa_available(isa, &reason);
}

}  // namespace

TEST_CASE("thermometer codes: 784 t bits, monotone, and each bit is pixel > its quantile") {
  const ImageSet& set = small_set().train;
  std::vector<int32_t> all(static_cast<size_t>(set.count()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  for (const int bits : {1, 3, 7}) {
    const auto thresholds = quantile_thresholds(set, all, bits);
    const BitRows rows = encode_rows(set.pixels.data(), 40, thresholds);
    REQUIRE(rows.features == 784 * bits);
    for (int64_t i = 0; i < 40; ++i) {
      for (int f = 0; f < rows.features; ++f) {
        const bool bit = rows.row(i)[f / 64] >> (f % 64) & 1;
        const bool above = set.image(i)[f / bits] > thresholds[static_cast<size_t>(f)];
        if (bit != above) FAIL("bit " << f << " of image " << i);
        if (f % bits == 0) continue;
        const bool before = rows.row(i)[(f - 1) / 64] >> ((f - 1) % 64) & 1;
        if (bit && !before) FAIL("code not monotone at " << f << " of image " << i);
      }
    }
  }
  // A pixel in the middle: about half of the images lie above its one quantile.
  const auto median = quantile_thresholds(set, all, 1);
  const size_t middle = 14 * kGarmentSide + 14;
  const auto above = std::count_if(
      all.begin(), all.end(), [&](int32_t i) { return set.image(i)[middle] > median[middle]; });
  CHECK(std::abs(double(above) / double(all.size()) - 0.5) < 0.05);
}

TEST_CASE("rows become planes: bit s of a feature's word is that feature of row s") {
  std::vector<uint64_t> rows(64 * 3);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = random_bits(random_key(4), i);
  std::array<const uint64_t*, 64> picked{};
  for (size_t s = 0; s < 64; ++s) picked[s] = s == 7 ? nullptr : &rows[s * 3];
  std::vector<uint64_t> planes(150 * 2, 1);
  rows_to_planes(picked, 150, planes.data(), 2);
  for (size_t f = 0; f < 150; ++f) {
    for (size_t s = 0; s < 64; ++s) {
      const uint64_t expected = s == 7 ? 0 : rows[s * 3 + f / 64] >> (f % 64) & 1;
      if ((planes[f * 2] >> s & 1) != expected) FAIL("feature " << f << ", row " << s);
    }
  }
  CHECK(planes[1] == 1);  // what lies between the planes is not touched
}

TEST_CASE("naive, portable and AVX-512 training make the same network, with 1 and 2 threads") {
  const TrainConfig config = small_config();
  const LutNetwork naive = train(config, kLutNaive, 1);
  CHECK(naive == train(config, kLutPortable, 1));
  CHECK(naive == train(config, kLutPortable, 2));
  if (has("avx512bitalg")) {
    CHECK(naive == train(config, kLutAvx512, 1));
    CHECK(naive == train(config, kLutAvx512, 2));
  }
  TrainConfig other = config;
  other.seed = 2;
  CHECK_FALSE(naive == train(other, kLutPortable, 1));
}

TEST_CASE("candidates are halved, the heavier kept, alike by every kernel and number of threads") {
  TrainConfig config = small_config();
  config.luts = 20, config.candidates = 70, config.epochs = 4, config.halve_every = 1;
  const LutNetwork naive = train(config, kLutNaive, 1);
  CHECK(naive == train(config, fastest_lut_kernel(), 2));
  // So early no light candidate has come to the top: only the wrong half would be missed.
  TrainConfig never = config;
  never.halve_every = 0;
  CHECK(naive == train(never, fastest_lut_kernel(), 2));
  Trainer trainer(config, small_set(), fastest_lut_kernel(), 1);
  CHECK(trainer.candidates() == 80);
  while (trainer.done() < trainer.steps()) trainer.step();
  CHECK(trainer.candidates() == 16);
  // As many stay as before, and none is added, when there are sixteen or fewer.
  config.candidates = never.candidates = 16;
  CHECK(train(config, fastest_lut_kernel(), 1) == train(never, fastest_lut_kernel(), 1));
}

TEST_CASE("random wiring stays; learned wiring is a pin's candidate and moves") {
  TrainConfig config = small_config();
  config.candidates = 1;
  TrainConfig untrained = config;
  const LutNetwork after = train(config, fastest_lut_kernel(), 1);
  const LutNetwork before = Trainer(untrained, small_set(), kLutNaive, 1).network();
  CHECK(after.wiring == before.wiring);
  CHECK_FALSE(after.tables == before.tables);
  config.candidates = untrained.candidates = 16;
  CHECK_FALSE(train(config, fastest_lut_kernel(), 1).wiring ==
              Trainer(untrained, small_set(), kLutNaive, 1).network().wiring);
}

TEST_CASE("training learns: loss falls, and held-out images are classified") {
  TrainConfig config = small_config();
  config.luts = 200, config.epochs = 8, config.candidates = 16;
  Trainer trainer(config, small_set(), fastest_lut_kernel(), 2);
  trainer.step();
  const double first = trainer.loss();
  const double untrained = trainer.accuracy(true);
  while (trainer.done() < trainer.steps()) trainer.step();
  CHECK(trainer.loss() < first / 2);
  CHECK(trainer.accuracy(true) > 0.8);
  CHECK(trainer.accuracy(true) > untrained);
  CHECK(trainer.accuracy(false) > 0.8);
  // What the trainer counts bit-sliced, the definition counts one by one.
  const LutNetwork network = trainer.network();
  int right = 0;
  for (int64_t i = 0; i < small_set().test.count(); ++i) {
    right += predict_one(network, small_set().test.image(i)) == small_set().test.labels[size_t(i)];
  }
  CHECK(trainer.accuracy(true) == Approx(right / double(small_set().test.count())).margin(1e-12));
}

TEST_CASE("EFD: the tables in fixed point agree with the formula in double to 1e-5") {
  const uint64_t key = random_key(11);
  float table[64];
  for (uint64_t a = 0; a < 64; ++a) table[a] = 2 * random_unit(key, a) - 1;
  const double alpha = 0.5 * std::pow(0.75, 5), beta = 1.0 / 3;
  double worst = 0;
  for (int pin = 0; pin < 6; ++pin) {
    for (int address = 0; address < 64; ++address) {
      double sum = 0;
      int64_t q30 = 0;
      for (int b = 0; b < 64; ++b) {
        const int distance = __builtin_popcount(unsigned((b ^ address) & ~(1 << pin) & 63));
        const int sign = b >> pin & 1 ? 1 : -1;
        sum += sign * alpha * std::pow(beta, distance) * table[b];
        q30 += sign * int64_t(std::lround(std::pow(3, 5 - distance))) * entry_q19(table[b]);
      }
      worst = std::max(worst, std::abs(sum - double(q30) * 0x1p-30));
    }
  }
  CHECK(worst <= 1e-5);
}

TEST_CASE("a network goes to a file and back, and nothing else comes back") {
  const auto path = std::filesystem::temp_directory_path() / "ridgepoint_weightless_test";
  const LutNetwork network = random_network(130, 3, 5);
  REQUIRE(save_network(network, path.string()));
  LutNetwork back;
  REQUIRE(load_network(path.string(), &back));
  CHECK(back == network);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  CHECK_FALSE(load_network(path.string(), &back));
  std::filesystem::remove(path);
  CHECK_FALSE(load_network(path.string(), &back));
}

TEST_CASE("every inference rung predicts as the definition does, ties and odd sizes included") {
  const auto device = measure::make_cpu_device();
  REQUIRE(device);
  const FamilyDesc* family = find_family("weightless");
  REQUIRE(family != nullptr);
  measure::FullChecks checks;
  int tested = 0;
  for (const KernelDesc* kernel : registered_kernels()) {
    std::string reason;
    if (kernel->backend != Backend::cpu || family_of(kernel->id) != "weightless") continue;
    if (!measure::isa_available(kernel->isa, &reason)) continue;
    for (const char* from : {"bits", "pixels"}) {
      INFO(kernel->id << " from " << from);
      const Params params = {{"from", std::string(from)}};
      const auto check = checks.get(*kernel, *family, params, device->get(), measure::Observer());
      if (!check) FAIL(check.error().sentence());
      INFO(check->what << ": " << check->reason);
      CHECK(check->passed);
      CHECK(check->checked > 5000);
    }
    ++tested;
  }
  CHECK(tested >= 2);
}

TEST_CASE("a circuit computes its table in at most 15 operations; constants and literals in none") {
  std::vector<uint64_t> tables = {0, ~uint64_t{0}, 1, uint64_t{1} << 63, 0x6996966996696996};
  for (int p = 0; p < 6; ++p) {
    uint64_t literal = 0;
    for (int a = 0; a < 64; ++a) literal |= uint64_t(a >> p & 1) << a;
    CHECK(make_circuit(literal).ops.empty());
    CHECK(make_circuit(literal).output == p);
    CHECK(make_circuit(~literal).ops.size() == 1);
    tables.push_back(literal), tables.push_back(~literal), tables.push_back(literal & 0xff00ff);
  }
  CHECK(make_circuit(0).output == -1);
  CHECK(make_circuit(~uint64_t{0}).output == -2);
  // The parity of six: five exclusive ors, two of them in one operation.
  CHECK(make_circuit(0x6996966996696996).ops.size() <= 4);
  const uint64_t key = random_key(9);
  for (uint64_t i = 0; i < 200; ++i) tables.push_back(random_bits(key, i));
  for (const uint64_t table : tables) {
    const LutCircuit circuit = make_circuit(table);
    INFO(std::hex << table);
    CHECK(circuit.ops.size() <= 15);
    CHECK(circuit_table(circuit) == table);
  }
}

TEST_CASE("where code may not be generated the rung says so and uses multiplexers") {
  const LutNetwork network = random_network(20, 1, 1);
  const LutModel model = {.luts = 20,
                          .bits = 1,
                          .features = network.features(),
                          .luts_per_class = 2,
                          .thresholds = network.thresholds.data(),
                          .wiring = network.wiring.data(),
                          .tables = network.tables.data()};
  ::setenv("RIDGE_NO_GENERATED_CODE", "1", 1);
  GeneratedCode* none = generate_code(&model);
  ::unsetenv("RIDGE_NO_GENERATED_CODE");
  CHECK(none->groups == nullptr);
  CHECK(std::string(none->reason).find("RIDGE_NO_GENERATED_CODE") == 0);
  free_code(none);
  GeneratedCode* code = generate_code(&model);
  REQUIRE(code->groups != nullptr);
  // Its pages can be run and read, not written.
  std::ifstream maps("/proc/self/maps");
  bool seen = false;
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
    CHECK(std::string(rights).substr(0, 3) != "rwx");
    const auto at = reinterpret_cast<uint64_t>(code->memory);
    if (at < begin || at >= end) continue;
    CHECK(std::string(rights) == "r-xp");
    seen = true;
  }
  CHECK(seen);
  free_code(code);
}
