// Cases of window_test.cpp: the actions, their list in the window and in docs/ui.md.
#pragma once

#include <string>

#include "app/window/shell/screens.h"
#include "app/window/views/view.h"
#include "tests/generated_list.h"
#include "tests/window_fixture.h"

namespace ridge::test {

using namespace ridge::window;

TEST_CASE("every action with a name is in the list of shortcuts, and a click does it",
          "[window][screens]") {
  Fixture f;
  f.driver->type('?');
  for (const Action& entry : actions()) {
    INFO(entry.id);
    CHECK(f.driver->find("do:" + entry.id));
  }
  REQUIRE(f.driver->click("do:theme"));
  CHECK(f.state.appearance.light_theme);
  REQUIRE(f.driver->click("do:show_home"));
  CHECK(f.state.view.screen == ScreenId::home);
}

TEST_CASE("docs/ui.md lists every action with its key", "[window][screens]") {
  std::string lines = "| action | key | what |\n| --- | --- | --- |\n";
  for (const Action& entry : actions()) {
    const std::string keys = *entry.keys.text ? " `" + std::string(entry.keys.text) + "`" : "";
    lines += "| `" + entry.id + "` |" + keys + " | " + entry.title + " |\n";
  }
  check_list("docs/ui.md", "actions", lines);
}

TEST_CASE("docs/ui.md lists every view with its key", "[window][screens]") {
  std::string lines = "| view | key | what |\n| --- | --- | --- |\n";
  for (const ViewDesc* view : views()) {
    const std::string keys = *view->keys.text ? " `" + std::string(view->keys.text) + "`" : "";
    lines += std::string("| ") + view->label + " |" + keys + " | " + view->title + " |\n";
  }
  check_list("docs/ui.md", "views", lines);
}

TEST_CASE("docs/ui.md names the file of every screen", "[window][screens]") {
  const char* source = std::getenv("RIDGE_SOURCE");
  if (!source) return;  // outside ctest
  const auto page = read_text(std::string(source) + "/docs/ui.md");
  REQUIRE(page);
  for (const ScreenDesc& screen : screens())
    CHECK(page->find(std::string("screen_") + screen.name + ".cpp") != std::string::npos);
}

}  // namespace ridge::test
