#include <algorithm>
#include <cmath>
#include <set>

#include "app/window/chart_draw.h"
#include "app/window/panels.h"
#include "common/chart/decimate.h"
#include "common/chart/distribution.h"
#include "common/chart/forest.h"
#include "common/core/format.h"
#include "common/stats/stats.h"

namespace ridge::window {
namespace {

chart::ChartModel model_of(const State& state) {
  const Run* run = nullptr;
  std::string where;
  if (const Comparison* comparison = shown_comparison(state, &where, &run)) {
    chart::ForestRow row;
    row.label = rung_title(state, comparison->candidate);
    row.sublabel = "against " + rung_title(state, comparison->baseline);
    row.comparison = comparison;
    row.verdict = comparison->verdict;
    for (const Round& round : run->rounds(comparison->request)) {
      row.round_ratios.push_back(
          std::exp(stats::round_log_ratio(round, comparison->candidate_index)));
    }
    return chart::forest_chart({&row, 1});
  }
  std::vector<chart::DistributionRow> rows;
  for (const std::string& kernel : {state.view.baseline, state.view.rung}) {
    const RungView* found = find_row(state, kernel);
    if (!found || !found->series || found->series->samples.empty()) continue;
    if (!rows.empty() && kernel == state.view.baseline) continue;
    rows.push_back({found->rung->title, "", found->series, kernel == state.view.baseline});
  }
  return chart::distribution_chart(rows);
}

bool has_picture(const chart::ChartModel& model) {
  return std::any_of(model.panels.begin(), model.panels.end(),
                     [](const chart::Panel& panel) { return !panel.marks.empty(); });
}

/// "power_w" is printed as "power" in W: the unit is the last part of a name.
struct Quantity {
  std::string label, unit;
};
Quantity split_name(const std::string& name) {
  const size_t at = name.rfind('_');
  static const std::map<std::string, std::string> kUnits = {
      {"w", "W"},     {"cpus", "CPUs"}, {"hz", "Hz"}, {"c", "°C"},
      {"bytes", "B"}, {"j", "J"},       {"s", "s"}};
  Quantity quantity{name, ""};
  if (at != std::string::npos && kUnits.count(name.substr(at + 1))) {
    quantity = {name.substr(0, at), kUnits.at(name.substr(at + 1))};
  }
  std::replace(quantity.label.begin(), quantity.label.end(), '_', ' ');
  return quantity;
}

/// Prefixes are for physical units; half a CPU is not 500 mCPUs.
std::string value_text(double value, const std::string& unit) {
  if (unit == "CPUs" || unit == "°C" || unit.empty())
    return format_number(value, 2) + (unit.empty() ? "" : " ") + unit;
  return format_quantity(value, unit);
}

}  // namespace

void StripPanel::draw_telemetry(Ui& ui, Area area) {
  const auto& points = ui.state.run().telemetry();
  std::set<std::string> names;
  for (const TelemetryPoint& point : points) {
    for (const auto& [name, value] : point.values) names.insert(name);
  }
  const float gap = ui.px(24);
  const auto shown = std::min<size_t>(names.size(), 4);
  const float w = (area.w - gap * static_cast<float>(shown - 1)) / static_cast<float>(shown);
  constexpr Role kRoles[] = {Role::series0, Role::series2, Role::faster, Role::series1};
  size_t index = 0;
  for (const std::string& name : names) {
    if (index >= shown) break;
    const Area part = {area.x + static_cast<float>(index) * (w + gap), area.y, w, area.h};
    std::vector<chart::Point> line;
    double latest = 0;
    for (const TelemetryPoint& point : points) {
      const auto found = point.values.find(name);
      if (found == point.values.end()) continue;
      line.push_back({static_cast<float>(point.t_s), static_cast<float>(found->second)});
      latest = found->second;
    }
    const Quantity quantity = split_name(name);
    ui.text(part.x, part.y + ui.px(9), quantity.label, kSmall_px, Role::muted);
    ui.text(part.right(), part.y + ui.px(9), value_text(latest, quantity.unit), kSmall_px,
            Role::text, Face::mono, Anchor::end);
    const Area plot = {part.x, part.y + ui.px(26), part.w, part.h - ui.px(28)};
    ui.list->AddLine({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, ui.color(Role::grid));
    const float t0 = line.front().x, t1 = std::max(line.back().x, t0 + 1e-3f);
    line = chart::decimate(line, t0, t1, std::max(1, static_cast<int>(plot.w)));
    float high = 0;
    for (const chart::Point& point : line) high = std::max(high, point.y);
    std::vector<ImVec2> path;
    for (const chart::Point& point : line) {
      path.push_back({plot.x + (point.x - t0) / (t1 - t0) * plot.w,
                      plot.bottom() - (high > 0 ? point.y / high : 0) * (plot.h - ui.px(4))});
    }
    compat::add_polyline(ui.list, path.data(), static_cast<int>(path.size()),
                         ui.color(kRoles[index]), ui.px(1.6f));
    ++index;
  }
}

void StripPanel::draw_samples(Ui& ui, Area area) {
  const float font_px = ui.px(kSmall_px);
  if (version_ != ui.state.ladder_version || width_ != area.w || height_ != area.h ||
      font_px_ != font_px || fonts_version_ != ui.fonts.version()) {
    version_ = ui.state.ladder_version;
    fonts_version_ = ui.fonts.version();
    width_ = area.w, height_ = area.h, font_px_ = font_px;
    const chart::ChartModel model = model_of(ui.state);
    chart::LayoutOptions options;
    options.width = area.w;
    options.height = area.h;
    options.font_px = font_px;
    options.text_width = text_width_of(ui.fonts);
    scene_ = has_picture(model) ? chart::layout(model, options) : chart::Scene{};
  }
  if (scene_.primitives.empty()) {
    const RungView* row = find_row(ui.state, ui.state.view.rung);
    const bool measured = row && row->series && row->series->stats;
    const bool open = ui.state.run_request != 0;
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
      ui.tooltip(hit->value_text.empty() ? hit->note : hit->value_text + "\n" + hit->note);
    }
  }
}

void StripPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  const Area inner = area.inset(ui.px(6), ui.px(6));
  const auto& points = ui.state.run().telemetry();
  const bool busy = ui.state.run_request || ui.state.compare_request;
  const bool any = !points.empty() && !points.back().values.empty();
  if (busy && any)
    draw_telemetry(ui, area.inset(ui.px(24), ui.px(16)));
  else
    draw_samples(ui, inner);
}

}  // namespace ridge::window
