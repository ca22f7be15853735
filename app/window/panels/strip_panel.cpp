#include <algorithm>
#include <cmath>

#include "app/window/panels/panels.h"
#include "app/window/views/chart_draw.h"
#include "common/stats/stats.h"
#include "common/view/chart/distribution.h"
#include "common/view/chart/forest.h"

namespace ridge::window {
namespace {

/// The baseline and the selected rung, as far as they have samples.
std::vector<const RungView*> sampled_rows(const State& state) {
  std::vector<const RungView*> rows;
  for (const std::string& kernel : {state.selection.baseline, state.selection.rung}) {
    const RungView* found = find_row(state.ladder, kernel);
    if (!found || !found->kept || found->kept->samples.empty()) continue;
    if (rows.empty() || kernel != state.selection.baseline) rows.push_back(found);
  }
  return rows;
}

/// What the strip is drawn from, each part with its version.
StripPanel::Parts parts_of(const State& state) {
  std::string where;
  if (const Comparison* comparison = shown_comparison(state, &where))
    return {{comparison, state.ladder.version, false}};
  StripPanel::Parts parts;
  for (const RungView* row : sampled_rows(state))
    parts.emplace_back(row->kept, row->series->version,
                       row->rung->kernel == state.selection.baseline);
  return parts;
}

chart::ChartModel model_of(const State& state) {
  const Run* run = nullptr;
  std::string where;
  if (const Comparison* comparison = shown_comparison(state, &where, &run)) {
    chart::ForestRow row;
    row.label = rung_title(state.ladder, comparison->candidate);
    row.sublabel = "against " + rung_title(state.ladder, comparison->baseline);
    row.comparison = comparison;
    row.verdict = comparison->verdict;
    for (const Round& round : run->rounds(comparison->request)) {
      row.round_ratios.push_back(
          std::exp(stats::round_log_ratio(round, comparison->candidate_index)));
    }
    return chart::forest_chart({&row, 1});
  }
  std::vector<chart::DistributionRow> rows;
  for (const RungView* row : sampled_rows(state)) {
    rows.push_back({row->rung->title, "", row->kept, row->rung->kernel == state.selection.baseline,
                    row->series->stats ? &*row->series->stats : nullptr});
  }
  return chart::distribution_chart(rows);
}

bool has_picture(const chart::ChartModel& model) {
  return std::any_of(model.panels.begin(), model.panels.end(),
                     [](const chart::Panel& panel) { return !panel.marks.empty(); });
}

constexpr float kSwitch_w = 190, kSwitch_h = 24;

}  // namespace

void StripPanel::draw_samples(Ui& ui, Area area) {
  const float font_px = ui.px(kSmall_px);
  Parts parts = parts_of(ui.state);
  const bool is_new = parts_ != parts;
  if (is_new) {  // a million samples are looked through for this, and not again where only the width changed
    parts_ = std::move(parts);
    model_ = model_of(ui.state);
  }
  if (is_new || width_ != area.w || height_ != area.h || font_px_ != font_px ||
      fonts_version_ != ui.fonts.version()) {
    fonts_version_ = ui.fonts.version();
    width_ = area.w, height_ = area.h, font_px_ = font_px;
    chart::LayoutOptions options;
    options.width = area.w;
    options.height = area.h;
    options.font_px = font_px;
    options.text_width = text_width_of(ui.fonts);
    scene_ = has_picture(model_) ? chart::layout(model_, options) : chart::Scene{};
  }
  if (scene_.primitives.empty()) {
    const RungView* row = find_row(ui.state.ladder, ui.state.selection.rung);
    const bool measured = row && row->series && row->series->stats;
    const bool open = ui.state.requests.run != 0;
    draw_empty_state(ui, area, measured ? "No samples to draw." : "Each sample will be drawn here.",
                     measured ? "This result came without its samples."
                     : open   ? "They come once the check has passed."
                              : "Run a rung to see how its times spread.",
                     ui.px(18));
    return;
  }
  ui.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  draw_scene(ui, scene_, area.x, area.y);
  ui.list->PopClipRect();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ui.touch("strip", area).hovered) {
    if (const chart::Hit* hit = hit_at(scene_, mouse.x - area.x, mouse.y - area.y)) {
      ui.tooltip(hit_text(*hit, model_));
    }
  }
}

/// Which of the two is shown: telemetry while it is being measured, samples afterwards, unless chosen.
void StripPanel::draw_switch(Ui& ui, const Area& area, bool telemetry) {
  const int chosen = telemetry ? 1 : 0;
  const int clicked = ui.segments("strip_view", area, {"Samples", "Telemetry"}, chosen);
  if (clicked < 0 || clicked == chosen) return;
  ui.dispatch([clicked](State& state) {
    state.view.strip = clicked == 1 ? Strip::telemetry : Strip::samples;
  });
}

void StripPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  Area inner = area.inset(ui.px(6), ui.px(6));
  const bool live = ui.state.requests.run || ui.state.requests.compare;
  const bool any = !ui.state.run().telemetry().empty();
  const Strip chosen = ui.state.view.strip;
  const bool telemetry = chosen == Strip::telemetry || (chosen == Strip::automatic && live && any);
  Area head = inner;
  if (any || telemetry) {
    head = inner.take_top(ui.px(kSwitch_h));
    draw_switch(ui, {head.right() - ui.px(kSwitch_w), head.y, ui.px(kSwitch_w), head.h}, telemetry);
  }
  if (telemetry)
    draw_telemetry(ui, head.inset(ui.px(10), 0), inner.inset(ui.px(10), 0), live);
  else
    draw_samples(ui, inner);
}

}  // namespace ridge::window
