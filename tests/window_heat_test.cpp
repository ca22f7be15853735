// The sweep over two parameters, and the loop nests: orders with their traffic, tiles with their heatmap.
#include "app/window/shell/screens.h"
#include "app/window/views/chart_rows.h"
#include "app/window/views/heat_view.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;

const chart::Scene& scene_of(const Fixture& f) {
  return f.driver->shell().chart_scene();
}

chart::ChartModel centre_model(const State& state) {
  ChartRows rows;
  return centre_chart(state, &rows);
}

TEST_CASE("the heatmap's two parameters are chosen, swept as one request, and cancelled",
          "[window][chart]") {
  Fixture f;
  select_rung(f.state, "gemm.cpu.loop_order");
  f.state.selection.view = find_view("heatmap");
  f.driver->frames(3);
  const std::vector<std::string> names = heat_params(f.state);
  REQUIRE(names.size() > 1);
  const HeatAxes axes = heat_axes(f.state);
  CHECK(axes.x == "n");
  CHECK(axes.x != axes.y);
  // On the axes stands what is on them: n beside m is not m = k = n.
  CHECK(axes.y == "m");
  CHECK(heat_chart(f.state).plot->x.title == "n: columns");
  CHECK(heat_chart(f.state).plot->y.title == "m: rows");
  const auto across = [&](const std::string& name) { return f.driver->click("across=" + name); };
  REQUIRE(across(axes.y));  // they change places
  CHECK(heat_axes(f.state).x == axes.y);
  CHECK(heat_axes(f.state).y == axes.x);
  REQUIRE(across(axes.x));
  REQUIRE(perform(f.state, "sweep_pair"));
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == axes.x_stops.size() * axes.y_stops.size());
  for (size_t i = 0; i < request.kernels.size(); ++i)
    CHECK(request.kernels[i].kernel == "gemm.cpu.loop_order");
  f.session.measure(request, 0, 1e6);
  f.session.measure(request, 1, 1e6, false);
  f.driver->frames(3);
  int valued = 0, failed = 0;
  const chart::ChartModel model = heat_chart(f.state);
  for (const chart::Cell& cell : model.plot->cells) {
    valued += cell.value.has_value();
    failed += cell.reason == "failed";
  }
  CHECK(valued == 1);
  CHECK(failed == 1);
  f.driver->key(Key::escape);
  CHECK(f.session.cancelled.size() == 1);
  f.session.finish(request, "cancelled");
  f.driver->frames(3);
}

TEST_CASE("m against n: the shapes are the heatmap's, and only the square one is a size",
          "[window][chart]") {
  const struct Shaped {
    Shaped() { FakeSession::has_shapes = true; }
    ~Shaped() { FakeSession::has_shapes = false; }
  } shaped;
  Fixture f;
  select_rung(f.state, "gemm.cpu.loop_order");
  set_heat_axis(f.state, false, "m");
  f.driver->frames(2);
  const HeatAxes axes = heat_axes(f.state);
  REQUIRE(axes.x == "n");
  REQUIRE(axes.y == "m");
  CHECK(axes.y_stops == axes.x_stops);  // the lab's, of what it copies
  CHECK(param_int(heat_params_at(f.state, axes, 256, 512), "m") == 512);
  // The third stays where the lab has it; beside threads, all three are one size.
  CHECK(param_int(heat_params_at(f.state, axes, 256, 512), "k") ==
        param_int(shown_params(f.state), "n"));
  set_heat_axis(f.state, false, "threads");
  CHECK(heat_params_at(f.state, heat_axes(f.state), 256, 2).count("m") == 0);
  set_heat_axis(f.state, false, "m");
  REQUIRE(perform(f.state, "sweep_pair"));
  const WorkRequest request = f.session.last(RequestType::run);
  for (size_t i = 0; i < request.kernels.size(); ++i)
    f.session.measure(request, static_cast<int>(i), 1e6);
  f.session.finish(request);
  f.driver->frames(3);
  CHECK(size_rows(f.state).rows.size() == 1);  // where m, n and k are the same
}

TEST_CASE("the loop nest runs in every order, and the model's bytes stand beside the times",
          "[window][chart]") {
  const struct Conv {
    Conv() { FakeSession::lab = "conv"; }
    ~Conv() { FakeSession::lab = "gemm"; }
  } conv;
  Fixture f(1600, 1000);
  f.driver->frames(3);
  REQUIRE(perform(f.state, "traffic"));
  f.driver->frames(3);
  CHECK(f.driver->find("view=Traffic"));
  CHECK_FALSE(centre_model(f.state).panels.front().empty_reason.empty());
  select_rung(f.state, "loops.cpu.reordered");
  REQUIRE(f.driver->click("run_orders"));
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == 2);
  for (int i = 0; i < 2; ++i) {
    CHECK(request.kernels[size_t(i)].kernel == "loops.cpu.reordered");
    CHECK(param_text(request.kernels[size_t(i)].params, "order") == (i ? "ncrsmhw" : "nmhwcrs"));
    Series nest = outcome(request.id, i, "loops.cpu.reordered");
    nest.checks = {check(true)};
    nest.stats = Stats{20, 1e6, 1e6, 1e6, 1e6, 1e6, Interval{1e6, 1e6}, 0, 0, 1, {}};
    nest.params = request.kernels[size_t(i)].params;
    nest.cache = request.cache;
    nest.work = {{"model_l2", 1e8}, {"model_memory", 1e6}};
    f.session.tell("result", {{"request", request.id}, {"series", i}, {"outcome", nest}});
  }
  f.session.finish(request);
  f.driver->frames(3);
  const chart::ChartModel model = centre_model(f.state);
  REQUIRE(model.rows.size() == 2);
  CHECK(model.rows[1].label == "ncrsmhw");
  CHECK(model.panels[0].marks.size() == 2);
}

TEST_CASE("a heatmap of a loop nest begins with two tile sizes, and a click on a cell sets them",
          "[window][chart]") {
  const struct Conv {
    Conv() { FakeSession::lab = "conv"; }
    ~Conv() { FakeSession::lab = "gemm"; }
  } conv;
  for (const float scale : {1.0f, 1.6f}) {
    Fixture f(1920, 1080);
    f.state.appearance.scale = scale;
    f.driver->frames(3);
    select_rung(f.state, "loops.cpu.tiled");
    f.state.selection.view = find_view("heatmap");
    f.driver->frames(3);
    const HeatAxes axes = heat_axes(f.state);
    CHECK(axes.x == "tile_m");
    CHECK(axes.y == "tile_c");
    CHECK(f.driver->find("sweep_pair"));
    const size_t cell = axes.x_stops.size() * (axes.y_stops.size() - 1) + 3;  // in the top row
    const auto& hits = scene_of(f).hits;
    const auto hit = std::find_if(hits.begin(), hits.end(), [&](const chart::Hit& one) {
      return one.row == static_cast<int>(cell);
    });
    REQUIRE(hit != hits.end());
    CHECK(hit->note.find("not run") != std::string::npos);
    CHECK(hit->note.find("tile: filters = ") != std::string::npos);
    const chart::ChartModel model = heat_chart(f.state);
    CHECK(model.plot->x.title == "tile: filters");
    CHECK(model.plot->y.title == "tile: channels");
    for (const std::string& words : model.legend) CHECK(words.find('_') == std::string::npos);
    const Area place = f.driver->shell().chart_place();
    f.driver->press_at(place.x + (hit->a.x + hit->b.x) / 2, place.y + (hit->a.y + hit->b.y) / 2);
    f.driver->frames(2);
    CHECK(param_int(f.state.selection.params, "tile_m") == axes.x_stops[3]);
    CHECK(param_int(f.state.selection.params, "tile_c") == axes.y_stops.back());
    // No control ends beyond the parameters' panel.
    const Area chart = *f.driver->find("views");
    for (const char* name : {"order=ncrsmhw", "order+"}) {
      if (const Area* control = f.driver->find(name))
        CHECK(control->right() <= chart.x + place.w + 40);
    }
  }
}

}  // namespace
}  // namespace ridge::test
