#include "app/window/inspect/steps_draw.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/window/inspect/steps_view.h"
#include "app/window/shell/screens.h"
#include "app/window/views/chart_draw.h"
#include "app/window/views/step_slider.h"
#include "common/view/diagram/warp_request.h"

namespace ridge::window {
namespace {

constexpr float kStepsBar = 40;  // pixels at scale 1

/// Without its words: they stand above it, where a low place does not cut them off.
chart::Scene scene_of(const WarpSteps& steps, size_t at, const chart::LayoutOptions& options) {
  diagram::Diagram made = diagram::request_diagram(steps, at);
  made.steps.front().words.clear();
  return diagram::draw(made, 0, options);
}

}  // namespace

void StepsPicture::lay_out(Ui& ui, const KernelCounts& counts, const Area& area) {
  const WarpSteps& steps = counts.steps;
  chart::LayoutOptions options;
  options.width = area.w;
  options.font_px = ui.px(kSmall_px);
  options.text_width = text_width_of(ui.fonts);
  const std::string of =
      fmt::format("{} {} {} {} {} {}", counts.kernel, counts.request, steps.requests.size(),
                  options.width, options.font_px, ui.fonts.version());
  if (room_of_ != of) {
    room_of_ = of, words_h_ = picture_h_ = 0;
    for (size_t i = 0; i < steps.requests.size(); ++i) {
      words_h_ = std::max(words_h_, ui.paragraph(area, diagram::request_words(steps, i), kSmall_px,
                                                 Role::text, Face::body, true));
      picture_h_ = std::max(picture_h_, scene_of(steps, i, options).height);
    }
  }
  const auto at = static_cast<size_t>(step_of(ui.state, counts));
  const std::string step = of + " at " + std::to_string(at);
  if (of_ == step) return;
  of_ = step;
  scene_ = scene_of(steps, at, options);
}

/// Back, on, where it is, and a slider over all of them.
void StepsPicture::draw_controls(Ui& ui, Area line, const KernelCounts& counts) {
  const int at = step_of(ui.state, counts), count = static_cast<int>(counts.steps.requests.size());
  const auto go = [&](int to) {
    ui.dispatch([place = stepping_at(counts, to)](State& state) { step_to(state, place); });
  };
  const auto button = [&](const char* name, const char* label, int by) {
    const float w = ui.width(label, kSmall_px + 1) + ui.px(22);
    const bool can = at + by >= 0 && at + by < count;
    if (ui.button(name, line.take_left(w, ui.px(6)), label, Ui::Kind::normal, can) && can)
      go(at + by);
  };
  button("request_back", "‹ Back", -1);
  button("request_on", "Next ›", 1);
  const std::string of = fmt::format("{} of {}", at + 1, count);
  const Area place = line.take_right(ui.width("256 of 256", kTiny_px + 1) + ui.px(4), ui.px(10));
  ui.text(place.right(), place.middle(), of, kTiny_px + 1, Role::muted, Face::body, Anchor::end);
  const int chosen = draw_step_slider(ui, line, "request", at, count);
  if (chosen >= 0 && chosen != at) go(chosen);
}

float StepsPicture::draw(Ui& ui, Area area, const KernelCounts& counts) {
  const float top = area.y;
  draw_controls(ui, area.take_top(ui.px(kStepsBar)).inset(0, ui.px(5)), counts);
  lay_out(ui, counts, area);
  const auto at = static_cast<size_t>(step_of(ui.state, counts));
  ui.paragraph(area, diagram::request_words(counts.steps, at), kSmall_px, Role::text);
  ui.widgets["request_words"] = area.take_top(words_h_, ui.px(8));
  const Area picture = area.take_top(picture_h_);
  ui.fill(picture, ui.raised(1), ui.px(8));
  draw_scene(ui, scene_, picture.x, picture.y);
  ui.widgets["request"] = picture;
  return area.y - top;
}

}  // namespace ridge::window
