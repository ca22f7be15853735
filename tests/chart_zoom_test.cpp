// Parts of plots: zooming and panning as arithmetic of axes, and plots laid out over a range.
#include "common/view/chart/decimate.h"
#include "common/view/chart/roofline.h"
#include "common/view/chart/size_curve.h"
#include "common/view/chart/speed_error.h"
#include "common/view/chart/svg.h"
#include "tests/plot_cases.h"

using namespace ridge;
using namespace ridge::chart;
using namespace ridge::test;

namespace {

/// The plot's rectangle in pixels.
parts::Box area_of(const Scene& scene) {
  return {scene.x_axes.at(0).low_px, scene.y_axis->high_px, scene.x_axes.at(0).high_px,
          scene.y_axis->low_px};
}

/// A part of a scene's ranges: from a share to a share of what the axes are even in.
PlotRange part_of(const Scene& scene, float from, float to) {
  const auto part = [&](const AxisPlace& axis) {
    const float span = axis.high_px - axis.low_px;
    return Interval{axis.value(axis.low_px + span * from), axis.value(axis.low_px + span * to)};
  };
  return {part(scene.x_axes.at(0)), part(*scene.y_axis)};
}

Case sizes_case() {
  Case made;
  for (const int64_t n : {512, 1024, 2048, 4096, 8192}) {
    made.series.push_back(gemm("gemm.cuda.naive", n, 0.01));
    made.series.push_back(gemm("gemm.cuda.cublas", n, 0.8));
  }
  made.finish();
  return made;
}

}  // namespace

TEST_CASE("an axis leads from values to pixels and back, on both scales and upright") {
  for (const AxisPlace& axis :
       {AxisPlace{1, 1000, 50, 650, true}, AxisPlace{-5, 20, 50, 650, false},
        AxisPlace{1, 1000, 650, 50, true}}) {
    for (const double value : {1.0, 3.0, 17.0}) {
      CHECK(axis.value(axis.px(value)) == Approx(value).epsilon(1e-5));
    }
    CHECK(axis.px(axis.low) == axis.low_px);
    CHECK(axis.px(axis.high) == axis.high_px);
    CHECK(axis.holds(300));
    CHECK_FALSE(axis.holds(40));
    CHECK_FALSE(axis.holds(660));
  }
  CHECK(AxisPlace{1, 1000, 50, 650, true}.px(-1) == 50);  // has no place on a log axis
}

TEST_CASE("a zoom keeps what is under the cursor there, and a way out leads back in") {
  for (const bool log : {true, false}) {
    AxisPlace axis{1, 1000, 50, 650, log};
    const double under = axis.value(200);
    Interval range = axis.zoomed(200, 0.8);
    CHECK(range.low > 1);
    CHECK(range.high < 1000);
    axis.low = range.low, axis.high = range.high;
    CHECK(axis.value(200) == Approx(under).epsilon(1e-6));
    const Interval back = axis.zoomed(200, 1 / 0.8);
    CHECK(back.low == Approx(1).epsilon(1e-6));
    CHECK(back.high == Approx(1000).epsilon(1e-6));
    for (int i = 0; i < 500; ++i) {  // it ends before two pixels are the same number
      const Interval next = axis.zoomed(200, 0.8);
      axis.low = next.low, axis.high = next.high;
    }
    CHECK(axis.low < axis.high);
    CHECK(std::isfinite(axis.px(under)));
  }
}

TEST_CASE("a pan moves by pixels, and stops at what the chart holds") {
  const AxisPlace axis{10, 100, 0, 100, true};
  const Interval moved = axis.panned(50);  // to the right: what was left comes in
  CHECK(moved.low == Approx(10 / std::sqrt(10.0)));
  CHECK(moved.high == Approx(100 / std::sqrt(10.0)));
  const Interval whole = {1, 1000};
  CHECK(kept_inside({10, 100}, whole, true).low == Approx(10));
  const Interval left = kept_inside({0.1, 10}, whole, true);
  CHECK(left.low == Approx(1));
  CHECK(left.high == Approx(100));  // as wide as it was
  CHECK(kept_inside({0.1, 10000}, whole, true).high == 1000);
  CHECK(kept_inside({-5, 5}, {0, 100}, false).high == Approx(10));
  CHECK(kept_inside({std::nan(""), 5}, {0, 100}, false).high == 100);
}

TEST_CASE("values are read off in the axis's unit") {
  CHECK(axis_text({.unit = "s"}, 0.00125) == "1.25 ms");
  CHECK(axis_text({.is_share = true}, 0.92) == "92.0 %");
  CHECK(axis_text({.scientific = true}, 1.5e-12) == "1.5e-12");
  CHECK(axis_text({.unit = "FLOP/s"}, 2e12).find("TFLOP/s") != std::string::npos);
  CHECK(axis_text({}, 4.5) == "4.500");
  CHECK(axis_text({}, kNan).empty());
}

TEST_CASE("a part of a plot is legible, and nothing of it stands outside of the axes") {
  const Case dense = many(35), sizes = sizes_case();
  for (const ChartModel& model :
       {roofline_chart(dense.rows), speed_error_chart(dense.rows), size_curve_chart(sizes.rows)}) {
    const Scene all = layout(model, {.width = 1000, .height = 560});
    for (const auto& [from, to] :
         {std::pair{0.f, 0.5f}, {0.3f, 0.7f}, {0.45f, 0.55f}, {0.6f, 1.f}, {0.5f, 0.501f}}) {
      INFO(model.id << " from " << from << " to " << to);
      const PlotRange range = part_of(all, from, to);
      const Scene scene = layout(model, {.width = 1000, .height = 560, .range = range});
      check_scene(scene);
      CHECK(scene.x_axes[0].low == range.x.low);
      CHECK(scene.y_axis->high == range.y.high);
      const parts::Box area = area_of(scene);
      for (const Primitive& p : scene.primitives) {
        const bool data = p.kind == Primitive::Kind::line && p.role != Role::muted;
        if (!data) continue;
        for (const Point& end : {p.a, p.b}) {
          const bool is_leader = p.alpha < 0.5f && end.x > area.right;  // to a name at the edge
          CHECK(end.x >= area.left - 0.5f);
          CHECK((is_leader || end.x <= area.right + 0.5f));
          CHECK(end.y >= area.top - 9.f);  // a whisker's cap on the edge
          CHECK(end.y <= area.bottom + 9.f);
        }
      }
      for (const Hit& hit : scene.hits) {
        if (hit.row < 0 || hit.a.x > area.right) continue;  // guides; names at the edge
        CHECK(hit.b.x > area.left);
        CHECK(hit.a.y < area.bottom);
        CHECK(hit.b.y > area.top);
      }
    }
  }
}

TEST_CASE("between two sizes the line is still there with its name, and the axis has numbers") {
  const Case made = sizes_case();
  const ChartModel model = size_curve_chart(made.rows);
  const Scene all = layout(model, {.width = 1000, .height = 560});
  PlotRange range = {{1100, 1900}, {all.y_axis->low, all.y_axis->high}};
  const Scene scene = layout(model, {.width = 1000, .height = 560, .range = range});
  check_scene(scene);
  int names = 0, numbers = 0, markers = 0;
  const parts::Box area = area_of(scene);
  for (const Primitive& p : scene.primitives) {
    names += p.text.starts_with("naive") || p.text.starts_with("cublas");
    numbers += p.kind == Primitive::Kind::text && p.mono && p.a.y > area.bottom;
    markers += p.kind == Primitive::Kind::marker && p.a.x < area.right && p.a.y < area.bottom;
  }
  CHECK(names >= 2);
  CHECK(numbers >= 2);
  CHECK(markers == 0);
}

TEST_CASE("what is exported is what is looked at") {
  const Case made = many(9);
  const ChartModel model = roofline_chart(made.rows);
  LayoutOptions options{.width = 900, .height = 500};
  const std::string whole = to_svg(model, options);
  options.range = part_of(layout(model, options), 0.3f, 0.6f);
  const std::string part = to_svg(model, options);
  CHECK(part != whole);
  options.range = PlotRange{{1, 1}, {5, 2}};  // no range at all
  CHECK(to_svg(model, options) == whole);
}
