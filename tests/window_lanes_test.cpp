// The view Trace of a GPU rung: recorded lanes with whose they are, the previous rung above it, what stands there where no
// recording has any, and the request of a machine with a GPU.
#include "app/query/recordings.h"
#include "app/window/inspect/lanes_view.h"
#include "app/window/inspect/walk_view.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;

namespace {

struct Laned : Fixture {
  explicit Laned(const char* rung = "gemm.cuda.ping_pong", bool with_recording = true)
      : Fixture(1800) {
    state.sessions.recordings.clear();
    if (with_recording)
      state.sessions.recordings =
          app::load_recordings(variable("RIDGE_SOURCE") + "/tests/fixtures", nullptr, {});
    window::select_rung(state, rung);
    window::perform(state, "walk");
    driver->frames(4);
  }
  const window::RungView& row() { return *window::walking_row(state); }
};

}  // namespace

TEST_CASE("recorded lanes are drawn under their machine's name, the previous rung above them",
          "[window]") {
  Laned f;
  REQUIRE(window::shows_lanes(f.state));
  const auto shown = window::shown_lanes(f.state, f.row());
  REQUIRE(shown.look);
  CHECK(shown.machine == "Test fixture");
  REQUIRE(window::lanes_before(f.state));
  CHECK(window::lanes_before(f.state)->rung->kernel == std::string("gemm.cuda.overlapped_store"));
  for (const char* widget :
       {"lane:gemm.cuda.ping_pong:producer", "lane:gemm.cuda.ping_pong:consumer 1",
        "lane:gemm.cuda.overlapped_store:consumer 0"}) {
    INFO(widget);
    CHECK(f.driver->find(widget));
  }
  CHECK(f.session.count(RequestType::inspect) == 0);
  // The wheel zooms, and Fit shows all again.
  CHECK_FALSE(f.driver->find("lanes_fit"));
  const window::Area lane = *f.driver->find("lane:gemm.cuda.ping_pong:consumer 0");
  f.driver->move(lane.x + lane.w * 0.6f, lane.middle());
  f.driver->wheel(3);
  f.driver->frames(3);
  REQUIRE(f.driver->click("lanes_fit"));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lanes_fit"));
  f.state.lanes.is_alone = true;
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lane:gemm.cuda.overlapped_store:consumer 0"));
}

TEST_CASE("without a recording it says so and draws nothing", "[window]") {
  Laned f("gemm.cuda.ping_pong", false);
  CHECK_FALSE(window::shown_lanes(f.state, f.row()).look);
  CHECK_FALSE(f.driver->find("lanes"));
  CHECK_FALSE(f.driver->find("lane:gemm.cuda.ping_pong:producer"));
  CHECK(window::why_no_lanes(f.state, f.row()).sentence ==
        "No recording holds stamps of this rung.");
  CHECK(window::why_no_lanes(f.state, f.row())
            .next.ends_with("ridgepoint inspect gemm.cuda.ping_pong"));
  CHECK_FALSE(window::first_with_lanes(f.state));
  CHECK_FALSE(window::stamp_blocker(f.state).empty());
}

TEST_CASE("lanes of another rung are offered where the selected one has none", "[window]") {
  Laned none("gemm.cuda.naive", false);
  CHECK(window::why_no_lanes(none.state, none.row()).sentence.starts_with("No copy of this rung"));
  REQUIRE(window::first_with_lanes(none.state));  // whose state says how stamps are taken
  CHECK(window::first_with_lanes(none.state)->rung->kernel ==
        std::string("gemm.cuda.producer_consumer"));
  Laned f("gemm.cuda.naive");
  CHECK_FALSE(f.driver->find("lane:gemm.cuda.naive:producer"));
  REQUIRE(window::first_with_lanes(f.state));
  CHECK(window::first_with_lanes(f.state)->rung->kernel ==
        std::string("gemm.cuda.overlapped_store"));
}

TEST_CASE("with a GPU a press asks the worker; its answer is shown, and an error says why",
          "[window]") {
  FakeSession::has_gpu = FakeSession::is_stamped = true;
  Laned f("gemm.cuda.ping_pong", false);
  FakeSession::has_gpu = FakeSession::is_stamped = false;
  REQUIRE(f.row().can_run);
  CHECK(f.session.count(RequestType::inspect) == 0);  // not before it is asked for: it measures
  REQUIRE(f.driver->click("lanes_take"));
  f.driver->frames(4);
  REQUIRE(f.session.count(RequestType::inspect) == 1);
  const WorkRequest request = f.session.last(RequestType::inspect);
  CHECK(request.kernels[0].kernel == "gemm.cuda.ping_pong");
  CHECK_FALSE(window::stamp_blocker(f.state).empty());  // one at a time
  SECTION("an answer") {
    Inspection look;
    look.request = request.id, look.kernel = "gemm.cuda.ping_pong", look.of = "lanes";
    look.lanes = KernelLanes{.clock_hz = 1e9};
    look.lanes->lanes = {{"producer", "w0+10l10+5", 0}, {"consumer 0", "m20+100", 0}};
    f.session.tell("result", {{"request", request.id}, {"inspection", look}});
    f.session.finish(request);
    f.driver->frames(4);
    CHECK(f.driver->find("lane:gemm.cuda.ping_pong:consumer 0"));
    CHECK(window::shown_lanes(f.state, f.row()).machine.empty());
  }
  SECTION("an error") {
    const Error error{ErrorCode::invalid, "the stamped call fails its check", "", ""};
    f.session.tell("error", {{"request", request.id}, {"error", error}});
    f.session.finish(request, "failed");
    f.driver->frames(4);
    CHECK(window::why_no_lanes(f.state, f.row()).next.find("fails its check") != std::string::npos);
    CHECK(f.state.lanes.request == 0);
  }
}
