// Settings: what is remembered, where it lies, and what is asked to measure.
#include <algorithm>
#include <string>
#include <vector>

#include "app/window/shell/actions.h"
#include "app/window/shell/overlays.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/views/view.h"
#include "common/core/format.h"

namespace ridge::window {
namespace {

class SettingsScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;
};

/// Name and a line under it at the left; the room for its control at the right.
Area setting(Ui& ui, Area* rest, const char* name, const char* about) {
  const Area line = rest->take_top(ui.px(62));
  const float name_w = std::min(ui.px(330), line.w * 0.45f);
  ui.text(line.x, line.y + ui.px(20), name, kSmall_px + 1, Role::text, Face::body, Anchor::start,
          name_w);
  ui.text(line.x, line.y + ui.px(41), about, kTiny_px + 1, Role::muted, Face::body, Anchor::start,
          name_w);
  return {line.x + name_w + ui.px(24), line.y + ui.px(13), line.w - name_w - ui.px(24), ui.px(36)};
}

void folder(Ui& ui, Area* rest, const char* name, const char* about, const std::string& path) {
  const Area place = setting(ui, rest, name, about);
  ui.text(place.x, place.middle(), path.empty() ? "nowhere: no home folder is known" : path,
          kCode_px, path.empty() ? Role::muted : Role::text, Face::mono, Anchor::start, place.w);
  if (ui.hovers(std::string("folder:") + name, place)) ui.tooltip(path);
}

void draw_look(Ui& ui, Area* rest) {
  const Appearance& look = ui.state.appearance;
  draw_heading(ui, rest, "LOOK");
  Area place = setting(ui, rest, "Theme", "T changes it anywhere");
  place.w = std::min(place.w, ui.px(200));
  const int theme = ui.segments("theme", place, {"Dark", "Light"}, look.light_theme ? 1 : 0);
  if (theme >= 0 && (theme == 1) != look.light_theme) ui.dispatch_action("theme");

  place = setting(ui, rest, "Level", "how much of the window is shown; figures are the same");
  place.w = std::min(place.w, ui.px(260));
  std::vector<std::string> titles;
  for (size_t i = 0; i < kLevelNames.size(); ++i)
    titles.emplace_back(level_choice(static_cast<Level>(i)).title);
  const int level = ui.segments("level", place, titles, static_cast<int>(look.level));
  if (level >= 0 && level != static_cast<int>(look.level))
    ui.dispatch([level](State& state) { set_level(state, static_cast<Level>(level)); });

  place = setting(ui, rest, "Scale", "of everything, as far as the window has room; Ctrl + and −");
  const float h = place.h;
  ui.action_button("smaller", {place.x, place.y, h, h}, "−", Ui::Kind::normal);
  ui.text(place.x + h + ui.px(40), place.middle(), format_share(static_cast<double>(look.scale)),
          kSmall_px + 1, Role::text, Face::mono, Anchor::middle);
  ui.action_button("larger", {place.x + h + ui.px(80), place.y, h, h}, "+", Ui::Kind::normal);

  place = setting(ui, rest, "Motion", "diagrams that play by themselves");
  place.w = std::min(place.w, ui.px(200));
  const int motion = ui.segments("motion", place, {"Full", "Reduced"}, look.reduced_motion ? 1 : 0);
  if (motion >= 0 && (motion == 1) != look.reduced_motion) ui.dispatch_action("reduced_motion");
}

void SettingsScreen::draw(Ui& ui, Area all) {
  const float most = ui.px(980);
  if (all.w > most) all = {all.x + (all.w - most) / 2, all.y, most, all.h};
  ui.panel(all);
  const State& state = ui.state;
  Scroll scroll(ui, "settings", all.inset(ui.px(32), ui.px(20)));
  Area& rest = scroll.rest;
  draw_look(ui, &rest);
  rest.take_top(ui.px(16));
  draw_heading(ui, &rest, "MEASURING");
  const Area worker = setting(ui, &rest, "Worker", "--worker at the start chooses another");
  ui.text(worker.x, worker.middle(),
          state.is_replay() && !state.sessions.opened ? "none: a saved run is shown"
          : state.settings.worker_command.empty()     ? "ridgepoint-worker beside this program"
                                                      : state.settings.worker_command,
          kCode_px, Role::text, Face::mono, Anchor::start, worker.w);
  Area counters =
      setting(ui, &rest, "Counters", "a GPU's, after the timing, in a worker of their own");
  counters.w = std::min(counters.w, ui.px(200));
  const int counting =
      ui.segments("counters", counters, {"Off", "On"}, state.selection.counters ? 1 : 0);
  if (counting >= 0 && (counting == 1) != state.selection.counters) ui.dispatch_action("counters");
  rest.take_top(ui.px(16));
  draw_heading(ui, &rest, "FOLDERS");
  folder(ui, &rest, "Settings", "from XDG_CONFIG_HOME", state.settings.path);
  folder(ui, &rest, "Runs", "from XDG_STATE_HOME; the newest 20", state.history.runs_folder);
  folder(ui, &rest, "Reports", "from XDG_DOCUMENTS_DIR", state.settings.export_root);
}

}  // namespace

std::unique_ptr<Screen> make_settings_screen() {
  return std::make_unique<SettingsScreen>();
}

}  // namespace ridge::window
