// The chart widget under a real mouse, through ImGui's input: zoom, pan, fit, crosshair, menu, table,
// the dragged expectation.
#include <cmath>
#include <sstream>

#include "app/platform/platform.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/predict.h"
#include "app/window/views/chart_view.h"
#include "app/window/views/view.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;

const chart::Scene& scene_of(const Fixture& f) {
  return f.driver->shell().chart_scene();
}

/// A place in the plot, as shares of it from the lower left.
ImVec2 in_plot(const Fixture& f, float across, float up) {
  const Area place = f.driver->shell().chart_place();
  const chart::AxisPlace &x = scene_of(f).x_axes.at(0), &y = *scene_of(f).y_axis;
  return {place.x + x.low_px + (x.high_px - x.low_px) * across,
          place.y + y.low_px + (y.high_px - y.low_px) * up};
}

Interval x_range(const Fixture& f) {
  return {scene_of(f).x_axes.at(0).low, scene_of(f).x_axes.at(0).high};
}

/// A roofline of two sizes, so that it has a width.
Fixture& roofline(Fixture& f) {
  f.run_all();
  f.driver->type('r');
  REQUIRE(scene_of(f).y_axis);
  return f;
}

std::string clipboard() {
  const char* text = ImGui::GetClipboardText();
  return text ? text : "";
}

TEST_CASE("the wheel zooms at the cursor, 0 and a double click show all of it again",
          "[window][chart]") {
  Fixture f;
  roofline(f);
  const Interval whole = x_range(f);
  const ImVec2 at = in_plot(f, 0.3f, 0.6f);
  const float px = at.x - f.driver->shell().chart_place().x;
  const double under = scene_of(f).x_axes[0].value(px);
  CHECK(f.driver->find("chart:fit") == nullptr);
  f.driver->move(at.x, at.y);
  f.driver->wheel(3);
  const Interval near = x_range(f);
  CHECK(near.low > whole.low);
  CHECK(near.high < whole.high);
  CHECK(std::log(scene_of(f).x_axes[0].value(px)) == Approx(std::log(under)).margin(0.02));
  REQUIRE(f.driver->find("chart:fit"));
  f.driver->type('0');
  f.driver->frames(2);
  CHECK(x_range(f).low == whole.low);
  f.driver->move(at.x, at.y);
  f.driver->wheel(3);
  CHECK(x_range(f).low != whole.low);
  REQUIRE(f.driver->click("chart:fit"));
  f.driver->frames(2);
  CHECK(x_range(f).low == whole.low);
  f.driver->move(at.x, at.y);
  f.driver->wheel(2);
  for (int i = 0; i < 2; ++i) f.driver->press_at(at.x, at.y);
  f.driver->frames(2);
  CHECK(x_range(f).low == whole.low);
  f.driver->move(at.x, at.y);
  f.driver->wheel(-3);  // out of all of it there is nothing
  CHECK(x_range(f).low == whole.low);
  CHECK(f.driver->find("chart:fit") == nullptr);
}

TEST_CASE("beside the plot the wheel zooms that axis alone", "[window][chart]") {
  Fixture f;
  roofline(f);
  const Interval whole = x_range(f);
  const double y_high = scene_of(f).y_axis->high;
  const ImVec2 at = in_plot(f, 0.5f, 0);
  f.driver->move(at.x, at.y + 12);
  f.driver->wheel(2);
  CHECK(x_range(f).high < whole.high);
  CHECK(scene_of(f).y_axis->high == y_high);
}

TEST_CASE("a drag pans, is no click, and stops at the chart's edge", "[window][chart]") {
  Fixture f;
  roofline(f);
  const Interval whole = x_range(f);
  const std::string rung = f.state.selection.rung;
  const ImVec2 at = in_plot(f, 0.5f, 0.5f);
  f.driver->drag_from(at.x, at.y, 200, 0);  // all of it is seen: nothing to pan to
  CHECK(x_range(f).low == whole.low);
  f.driver->move(at.x, at.y);
  f.driver->wheel(4);
  const Interval near = x_range(f);
  f.driver->drag_from(at.x, at.y, 60, 0);
  f.driver->frames(2);
  CHECK(x_range(f).low < near.low);
  CHECK(x_range(f).high / x_range(f).low == Approx(near.high / near.low).epsilon(1e-4));
  f.driver->drag_from(at.x, at.y, 3000, 0);
  f.driver->frames(2);
  CHECK(x_range(f).low == Approx(whole.low));
  CHECK(f.state.selection.rung == rung);
}

TEST_CASE("a view that was left is whole again, a re-run keeps what is looked at",
          "[window][chart]") {
  Fixture f;
  roofline(f);
  const Interval whole = x_range(f);
  const ImVec2 at = in_plot(f, 0.3f, 0.6f);
  f.driver->move(at.x, at.y);
  f.driver->wheel(3);
  const Interval near = x_range(f);
  f.run_all();
  CHECK(x_range(f).low == Approx(near.low));
  f.driver->type('n');
  f.driver->type('r');
  f.driver->frames(2);
  CHECK(x_range(f).low == whole.low);
}

TEST_CASE("the crosshair reads both axes, and the value is copied", "[window][chart]") {
  Fixture f;
  roofline(f);
  const ImVec2 at = in_plot(f, 0.9f, 0.1f);
  f.driver->move(at.x, at.y);
  f.driver->frames(2);
  REQUIRE(perform(f.state, "copy_value"));
  f.driver->frames(2);
  const std::string read = clipboard();
  CHECK(read.find("FLOP/s") != std::string::npos);
  CHECK(read.find(", ") != std::string::npos);
  const ImVec2 higher = in_plot(f, 0.9f, 0.3f);
  f.driver->move(higher.x, higher.y);
  REQUIRE(perform(f.state, "copy_value"));
  f.driver->frames(2);
  CHECK(clipboard() != read);
}

TEST_CASE("a mouse that lay there before the chart came reads nothing until it moves",
          "[window][chart]") {
  Fixture f;
  roofline(f);
  const ImVec2 at = in_plot(f, 0.9f, 0.1f);
  show_screen(f.state, ScreenId::home);
  f.driver->frames(2);
  f.driver->move(at.x, at.y);
  show_screen(f.state, ScreenId::lab);
  f.driver->frames(3);
  REQUIRE(scene_of(f).y_axis);
  ImGui::SetClipboardText("kept");
  perform(f.state, "copy_value");
  f.driver->frames(2);
  CHECK(clipboard() == "kept");
  f.driver->move(at.x + 6, at.y);
  perform(f.state, "copy_value");
  f.driver->frames(2);
  CHECK(clipboard().find("FLOP/s") != std::string::npos);
}

TEST_CASE("the right button's menu copies; Esc and a click elsewhere close it", "[window][chart]") {
  Fixture f;
  f.run_all();
  const Area cell = *f.driver->find("chart:gemm.cpu.loop_order:0");
  f.driver->press_at(cell.x + cell.w / 2, cell.y + cell.h / 2, 1);
  REQUIRE(f.state.view.show_chart_menu);
  REQUIRE(f.driver->find("chart_menu:copy_csv"));
  REQUIRE(f.driver->click("chart_menu:copy_csv"));
  f.driver->frames(2);
  CHECK_FALSE(f.state.view.show_chart_menu);
  CHECK(clipboard().starts_with("Row,"));
  CHECK(clipboard().find(find_lab("gemm")->rungs[0].title) != std::string::npos);
  f.driver->press_at(cell.x + 5, cell.y + 5, 1);
  CHECK(f.state.view.show_chart_menu);
  f.driver->key(Key::escape);
  CHECK_FALSE(f.state.view.show_chart_menu);
  f.driver->press_at(cell.x + 5, cell.y + 5, 1);
  f.driver->press_at(10, 10);
  CHECK_FALSE(f.state.view.show_chart_menu);
  REQUIRE(perform(f.state, "copy_png"));
  CHECK(f.state.chart.png_in_frames > 0);
  CHECK(f.state.chart.png_copied);
}

TEST_CASE("a period shows the table behind every view, and the button leads back",
          "[window][chart]") {
  Fixture f;
  f.run_all();
  for (const ViewDesc* view : {find_view("ladder"), find_view("roofline"), find_view("sizes"),
                               find_view("error"), find_view("heatmap")}) {
    f.state.selection.view = view;
    f.driver->frames(2);
    f.driver->type('.');
    f.driver->frames(2);
    CHECK(f.driver->find("chart:table"));
    REQUIRE(f.driver->click("chart:chart"));
    f.driver->frames(2);
    CHECK(f.driver->find("chart:table") == nullptr);
  }
}

/// An environment variable for the length of a test.
struct Setting {
  Setting(const char* name_in, const std::string& value) : name(name_in) {
    const char* now = getenv(name);
    before = now ? now : "";
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { setenv(name, before.c_str(), 1); }
  const char* name;
  std::string before;
};

TEST_CASE("a picture goes to the tool that is installed; without one that is said",
          "[window][chart]") {
  TemporaryFolder folder;
  const std::string tool = folder.path + "/xclip", got = folder.path + "/got";
  const Setting display("DISPLAY", ":0"), wayland("WAYLAND_DISPLAY", "");
  const Setting path("PATH", folder.path + ":/usr/bin:/bin");
  std::ofstream(folder.path + "/in.png") << "picture";
  std::ofstream(tool) << "#!/bin/sh\necho \"$@\" >" << got << "\ncat >>" << got << "\n";
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  REQUIRE(copy_picture(folder.path + "/in.png", [] {}).get());
  std::stringstream said;
  said << std::ifstream(got).rdbuf();
  CHECK(said.str() == "-selection clipboard -t image/png -in\npicture");
  const Setting nowhere("PATH", folder.path + "/nowhere");
  const Result<void> copied = copy_picture(folder.path + "/in.png", [] {}).get();
  REQUIRE_FALSE(copied);
  CHECK(copied.error().sentence().find("xclip") != std::string::npos);
}

TEST_CASE("while predicting, the expected bar is dragged in the ladder itself", "[window][chart]") {
  Fixture f;
  f.driver->type('u');
  f.driver->frames(2);
  const std::string kernel = "gemm.cpu.loop_order";
  const auto drag_to = [&](float across) {
    const Area row = *f.driver->find("chart:" + kernel);
    const Area place = f.driver->shell().chart_place();
    const chart::AxisPlace axis = scene_of(f).x_axes.at(0);
    const float x = place.x + axis.low_px + (axis.high_px - axis.low_px) * across;
    const double wanted_ns = axis.value(x - place.x) * 1e9;
    f.driver->drag_from(x - 40, row.y + row.h / 2, 40, 0);
    f.driver->frames(2);
    return wanted_ns;
  };
  for (const float across : {0.3f, 0.6f, 0.8f}) {
    const double wanted_ns = drag_to(across);
    CHECK(f.state.selection.rung == kernel);
    const Draft* draft = draft_of(f.state, kernel);
    REQUIRE(draft);
    CHECK(std::abs(std::log(draft->value_ns / wanted_ns)) < 0.1);  // two digits of it
  }
  const Draft kept = *draft_of(f.state, kernel);
  f.driver->key(Key::escape);
  f.state.teaching.predicting = false;
  drag_to(0.5f);
  CHECK(draft_of(f.state, kernel)->value_ns == kept.value_ns);  // closed: nothing is dragged
}

TEST_CASE("Compare shows the distribution function, and its cursor in the dots",
          "[window][chart]") {
  Fixture f(1920, 1080);
  f.run_all();
  f.driver->type('b');
  f.driver->type(']');
  f.driver->type('c');
  f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 2);
  f.driver->frames(3);
  f.driver->type('v');
  f.driver->frames(3);
  REQUIRE(f.driver->find("forest"));
  REQUIRE(f.driver->find("spread"));
  const Area* ecdf = f.driver->find("ecdf");
  REQUIRE(ecdf);
  const int before = f.driver->triangles();
  f.driver->move(ecdf->x + ecdf->w / 2, ecdf->y + ecdf->h * 0.4f);
  f.driver->frames(3);
  CHECK(f.driver->triangles() > before);
  // What is pointed at is what actions mean.
  REQUIRE(perform(f.state, "copy_csv"));
  f.driver->frames(2);
  CHECK(clipboard().starts_with("Side,"));
  REQUIRE(f.driver->hover("forest"));
  REQUIRE(perform(f.state, "copy_csv"));
  f.driver->frames(2);
  CHECK(clipboard().starts_with("Row,"));
}

TEST_CASE("the timeline zooms, pans and fits by the same gestures", "[window][chart]") {
  Transcript lines;
  lines.worker("hello", {{"version", "0"}, {"t_s", 10.0}});
  WorkRequest request = request_for(RequestType::run, 4);
  request.kernels = {{"gemm.cpu.naive_o1", {}}};
  lines.send(request);
  lines.worker("env", {{"environment", environment()}, {"when", "before"}, {"t_s", 20.0}});
  for (const double at_s : {21.0, 25.0, 30.0})
    lines.worker("samples", {{"request", 4},
                             {"series", 0},
                             {"t_s", at_s},
                             {"phase", "call"},
                             {"samples", samples(4, 1e6)}});
  Fixture f;
  const TemporaryFolder folder;
  std::ofstream(folder.path + "/run.jsonl") << lines.text();
  open_run(f.state, folder.path + "/run.jsonl");
  f.driver->frames(2);
  f.state.view.screen = ScreenId::timeline;
  f.driver->frames(3);
  const Area* seconds = f.driver->find("seconds");
  REQUIRE(seconds);
  const Area lanes = *f.driver->find("lanes");
  CHECK(f.driver->find("lane:0")->h > 50);  // one lane has room
  const float x = seconds->x + seconds->w / 2;
  f.driver->move(x, seconds->y + seconds->h / 2);
  CHECK(f.driver->find("timeline:fit") == nullptr);
  f.driver->wheel(3);
  CHECK(f.driver->find("timeline:fit"));
  const std::string rung = f.state.selection.rung;
  f.driver->drag_from(x, lanes.y + 50, 80, 0);  // over a lane: it pans, and selects nothing
  CHECK(f.state.selection.rung == rung);
  CHECK(f.driver->find("timeline:fit"));
  f.driver->type('0');
  f.driver->frames(2);
  CHECK(f.driver->find("timeline:fit") == nullptr);
  f.driver->move(x, lanes.y + 50);
  f.driver->wheel(3);  // over the lanes it is their scrolling
  CHECK(f.driver->find("timeline:fit") == nullptr);
  compat::send_ctrl(true);
  f.driver->wheel(3);
  compat::send_ctrl(false);
  CHECK(f.driver->find("timeline:fit"));
}

}  // namespace
}  // namespace ridge::test
