// The mixed-precision lab's rungs as the worker, the charts and the command line see them.
#include <cmath>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "common/record/seed_delta.h"
#include "common/view/chart/gradients.h"
#include "kernels/runtime/networks/trainer.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::mixed;

namespace {

Result<std::unique_ptr<Training>> training_of(const char* id, const Params& given) {
  const TrainDesc* desc = find_training(id);
  if (desc == nullptr) FAIL("no training is called " << id);
  const auto params = resolve_params(desc->maker->params(*desc), given, "mixed");
  if (!params) return params.error();
  return desc->maker->build(*desc, *params, 1);
}

}  // namespace

TEST_CASE("a rung's steps, loss and gradients are reported; an emulated one says that it is") {
  const Params small = {{"width", int64_t{16}}, {"batch", int64_t{64}}, {"epochs", int64_t{1}}};
  auto fp32 = training_of("mixed.cpu.fp32", small);
  REQUIRE(fp32);
  CHECK_FALSE((*fp32)->is_emulated());
  REQUIRE((*fp32)->step());
  const auto seen = (*fp32)->observe();
  CHECK(seen.at("loss") > 1);
  CHECK(seen.contains("gradient_zero"));
  double all = seen.at("gradient_zero");
  for (const auto& [name, value] : seen) all += name.starts_with("gradient_2^") ? value : 0;
  CHECK(all == Approx(1));
  CHECK((*fp32)->memory_bytes() > 0);
  auto naive = training_of("mixed.cpu.fp16_naive", small);
  REQUIRE(naive);
  CHECK((*naive)->is_emulated());
}

TEST_CASE("what cannot be is one sentence: a batch that is no multiple, a limit it does not fit") {
  const auto odd =
      training_of("mixed.cpu.accumulation", {{"batch", int64_t{48}}, {"parts", int64_t{4}}});
  REQUIRE_FALSE(odd);
  CHECK(odd.error().what == "a batch of 48 is no multiple of 64");
  const Params wide = {{"batch", int64_t{8192}}, {"memory_mib", int64_t{8}}};
  const auto large = training_of("mixed.cpu.fp32", wide);
  REQUIRE_FALSE(large);
  CHECK(large.error().what.find("largest batch within 8 MiB") != std::string::npos);
  // The rungs that save memory have room for more. A thread has 240 KiB of its own: 64 of them take 15 MiB.
  const auto largest = [](const char* id) {
    const auto made = training_of(id, {{"memory_mib", int64_t{16}},
                                       {"batch", int64_t{64}},
                                       {"layers", int64_t{9}},
                                       {"width", int64_t{64}},
                                       {"threads", int64_t{1}}});
    INFO(id << ": " << (made ? "" : made.error().sentence()));
    REQUIRE(made);
    const std::string note = (*made)->note();
    return std::stoll(note.substr(note.find(": ") + 2));
  };
  const auto plain = largest("mixed.cpu.fp32");
  CHECK(plain > 64);
  CHECK(largest("mixed.cpu.checkpointing") > plain);
  CHECK(largest("mixed.cpu.accumulation") > 2 * plain);
}

// ---- seeds and gradients, as they are shown ------------------------------------------------------

namespace {

Series judged(const std::string& kernel, int64_t seed, double accuracy) {
  Series series;
  series.kernel = kernel, series.kind = RungKind::training, series.status = SeriesStatus::ok;
  series.params = {{"seed", seed}, {"batch", int64_t{64}}};
  QualityCheck check;
  check.task = {{"accuracy", accuracy}}, check.passed = true;
  series.checks = {check};
  return series;
}

}  // namespace

TEST_CASE("paired seeds: the mean difference with Student's interval, pairs only") {
  std::vector<Series> made;
  for (int64_t seed = 1; seed <= 8; ++seed) {
    const double level = 0.85 + 0.01 * double(seed);  // what a seed alone does cancels
    made.push_back(judged("mixed.cpu.fp32", seed, level));
    made.push_back(judged("mixed.cpu.bf16", seed, level - 0.002 + (seed % 2 ? 0.001 : -0.001)));
  }
  made.push_back(judged("mixed.cpu.bf16", 99, 0.1));  // without its pair
  std::vector<const Series*> all;
  for (const Series& series : made) all.push_back(&series);
  const auto delta =
      seed_delta(all, "mixed.cpu.fp32", "mixed.cpu.bf16", made[0].params, "accuracy");
  REQUIRE(delta);
  CHECK(delta->seeds == 8);
  CHECK(delta->mean == Approx(-0.002));
  // Deviation 0.001 * sqrt(8 / 7), over sqrt(8), times t(7) = 2.365.
  REQUIRE(delta->ci);
  CHECK(delta->ci->high == Approx(-0.002 + 2.365 * 0.001 / std::sqrt(7)).epsilon(1e-3));
  CHECK(seed_delta_text(*delta) == "−0.20 points [−0.29, −0.11], 8 paired seeds");
  made[0].params["batch"] = int64_t{128};  // another problem is no pair
  CHECK(seed_delta(all, "mixed.cpu.fp32", "mixed.cpu.bf16", made[2].params, "accuracy")->seeds ==
        7);
  CHECK_FALSE(seed_delta(all, "mixed.cpu.fp32", "mixed.cpu.tf32", made[2].params, "accuracy"));
}

TEST_CASE(
    "the chart of gradients: one line a training, what lies below fp16's floor, none without") {
  Series series = judged("mixed.cpu.fp32", 1, 0.9);
  CHECK_FALSE(chart::has_gradients(series));
  CurvePoint point{.step = 100, .t_s = 1};
  point.values = {{"gradient_zero", 0.25}, {"gradient_2^-30", 0.25}, {"gradient_2^-10", 0.5}};
  series.curve = {point, {.step = 101, .t_s = 1.01, .values = {{"loss", 1.0}}}};
  REQUIRE(chart::has_gradients(series));
  chart::LadderRow row;
  row.label = "fp32", row.series = &series;
  const std::vector<chart::LadderRow> rows = {row};
  const auto model = chart::gradient_chart(rows);
  REQUIRE(model.plot->curves.size() == 1);
  REQUIRE(model.plot->curves[0].data.size() == 21);
  CHECK(model.plot->curves[0].data.front().y == 0.25);
  CHECK(model.plot->curves[0].data[1].y == 0);
  CHECK(model.plot->x.low < -30);
  REQUIRE(model.table.rows.size() == 1);
  CHECK(model.table.rows[0][3] == "25.0 %");
  CHECK(chart::gradient_chart({}).plot->empty_reason != "");
  // Its colour follows from its place in the lab; a second of the colour is dashed.
  std::vector<chart::LadderRow> two = {row, row};
  two[0].place = 1, two[1].place = 6;
  const auto both = chart::gradient_chart(two).plot->curves;
  CHECK(both[0].role != model.plot->curves[0].role);
  CHECK(both[0].role == both[1].role);
  CHECK_FALSE(both[0].dashed);
  CHECK(both[1].dashed);
}

TEST_CASE("from the command line: seeds in a range, an emulated rung without a speed") {
  const std::string bin = test::variable("RIDGE_BIN");
  if (bin.empty()) return;
  const test::Outcome run =
      test::Program(bin, {"run", "mixed", "--rungs", "mixed.cpu.fp32,mixed.cpu.fp16_static",
                          "--set", "seed=1..2", "--set", "width=16", "--set", "batch=4096", "--set",
                          "epochs=3", "--set", "threads=1", "--mode", "live", "--json"})
          .finish();
  INFO(run.err);
  REQUIRE(run.code == 0);
  const nlohmann::json document = run.json();
  const nlohmann::json& results = document["results"];
  REQUIRE(results.size() == 4);
  int emulated = 0;
  for (const nlohmann::json& result : results) {
    CHECK(result["quality"]["task"]["accuracy"].get<double>() > 0.3);
    const nlohmann::json& why = result["unavailable"];
    CHECK(result["memory_bytes"].get<double>() > 0);
    emulated += why.contains("stats") && why["stats"] == "emulated" && result["stats"].is_null();
  }
  CHECK(emulated == 2);
}
