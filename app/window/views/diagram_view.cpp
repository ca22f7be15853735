#include "app/window/views/diagram_view.h"

#include <algorithm>
#include <cmath>

#include "app/window/views/chart_draw.h"
#include "app/window/views/step_slider.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

// Calm enough to read along where the words change little; 64 steps take half a minute.
constexpr double kStep_s = 0.5;
constexpr float kDiagramFont_px = kSmall_px, kControls = 30;

/// The sizes that are set; in a rung's own type where that is chosen.
std::map<std::string, int64_t> sizes_of(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  Params params = view_params(state, row ? row->info : nullptr);
  if (param_text(params, "dtype") == kOwnType) {
    params.erase("dtype");
    if (row && row->info && !row->info->dtypes.empty()) params["dtype"] = row->info->dtypes.front();
  }
  return diagram::sizes_of(params);
}

}  // namespace

void DiagramView::build(Ui& ui, const Fenced& fenced) {
  const SourceText* source = find_source(ui.state, fenced.kernel);
  if (source == nullptr) {
    made_of_.clear();
    made_ = Error{ErrorCode::unavailable, "it is drawn from the source, which is not known yet", "",
                  ""};
    return;
  }
  const auto sizes = sizes_of(ui.state, fenced.kernel);
  std::string of = fenced.kernel + source->hash + std::to_string(knob_);
  for (const auto& [name, value] : sizes) of += " " + std::to_string(value);
  if (of == made_of_) return;
  made_of_ = of;
  made_ = diagram::build(fenced.info, fenced.body, source->text, sizes, knob_);
  drawn_step_ = -1;
  fits_.clear();
  words_ = diagram::Words::below;
  if (!made_->ok()) return;
  plays_ = !ui.state.appearance.reduced_motion;
  step_ = plays_ ? 0 : (**made_).still;
  next_s_ = ImGui::GetTime() + kStep_s;
}

void DiagramView::lay_out(Ui& ui, float width) {
  const float font_px = ui.px(kDiagramFont_px);
  if (drawn_step_ == step_ && width_ == width && font_px_ == font_px && drawn_words_ == words_ &&
      fonts_version_ == ui.fonts.version())
    return;
  drawn_words_ = words_;
  drawn_step_ = step_, width_ = width, font_px_ = font_px, fonts_version_ = ui.fonts.version();
  chart::LayoutOptions options;
  options.width = width;
  options.font_px = font_px;
  options.text_width = text_width_of(ui.fonts);
  scene_ = diagram::draw(**made_, step_, options, words_);
}

void DiagramView::step_to(int step) {
  step_ = std::clamp(step, 0, static_cast<int>((**made_).steps.size()) - 1);
}

void DiagramView::move(Ui& ui, bool is_seen) {
  const int moves = ui.state.teaching.diagram_moves;
  if (moves != 0) {
    plays_ = false;
    step_to(step_ + moves);
  }
  // A measurement wants the processor for itself.
  const bool measures = ui.state.sessions.shown->state() == app::WorkerState::busy;
  if (ui.state.appearance.reduced_motion) plays_ = false;
  if (!plays_ || !is_seen || measures) return;
  const double now_s = ImGui::GetTime();
  if (now_s >= next_s_) {
    step_to(step_ + 1);
    next_s_ = now_s + kStep_s;
  }
  plays_ = step_ + 1 < static_cast<int>((**made_).steps.size());
  if (plays_) ui.wake_in(std::max(0.01, next_s_ - now_s));
}

float DiagramView::draw_controls(Ui& ui, Area area, const std::string& name) {
  const int count = static_cast<int>((**made_).steps.size());
  const Area play = area.take_left(ui.px(30), ui.px(8));
  const auto pressed = ui.touch(name + ":play", play);
  ui.fill(play, ui.raised(pressed.hovered ? 3 : 2), ui.px(5));
  const float x = std::round(play.x + play.w / 2), y = std::round(play.middle()), r = ui.px(6);
  if (plays_) {
    for (const float at : {-r, r * 0.3f})
      ui.fill({x + at, y - r, r * 0.7f, 2 * r}, ui.color(Role::text));
  } else {
    ui.list->AddTriangleFilled({x - r * 0.7f, y - r}, {x - r * 0.7f, y + r}, {x + r, y},
                               ui.color(Role::text));
  }
  if (pressed.hovered)
    ui.tooltip(plays_ ? "Pause" : ui.state.appearance.reduced_motion ? "Next step" : "Play");
  if (pressed.clicked) {
    const bool ended = step_ + 1 == count;
    if (ended) step_to(0);
    if (ui.state.appearance.reduced_motion && !ended) step_to(step_ + 1);
    plays_ = !plays_ && !ui.state.appearance.reduced_motion;
    next_s_ = ImGui::GetTime() + kStep_s;
    ui.needs_redraw = true;
  }
  const std::string of = std::to_string(step_ + 1) + " of " + std::to_string(count);
  const Area label = area.take_right(ui.width("88 of 88", kTiny_px + 1) + ui.px(4), ui.px(10));
  ui.text(label.right(), label.middle(), of, kTiny_px + 1, Role::muted, Face::body, Anchor::end);
  if (const int dragged = draw_step_slider(ui, area, name, step_, count); dragged >= 0) {
    plays_ = false;
    step_to(dragged);
  }
  return ui.px(kControls);
}

float DiagramView::draw_knob(Ui& ui, Area area, const std::string& name) {
  const diagram::Diagram& made = **made_;
  if (made.knob_text.empty()) return 0;
  const float w = ui.text(area.x, area.middle(), made.knob_text, kSmall_px, Role::text);
  area.take_left(w, ui.px(8));
  const auto change = [&](const char* end, const char* label, int by) {
    const bool can = made.knob + by >= made.knob_low && made.knob + by <= made.knob_high;
    if (ui.button(name + end, area.take_left(ui.px(26), ui.px(4)), label, Ui::Kind::normal, can) &&
        can)
      knob_ = made.knob + by, ui.needs_redraw = true;
  };
  change(":less", "−", -1);
  const Area value = area.take_left(ui.px(22), ui.px(4));
  ui.text(value.x + value.w / 2, value.middle(), std::to_string(made.knob), kSmall_px, Role::text,
          Face::strong, Anchor::middle);
  change(":more", "+", 1);
  ui.text(area.x + ui.px(4), area.middle(), made.knob_unit, kSmall_px, Role::text);
  return ui.px(kControls);
}

/// Of the picture and its controls.
float DiagramView::height(Ui& ui, float width) {
  lay_out(ui, width);
  const float bottom = ui.px((**made_).knob_text.empty() ? 0 : kControls + 4) + ui.px(kControls);
  return scene_.height + bottom + ui.px(8);
}

/// Every step is as high as the one with the most words, so one fit holds for all.
const DiagramView::Fit& DiagramView::find_fit(Ui& ui, const Area& area) {
  constexpr float kHalf = 0.5f, kNarrow = 260, kStep = 0.95f;
  const float font_px = ui.px(kDiagramFont_px);
  const auto known = std::find_if(fits_.begin(), fits_.end(), [&](const Fit& fit) {
    return fit.w == area.w && fit.h == area.h && fit.font_px == font_px;
  });
  if (known != fits_.end()) return *known;
  constexpr size_t kPlaces = 8;  // a window that is resized asks for many
  if (fits_.size() >= kPlaces) fits_.clear();
  Fit best = {area.w, area.h, font_px, area.w};
  float least_cut = 0;
  const float narrowest = std::min(area.w * kHalf, ui.px(kNarrow));
  for (const diagram::Words words : {diagram::Words::below, diagram::Words::beside}) {
    words_ = words;
    for (float width = area.w; width >= narrowest; width *= kStep) {
      const float cut = std::max(0.0f, height(ui, width) - area.h);
      const bool is_first = words == diagram::Words::below && width == area.w;
      if (is_first || cut < least_cut) best.width = width, best.words = words, least_cut = cut;
      if (cut <= 0) break;
    }
    if (least_cut <= 0) break;
  }
  return fits_.emplace_back(best);
}

float DiagramView::fitting_width(Ui& ui, const Area& area, const Fenced& fenced) {
  build(ui, fenced);
  if (!made_->ok()) return area.w;
  const Fit& fit = find_fit(ui, area);
  words_ = fit.words;
  return fit.width;
}

bool DiagramView::is_whole(Ui& ui, const Area& area, const Fenced& fenced) {
  const float width = fitting_width(ui, area, fenced);
  return made_->ok() && height(ui, width) <= area.h;
}

float DiagramView::draw(Ui& ui, const Area& area, const std::string& name, const Fenced& fenced) {
  build(ui, fenced);
  const bool is_awaited = !ui.state.is_replay() && !find_source(ui.state, fenced.kernel);
  if (is_awaited) return 0;  // the worker sends it: the picture comes with it
  if (!made_->ok()) {
    const std::string why = "Diagram unavailable: " + made_->error().sentence() + ".";
    ui.widgets[name] = area;
    return ui.paragraph(area, why, kSmall_px, Role::muted) + ui.px(10);
  }
  const float h = height(ui, area.w);
  const ImVec2 low = ui.list->GetClipRectMin(), high = ui.list->GetClipRectMax();
  const bool is_seen = area.y < high.y && area.y + h > low.y;
  move(ui, is_seen);
  lay_out(ui, area.w);
  ui.widgets[name] = {area.x, area.y, area.w, h};
  ui.fill({area.x, area.y, area.w, h}, ui.raised(1), ui.px(8));
  if (is_seen) draw_scene(ui, scene_, area.x, area.y);
  const float controls_h = h - scene_.height - ui.px(8);
  Area rest = {area.x + ui.px(10), area.y + scene_.height, area.w - ui.px(20), controls_h};
  if (!(**made_).knob_text.empty()) draw_knob(ui, rest.take_top(ui.px(kControls), ui.px(4)), name);
  draw_controls(ui, rest.take_top(ui.px(kControls)), name);
  return h + ui.px(12);
}

}  // namespace ridge::window
