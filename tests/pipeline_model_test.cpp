// The pipeline model: what binds, what another setting would do, and how full a queue stood.
#include "common/record/pipeline_model.h"
#include "common/record/derive.h"
#include "common/record/diagnosis.h"
#include "common/record/params.h"
#include "tests/catch.h"

using namespace ridge;

TEST_CASE("the model: the slowest stage, or all CPU work over the cores") {
  PipelineOutcome outcome;
  outcome.cores = 4;
  outcome.ratio = 1;
  outcome.stages = {{"load", 2, 100, 200, {}, {{"pixels", 1.0}}},
                    {"copy", 1, 10, 10, {}, {{"pixels", 1.0}}},
                    {"step", 1, 80, 80, {}, {{"pixels", 0.25}, {"layers", 0.75}}}};
  outcome.bound_ns = 100;
  const Params at = {{"workers", int64_t{2}}, {"side", int64_t{64}}, {"layers", int64_t{4}}};
  const auto with = [&](const char* name, int64_t value) {
    Params params = at;
    params[name] = value;
    return predict(outcome, at, params);
  };
  CHECK(predict(outcome, at, at).item_ns == 100);
  CHECK(predict(outcome, at, at).bound == "load alone");
  CHECK(with("workers", 1).item_ns == 200);
  // Four workers load in 50; the step binds, nearly level with all the CPU work: 290 / 4.
  CHECK(with("workers", 4).item_ns == 80);
  CHECK(with("workers", 16).bound == "step alone");
  CHECK(with("layers", 8).item_ns == 140);
  CHECK(with("side", 128).item_ns == 400);
  Params both = at;
  both["workers"] = int64_t{4};
  both["side"] = int64_t{128};
  CHECK(predict(outcome, at, both).item_ns == (4 * 210 + 80 * 1.75) / 4);
  CHECK(predict(outcome, at, both).bound == "CPU work / 4 cores");
  outcome.ratio = 1.9;  // serial: 190 measured, the sum of its stages
  CHECK(predict(outcome, at, at).item_ns == 190);
  CHECK(predict(outcome, at, at).bound == "its stages one after the other");
}

TEST_CASE("the model: a step that waits for its weights takes as long with any batch") {
  PipelineOutcome outcome;
  outcome.cores = 4;
  outcome.stages = {{"load", 2, 10, 20, {}, {{"pixels", 1.0}}},
                    {"step", 1, 80, 1, {}, {{"pixels/batch", 0.25}, {"layers/batch", 0.75}}}};
  const Params at = {{"batch", int64_t{64}}, {"layers", int64_t{4}}, {"side", int64_t{64}}};
  const auto with = [&](int64_t batch, int64_t layers) {
    Params params = at;
    params["batch"] = batch;
    params["layers"] = layers;
    return predict(outcome, at, params).item_ns;
  };
  CHECK(with(64, 4) == 80);
  CHECK(with(128, 4) == 40);
  CHECK(with(32, 8) == 80 * (0.25 * 2 + 0.75 * 4));
}

TEST_CASE("a ratio that lies below 1 is no figure: the bound is not one") {
  PipelineOutcome outcome;
  outcome.bound = "step alone", outcome.rounds = 6, outcome.ratio = 0.833;
  outcome.ci = Interval{0.80, 0.86};
  Series series;
  series.kernel = "pipeline.cuda.device_transforms", series.status = SeriesStatus::ok;
  series.stats = Stats{.n = 6, .median_ns = 1000};
  series.pipeline = outcome;
  series.checks.push_back({.what = "each image once", .passed = true});
  CHECK(bound_text(outcome) ==
        "the bound is not one: step alone took 1.20 times as long as the whole pipeline; measure "
        "again");
  CHECK_FALSE(derive(series, {}, {}).compute);
  CHECK(derive(series, {}, {}).no_compute_reason == bound_doubt(outcome));
  // Nor does such a stage name what binds, though it takes longer than all.
  series.kind = RungKind::pipeline;
  series.pipeline->stages = {{.name = "step", .alone_ns = 1200}};
  series.pipeline->cores = 1;
  CHECK(diagnose(series, {}, std::nullopt)->bottleneck == Bottleneck::not_sure);
  CHECK(diagnose(series, {}, std::nullopt)->reason == bound_doubt(outcome));
  // What a window's start and end can do is within the margin, and an interval that reaches 1 settles nothing.
  for (const Interval ci : {Interval{0.985, 0.995}, Interval{0.80, 1.02}}) {
    series.pipeline->ci = ci;
    CHECK(bound_doubt(*series.pipeline).empty());
    CHECK(bound_text(*series.pipeline).find("0.833× its bound, step alone (95 % ") == 0);
    CHECK(derive(series, {}, {}).compute);
  }
  series.pipeline->ci.reset();  // too few rounds for an interval
  CHECK_FALSE(bound_doubt(*series.pipeline).empty());
}

TEST_CASE("queue depth: how many batches stand full at a time") {
  const std::vector<Span> spans = {{"host buffer, full", 0, 0, 0, 2, 10, 30},
                                   {"step", 0, 0, 0, 2, 5, 50},
                                   {"host buffer, full", 1, 1, 1, 2, 20, 40}};
  const std::vector<std::pair<double, int>> steps = {{10, 1}, {20, 2}, {30, 1}, {40, 0}};
  CHECK(depth_steps(spans, "host buffer, full") == steps);
  CHECK(depth_steps(spans, "device buffer, full").empty());
}
