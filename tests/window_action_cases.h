// Cases of window_test.cpp: the actions, their list in the window and in docs/ui.md.
#pragma once

#include <string>

#include "app/window/shell/screens.h"
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
  CHECK(f.state.view.light_theme);
  REQUIRE(f.driver->click("do:show_home"));
  CHECK(f.state.view.screen == ScreenId::home);
}

TEST_CASE("docs/ui.md lists every action with its key", "[window][screens]") {
  const char* source = std::getenv("RIDGE_SOURCE");
  if (!source) return;  // outside ctest
  const auto page = read_text(std::string(source) + "/docs/ui.md");
  REQUIRE(page);
  for (const Action& entry : actions()) {
    const std::string keys = *entry.keys.text ? "`" + std::string(entry.keys.text) + "`" : "";
    const std::string line =
        "| `" + entry.id + "` | " + keys + (keys.empty() ? "| " : " | ") + entry.title + " |";
    INFO(line);
    CHECK(page->find(line) != std::string::npos);
  }
  for (const ScreenDesc& screen : screens())
    CHECK(page->find(std::string("screen_") + screen.name + ".cpp") != std::string::npos);
}

}  // namespace ridge::test
