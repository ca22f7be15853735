// What a request costs, as a chart: bars of what was counted, and the recorded time over the bound.
#include "common/view/chart/requests.h"
#include "tests/chart_scene.h"

using namespace ridge;
using namespace ridge::chart;
using test::check_scene;

namespace {

KernelCounts counts_of(int64_t requests, int64_t sectors, int64_t shared, int64_t passes) {
  KernelCounts counts;
  LineCounts line{.line = 1};
  line.counts.global_reads = {.requests = requests, .sectors = sectors};
  line.counts.shared_reads = {.requests = shared, .wavefronts = passes};
  counts.lines.push_back(line);
  return counts;
}

}  // namespace

TEST_CASE("what a request costs: counted bars, none where there is no such request, and why not") {
  const KernelCounts far = counts_of(100, 1650, 0, 0), tiled = counts_of(10, 40, 100, 3200);
  const RequestRow rows[] = {
      {.label = "naive", .counts = &far, .bound_s = 2, .recorded_s = 2.02, .bound_note = "by L1"},
      {.label = "tiled", .selected = true, .counts = &tiled, .bound_s = 1},
      {.label = "wide", .reason = "mma.sync is not emulated"}};
  const ChartModel model = requests_chart(rows, "H200");
  REQUIRE(model.panels.size() == 3);
  REQUIRE(model.panels[0].marks.size() == 2);
  CHECK(model.panels[0].marks[0].value == 16.5);
  CHECK(model.panels[0].marks[1].value == 4);
  REQUIRE(model.panels[1].marks.size() == 1);
  CHECK(model.panels[1].marks[0].value == 32);
  CHECK(model.panels[1].row_reasons[0] == "none");
  CHECK(model.panels[2].marks[0].label == "1.01");
  CHECK(model.panels[2].row_reasons[1] == "not recorded there");
  CHECK(model.table.rows[2][1] == "unavailable: mma.sync is not emulated");
  CHECK(model.summary == "2 of 3 rungs are counted. Counted here, not timed.");
  for (const float width : {800.0f, 1200.0f, 1900.0f}) {
    LayoutOptions options;
    options.width = width;
    check_scene(layout(model, options));
  }
  const ChartModel none = requests_chart(std::span(rows).last(1), "H200");
  CHECK(none.panels[0].empty_reason == "Count the rungs: no GPU is needed.");
}
