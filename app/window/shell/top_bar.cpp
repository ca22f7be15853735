#include <algorithm>

#include "app/window/panels/panels.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"

namespace ridge::window {
namespace {

struct Badge {
  std::string text, tip;
  Role role = Role::muted;
};

Badge quiet_badge(const State& state) {
  const auto& environment = state.run().environment();
  if (state.sessions.shown->state() == app::WorkerState::lost) {
    return {"worker lost", state.sessions.shown->reason(), Role::slower};
  }
  if (!environment) return {"", "", Role::muted};
  const QuietState& quiet =
      state.run().quiet_after() ? *state.run().quiet_after() : environment->quiet;
  if (quiet.quiet) {
    return {"quiet", "Nothing else was using this machine when it was measured.", Role::faster};
  }
  std::string why = "This machine is not quiet, so figures may be noisy:";
  for (const std::string& reason : quiet.reasons) why += "\n· " + reason;
  return {"not quiet", why, Role::slower};
}

void draw_buttons(Ui& ui, Area* row) {
  const bool open = ui.state.requests.run || ui.state.requests.compare;
  const auto button = [&](const char* id, const char* label, Ui::Kind kind) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32);
    ui.action_button(id, row->take_right(w, ui.px(8)), label, kind);
  };
  if (open) button("cancel", "Cancel  Esc", Ui::Kind::primary);
  if (!open) button("run", "Run  F5", Ui::Kind::primary);
  button("export", "Export", Ui::Kind::normal);
  button("compare", "Compare", Ui::Kind::normal);
}

/// Three lines: the menu of screens.
void draw_menu_button(Ui& ui, Area* row) {
  const Area place = row->take_left(row->h, ui.px(10));
  const auto touched = ui.touch("menu", place);
  if (touched.hovered || ui.state.view.show_menu) ui.fill(place, ui.raised(2), ui.px(5));
  const float w = ui.px(16), line_h = ui.px(2), x = place.x + (place.w - w) / 2;
  for (const float at : {-6.0f, 0.0f, 6.0f}) {
    const float y = place.middle() + ui.px(at) - line_h / 2;
    ui.fill({x, y, w, line_h}, ui.color(Role::text));
  }
  if (touched.clicked) ui.dispatch([](State& state) { state.view.show_menu = true; });
}

/// On every screen but the lab: where one is, and the others as far as there is room.
void draw_tabs(Ui& ui, Area row) {
  for (const ScreenDesc& screen : screens()) {
    const bool here = screen.id == ui.state.view.screen;
    const float w = ui.width(screen.title, kSmall_px + 1, here ? Face::strong : Face::body);
    const Area tab = row.take_left(w + ui.px(24), ui.px(2));
    if (row.w < 0) return;
    const auto touched = ui.touch(std::string("tab:") + screen.name, tab);
    if (touched.hovered && !here) ui.fill(tab, ui.raised(2), ui.px(5));
    ui.text(tab.x + tab.w / 2, tab.middle(), screen.title, kSmall_px + 1,
            here ? Role::text : Role::muted, here ? Face::strong : Face::body, Anchor::middle);
    if (here) {
      ui.fill({tab.x + ui.px(12), tab.bottom() - ui.px(3), w, ui.px(3)}, ui.color(Role::series0),
              ui.px(1));
    }
    if (touched.clicked && !here) ui.dispatch(screen.show);
  }
}

void draw_title(Ui& ui, Area* row) {
  const Lab* lab = ui.state.selection.lab;
  const float y = row->middle();
  row->take_left(
      ui.text(row->x, y, lab ? lab->title : "Ridgepoint", kHeading_px, Role::text, Face::strong),
      ui.px(16));
  const std::string summary = lab ? params_summary(*lab, shown_params(ui.state)) : std::string();
  if (summary.empty()) return;
  const float w = std::min(ui.width(summary, kSmall_px), row->w * 0.4f);
  ui.text(row->x, y, summary, kSmall_px, Role::muted, Face::body, Anchor::start, w);
  row->take_left(w, ui.px(24));
}

void draw_device(Ui& ui, const Area& chip) {
  const State& state = ui.state;
  const std::string device = device_label(state.sessions);
  ui.fill(chip, ui.raised(1), ui.px(5));
  ui.text(chip.x + ui.px(12), chip.middle(), device, kSmall_px, Role::muted, Face::body,
          Anchor::start, chip.w - ui.px(24) + 1);
  if (!ui.touch("device", chip).hovered) return;
  std::string tip = device;
  if (const auto& environment = state.run().environment()) {
    tip += "\n" + environment->cpu.model + ", " + std::to_string(environment->cpu.cores) + " cores";
    if (environment->gpus.empty()) tip += "\nNo GPU: " + environment->no_gpu_reason;
  } else if (state.sessions.shown->state() == app::WorkerState::idle) {
    tip = "Its name and state are read when the first run begins.";
  }
  ui.tooltip(tip);
}

void draw_badge(Ui& ui, const Area& chip, const Badge& badge) {
  ui.fill(chip, ui.color(badge.role, 0.1f), ui.px(5));
  ui.list->AddCircleFilled({chip.x + ui.px(15), chip.middle()}, ui.px(4), ui.color(badge.role));
  ui.text(chip.x + ui.px(27), chip.middle(), badge.text, kSmall_px, badge.role);
  if (ui.touch("quiet", chip).hovered) ui.tooltip(badge.tip);
}

void draw_baseline(Ui& ui, const Area& chip, const std::string& label) {
  const bool chosen = !ui.state.selection.baseline.empty();
  const float close_w = chosen ? ui.px(28) : 0;
  ui.frame(chip, ui.color(chosen ? Role::baseline : Role::grid), ui.px(5), ui.px(1));
  ui.text(chip.x + ui.px(12), chip.middle(), label, kSmall_px, chosen ? Role::text : Role::muted,
          Face::body, Anchor::start, chip.w - ui.px(23) - close_w);
  if (!chosen) {
    if (ui.touch("baseline", chip).hovered) {
      ui.tooltip("The rung that others are compared with.\nSelect a rung and press B.");
    }
    return;
  }
  ui.widgets["baseline"] = chip;
  const Area close = {chip.right() - ui.px(32), chip.y, ui.px(32), chip.h};
  if (ui.touch("clear_baseline", close).clicked) ui.dispatch_action("clear_baseline");
  ui.text(close.x + close.w / 2, close.middle(), "×", kBody_px, Role::muted, Face::body,
          Anchor::middle);
}

}  // namespace

void TopBar::draw(Ui& ui, Area area) {
  ui.fill(area, ui.color(Role::panel));
  const float h = ui.px(36), gap = ui.px(8);
  Area row = {area.x + ui.px(12), area.middle() - h / 2, area.w - ui.px(36), h};
  draw_menu_button(ui, &row);
  if (ui.state.view.screen != ScreenId::lab) return draw_tabs(ui, row);
  draw_buttons(ui, &row);
  draw_title(ui, &row);

  const std::string& baseline = ui.state.selection.baseline;
  const std::string label =
      baseline.empty() ? "no baseline" : "baseline: " + rung_title(ui.state.ladder, baseline);
  const Badge badge = quiet_badge(ui.state);
  const float baseline_w =
      std::min(ui.width(label, kSmall_px) + ui.px(baseline.empty() ? 24 : 52), row.w * 0.45f);
  const float badge_w = badge.text.empty() ? 0 : ui.width(badge.text, kSmall_px) + ui.px(40);
  // Where room is short, the machine's name yields first.
  const float device_room = row.w - baseline_w - badge_w - 2 * gap;
  if (device_room > ui.px(90)) {
    const float device_w = ui.width(device_label(ui.state.sessions), kSmall_px) + ui.px(24);
    draw_device(ui, row.take_left(std::min(device_w, device_room), gap));
  }
  if (badge_w > 0) draw_badge(ui, row.take_left(badge_w, gap), badge);
  draw_baseline(ui, row.take_left(std::min(baseline_w, row.w), gap), label);
}

}  // namespace ridge::window
