// Home: one button to begin with, the labs that exist and how far each was climbed, the last results.
#include <algorithm>

#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"

namespace ridge::window {
namespace {

class HomeScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  static void draw_welcome(Ui& ui, Area area);
  static void draw_labs(Ui& ui, Area* rest);
  static void draw_lab(Ui& ui, Area card, const Lab& lab, size_t place);
  static void draw_results(Ui& ui, Area* rest);
};

constexpr float kCard = 132;

/// The machine in one line.
std::string machine_line(const State& state) {
  const Run& run = state.sessions.own ? state.sessions.own->run() : state.run();
  if (const auto& environment = run.environment()) {
    std::string line = environment->cpu.model + ", " + std::to_string(environment->cpu.cores) +
                       (environment->cpu.cores == 1 ? " core" : " cores");
    for (const GpuInfo& gpu : environment->gpus) line += "  ·  " + gpu.name;
    if (environment->gpus.empty()) line += "  ·  no GPU";
    return line;
  }
  switch (state.sessions.shown->state()) {
    case app::WorkerState::starting:
      return "The worker is being started.";
    case app::WorkerState::lost:
      return "No worker: " + state.sessions.shown->reason();
    default:
      return "The machine's name and state are read when the first run begins.";
  }
}

void go_to_lab(State& state, const Lab& lab) {
  if (state.sessions.opened) open_run(state, "");
  open_lab(state, lab.id);
  state.view.screen = ScreenId::lab;
}

void go_to_run(State& state, const std::string& path) {
  if (path == state.history.run_file && !state.sessions.opened)
    state.view.screen = ScreenId::lab;  // it is what this session shows already
  else
    open_run(state, path);
}

void HomeScreen::draw_welcome(Ui& ui, Area area) {
  const State& state = ui.state;
  ui.panel(area);
  Area inner = area.inset(ui.px(24), ui.px(20));
  const auto labs = all_labs();
  const Lab* lab = state.selection.lab ? state.selection.lab
                   : labs.empty()      ? nullptr
                                       : labs.front();
  if (!lab) return draw_empty_state(ui, inner, "This build has no labs.", "");
  const Area title = inner.take_top(ui.px(34), ui.px(2));
  ui.text(title.x, title.middle(), "What does each step buy on this machine?", kHeading_px,
          Role::text, Face::strong, Anchor::start, title.w);
  const Area line = inner.take_top(ui.px(24), ui.px(14));
  ui.text(line.x, line.middle(), machine_line(state), kSmall_px, Role::muted, Face::body,
          Anchor::start, line.w);
  const bool replay = state.is_replay();
  const std::string label =
      state.sessions.opened ? "Back to measuring here"
      : replay              ? std::string(state.run().series().empty() ? "Look at the recordings"
                                                                       : "Look at the saved run")
                            : std::string("Climb the ") + lab->title + " ladder here";
  const float w = std::min(inner.w, ui.width(label, kSmall_px + 1, Face::strong) + ui.px(48));
  const Area row = inner.take_top(ui.px(44));
  const Area button = {row.x, row.y, w, row.h};
  if (ui.button("begin", button, label, Ui::Kind::primary)) {
    if (state.sessions.opened)
      ui.dispatch([](State& changed) { open_run(changed, ""); });
    else if (replay)
      ui.dispatch([](State& changed) { changed.view.screen = ScreenId::lab; });
    else
      ui.dispatch_action("climb");
  }
  const float x = button.right() + ui.px(16);
  ui.text(x, button.middle(),
          replay ? "" : "runs every rung, each checked before it is timed; Esc cancels", kSmall_px,
          Role::muted, Face::body, Anchor::start, row.right() - x);
}

void HomeScreen::draw_lab(Ui& ui, Area card, const Lab& lab, size_t place) {
  const auto touched = ui.touch(std::string("lab:") + lab.id, card);
  ui.fill(card, touched.hovered ? ui.raised(1) : ui.color(Role::panel), ui.px(8));
  Area inner = card.inset(ui.px(20), ui.px(14));
  const Area title = inner.take_top(ui.px(26), ui.px(4));
  const std::string key = place < 9 ? std::to_string(place + 1) : "";
  ui.text(title.x, title.middle(), lab.title, kBody_px, Role::text, Face::strong, Anchor::start,
          title.w - ui.px(24));
  ui.text(title.right(), title.middle(), key, kSmall_px, Role::muted, Face::mono, Anchor::end);
  const Area foot = inner.take_bottom(ui.px(24));
  ui.paragraph(inner, lab.goal, kSmall_px, Role::muted);
  const LabProgress progress = lab_progress(ui.state, lab);
  const std::string count =
      progress.runnable == 0
          ? std::to_string(lab.rungs.size()) + " rungs"
          : std::to_string(progress.verified) + " of " + std::to_string(progress.runnable) +
                (progress.runnable == 1 ? " rung verified here" : " rungs verified here");
  const float text_w =
      ui.text(foot.right(), foot.middle(), count, kSmall_px, Role::text, Face::body, Anchor::end);
  const Area bar = {foot.x, foot.middle() - ui.px(3), foot.w - text_w - ui.px(16), ui.px(6)};
  if (progress.runnable > 0 && bar.w > ui.px(40)) {
    ui.fill(bar, ui.raised(3), bar.h / 2);
    const float share =
        static_cast<float>(progress.verified) / static_cast<float>(progress.runnable);
    if (share > 0)
      ui.fill({bar.x, bar.y, bar.w * share, bar.h}, ui.color(Role::series0), bar.h / 2);
  }
  if (touched.clicked) ui.dispatch([&lab](State& state) { go_to_lab(state, lab); });
}

void HomeScreen::draw_labs(Ui& ui, Area* rest) {
  draw_heading(ui, rest, "LABS");
  const auto labs = all_labs();
  const float gap = ui.px(12), card_h = ui.px(kCard);
  const bool two = rest->w > ui.px(760) && labs.size() > 1;
  const float w = two ? (rest->w - gap) / 2 : rest->w;
  for (size_t i = 0; i < labs.size(); ++i) {
    const bool right = two && i % 2 == 1;
    const Area card = {rest->x + (right ? w + gap : 0), rest->y, w, card_h};
    draw_lab(ui, card, *labs[i], i);
    if (right || !two || i + 1 == labs.size()) rest->take_top(card_h, gap);
  }
}

/// "2026-11-20T18:00:00Z" as people read it.
std::string when(const std::string& time_utc) {
  if (time_utc.size() < 16) return time_utc;
  return time_utc.substr(0, 10) + " " + time_utc.substr(11, 5) + " UTC";
}

void HomeScreen::draw_results(Ui& ui, Area* rest) {
  const float line_h = ui.px(54);
  const auto line = [&](const std::string& path, const std::string& title,
                        const std::string& about) {
    const Area row = rest->take_top(line_h);
    const Area mark = {row.x - ui.px(10), row.y, row.w + ui.px(20), row.h - ui.px(2)};
    const auto touched = ui.touch("open:" + path, mark);
    const bool here = path == ui.state.sessions.opened_path && ui.state.sessions.opened;
    if (here || touched.hovered)
      ui.fill(mark, here ? ui.color(Role::highlight) : ui.raised(1), ui.px(5));
    ui.text(row.x, row.y + ui.px(17), title, kSmall_px + 1, Role::text, Face::body, Anchor::start,
            row.w);
    ui.text(row.x, row.y + ui.px(37), about, kTiny_px + 1, Role::muted, Face::body, Anchor::start,
            row.w);
    if (touched.hovered) ui.tooltip(path);
    if (touched.clicked) ui.dispatch([path](State& state) { go_to_run(state, path); });
  };
  draw_heading(ui, rest, "LAST RESULTS");
  if (ui.state.history.recent.empty()) {
    const float h = ui.paragraph(*rest,
                                 "Nothing was measured yet. What you run is kept and listed here; "
                                 "a saved run dropped on the window opens too.",
                                 kSmall_px, Role::muted);
    rest->take_top(h, ui.px(12));
  }
  const size_t room = ui.state.sessions.recordings.empty() ? ui.state.history.recent.size() : 8;
  for (size_t i = 0; i < std::min(room, ui.state.history.recent.size()); ++i) {
    const RecentRun& recent = ui.state.history.recent[i];
    const bool own = recent.path == ui.state.history.run_file;
    const std::string at = own ? "this session" : when(recent.time_utc);
    line(recent.path, recent.title, recent.machine + (recent.machine.empty() ? "" : "  ·  ") + at);
  }
  if (ui.state.sessions.recordings.empty()) return;
  rest->take_top(ui.px(10));
  draw_heading(ui, rest, "RECORDED ELSEWHERE");
  for (const Recording& recording : ui.state.sessions.recordings) {
    const std::string file = recording.path.substr(recording.path.rfind('/') + 1);
    const auto& environment = recording.run->environment();
    line(recording.path, recording.title,
         recording.machine + "  ·  " + file +
             (environment ? "  ·  " + when(environment->time_utc) : "") +
             (recording.stale.empty() ? "" : "  ·  " + recording.stale));
  }
}

void HomeScreen::draw(Ui& ui, Area all) {
  const float gap = ui.px(12), welcome_h = ui.px(166);
  // On a wide screen lines would grow too long to read and the eye would wander.
  const float most = ui.px(1500);
  if (all.w > most) all = {all.x + (all.w - most) / 2, all.y, most, all.h};
  const bool wide = all.w > ui.px(900);
  if (wide) {
    const Area results = all.take_right(all.w * 0.36f, gap);
    ui.panel(results);
    {
      // Rows are marked a little beyond their text.
      const float beyond = ui.px(10);
      Scroll scroll(ui, "results", results.inset(beyond, ui.px(14)));
      scroll.rest.x += beyond;
      scroll.rest.w -= beyond;
      draw_results(ui, &scroll.rest);
    }
    draw_welcome(ui, all.take_top(welcome_h, gap));
    // The bar's room lies in the gap beside, so that the cards end where the panel above does.
    Scroll scroll(ui, "labs", {all.x, all.y, all.w + Scroll::bar(ui), all.h});
    return draw_labs(ui, &scroll.rest);
  }
  Scroll page(ui, "home_page", all);
  draw_welcome(ui, page.rest.take_top(welcome_h, gap));
  draw_labs(ui, &page.rest);
  const size_t lines =
      std::min<size_t>(ui.state.history.recent.size(), 8) + ui.state.sessions.recordings.size();
  const Area results = page.rest.take_top(ui.px(170 + 54 * static_cast<float>(lines)));
  ui.panel(results);
  Area inner = results.inset(ui.px(20), ui.px(14));
  draw_results(ui, &inner);
}

}  // namespace

std::unique_ptr<Screen> make_home_screen() {
  return std::make_unique<HomeScreen>();
}

}  // namespace ridge::window
