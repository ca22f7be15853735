// The view Trace of a ladder of matrices, with a fake worker: two rungs side by side, the player, and what stands there
// where no walk is.
#include <algorithm>

#include "app/window/inspect/walk_view.h"
#include "app/window/views/view.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr int64_t kFrames = 10;

/// Three matrices of four lines; each frame misses one line of L1, the first one of L2.
Inspection walk_of(const WorkRequest& request) {
  Inspection look;
  look.request = request.id, look.kernel = request.kernels[0].kernel, look.of = "walk";
  look.params = request.kernels[0].params;
  Walk walk;
  walk.reads = 90'000, walk.writes = 10'000, walk.bytes = 400'000, walk.flop = 50'000;
  walk.first = request.inspect.first.value_or(0);
  walk.count = request.inspect.count.value_or(walk.accesses());
  walk.caches_are = "scaled down";
  walk.caches = {{"L1", 4096, 8, kFrames}, {"L2", 8192, 8, 1}};
  for (const char* name : {"A", "B", "C"})
    walk.planes.push_back({.name = name, .rows = 8, .columns = 8, .lines = 4, .elements = 16});
  for (int64_t i = 0; i < kFrames; ++i)
    walk.frames.push_back({"4g4h4a", {1, i == 0 ? 1 : 0}, 1, i % 64});
  look.walk = walk;
  return look;
}

struct Walked : Fixture {
  explicit Walked(const char* rung = "gemm.cpu.loop_order") : Fixture(1800) {
    window::select_rung(state, rung);
    window::perform(state, "walk");
    driver->frames(4);
  }
  int asked() const { return session.count(RequestType::inspect); }
  WorkRequest last() const { return session.last(RequestType::inspect); }
  void answer() {
    const WorkRequest request = last();
    session.tell("result", {{"request", request.id}, {"inspection", walk_of(request)}});
    session.finish(request);
    driver->frames(4);
  }
};

}  // namespace

TEST_CASE("a rung's walk and that of the rung before it are asked for, once each", "[window]") {
  Walked f;
  REQUIRE(f.asked() == 1);
  CHECK(f.last().kernels[0].kernel == "gemm.cpu.loop_order");
  CHECK(f.last().kernels[0].params == Params{{"n", int64_t{64}}});
  CHECK_FALSE(f.last().inspect.count);
  f.answer();
  REQUIRE(f.asked() == 2);
  CHECK(f.last().kernels[0].kernel == "gemm.cpu.naive_o3");
  f.answer();
  f.driver->frames(10);
  CHECK(f.asked() == 2);
  for (const char* widget : {"walk_plane:A", "walk_plane:C", "walk_strip:gemm.cpu.loop_order:0",
                             "walk_strip:gemm.cpu.naive_o3:1"}) {
    INFO(widget);
    CHECK(f.driver->find(widget));
  }
  // Another rung: the one before it is known already.
  window::select_rung(f.state, "gemm.cpu.naive_o3");
  f.driver->frames(4);
  CHECK(f.last().kernels[0].kernel == "gemm.cpu.naive_o1");
}

TEST_CASE("the player plays, pauses, steps and is dragged", "[window]") {
  Walked f;
  f.answer(), f.answer();
  auto& walking = f.state.walking;
  REQUIRE(f.driver->click("walk_play"));
  f.driver->frames(20);
  CHECK(walking.plays);
  CHECK(walking.place > 0);
  REQUIRE(f.driver->click("walk_play"));
  f.driver->frames(2);
  CHECK_FALSE(walking.plays);
  walking.place = 0.5;  // frame 5
  REQUIRE(f.driver->click("walk_on"));
  f.driver->frames(2);
  CHECK(walking.place == 0.65);
  REQUIRE(f.driver->click("walk_back"));
  f.driver->frames(2);
  CHECK(walking.place == 0.55);
  REQUIRE(f.driver->drag("walk_strip:gemm.cpu.loop_order:0", 5000, 0));
  CHECK(walking.place == 1);
  window::toggle_play(f.state);  // from the end it begins again
  CHECK(walking.place == 0);
}

TEST_CASE("a part of the walk begins where the player is, and is asked for", "[window]") {
  Walked f;
  f.answer(), f.answer();
  f.state.walking.place = 0.5;
  window::show_part(f.state, window::WalkPart::each);
  f.driver->frames(4);
  REQUIRE(f.asked() == 3);
  CHECK(f.last().inspect.first == 50'000);
  CHECK(f.last().inspect.count == 240);
  f.answer();
  CHECK(f.asked() == 4);  // of the rung before
  f.answer();
  window::set_machine_caches(f.state, true);
  f.driver->frames(4);
  CHECK(f.last().inspect.machine_caches);
}

TEST_CASE("a walk goes on while the view is left, and one that was cancelled begins on return",
          "[window]") {
  Walked f;
  const WorkRequest first = f.last();
  window::perform(f.state, "gains");
  f.driver->frames(4);
  f.driver->key(compat::Key::escape);
  CHECK(f.session.cancelled.empty());  // Esc stops what is looked at
  f.answer();
  CHECK(f.asked() == 1);
  window::perform(f.state, "walk");
  f.driver->frames(4);
  REQUIRE(f.asked() == 2);  // of the previous rung: the first is known
  CHECK(f.last().kernels[0].kernel == "gemm.cpu.naive_o3");
  CHECK(f.driver->find("walk_plane:A"));
  f.driver->key(compat::Key::escape);
  REQUIRE(f.session.cancelled.size() == 1);
  f.session.finish(f.last(), "cancelled");
  f.driver->frames(10);
  CHECK(f.asked() == 2);  // as long as it is looked at, a button asks
  window::perform(f.state, "gains");
  f.driver->frames(4);
  window::perform(f.state, "walk");
  f.driver->frames(4);
  CHECK(f.asked() == 3);
}

TEST_CASE("a GPU rung, a library and a failure say why there is no walk", "[window]") {
  for (const char* rung :
       {"gemm.cuda.naive", "gemm.cpu.onednn"}) {  // of the first: its lanes, or why none
    INFO(rung);
    Walked f(rung);
    CHECK(f.asked() == 0);
    CHECK_FALSE(f.driver->find("walk_play"));
  }
  Walked f;
  const Error error{ErrorCode::unavailable, "no compiler here", "", ""};
  f.session.tell("error", {{"request", f.last().id}, {"error", error}});
  f.session.finish(f.last(), "failed");
  f.driver->frames(4);
  const auto* row = window::walking_row(f.state);
  REQUIRE(row);
  CHECK(window::walk_problem(f.state, *row).find("no compiler here") != std::string::npos);
  const int before = f.asked();
  f.answer();  // of the rung before
  CHECK(f.asked() == before);
  window::perform(f.state, "walk_again");
  f.driver->frames(4);
  CHECK(f.asked() == before + 1);
}
