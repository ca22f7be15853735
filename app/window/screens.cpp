#include "app/window/screens.h"

#include <cstdlib>

#include "app/window/actions.h"

namespace ridge::window {
namespace {

template <ScreenId id>
void show(State& state) {
  show_screen(state, id);
}

const ScreenDesc kScreens[] = {
    {ScreenId::home, "home", "Home", "labs, progress, last results", "H", 'h', make_home_screen,
     show<ScreenId::home>},
    {ScreenId::lab, "lab", "Lab", "the ladder: run, read, compare", "", 0, make_lab_screen,
     show<ScreenId::lab>},
};

}  // namespace

const chart::Scene& ScreenView::scene() const {
  static const chart::Scene kEmpty;
  return kEmpty;
}

std::span<const ScreenDesc> screens() {
  return kScreens;
}

const ScreenDesc& screen_of(ScreenId id) {
  for (const ScreenDesc& screen : kScreens) {
    if (screen.id == id) return screen;
  }
  std::abort();  // an identifier without a row: a mistake in the code, not a state
}

void show_screen(State& state, ScreenId id) {
  state.view.show_menu = false;
  state.view.screen = state.view.screen == id ? ScreenId::lab : id;
  state.notice = {};
  state.dirty = true;
}

}  // namespace ridge::window
