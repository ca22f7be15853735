#include <algorithm>

#include "app/window/actions.h"
#include "app/window/panels.h"

namespace ridge::window {
namespace {

struct Badge {
  std::string text, tip;
  Role role = Role::muted;
};

Badge quiet_badge(const State& state) {
  const auto& environment = state.run().environment();
  if (state.session->state() == app::WorkerState::lost) {
    return {"worker lost", state.session->reason(), Role::slower};
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

}  // namespace

void TopBar::draw(Ui& ui, Area area) {
  ui.fill(area, ui.color(Role::panel));
  const State& state = ui.state;
  const float h = ui.px(36), y = area.middle() - h / 2, gap = ui.px(8);
  Area row = {area.x + ui.px(24), y, area.w - ui.px(48), h};

  const auto button = [&](const char* id, const char* label, Ui::Kind kind) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32);
    ui.action_button(id, row.take_right(w, gap), label, kind);
  };
  if (state.run_request || state.compare_request)
    button("cancel", "Cancel  Esc", Ui::Kind::primary);
  else
    button("run", "Run  F5", Ui::Kind::primary);
  button("export", "Export", Ui::Kind::normal);
  button("compare", "Compare", Ui::Kind::normal);

  const char* title = state.view.lab ? state.view.lab->title : "Ridgepoint";
  row.take_left(ui.text(row.x, area.middle(), title, kHeading_px, Role::text, Face::strong),
                ui.px(16));
  const std::string summary =
      state.view.lab ? params_summary(*state.view.lab, state.view.params) : std::string();
  const float summary_w = std::min(ui.width(summary, kSmall_px), row.w * 0.4f);
  if (!summary.empty()) {
    ui.text(row.x, area.middle(), summary, kSmall_px, Role::muted, Face::body, Anchor::start,
            summary_w);
    row.take_left(summary_w, ui.px(24));
  }

  // From right to left in order of what may be left out: the machine's name yields first.
  const bool has_baseline = !state.view.baseline.empty();
  const std::string baseline =
      has_baseline ? "baseline: " + rung_title(state, state.view.baseline) : "no baseline";
  const Badge badge = quiet_badge(state);
  const float close_w = has_baseline ? ui.px(28) : 0;
  const float baseline_w =
      std::min(ui.width(baseline, kSmall_px) + ui.px(24) + close_w, row.w * 0.45f);
  const float badge_w = badge.text.empty() ? 0 : ui.width(badge.text, kSmall_px) + ui.px(40);
  const float device_room = row.w - baseline_w - badge_w - 2 * gap;
  const std::string device = device_label(state);
  if (device_room > ui.px(90)) {
    const float device_w = std::min(ui.width(device, kSmall_px) + ui.px(24), device_room);
    const Area chip = row.take_left(device_w, gap);
    ui.fill(chip, ui.raised(1), ui.px(5));
    ui.text(chip.x + ui.px(12), chip.middle(), device, kSmall_px, Role::muted, Face::body,
            Anchor::start, chip.w - ui.px(24) + 1);
    if (ui.touch("device", chip).hovered) {
      const auto& environment = state.run().environment();
      std::string tip = device;
      if (environment) {
        tip += "\n" + environment->cpu.model + ", " + std::to_string(environment->cpu.cores) +
               " cores";
        if (environment->gpus.empty()) tip += "\nNo GPU: " + environment->no_gpu_reason;
      } else if (state.session->state() == app::WorkerState::idle) {
        tip = "Its name and state are read when the first run begins.";
      }
      ui.tooltip(tip);
    }
  }
  if (badge_w > 0) {
    const Area chip = row.take_left(badge_w, gap);
    ui.fill(chip, ui.color(badge.role, 0.1f), ui.px(5));
    ui.list->AddCircleFilled({chip.x + ui.px(15), chip.middle()}, ui.px(4), ui.color(badge.role));
    ui.text(chip.x + ui.px(27), chip.middle(), badge.text, kSmall_px, badge.role);
    if (ui.touch("quiet", chip).hovered) ui.tooltip(badge.tip);
  }
  const Area chip = row.take_left(std::min(baseline_w, row.w), gap);
  ui.frame(chip, ui.color(has_baseline ? Role::baseline : Role::grid), ui.px(5), ui.px(1));
  ui.text(chip.x + ui.px(12), chip.middle(), baseline, kSmall_px,
          has_baseline ? Role::text : Role::muted, Face::body, Anchor::start,
          chip.w - ui.px(23) - close_w);
  if (has_baseline) {
    const Area close = {chip.right() - ui.px(32), chip.y, ui.px(32), chip.h};
    if (ui.touch("clear_baseline", close).clicked) perform(ui.state, "clear_baseline");
    ui.text(close.x + close.w / 2, close.middle(), "×", kBody_px, Role::muted, Face::body,
            Anchor::middle);
  } else if (ui.touch("baseline", chip).hovered) {
    ui.tooltip("The rung that others are compared with.\nSelect a rung and press B.");
  }
}

}  // namespace ridge::window
