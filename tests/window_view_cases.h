// The views of the centre: ladder, roofline, sizes, error. Part of window_test.cpp, in a file of its
// own.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>

#include "app/window/shell/actions.h"
#include "app/window/views/chart_rows.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;

size_t cpu_rungs() {
  size_t count = 0;
  for (const Rung& rung : find_lab("gemm")->rungs) {
    count += std::string_view(rung.kernel).starts_with("gemm.cpu.") && !rung.branch;
  }
  return count;
}

bool same_scene(const chart::Scene& a, const chart::Scene& b) {
  const auto same = [](const chart::Primitive& p, const chart::Primitive& q) {
    return p.kind == q.kind && p.a.x == q.a.x && p.a.y == q.a.y && p.b.x == q.b.x &&
           p.b.y == q.b.y && p.role == q.role && p.text == q.text && p.hatched == q.hatched &&
           p.dashed == q.dashed;
  };
  return a.width == b.width && a.height == b.height && a.primitives.size() == b.primitives.size() &&
         std::equal(a.primitives.begin(), a.primitives.end(), b.primitives.begin(), same);
}

TEST_CASE("R, N, Q and E show the other views and lead back; the buttons do the same", "[window]") {
  Fixture f;
  set_level(f.state, Level::kBench);
  f.run_all();
  const chart::Scene ladder = f.driver->shell().chart_scene();
  for (const auto& [key, view, name] : {std::tuple{'r', find_view("roofline"), "Roofline"},
                                        std::tuple{'n', find_view("sizes"), "Sizes"},
                                        std::tuple{'q', find_view("bandwidth"), "Bandwidth"},
                                        std::tuple{'e', find_view("error"), "Error"}}) {
    INFO(name);
    f.driver->type(key);
    CHECK(f.state.selection.view == view);
    CHECK_FALSE(same_scene(f.driver->shell().chart_scene(), ladder));
    f.driver->type(key);
    CHECK(f.state.selection.view == find_view("ladder"));
    CHECK(same_scene(f.driver->shell().chart_scene(), ladder));
    REQUIRE(f.driver->click(std::string("view=") + name));
    CHECK(f.state.selection.view == view);
    REQUIRE(f.driver->click(std::string("view=") + name));
    CHECK(f.state.selection.view == view);  // a button chosen already stays
    REQUIRE(f.driver->click("view=Ladder"));
  }
}

TEST_CASE("a point of the roofline selects its rung, and moves when its rung is measured again",
          "[window]") {
  Fixture f;
  f.run_all();
  f.driver->type('r');
  const Area before = *f.driver->find("chart:gemm.cpu.loop_order:0");
  REQUIRE(f.driver->click("chart:gemm.cpu.loop_order:0"));
  CHECK(f.state.selection.rung == "gemm.cpu.loop_order");
  f.driver->key(Key::f5, true);
  f.session.measure(f.session.last(RequestType::run), 0, 1e9);
  f.driver->frames();
  CHECK(f.driver->find("chart:gemm.cpu.loop_order:0")->y > before.y + 20);
}

TEST_CASE("the size curve gathers every size that was run", "[window]") {
  Fixture f;
  for (const char* n : {"n=256", "n=512"}) {
    REQUIRE(f.driver->click(n));
    f.run_all();
  }
  const ChartRows sizes = size_rows(f.state), ladder = ladder_rows(f.state);
  CHECK(sizes.rows.size() == 2 * cpu_rungs());
  CHECK(ladder.rows.size() == cpu_rungs());  // what cannot run here is in the rail
  for (const chart::LadderRow& row : sizes.rows) CHECK(row.origin.empty());
}

TEST_CASE("in a large window a chart's text is large enough for a room", "[window]") {
  Fixture f(1920, 1080);
  set_level(f.state, Level::kBench);
  for (const char* n : {"n=256", "n=512"}) {
    REQUIRE(f.driver->click(n));
    f.run_all();
  }
  for (const char* id : {"gains", "ladder", "roofline", "sizes", "bandwidth", "error"}) {
    INFO(id);
    show_view(f.state, *find_view(id));
    f.driver->frames(3);
    const chart::Scene scene = f.driver->shell().chart_scene();
    for (const chart::Primitive& p : scene.primitives) {
      if (p.kind == chart::Primitive::Kind::text) CHECK(p.size_px >= 13);
    }
  }
}

TEST_CASE("a chart over sizes holds all else at the chosen value, and counts what it leaves out",
          "[window]") {
  const struct Conv {
    Conv() { FakeSession::lab = "conv", FakeSession::has_layout = true; }
    ~Conv() { FakeSession::lab = "gemm", FakeSession::has_layout = false; }
  } conv;
  Fixture f;
  for (const char* layout : {"nchw", "nhwc"}) {
    set_param(f.state, "layout", std::string(layout));
    f.driver->frames(2);
    f.run_all();
  }
  const auto layouts = [&] {
    std::set<std::string> all;
    const ChartRows sizes = size_rows(f.state);
    for (const chart::LadderRow& row : sizes.rows)
      all.insert(param_text(row.series->params, "layout"));
    return all;
  };
  CHECK(layouts() == std::set<std::string>{"nhwc"});
  CHECK(held_text(size_rows(f.state), *f.state.selection.lab)
            .find("at other values of layout of the images left out") != std::string::npos);
  set_param(f.state, "layout", std::string("nchw"));
  f.driver->frames(2);
  CHECK(layouts() == std::set<std::string>{"nchw"});
  // Where nothing was measured at the chosen value, the rows name the one that they have.
  set_param(f.state, "layout", std::string("nchw16c"));
  f.driver->frames(2);
  const ChartRows named = size_rows(f.state);
  REQUIRE_FALSE(named.rows.empty());
  for (const chart::LadderRow& row : named.rows)
    CHECK(row.label.ends_with(" · layout = " + param_text(row.series->params, "layout")));
}

TEST_CASE("Scaling: each count of ranks in one request, at the same work and at work in step",
          "[window]") {
  const struct Ranks {
    Ranks() { FakeSession::other_labs = {"parallel"}; }
    ~Ranks() { FakeSession::other_labs.clear(); }
  } ranks;
  Fixture f;
  const auto is_offered = [&] {
    const auto offered = offered_views(f.state);
    return std::find(offered.begin(), offered.end(), find_view("scaling")) != offered.end();
  };
  open_lab(f.state, "machine");
  CHECK_FALSE(is_offered());
  CHECK(action("scaling").blocker(f.state).find("ranks or threads") != std::string::npos);
  open_lab(f.state, "parallel");
  set_level(f.state, Level::kLearn);
  CHECK_FALSE(is_offered());
  set_level(f.state, Level::kLab);
  REQUIRE(is_offered());
  f.driver->frames(3);
  select_rung(f.state, "parallel.cpu.data_bucket");
  f.driver->frames(3);
  REQUIRE(f.driver->click("view=Scaling"));
  f.driver->frames(3);
  const auto model = [&] {
    ChartRows rows;
    return centre_chart(f.state, &rows);
  };
  CHECK(model().plot->empty_reason.find("--set ranks=2,4,8") != std::string::npos);
  // One rank alone takes a millisecond for 16 rows; the others share it without loss.
  for (const bool is_weak : {false, true}) {
    INFO("weak " << is_weak);
    if (is_weak) REQUIRE(f.driver->click("scaling_kind=weak: work in step"));
    f.driver->frames(3);
    REQUIRE(f.driver->click("run_counts"));
    const WorkRequest request = f.session.last(RequestType::run);
    REQUIRE(request.kernels.size() == 6);
    CHECK(request.kernels[0].kernel == "parallel.cpu.one");
    for (size_t i = 0; i < request.kernels.size(); ++i) {
      const Params params = f.session.complete_params(request.kernels[i]);
      const int64_t count = i == 0 ? 1 : param_int(params, "ranks");
      const int64_t batch = param_int(params, "batch");
      CHECK(count == std::vector<int64_t>{1, 2, 3, 4, 6, 8}[i]);
      CHECK(batch == (is_weak ? 8 * count : 16));
      f.session.measure(request, static_cast<int>(i), 1e6 * double(batch) / 16 / double(count));
    }
    f.session.finish(request);
    f.driver->frames(3);
    const chart::ChartModel drawn = model();
    REQUIRE(drawn.plot->curves.size() == 1);
    CHECK(drawn.plot->curves[0].name == "1.00 at 8 · one bucket");
    CHECK(drawn.plot->curves[0].data.size() == 6);
    CHECK(drawn.title == (is_weak ? "Weak scaling" : "Strong scaling"));
  }
  select_rung(f.state, "parallel.cpu.one");
  const int sent = f.session.count(RequestType::run);
  REQUIRE(perform(f.state, "run_counts"));
  CHECK(f.session.count(RequestType::run) == sent);
  CHECK(f.state.notice.text.find("no two counts of ranks") != std::string::npos);
}

TEST_CASE("threads of a CPU rung have the same view, each rung over its own time at one",
          "[window]") {
  Fixture f;
  set_level(f.state, Level::kLab);
  select_rung(f.state, "gemm.cpu.threads");
  show_view(f.state, *find_view("scaling"));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("scaling_kind"));  // the lab names no work that grows
  REQUIRE(f.driver->click("run_counts"));
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == 2);  // this machine has two
  for (int i = 0; i < 2; ++i) f.session.measure(request, i, 1e9 / (1 + i));
  f.session.finish(request);
  f.driver->frames(3);
  ChartRows rows;
  const chart::ChartModel model = centre_chart(f.state, &rows);
  REQUIRE(model.plot->curves.size() == 1);
  CHECK(model.plot->curves[0].data.size() == 2);
}

TEST_CASE("the hint that something runs goes when it has ended", "[window]") {
  Fixture f;
  f.driver->type('b');
  f.driver->type(']');
  f.driver->key(Key::f5);
  f.driver->type('c');
  CHECK(f.state.notice.text == kBusyNotice);
  f.session.finish(f.session.last(RequestType::run));
  f.driver->frames(3);
  CHECK(f.state.notice.text.empty());
}

TEST_CASE("the selected rung's bottleneck stands above its lesson; its lever leads to a rung",
          "[window]") {
  Fixture f;
  CHECK(f.driver->find("diagnosis") == nullptr);
  select_rung(f.state, "gemm.cpu.packed_avx2");
  f.driver->key(Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  const double t_ns = 2.0 * 64 * 64 * 64 / 0.08e12 * 1e9;  // 8 % of the FMA ceiling
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    f.session.measure(request, static_cast<int>(i), t_ns, true, {{"ipc", 0.5, ""}});
  }
  f.session.finish(request);
  f.driver->frames(3);
  REQUIRE(f.driver->find("diagnosis") != nullptr);
  const RungView* row = find_row(f.state.ladder, f.state.selection.rung);
  CHECK(diagnose(*row->series, row->run->ceilings(), row->run->environment())->bottleneck ==
        Bottleneck::latency);
  REQUIRE(f.driver->click("lever"));
  CHECK(f.state.selection.rung == "gemm.cpu.packed_avx512");
}

}  // namespace
}  // namespace ridge::test
