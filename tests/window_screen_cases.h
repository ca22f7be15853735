// The screens: how one gets to them, and what each does. Part of window_test.cpp, in a file of its own.
#pragma once

#include <string>

#include "app/window/history.h"
#include "app/window/screens.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

TEST_CASE("every screen is reached by its key, the menu and a tab, and its key leads back",
          "[window][screens]") {
  Fixture f;
  for (const ScreenDesc& screen : screens()) {
    INFO(screen.name);
    REQUIRE(f.driver->click("menu"));
    CHECK(f.state.view.show_menu);
    REQUIRE(f.driver->click(std::string("menu:show_") + screen.name));
    CHECK_FALSE(f.state.view.show_menu);
    CHECK(f.state.view.screen == screen.id);
    CHECK(f.driver->triangles() > 100);
    if (screen.typed) {
      f.driver->type(screen.typed);
      CHECK(f.state.view.screen == ScreenId::lab);
      f.driver->type(screen.typed);
      CHECK(f.state.view.screen == screen.id);
    }
    if (screen.id == ScreenId::lab) continue;
    REQUIRE(f.driver->click("tab:lab"));
    CHECK(f.state.view.screen == ScreenId::lab);
  }
  REQUIRE(f.driver->click("menu"));
  f.driver->key(compat::Key::escape);
  CHECK_FALSE(f.state.view.show_menu);
}

TEST_CASE("home begins the climb, shows progress, and a digit opens its lab", "[window][screens]") {
  Fixture f;
  f.driver->type('h');
  const Lab& gemm = *find_lab("gemm");
  CHECK(lab_progress(f.state, gemm).verified == 0);
  CHECK(lab_progress(f.state, gemm).runnable > 3);
  REQUIRE(f.driver->click("begin"));
  CHECK(f.state.view.screen == ScreenId::lab);
  const WorkRequest request = f.session.last("run");
  f.session.measure(request, 0, 1e6);
  f.session.measure(request, 1, 1e6, false);  // a failed check is no progress
  f.session.finish(request);
  f.driver->frames(3);
  CHECK(lab_progress(f.state, gemm).verified == 1);
  f.driver->type('h');
  REQUIRE(f.driver->click("lab:gemm"));
  CHECK(f.state.view.screen == ScreenId::lab);
  f.driver->type('h');
  f.driver->type('1');
  CHECK(f.state.view.screen == ScreenId::lab);
}

TEST_CASE("a run is kept, listed on home, opened by a click, and led back from",
          "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.runs_folder = folder.path + "/runs";
  f.state.settings_path = folder.path + "/settings.json";
  f.run_all();
  REQUIRE(f.state.recent.size() == 1);
  const std::string path = f.state.recent.front().path;
  CHECK(std::filesystem::exists(path));
  CHECK(f.state.recent.front().title.find("GEMM") == 0);
  // What the next start knows of it.
  State again;
  again.settings_path = f.state.settings_path;
  load_settings(&again);
  REQUIRE(again.recent.size() == 1);
  CHECK(again.recent.front().path == path);
  CHECK(again.verified["gemm"].count("gemm.cpu.naive_o1") == 1);

  f.state.run_file.clear();  // as if it were another session's
  f.driver->type('h');
  REQUIRE(f.driver->click("open:" + path));
  f.driver->frames(2);
  CHECK(f.state.is_replay());
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(find_row(f.state, "gemm.cpu.naive_o1")->series != nullptr);
  f.driver->type('h');
  REQUIRE(f.driver->click("begin"));
  f.driver->frames(2);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.session == &f.session);

  open_run(f.state, folder.path + "/none.jsonl");
  f.driver->frames(2);
  CHECK(f.state.notice.is_error);
  CHECK_FALSE(f.state.is_replay());
  f.driver->key(compat::Key::f5);
  open_run(f.state, path);
  f.driver->frames(2);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.notice.text == kBusyNotice);
}

TEST_CASE("the list of runs is bounded, and only the program's own files are deleted",
          "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.runs_folder = folder.path + "/runs";
  std::filesystem::create_directories(f.state.runs_folder);
  const std::string mine = f.state.runs_folder + "/old.jsonl", theirs = folder.path + "/own.jsonl";
  std::ofstream(mine) << "{}";
  std::ofstream(theirs) << "{}";
  f.state.recent = {{mine, "", "", ""}, {theirs, "", "", ""}};
  for (size_t i = 0; i < kKeptRuns; ++i)
    list_recent(f.state, folder.path + "/" + std::to_string(i), f.state.run());
  CHECK(f.state.recent.size() == kKeptRuns);
  CHECK_FALSE(std::filesystem::exists(mine));
  CHECK(std::filesystem::exists(theirs));
}

}  // namespace
}  // namespace ridge::test
