// A saved comparison of commands in the window: its verdict is shown, and nothing of it runs.
#include "app/window/shell/actions.h"
#include "app/window/shell/state.h"
#include "common/record/command.h"
#include "tests/catch.h"
#include "tests/headless.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;
using namespace ridge::window;

namespace {

/// A saved comparison of two commands that touch `mark`, which is gone again.
void save_run(const std::string& path, const std::string& mark) {
  const Outcome made = Program(variable("RIDGE_BIN"),
                               {"compare", "--baseline", "sh -c 'sleep 0.02; touch " + mark + "'",
                                "--candidate", "touch " + mark, "--name", "slow", "--name", "quick",
                                "--limit", "0.001", "--out", path})
                           .finish();
  INFO(made.out << made.err);
  REQUIRE(made.code == 0);
  REQUIRE(fs::remove(mark));
}

}  // namespace

TEST_CASE("a saved comparison of commands opens in Compare, by its names, and runs nothing",
          "[window]") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", mark = folder / "mark";
  save_run(path, mark);

  auto opened = app::Session::replay(path);
  REQUIRE(opened);
  State state;
  state.sessions.shown = opened->get();
  state.sessions.shown->poll();
  open_lab(state, "");
  CHECK(state.view.screen == ScreenId::compare);
  CHECK(rung_title(state.ladder, command_id("quick")) == "quick");
  Headless driver(state, 1600, 1000);
  driver.frames(5);
  CHECK(driver.find("verdict") != nullptr);
  CHECK(driver.find("forest") != nullptr);
  // Whatever a person presses: there is no worker, and no request is made of what was read.
  for (const Action& one : actions()) {
    if (std::string_view(one.id) != "quit") perform(state, one.id);
  }
  driver.frames(5);
  CHECK_FALSE(fs::exists(mark));
  CHECK(state.is_replay());
}

TEST_CASE("beside a live session it opens the same, every screen draws it, and the session goes on",
          "[window]") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", mark = folder / "mark";
  save_run(path, mark);
  Fixture f;
  open_run(f.state, path);
  f.driver->frames(3);
  CHECK(f.state.view.screen == ScreenId::compare);
  REQUIRE_FALSE(f.state.history.recent.empty());
  CHECK(f.state.history.recent.front().title == "Commands · 2 commands · 1 comparison");
  for (const ScreenDesc& screen : screens()) {
    f.state.view.screen = screen.id;
    f.driver->frames(3);
    CHECK(f.driver->triangles() > 0);
  }
  open_run(f.state, "");
  f.driver->frames(3);
  CHECK_FALSE(f.state.is_replay());
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE("benchmarks of another program open in Report, and every screen draws them", "[window]") {
  Fixture f;
  open_run(f.state, variable("RIDGE_SOURCE") + "/tests/fixtures/imports/google_benchmark.json");
  f.driver->frames(3);
  CHECK(f.state.view.screen == ScreenId::report);
  REQUIRE_FALSE(f.state.history.recent.empty());
  CHECK(f.state.history.recent.front().title == "Benchmarks · 2 benchmarks");
  for (const ScreenDesc& screen : screens()) {
    f.state.view.screen = screen.id;
    f.driver->frames(2);
  }
  CHECK(f.state.is_replay());
}
