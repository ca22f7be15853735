// The screens: how one gets to them, and what each does. Part of window_test.cpp, in a file of its own.
#pragma once

#include <string>

#include "app/window/export.h"
#include "app/window/history.h"
#include "app/window/palette.h"
#include "app/window/screens.h"
#include "app/window/settings.h"
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

TEST_CASE("Ctrl K finds actions, screens, labs and rungs by a few letters", "[window][screens]") {
  CHECK_FALSE(fuzzy_score("xyz", "Run the ladder"));
  CHECK(fuzzy_score("rtl", "Run the ladder"));
  CHECK(*fuzzy_score("cb", "cache blocks") > *fuzzy_score("cb", "Cancel, by no means, both"));
  CHECK(*fuzzy_score("run", "Run the ladder") > *fuzzy_score("run", "previous rung, next"));

  Fixture f;
  f.driver->key(compat::Key::k, true);
  REQUIRE(f.state.view.show_palette);
  for (const char letter : std::string("loop order")) f.driver->type(letter);
  CHECK(f.state.view.palette_typed == "loop order");
  CHECK(f.state.view.rung == "gemm.cpu.naive_o1");  // letters are typed, not keys
  f.driver->key(compat::Key::enter);
  CHECK_FALSE(f.state.view.show_palette);
  CHECK(f.state.view.rung == "gemm.cpu.loop_order");

  f.driver->key(compat::Key::k, true);
  for (const char letter : std::string("machinex")) f.driver->type(letter);
  f.driver->key(compat::Key::backspace);
  CHECK(f.state.view.palette_typed == "machine");
  f.driver->key(compat::Key::down);
  f.driver->key(compat::Key::up);
  REQUIRE(f.driver->click("palette:0"));
  CHECK(f.state.view.screen == ScreenId::machine);

  // What cannot be done says why and does nothing.
  const auto entries = palette_entries(f.state, "compare the selected");
  REQUIRE_FALSE(entries.empty());
  CHECK(entries.front().why_not.find("baseline") != std::string::npos);
  f.driver->key(compat::Key::k, true);
  for (const char letter : std::string("compare the sel")) f.driver->type(letter);
  f.driver->key(compat::Key::enter);
  CHECK(f.session.count("compare") == 0);
  f.driver->key(compat::Key::f5);
  CHECK(f.session.count("run") == 0);
  f.driver->key(compat::Key::escape);
  CHECK_FALSE(f.state.view.show_palette);
}

TEST_CASE("every action with a name is in the list of shortcuts, and a click does it",
          "[window][screens]") {
  Fixture f;
  f.driver->type('?');
  for (const Action& entry : actions()) {
    INFO(entry.id);
    CHECK(f.driver->find("do:" + entry.id));
  }
  REQUIRE(f.driver->click("do:theme"));
  CHECK(f.state.view.light_theme);
  REQUIRE(f.driver->click("do:show_home"));
  CHECK(f.state.view.screen == ScreenId::home);
}

TEST_CASE("the compare screen lists every comparison, and a click chooses one",
          "[window][screens]") {
  Fixture f;
  f.driver->type('v');
  REQUIRE(f.driver->find("nothing"));  // one sentence, one button
  CHECK(f.driver->find("forest") == nullptr);
  f.driver->type('b');
  for (const char* candidate : {"gemm.cpu.naive_o3", "gemm.cpu.loop_order"}) {
    select_rung(f.state, candidate);
    f.driver->frames();
    f.driver->type('c');
    f.session.judge(f.session.last("compare"), Verdict::faster, 4);
    f.driver->frames(3);
  }
  REQUIRE(f.driver->find("forest"));
  CHECK(f.driver->find("forest:1"));
  CHECK(f.driver->find("forest:2") == nullptr);
  CHECK(f.driver->find("spread"));  // both sides' times
  const auto chosen_label = [&] {
    for (const chart::Primitive& p : f.driver->screen().chart_scene().primitives) {
      if (p.role == chart::Role::highlight) return p.a.y;
    }
    return -1.0f;
  };
  const float first = chosen_label();
  REQUIRE(f.driver->click("forest:1"));
  f.driver->frames(2);
  CHECK(chosen_label() > first);
}

TEST_CASE("the empty compare screen's button compares what is chosen", "[window][screens]") {
  Fixture f;
  f.driver->type('b');
  f.driver->type(']');
  f.driver->type('v');
  REQUIRE(f.driver->click("nothing"));
  CHECK(f.session.count("compare") == 1);
}

TEST_CASE("the machine screen measures on its button, then shows what was found",
          "[window][screens]") {
  Fixture f;
  f.driver->type('m');
  const int before = f.session.count("probe");
  REQUIRE(f.driver->click("nothing"));
  CHECK(f.session.count("probe") == before + 1);
  CHECK(f.session.last("probe").kernels.empty());
  f.run_all();
  CHECK(f.driver->find("nothing") == nullptr);
  CHECK(f.driver->triangles() > 1000);
}

TEST_CASE("the report screen shows what export writes", "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.export_root = folder.path;
  f.driver->type('o');
  REQUIRE(f.driver->find("nothing"));
  CHECK_FALSE(shown_report(f.state));
  REQUIRE(f.driver->click("nothing"));
  CHECK(f.session.count("run") == 1);
  f.session.finish(f.session.last("run"), "cancelled");
  f.driver->frames(2);
  f.run_all();
  CHECK(f.driver->find("nothing") == nullptr);
  REQUIRE(f.driver->find("export"));
  REQUIRE(f.driver->click("export"));
  CHECK(!f.state.last_export.empty());
  const auto report = shown_report(f.state);
  REQUIRE(report);
  const auto page = read_text(f.state.last_export + "/report.md");
  REQUIRE(page);
  for (const report::Section& section : report->sections)
    CHECK(page->find(section.title) != std::string::npos);
}

TEST_CASE("settings change theme, scale and motion, and remember them", "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.settings_path = folder.path + "/settings.json";
  f.driver->type(',');
  REQUIRE(f.driver->click("theme=Light"));
  REQUIRE(f.driver->click("motion=Reduced"));
  REQUIRE(f.driver->click("larger"));
  State again;
  again.settings_path = f.state.settings_path;
  load_settings(&again);
  CHECK(again.view.light_theme);
  CHECK(again.view.reduced_motion);
  CHECK(again.view.scale > 1);
}

TEST_CASE("every screen is drawn empty, with a run and with a replay, at every size and scale",
          "[window][screens]") {
  const TemporaryFolder folder;
  for (const auto& [width, height, scale] : {std::tuple{1600.f, 1000.f, 1.f},
                                             {1280.f, 720.f, 1.f},
                                             {1280.f, 720.f, 2.f},
                                             {3840.f, 2160.f, 2.f}}) {
    INFO(width << " x " << height << " at " << scale);
    Fixture f(width, height);
    f.state.view.scale = scale;
    f.driver->frames(4);
    for (const bool measured : {false, true}) {
      if (measured) {
        f.run_all();
        f.driver->type('b');
        f.driver->type(']');
        f.driver->type('c');
        f.session.judge(f.session.last("compare"), Verdict::slower, 0.5);
        f.driver->frames(3);
        REQUIRE(f.session.save(folder.path + "/run.jsonl"));
      }
      for (const bool replay : {false, true}) {
        if (replay && !measured) continue;
        open_run(f.state, replay ? folder.path + "/run.jsonl" : "");
        f.driver->frames(2);
        for (const ScreenDesc& screen : screens()) {
          INFO(screen.name << (measured ? " measured" : " empty") << (replay ? " replay" : ""));
          f.state.view.screen = screen.id;
          f.driver->frames(2);
          CHECK(f.driver->triangles() > 100);
          for (const auto& [name, area] : f.driver->screen().widgets()) {
            INFO(name);
            CHECK(area.x >= -1);
            CHECK(area.right() <= width + 1);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ridge::test
