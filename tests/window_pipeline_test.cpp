// A pipeline in the window: its stages and buffers as lanes, how deep its queues are, and what the model
// makes of a slider that nobody has run yet.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/window/panels/verdict_card.h"
#include "app/window/shell/settings.h"
#include "app/window/views/chart_rows.h"
#include "app/window/views/timeline.h"
#include "app/window/views/view.h"
#include "common/record/diagnosis.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::window;

namespace {

Series overlapped() {
  Series series;
  series.kernel = "pipeline.cpu.overlapped";
  series.lab = "pipeline";
  series.kind = RungKind::pipeline;
  series.spans = {
      {"read", 0, 0, 0, 1, 0, 1e6},
      {"decode", 0, 0, 0, 1, 1e6, 9e6},
      {"decode", 1, 0, 1, 1, 1e6, 10e6},
      {"host buffer, filling", 0, 0, 0, 2, 0, 10e6},
      {"host buffer, full", 0, 0, 0, 2, 10e6, 12e6},
      {"host buffer, full", 1, 1, 1, 2, 11e6, 14e6},
      {"copy", 0, 0, 0, 2, 12e6, 13e6},
      {"device buffer, full", 0, 0, 0, 2, 13e6, 14e6},
      {"step", 0, 0, 0, 2, 14e6, 20e6},
      // Another window, after the stages were alone.
      {"step", 0, 1, 1, 2, 500e6, 506e6},
  };
  return series;
}

}  // namespace

TEST_CASE("a pipeline's window has a lane for each worker, stage and buffer",
          "[window][pipeline]") {
  const Timeline timeline = make_stage_timeline(overlapped(), "everything overlapped");
  std::vector<std::string> labels;
  for (const SpanLane& lane : timeline.lanes) labels.push_back(lane.label);
  CHECK(labels == std::vector<std::string>{"worker 1", "worker 2", "copy", "step", "host buffer 1",
                                           "host buffer 2", "device buffer 1"});
  CHECK(timeline.length_s == Approx(20e-3));  // the second window is another one
  CHECK(timeline.lanes[0].spans.size() == 2);
  CHECK(timeline.lanes[0].section == "everything overlapped, the start of its first window");
  REQUIRE(timeline.telemetry.size() == 2);
  CHECK(timeline.telemetry[0].label == "batches ready on the host");
  CHECK(timeline.telemetry[0].high == 2);  // from 11 to 12 ms both are full
  CHECK(timeline.telemetry[1].high == 1);
  for (const TelemetryLane& lane : timeline.telemetry) {
    CHECK(lane.points.back().second == 0);
    CHECK(lane.is_count);
    std::vector<chart::Point> changes;
    for (const auto& [at_s, count] : lane.points)
      changes.push_back({static_cast<float>(at_s), static_cast<float>(count)});
    const std::vector<chart::Point> corners = steps_of(changes, 0, 20e-3f);
    REQUIRE(corners.size() == 2 * changes.size() + 2);
    for (size_t i = 1; i < corners.size(); ++i)  // no slope
      CHECK((corners[i].x == corners[i - 1].x || corners[i].y == corners[i - 1].y));
  }
  CHECK(make_stage_timeline(Series{}, "").lanes.empty());
  // What the device decodes is none of a worker's doings, but it is feeding all the same.
  Series decodes;
  decodes.spans = {{"read", 0, 0, 0, 1, 0, 10}, {"copy and decode", 0, 0, 0, 2, 10, 20}};
  const Timeline lanes = make_stage_timeline(decodes, "");
  REQUIRE(lanes.lanes.size() == 2);
  CHECK(lanes.lanes[1].label == "copy and decode");
  CHECK(stage_kind("copy and decode") == Bottleneck::input_pipeline);
}

TEST_CASE("moving a slider shows what the model makes of it, before anything runs",
          "[window][pipeline]") {
  test::Transcript lines;
  lines.worker("hello", {{"version", "0"}});
  KernelInfo info;
  info.id = "pipeline.cpu.overlapped";
  info.family = "pipeline";
  info.backend = Backend::cpu;
  info.kind = RungKind::pipeline;
  info.available = true;
  info.params = {int_param("workers", "", 1, 64, 2), int_param("layers", "", 1, 64, 4)};
  lines.worker("kernel", {{"request", 1}, {"kernel", info}});
  lines.worker("end", {{"request", 1}});
  WorkRequest request = test::request_for(RequestType::run, 4);
  request.lab = "pipeline";
  request.kernels = {{"pipeline.cpu.overlapped", {}}};
  lines.send(request);
  Series series = overlapped();
  series.request = 4;
  series.mode = RunMode::measure;
  series.cache = CacheMode::hot;
  series.status = SeriesStatus::ok;
  series.params = {{"workers", int64_t{2}}, {"layers", int64_t{4}}};
  series.checks = {test::check(true)};
  series.stats = Stats{.n = 10, .median_ns = 105, .ci_ns = Interval{104, 106}};
  series.pipeline =
      PipelineOutcome{{{"load", 2, 100, 200, {}, {}}, {"step", 1, 40, 40, {}, {{"layers", 1.0}}}},
                      64,
                      8,
                      "load alone",
                      100,
                      1.05,
                      Interval{1.04, 1.06},
                      10,
                      {}};
  lines.worker("result", {{"request", 4}, {"series", 0}, {"outcome", series}});
  lines.worker("done", {{"request", 4}, {"status", "ok"}});
  test::Fixture f;
  const test::TemporaryFolder folder;
  std::ofstream(folder.path + "/run.jsonl") << lines.text();
  open_run(f.state, folder.path + "/run.jsonl");
  f.driver->frames(2);  // it is opened between frames
  REQUIRE(f.state.selection.lab != nullptr);
  REQUIRE(std::string(f.state.selection.lab->id) == "pipeline");
  f.driver->frames(2);
  const auto model_s = [&](const char* name, int64_t value) {
    f.state.selection.params["workers"] = int64_t{2};
    f.state.selection.params["layers"] = int64_t{4};
    f.state.selection.params[name] = value;
    ChartRows rows;
    const chart::ChartModel model = centre_chart(f.state, &rows);
    REQUIRE_FALSE(model.panels.empty());
    for (const chart::Mark& mark : model.panels.front().marks) {
      if (mark.marker == chart::Marker::triangle) return mark.value;
    }
    return 0.0;
  };
  CHECK(model_s("workers", 2) == Approx(100e-9));
  CHECK(model_s("workers", 1) == Approx(200e-9));
  CHECK(model_s("workers", 8) == Approx(40e-9));  // now the step binds
  CHECK(model_s("layers", 16) == Approx(160e-9));
}

namespace {

/// One side of a comparison: made up, 105 ns or half of it an item.
Series compared_side(const std::string& kernel, int index, double item_ns,
                     const std::string& bound) {
  Series series;
  series.request = 4, series.index = index;
  series.lab = "pipeline", series.kernel = kernel;
  series.kind = RungKind::pipeline;
  series.mode = RunMode::compare, series.cache = CacheMode::hot;
  series.status = SeriesStatus::ok;
  series.checks = {test::check(true), test::check(true)};
  series.stats = Stats{.n = 80, .median_ns = item_ns, .ci_ns = Interval{item_ns - 1, item_ns + 1}};
  series.items_per_s = 1e9 / item_ns;
  series.pipeline = PipelineOutcome{{{"load", 2, 100, 200, {}, {}}, {"step", 1, 40, 40, {}, {}}},
                                    64,
                                    8,
                                    bound,
                                    100,
                                    1.05,
                                    Interval{1.04, 1.06},
                                    8,
                                    {}};
  return series;
}

}  // namespace

TEST_CASE("two pipelines that were compared: the verdict says what binds each",
          "[window][pipeline]") {
  test::Transcript lines;
  lines.worker("hello", {{"version", "0"}});
  WorkRequest request = test::request_for(RequestType::compare, 4);
  request.lab = "pipeline";
  request.kernels = {{"pipeline.cpu.serial", {}}, {"pipeline.cpu.prefetch", {}}};
  lines.send(request);
  std::vector<Round> rounds;
  for (int i = 0; i < 40; ++i) rounds.push_back({i, "0110", {105, 52.5, 52.5, 105}, {}});
  lines.worker("samples", {{"request", 4}, {"phase", "rounds"}, {"rounds", rounds}});
  lines.worker("result", {{"request", 4},
                          {"series", 0},
                          {"outcome", compared_side("pipeline.cpu.serial", 0, 105, "load alone")}});
  lines.worker("result",
               {{"request", 4},
                {"series", 1},
                {"outcome", compared_side("pipeline.cpu.prefetch", 1, 52.5, "step alone")}});
  Comparison one;
  one.request = 4, one.lab = "pipeline", one.cache = CacheMode::hot;
  one.baseline = "pipeline.cpu.serial", one.candidate = "pipeline.cpu.prefetch";
  one.rounds = 40, one.ratio = 2, one.ci = Interval{1.98, 2.02};
  one.margin = 0.02, one.verdict = Verdict::faster;
  lines.worker("result", {{"request", 4}, {"comparisons", std::vector{one}}});
  lines.worker("done", {{"request", 4}, {"status", "ok"}});
  test::Fixture f;
  const test::TemporaryFolder folder;
  std::ofstream(folder.path + "/pair.jsonl") << lines.text();
  open_run(f.state, folder.path + "/pair.jsonl");
  f.driver->frames(3);
  REQUIRE(f.state.run().comparisons().size() == 1);
  const VerdictWords words =
      verdict_words(f.state, f.state.run(), f.state.run().comparisons().front());
  CHECK(words.headline == "2.00× as fast");
  CHECK(words.reason.find("its output passed every check") != std::string::npos);
  CHECK(words.reason.find("the baseline: 1.050× its bound, load alone") != std::string::npos);
  CHECK(words.reason.find("the candidate: 1.050× its bound, step alone") != std::string::npos);
  f.state.view.screen = ScreenId::compare;
  f.driver->frames(3);
  CHECK(f.driver->triangles() > 0);
  CHECK(f.driver->find("verdict"));
}
