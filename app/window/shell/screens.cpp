#include "app/window/shell/screens.h"

#include <cstdlib>

#include "app/window/shell/actions.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/study.h"
#include "app/window/views/chart_view.h"

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
    {ScreenId::cards, "cards", "Study", "cards, and a quiz on what ran here", "K", 'k',
     make_cards_screen, show<ScreenId::cards>, study_digit},
    {ScreenId::compare, "compare", "Compare", "verdicts, from rounds run in turns", "V", 'v',
     make_compare_screen, show<ScreenId::compare>},
    {ScreenId::timeline, "timeline", "Timeline", "what the worker did when", "I", 'i',
     make_timeline_screen, show<ScreenId::timeline>},
    {ScreenId::machine, "machine", "Machine", "what it is, and what it can do at most", "M", 'm',
     make_machine_screen, show<ScreenId::machine>},
    {ScreenId::report, "report", "Report", "as it will be exported", "O", 'o', make_report_screen,
     show<ScreenId::report>},
    {ScreenId::classroom, "class", "Class", "exercises, and a leaderboard", "", 0,
     make_class_screen, show<ScreenId::classroom>},
    {ScreenId::settings, "settings", "Settings", "theme, scale, folders", ",", ',',
     make_settings_screen, show<ScreenId::settings>},
    {ScreenId::shortcuts, "shortcuts", "Shortcuts", "every action and its key", "?", '?',
     make_shortcuts_screen, show<ScreenId::shortcuts>},
    {ScreenId::presenter, "presenter", "Presenter", "predict, run, reveal, explain", "P", 'p',
     make_presenter_screen, toggle_presenter},
};

}  // namespace

const chart::Scene& ScreenView::scene() {
  static const chart::Scene kEmpty;
  ChartView* view = chart();
  return view ? view->scene() : kEmpty;
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
