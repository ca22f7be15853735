// The view "Trace" of a GPU rung: what its warps did on one SM, a lane a role. Above it, on the same
// axis, stands the previous rung that has lanes.
// A consumer's lane has two halves: its multiplications in flight, and what its warps do meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/query/lanes_text.h"
#include "app/window/inspect/lanes_draw.h"
#include "app/window/inspect/lanes_view.h"
#include "app/window/inspect/walk_view.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "common/core/format.h"
#include "common/record/stale_words.h"
#include "common/view/chart/axis_place.h"
#include "common/view/chart/layout_parts.h"
#include "common/view/chart/ticks.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kLanesBar = 40, kLanesLegend = 22, kLanesAxis = 24, kLanesHead = 42,
                kLaneLabel = 110, kLeastLane = 14, kMostLane = 84, kLanesGap = 12;

struct WhatLook {
  Role role;
  float strength;
  const char* legend;
};
WhatLook look_of(LaneWhat what) {
  switch (what) {
    case LaneWhat::wait:
      return {Role::muted, 0.45f, "waits for a stage"};
    case LaneWhat::load:
      return {Role::series2, 1, "asks for a load"};
    case LaneWhat::multiply:
      return {Role::series0, 1, "multiplication in flight"};
    case LaneWhat::store:
      return {Role::series1, 1, "stores its tile"};
    case LaneWhat::turn:
      return {Role::series4, 0.8f, "waits for its turn"};
  }
  return {Role::muted, 1, ""};
}

/// A kernel's lanes as they are drawn: read once, not in each frame.
struct DrawnLanes {
  const Inspection* look = nullptr;
  std::string key;  ///< what was read
  struct Lane {
    std::string name;
    std::vector<KernelSpan> spans;
    bool multiplies = false;
  };
  std::vector<Lane> lanes;
  LaneExtent extent;
  std::string share, cost, left_out;

  void read(const Inspection* from) {
    const std::string now =
        from ? fmt::format("{} {} {}", fmt::ptr(from), from->kernel, from->lanes->call_ns) : "";
    if (now == key) return;
    *this = {};
    key = now, look = from;
    if (!look) return;
    for (const KernelLane& lane : look->lanes->lanes) {
      Lane& drawn = lanes.emplace_back();
      drawn.name = lane.name;
      drawn.spans = decode_spans(lane.spans);
      drawn.multiplies =
          std::any_of(drawn.spans.begin(), drawn.spans.end(),
                      [](const KernelSpan& span) { return span.what == LaneWhat::multiply; });
    }
    extent = extent_of(*look->lanes);
    share = app::share_text(*look->lanes), cost = app::cost_text(*look->lanes);
    left_out = app::left_out_text(*look->lanes);
  }
  double end_us() const { return look ? look->lanes->us(extent.end) : 0; }
};

class LanesDrawing final : public CentrePanel {
 public:
  void draw(Ui& ui, Area area) override;

 private:
  void draw_bar(Ui& ui, Area line);
  void place_lanes_axis(const Area& area, float label_w);
  void take_lane_gestures(Ui& ui, const Area& area);
  void draw_lanes_axis(Ui& ui, const Area& area, float top) const;
  void draw_kernel(Ui& ui, Area area, const RungView& row, const DrawnLanes& drawn, float lane_h);
  void draw_lane(Ui& ui, const Area& row, const DrawnLanes& drawn,
                 const DrawnLanes::Lane& lane) const;
  void draw_half_lane(Ui& ui, const Area& row, const DrawnLanes& drawn,
                      const DrawnLanes::Lane& lane, bool multiplies) const;

  DrawnLanes shown_, before_;
  chart::AxisPlace axis_;          ///< µs since the first block began
  std::optional<Interval> range_;  ///< what is looked at; empty: all
  double whole_us_ = 1;
};

void LanesDrawing::draw_bar(Ui& ui, Area line) {
  const State& state = ui.state;
  if (!state.is_replay() && walking_row(state)->can_run) {
    const float w = ui.width("Stamp it here", kSmall_px + 1) + ui.px(24);
    ui.action_button("lanes_take", line.take_left(w, ui.px(10)), "Stamp it here", Ui::Kind::normal);
  }
  const int alone = ui.segments("lanes_alone", line.take_left(ui.px(150), ui.px(10)),
                                {"Beside", "Alone"}, state.lanes.is_alone);
  if (alone >= 0) ui.dispatch([alone](State& changed) { changed.lanes.is_alone = alone == 1; });
  if (range_ &&
      ui.button("lanes_fit", line.take_left(ui.px(64), ui.px(10)), "Fit", Ui::Kind::normal)) {
    range_.reset();
    ui.needs_redraw = true;
  }
  if (state.lanes.request)
    ui.text(line.x, line.middle(), "In turns with the rung itself, then one call with stamps.",
            kSmall_px, Role::muted, Face::body, Anchor::start, line.w);
}

void LanesDrawing::place_lanes_axis(const Area& area, float label_w) {
  const Interval whole = {0, whole_us_};
  const Interval shown = range_ ? chart::kept_inside(*range_, whole, false) : whole;
  axis_ = {shown.low, shown.high, area.x + label_w, area.right(), false};
}

/// The wheel zooms at the cursor, a drag pans, a double click shows all of it.
void LanesDrawing::take_lane_gestures(Ui& ui, const Area& area) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_over = ui.touch("lanes", area, false).hovered;
  if (!is_over || !axis_.holds(io.MousePos.x)) return;
  if (ImGui::IsMouseDoubleClicked(0)) {
    range_.reset();
  } else if (io.MouseWheel != 0) {
    range_ = axis_.zoomed(io.MousePos.x, std::pow(0.8, io.MouseWheel));
    if (range_->high - range_->low >= whole_us_) range_.reset();
  } else if (range_ && ImGui::IsMouseDragging(0, 4)) {
    range_ = chart::kept_inside(axis_.panned(io.MouseDelta.x), {0, whole_us_}, false);
  } else {
    return;
  }
  ui.needs_redraw = true;
}

void LanesDrawing::draw_lanes_axis(Ui& ui, const Area& area, float top) const {
  const int target =
      std::clamp(static_cast<int>((axis_.high_px - axis_.low_px) / ui.px(110)), 2, 12);
  const auto ticks = chart::linear_ticks(axis_.low, axis_.high, target);
  for (const chart::Tick& tick : ticks) {
    const float x = axis_.px(tick.value);
    ui.list->AddLine({x, top}, {x, area.y}, ui.color(Role::grid));
    const std::string label = format_tick(tick.value, chart::parts::tick_digits(ticks, 1));
    const float half = ui.width(label, kTiny_px, Face::mono) / 2;
    ui.text(std::min(x, area.right() - half), area.middle(), label, kTiny_px, Role::muted,
            Face::mono, Anchor::middle);
  }
  ui.text(axis_.low_px - ui.px(12), area.middle(), "µs", kTiny_px + 1, Role::muted, Face::body,
          Anchor::end);
}

void LanesDrawing::draw_half_lane(Ui& ui, const Area& row, const DrawnLanes& drawn,
                                  const DrawnLanes::Lane& lane, bool multiplies) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const KernelSpan& span : lane.spans) {
    if ((span.what == LaneWhat::multiply) != multiplies) continue;
    const double from = drawn.look->lanes->us(span.begin), to = drawn.look->lanes->us(span.end());
    if (to < axis_.low || from > axis_.high) continue;
    const float x = std::max(axis_.low_px, axis_.px(from)),
                end = std::min(axis_.high_px, axis_.px(to));
    const Area bar = {x, row.y, std::max(1.0f, end - x), row.h};
    const WhatLook look = look_of(span.what);
    ui.fill(bar, ui.color(look.role, look.strength), bar.w > 6 ? ui.px(2) : 0);
    const bool is_over = mouse.x >= bar.x - 1 && mouse.x <= bar.right() + 1 && mouse.y >= bar.y &&
                         mouse.y < bar.bottom();
    if (is_over && ui.hovers("lanes_span", row))
      ui.tooltip(fmt::format("{}, {}\n{:.3f} µs, from {:.3f} µs on", lane.name,
                             name_of_what(span.what), to - from, from));
  }
}

void LanesDrawing::draw_lane(Ui& ui, const Area& row, const DrawnLanes& drawn,
                             const DrawnLanes::Lane& lane) const {
  ui.text(row.x, row.middle(), lane.name, kTiny_px, Role::text, Face::body, Anchor::start,
          axis_.low_px - row.x - ui.px(8));
  const Area all = {axis_.low_px, row.y, axis_.high_px - axis_.low_px, row.h};
  ui.fill(all, ui.raised(1), ui.px(2));
  Area low = all;
  if (lane.multiplies) draw_half_lane(ui, low.take_top(std::floor(all.h / 2)), drawn, lane, true);
  draw_half_lane(ui, low, drawn, lane, false);
}

void LanesDrawing::draw_kernel(Ui& ui, Area area, const RungView& row, const DrawnLanes& drawn,
                               float lane_h) {
  Area head = area.take_top(ui.px(kLanesHead));
  ui.fill(head, ui.color(Role::panel));  // over the lines of the axis
  const Area title = head.take_top(head.h / 2);
  const ShownLanes shown = shown_lanes(ui.state, row);
  const float w = ui.text(title.x, title.middle(), row.rung->title, kSmall_px + 1, Role::text,
                          Face::strong, Anchor::start, title.w);
  std::string whose = shown.machine.empty() ? "" : "recorded on " + shown.machine;
  whose = with_stale(whose, drawn.look->lanes->stale);
  ui.text(title.x + w + ui.px(12), title.middle(), whose, kTiny_px,
          drawn.look->lanes->stale ? Role::limit : Role::muted, Face::body, Anchor::start,
          std::max(ui.px(20), title.w - w - ui.px(12)));
  std::string says = drawn.share + "; " + drawn.cost;
  if (!drawn.left_out.empty()) says += "; " + drawn.left_out;
  ui.text(head.x, head.middle(), says, kTiny_px, Role::text, Face::body, Anchor::start, head.w);
  if (ui.hovers("lanes_says:" + std::string(row.rung->kernel), head))
    ui.tooltip(fmt::format("{}\nSM {}, {} of its blocks, at {:.0f} MHz", says,
                           drawn.look->lanes->sm, drawn.look->lanes->block_ids.size(),
                           drawn.look->lanes->clock_hz / 1e6));
  for (const DrawnLanes::Lane& lane : drawn.lanes) {
    const Area place = area.take_top(lane_h, ui.px(4));
    ui.widgets["lane:" + std::string(row.rung->kernel) + ":" + lane.name] = place;
    draw_lane(ui, place, drawn, lane);
  }
}

void draw_lanes_legend(Ui& ui, Area line) {
  for (const LaneWhat what :
       {LaneWhat::multiply, LaneWhat::load, LaneWhat::store, LaneWhat::wait, LaneWhat::turn}) {
    const WhatLook look = look_of(what);
    const float w = ui.width(look.legend, kTiny_px) + ui.px(28);
    if (line.w < w) return;
    const Area place = line.take_left(w);
    ui.fill({place.x, place.middle() - ui.px(5), ui.px(10), ui.px(10)},
            ui.color(look.role, look.strength));
    ui.text(place.x + ui.px(15), place.middle(), look.legend, kTiny_px, Role::text);
  }
}

void draw_no_lanes(Ui& ui, const Area& area, const RungView& row) {
  const State& state = ui.state;
  if (state.lanes.request)
    return draw_empty_state(ui, area, "Taking stamps.",
                            "The rung and its copy with stamps are checked and timed in turns, "
                            "then one call is stamped. "
                            "Esc cancels it.");
  const NoLanes why = why_no_lanes(state, row);
  const RungView* other = first_with_lanes(state);
  const std::string label = other && other != &row ? std::string("Show ") + other->rung->title : "";
  if (draw_nothing(ui, area, why.sentence.c_str(), why.next, label) && other)
    ui.dispatch([id = other->rung->kernel](State& changed) { select_rung(changed, id); });
}

void LanesDrawing::draw(Ui& ui, Area area) {
  const State& state = ui.state;
  const RungView& row = *walking_row(state);
  const RungView* beside = state.lanes.is_alone ? nullptr : lanes_before(state);
  shown_.read(shown_lanes(state, row).look);
  before_.read(beside ? shown_lanes(state, *beside).look : nullptr);
  if (state.lanes.request) ui.wake_in(0.1);
  area = area.inset(ui.px(8), ui.px(4));
  if (shown_.look || row.can_run) draw_bar(ui, area.take_top(ui.px(kLanesBar)).inset(0, ui.px(5)));
  if (!shown_.look) return draw_no_lanes(ui, area.inset(ui.px(6), 0), row);
  draw_lanes_legend(ui, area.take_bottom(ui.px(kLanesLegend)));
  const Area axis = area.take_bottom(ui.px(kLanesAxis));
  whole_us_ = std::max({shown_.end_us(), before_.end_us(), 1e-3});
  place_lanes_axis(area, ui.px(kLaneLabel));
  take_lane_gestures(ui, area);
  place_lanes_axis(area, ui.px(kLaneLabel));
  const auto kernels = static_cast<float>(before_.look ? 2 : 1);
  const auto count = static_cast<float>(shown_.lanes.size() + before_.lanes.size());
  const float room =
      area.h - kernels * ui.px(kLanesHead) - count * ui.px(4) - (kernels - 1) * ui.px(kLanesGap);
  const float lane_h = std::clamp(std::floor(room / count), ui.px(kLeastLane), ui.px(kMostLane));
  draw_lanes_axis(ui, axis, area.y);
  ui.list->PushClipRect({area.x, area.y}, {area.right(), area.bottom()}, true);
  if (before_.look) {
    const float h =
        ui.px(kLanesHead) + static_cast<float>(before_.lanes.size()) * (lane_h + ui.px(4));
    draw_kernel(ui, area.take_top(h, ui.px(kLanesGap)), *beside, before_, lane_h);
  }
  draw_kernel(ui, area, row, shown_, lane_h);
  ui.list->PopClipRect();
}

}  // namespace

std::unique_ptr<CentrePanel> make_lanes_panel() {
  return std::make_unique<LanesDrawing>();
}

}  // namespace ridge::window
