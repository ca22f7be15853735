#include "app/window/actions.h"
#include "app/window/chart_draw.h"
#include "app/window/panels.h"
#include "common/chart/ladder.h"

namespace ridge::window {
namespace {

chart::LadderRow chart_row(const State& state, const RungView& row) {
  chart::LadderRow out;
  out.label = row.rung->title;
  out.series = row.series;
  out.ceilings = row.run ? &row.run->ceilings() : nullptr;
  out.is_baseline = state.view.baseline == row.rung->kernel;
  out.selected = state.view.rung == row.rung->kernel;
  out.is_peer = row.rung->peer;
  out.state = row.reason;
  if (row.origin == Origin::recorded) out.origin = row.machine;
  out.stale = row.stale;
  if (!row.shown_size.empty()) out.sublabel = "at " + row.shown_size;
  if (row.greyed)
    out.sublabel += std::string(out.sublabel.empty() ? "" : ", ") + "before the worker was lost";
  return out;
}

// The chart's text; where the whole ladder does not fit, it may be a pixel smaller before it scrolls.
constexpr float kFont_px = 16, kSmallerFont_px = 15, kPad = 6, kScrollbar = 12;

chart::LayoutOptions options_of(Ui& ui, const Area& area, float font) {
  chart::LayoutOptions options;
  options.width = area.w;
  options.height = area.h;
  options.font_px = ui.px(font);
  options.text_width = text_width_of(ui.fonts);
  return options;
}

}  // namespace

void LadderPanel::build(Ui& ui) {
  if (version_ == ui.state.ladder_version) return;
  version_ = ui.state.ladder_version;
  std::vector<chart::LadderRow> rows;
  rows_.clear();
  for (const RungView& row : ui.state.ladder) {
    rows.push_back(chart_row(ui.state, row));
    rows_.emplace_back(row.rung->kernel);
  }
  model_ = chart::ladder_chart(rows, {});
}

void LadderPanel::lay_out(Ui& ui, Area area) {
  build(ui);
  const float font_px = ui.px(kFont_px);
  if (laid_out_ == version_ && width_ == area.w && height_ == area.h && font_px_ == font_px &&
      fonts_version_ == ui.fonts.version()) {
    return;
  }
  laid_out_ = version_;
  fonts_version_ = ui.fonts.version();
  width_ = area.w, height_ = area.h, font_px_ = font_px;
  for (const float font : {kFont_px, kSmallerFont_px}) {
    scene_ = chart::layout(model_, options_of(ui, area, font));
    if (scene_.height <= area.h + 1) return;
  }
  area.w -= ui.px(kScrollbar);
  scene_ = chart::layout(model_, options_of(ui, area, kFont_px));
}

void LadderPanel::draw(Ui& ui, Area area) {
  ui.panel(area);
  if (!ui.state.view.lab) {
    draw_empty_state(ui, area, "This build has no labs.",
                     "Build with the files of labs/, or start ridgepoint from its own folder.");
    return;
  }
  const Area inner = area.inset(ui.px(kPad));
  lay_out(ui, inner);
  // A ladder longer than the panel scrolls; the chart keeps its row height.
  const bool scrolls = scene_.height > inner.h + 1;
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  compat::begin_child("ladder", inner.w, inner.h, scrolls);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const auto touched =
      ui.touch("chart", {origin.x, origin.y, scene_.width, std::max(scene_.height, inner.h)});
  draw_scene(ui, scene_, origin.x, origin.y);
  for (const chart::Hit& hit : scene_.hits) {
    if (hit.row < 0 || hit.row >= static_cast<int>(rows_.size())) continue;
    ui.widgets["chart:" + rows_[static_cast<size_t>(hit.row)] + ":" + std::to_string(hit.panel)] = {
        origin.x + hit.a.x, origin.y + hit.a.y, hit.b.x - hit.a.x, hit.b.y - hit.a.y};
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (const chart::Hit* hit =
          touched.hovered ? hit_at(scene_, mouse.x - origin.x, mouse.y - origin.y) : nullptr) {
    std::string tip = hit->value_text;
    if (!hit->note.empty()) tip += (tip.empty() ? "" : "\n") + hit->note;
    ui.tooltip(tip);
    if (touched.clicked && hit->row >= 0 && hit->row < static_cast<int>(rows_.size())) {
      select_rung(ui.state, rows_[static_cast<size_t>(hit->row)]);
    }
  }
  ImGui::EndChild();
  ui.list = outer;
}

}  // namespace ridge::window
