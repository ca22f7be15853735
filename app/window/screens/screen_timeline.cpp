// Timeline: what the worker did when. A lane for each rung or comparison, a colour and a height for
// each kind of work, telemetry on the same axis.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/views/timeline.h"
#include "common/core/format.h"
#include "common/view/chart/axis_place.h"
#include "common/view/chart/layout_parts.h"
#include "common/view/chart/ticks.h"

namespace ridge::window {
namespace {

constexpr float kSection = 34, kLabel = 250, kTelemetry = 62;
constexpr float kLabelPad = 24;
constexpr float kMostLabel = 0.36f;  // of the width: beyond it the seconds would find no room
/// Lanes are as high as fills the room, within what a label needs and what still reads as a lane.
constexpr float kLeastLane = 22, kMostLane = 56, kMostTelemetry = 160;

void fill_kind(Ui& ui, const Area& bar, const KindLook& kind) {
  const float round = bar.w > 4 ? ui.px(2) : 0;
  if (kind.is_hollow && bar.w > 4)
    ui.list->AddRect({bar.x, bar.y}, {bar.right(), bar.bottom()}, ui.color(kind.role), round, 0,
                     ui.px(1.5f));
  else
    ui.fill(bar, ui.color(kind.role), round);
}

class TimelineScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void draw_legend(Ui& ui, Area row) const;
  void draw_lanes(Ui& ui, const Area& area);
  void draw_span(Ui& ui, const Area& lane, const SpanLane& of, const LaneSpan& span) const;
  void draw_telemetry(Ui& ui, const Area& area);
  float draw_value_axis(Ui& ui, const Area& row, const std::string& high,
                        const std::string& low) const;
  void draw_reach(Ui& ui, const TelemetryLane& lane, const Area& row) const;
  void look_again(const Run& run);
  void draw_axis(Ui& ui, const Area& area, float top) const;
  float x_of(double at_s) const { return axis_.px(at_s); }
  /// Of a session that was idle for most of the time its last run, unless all of it is asked for.
  bool is_of_last_run() const { return !is_of_stages_ && !all_runs_ && is_mostly_idle(shown()); }
  Interval whole() const;
  bool is_zoomed() const {
    return axis_.high - axis_.low < (whole().high - whole().low) * (1 - 1e-9);
  }
  void place_axis();
  void take_gestures(Ui& ui, const Area& lanes, float bottom);
  bool draw_fit(Ui& ui, const Area& row) const;
  void remake(const State& state);
  void draw_switch(Ui& ui, const Area& row);
  void draw_runs_switch(Ui& ui, const Area& row);
  std::vector<std::pair<size_t, std::string_view>> lanes_in_view() const;
  float share_out(const Ui& ui, float height);
  float label_width(Ui& ui, float width);

  const Timeline& shown() const { return is_of_stages_ ? of_stages_ : *of_run_; }

  RunTimeline growing_;                 ///< of the run: it gains what has come
  const Timeline* of_run_ = nullptr;    ///< the same
  Timeline of_stages_;
  bool is_of_stages_ = false;           ///< that is shown
  /// Of each telemetry lane what the axis shows, as long as `seen_at_` holds.
  std::vector<Readings> seen_;
  std::tuple<double, double, float, size_t, double> seen_at_{};
  uint64_t version_ = ~0ull;
  size_t telemetry_ = 0;  ///< points that the run had
  std::string longest_;   ///< of the labels of `labelled_` lanes
  size_t labelled_ = 0;
  std::string rung_;
  bool stages_ = true;             ///< of a pipeline that is selected; else the whole run
  bool has_stages_ = false;        ///< there is a choice
  bool all_runs_ = false;  ///< asked for; else the last one, where most of the session was idle
  float left_ = 0, width_ = 1;     ///< of the axis, in pixels
  float lane_h_ = 0, telemetry_h_ = 0;  ///< of one lane each
  std::optional<Interval> range_;  ///< the seconds that are looked at; empty: all
  chart::AxisPlace axis_;
  bool was_dragged_ = false;  ///< since the button went down: its release is no click
};

void TimelineScreen::draw_legend(Ui& ui, Area row) const {
  std::set<const KindLook*> used;
  for (const std::string& what : shown().kinds) used.insert(&look_of_kind(what));
  for (const KindLook& kind : kind_looks()) {
    if (!used.contains(&kind)) continue;
    const float h = ui.px(18) * kind.height, w = ui.px(18);
    fill_kind(ui, {row.x, row.middle() - h / 2, w, h}, kind);
    row.take_left(w, ui.px(8));
    row.take_left(ui.text(row.x, row.middle(), kind.title, kSmall_px, Role::muted), ui.px(24));
  }
}

Interval TimelineScreen::whole() const {
  const double low = is_of_last_run() ? shown().last_begin_s : 0;
  return {low, std::max(shown().length_s, low + 1e-9)};
}

/// The lanes that the whole axis holds something of, each with the heading above it: lanes of earlier runs would be empty.
std::vector<std::pair<size_t, std::string_view>> TimelineScreen::lanes_in_view() const {
  std::vector<std::pair<size_t, std::string_view>> in_view;
  in_view.reserve(shown().lanes.size());
  std::string_view section;  // of a lane that is not in view, for the next that is
  for (size_t i = 0; i < shown().lanes.size(); ++i) {
    const SpanLane& lane = shown().lanes[i];
    if (!lane.section.empty()) section = lane.section;
    if (is_of_last_run() && (lane.spans.empty() || lane.spans.back().to_s <= whole().low)) continue;
    in_view.emplace_back(i, std::exchange(section, {}));
  }
  return in_view;
}

void TimelineScreen::place_axis() {
  const Interval shown = range_ ? chart::kept_inside(*range_, whole(), false) : whole();
  axis_ = {shown.low, shown.high, left_, left_ + width_, false};
}

/// As on a chart: the wheel zooms at the cursor (over the lanes, which scroll, with Ctrl), a drag pans, a
/// double click shows all of it.
void TimelineScreen::take_gestures(Ui& ui, const Area& lanes, float bottom) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_double_click = ImGui::IsMouseDoubleClicked(0) && !was_dragged_;
  if (ImGui::IsMouseClicked(0)) was_dragged_ = false;
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows |
                              ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    return;
  const ImVec2 mouse = io.MousePos;
  if (!axis_.holds(mouse.x) || mouse.y < lanes.y || mouse.y >= bottom) return;
  const bool scrolls = mouse.y < lanes.bottom();
  if (is_double_click) {
    range_.reset();
  } else if (io.MouseWheel != 0 && (io.KeyCtrl || !scrolls)) {
    range_ = axis_.zoomed(mouse.x, std::pow(0.8, io.MouseWheel));
  } else if (is_zoomed() && ImGui::IsMouseDragging(0, 4)) {
    was_dragged_ = true;
    range_ = axis_.panned(io.MouseDelta.x);
  } else {
    return;
  }
  place_axis();
  ui.needs_redraw = true;
}

bool TimelineScreen::draw_fit(Ui& ui, const Area& row) const {
  const float w = ui.px(64);
  return is_zoomed() && ui.button("timeline:fit", {row.right() - w, row.y, w, row.h - ui.px(4)},
                                  "Fit  0", Ui::Kind::normal);
}

void TimelineScreen::draw_span(Ui& ui, const Area& lane, const SpanLane& of,
                               const LaneSpan& span) const {
  if (span.to_s < axis_.low || span.from_s > axis_.high) return;
  const KindLook& kind = look_of_kind(shown().kinds[static_cast<size_t>(span.kind)]);
  const float x = x_of(span.from_s), h = (lane.h - ui.px(6)) * kind.height;
  const Area bar = {x, lane.middle() - h / 2, std::max(1.0f, x_of(span.to_s) - x), h};
  fill_kind(ui, bar, kind);
  const Area reach = {bar.x - 1, lane.y, bar.w + 2, lane.h};
  if (was_dragged_ || !axis_.holds(ImGui::GetIO().MousePos.x)) return;
  if (!ImGui::IsMouseHoveringRect({reach.x, reach.y}, {reach.right(), reach.bottom()})) return;
  ui.tooltip(label_of(ui.state, of) + "\n" + kind.title + ": " + format_time_ns((span.to_s - span.from_s) * 1e9) +
             ", from " + format_time_ns(span.from_s * 1e9) + " on");
}

void TimelineScreen::draw_axis(Ui& ui, const Area& area, float top) const {
  const int target = std::clamp(static_cast<int>(width_ / ui.px(130)), 2, 12);
  const auto ticks = chart::linear_ticks(axis_.low, axis_.high, target);
  for (const chart::Tick& tick : ticks) {
    const float x = x_of(tick.value);
    ui.list->AddLine({x, top}, {x, area.y}, ui.color(Role::grid));
    const std::string label = format_tick(tick.value, chart::parts::tick_digits(ticks, 1));
    const float half = ui.width(label, kTiny_px, Face::mono) / 2;
    ui.text(std::min(x, left_ + width_ - half), area.middle(), label, kTiny_px, Role::muted,
            Face::mono, Anchor::middle);
  }
  const ImU32 color = ui.color(Role::muted, 0.7f);
  ui.list->AddLine({left_, top}, {left_, area.y}, color);
  ui.list->AddLine({left_, area.y}, {left_ + width_, area.y}, color);
  ui.text(left_ - ui.px(16), area.middle(), "seconds since the start", kTiny_px + 1, Role::muted,
          Face::body, Anchor::end);
}

void TimelineScreen::draw_lanes(Ui& ui, const Area& area) {
  Scroll scroll(ui, "lanes", {area.x, area.y, area.w + Scroll::bar(ui), area.h});
  std::string chosen;
  for (const auto& [i, section] : lanes_in_view()) {
    const SpanLane& lane = shown().lanes[i];
    if (!section.empty()) {
      const Area head = scroll.rest.take_top(ui.px(kSection));
      if (scroll.sees(head))
        ui.text(head.x, head.y + head.h * 0.6f, std::string(section), kTiny_px, Role::muted,
                Face::strong);
    }
    const Area row = scroll.rest.take_top(lane_h_);
    if (!scroll.sees(row)) continue;
    const auto touched = ui.touch("lane:" + std::to_string(i), row, false);
    const std::string kernel = kernel_of(lane);
    const bool here = !kernel.empty() && kernel == ui.state.selection.rung;
    if (here || touched.hovered)
      ui.fill(row, here ? ui.color(Role::highlight) : ui.raised(1), ui.px(4));
    const std::string label = label_of(ui.state, lane);
    const Face face = here ? Face::strong : Face::body;
    const float room = left_ - row.x - ui.px(kLabelPad);
    ui.text(row.x + ui.px(8), row.middle(), label, kSmall_px, Role::text, face, Anchor::start,
            room);
    const bool is_cut = touched.hovered && ui.width(label, kSmall_px, face) > room;
    if (is_cut && ImGui::GetIO().MousePos.x < left_) ui.tooltip(label);
    ui.list->PushClipRect({left_ - 1, row.y}, {left_ + width_ + 1, row.bottom()}, true);
    for (const LaneSpan& span : lane.spans) draw_span(ui, row, lane, span);
    ui.list->PopClipRect();
    if (touched.clicked && !was_dragged_) chosen = kernel;
  }
  if (!chosen.empty()) ui.dispatch([chosen](State& state) { select_rung(state, chosen); });
}

/// A session of hours has tens of thousands of readings: they are looked through where one came or the axis moved.
void TimelineScreen::look_again(const Run& run) {
  const std::tuple at(axis_.low, axis_.high, width_, run.telemetry().size(), shown().length_s);
  if (std::exchange(seen_at_, at) == at && seen_.size() == shown().telemetry.size()) return;
  seen_.clear();
  const int columns = std::max(1, static_cast<int>(width_));
  for (const TelemetryLane& lane : shown().telemetry)
    seen_.push_back(readings_in(run, shown(), lane, {axis_.low, axis_.high}, columns));
}

/// In the lane's unit: "98 %", "313 MB".
std::string value_text(const TelemetryLane& lane, double value) {
  const size_t comma = lane.label.rfind(", ");
  const std::string unit = comma == std::string::npos ? "" : lane.label.substr(comma + 2);
  if (lane.name.ends_with("_busy")) return format_share(value);
  if (lane.is_count) return format_count(value);
  return unit.empty() ? format_number(value, 3) : format_quantity(value, unit);
}

/// "0.0 % to 98 %"; of what never changes its one value.
std::string range_text(const TelemetryLane& lane) {
  const std::string low = value_text(lane, lane.low), high = value_text(lane, lane.high);
  return low == high ? low : low + " to " + high;
}

/// The lane's own axis, with the values at its ends; returns the width that they take left of it.
float TimelineScreen::draw_value_axis(Ui& ui, const Area& row, const std::string& high,
                                      const std::string& low) const {
  const ImU32 color = ui.color(Role::muted, 0.7f);
  ui.list->AddLine({left_, row.y}, {left_, row.bottom()}, color);
  ui.list->AddLine({left_, row.bottom()}, {left_ + width_, row.bottom()}, color);
  const float gap = ui.px(6), half = ui.px(kTiny_px) / 2;
  float taken = 0;
  for (const auto& [text, y] : {std::pair(high, row.y + half), std::pair(low, row.bottom() - half)})
    taken = std::max(taken,
                     ui.text(left_ - gap, y, text, kTiny_px, Role::muted, Face::mono, Anchor::end));
  ui.widgets["value_axis"] = {left_ - taken - gap, row.y, taken + gap, row.h};
  return taken > 0 ? taken + gap : 0;
}

void TimelineScreen::draw_telemetry(Ui& ui, const Area& area) {
  look_again(ui.state.run());
  Area rest = area;
  for (size_t number = 0; number < shown().telemetry.size(); ++number) {
    const TelemetryLane& lane = shown().telemetry[number];
    if (rest.h < telemetry_h_ - 1) return;
    const Area row = rest.take_top(telemetry_h_).inset(0, ui.px(6));
    const float room = left_ - row.x - ui.px(24);
    // From zero where that is not far: a wiggle of one per cent must not look like a cliff. What never changes lies in the
    // middle.
    const bool is_level = lane.low == lane.high;
    const double half = std::max(1.0, std::abs(lane.low) * 1e-3);  // what a float can tell from it
    const double low = is_level                                      ? lane.low - half
                       : lane.low >= 0 && lane.low < 0.8 * lane.high ? 0
                                                                     : lane.low;
    const double span = is_level ? 2 * half : std::max(lane.high - low, 1e-12);
    const std::string top = is_level ? "" : value_text(lane, lane.high);
    const float taken = draw_value_axis(ui, row, top, is_level ? "" : value_text(lane, low));
    ui.text(row.x + ui.px(8), row.y + row.h * 0.3f, lane.label, kSmall_px, Role::text, Face::body,
            Anchor::start, room - taken);
    ui.text(row.x + ui.px(8), row.y + row.h * 0.75f, range_text(lane), kTiny_px, Role::muted,
            Face::mono, Anchor::start, room - taken);
    const auto at = [&](const chart::Point& point) {
      const double value = static_cast<double>(point.y);
      return ImVec2(x_of(axis_.low + static_cast<double>(point.x)),
                    row.bottom() - row.h * static_cast<float>((value - low) / span));
    };
    const Readings& seen = seen_[number];
    ui.list->PushClipRect({left_, row.y}, {left_ + width_, row.bottom()}, true);
    for (size_t i = 1; i < seen.points.size(); ++i) {
      if (seen.are_joined(seen.points[i - 1], seen.points[i]))
        ui.list->AddLine(at(seen.points[i - 1]), at(seen.points[i]), ui.color(Role::series0),
                         ui.px(1.6f));
    }
    ui.list->PopClipRect();
    draw_reach(ui, lane, row);
  }
}

/// In the wider of the two rooms that its readings leave: a line that ends in the middle says that it does.
void TimelineScreen::draw_reach(Ui& ui, const TelemetryLane& lane, const Area& row) const {
  std::string words = reach_words(shown(), lane);
  if (words.empty()) return;
  if (ui.state.is_replay()) words = "this saved run has " + words;
  const float right = left_ + width_, pad = ui.px(10);
  const float first = std::clamp(x_of(lane.first_s), left_, right),
              last = std::clamp(x_of(lane.last_s), left_, right);
  const bool is_after = right - last >= first - left_;
  const float room = (is_after ? right - last : first - left_) - 2 * pad;
  const float needs = ui.width(words, kTiny_px + 1);
  if (room < ui.px(60)) return;  // looked at from near: the axis shows readings alone
  constexpr float kReadable = 200;  // of less, two words and "…" say nothing: pointing has them all
  if (needs <= room || room >= ui.px(kReadable))
    ui.text(is_after ? last + pad : first - pad - std::min(needs, room), row.middle(), words,
            kTiny_px + 1, Role::muted, Face::body, Anchor::start, room);
  const Area place = {is_after ? last : left_, row.y, room + 2 * pad, row.h};
  ui.widgets["reach:" + lane.name] = place;
  if (needs > room && ui.hovers("reach:" + lane.name, place)) ui.tooltip(words);
}

/// A pipeline's stages are made anew where anything moved; the run's own lanes go on.
void TimelineScreen::remake(const State& state) {
  version_ = state.ladder.version;
  rung_ = state.selection.rung;
  const RungView* row = find_row(state.ladder, rung_);
  has_stages_ = row && row->series && !row->series->spans.empty();
  const bool was_of_stages = is_of_stages_;
  is_of_stages_ = has_stages_ && stages_;
  if (is_of_stages_ || was_of_stages) labelled_ = 0, longest_.clear();
  if (is_of_stages_) of_stages_ = make_stage_timeline(*row->series, row->rung->title);
  seen_.clear();
  range_.reset();
}

/// Between the stages of the selected pipeline and the whole run.
void TimelineScreen::draw_switch(Ui& ui, const Area& row) {
  if (!has_stages_) return;
  const float w = ui.px(110), gap = ui.px(76);  // left of Fit
  const Area place = {row.right() - gap - w, row.y, w, row.h - ui.px(4)};
  if (!ui.button("timeline:stages", place, stages_ ? "Whole run" : "Stages", Ui::Kind::normal))
    return;
  stages_ = !stages_;
  remake(ui.state);
}

/// Between the last run and the whole session, where that was idle for most of the time.
void TimelineScreen::draw_runs_switch(Ui& ui, const Area& row) {
  if (is_of_stages_ || !is_mostly_idle(shown())) return;
  const float w = ui.px(110), stages = has_stages_ ? w + ui.px(12) : 0;
  const Area place = {row.right() - ui.px(76) - stages - w, row.y, w, row.h - ui.px(4)};
  if (!ui.button("timeline:runs", place, all_runs_ ? "Last run" : "All runs", Ui::Kind::normal))
    return;
  all_runs_ = !all_runs_;
  range_.reset();
  place_axis();
  ui.needs_redraw = true;
}

/// The height between lanes and telemetry: neither leaves half of the screen empty where the other has little. Returns
/// that of all telemetry.
float TimelineScreen::share_out(const Ui& ui, float height) {
  const auto in_view = lanes_in_view();
  const auto lanes = static_cast<float>(in_view.size());
  const auto sections = static_cast<float>(std::count_if(
      in_view.begin(), in_view.end(), [](const auto& lane) { return !lane.second.empty(); }));
  const float most = std::floor(std::max(0.0f, height * 0.4f) / ui.px(kTelemetry));
  const float count = std::min(most, static_cast<float>(shown().telemetry.size()));
  const float left = height - count * ui.px(kTelemetry) - ui.px(6) - sections * ui.px(kSection);
  lane_h_ = std::clamp(std::floor(left / lanes), ui.px(kLeastLane), ui.px(kMostLane));
  const float spare = std::max(0.0f, left - lanes * lane_h_);
  telemetry_h_ = count > 0 ? std::min(ui.px(kTelemetry) + spare / count, ui.px(kMostTelemetry)) : 0;
  return count * telemetry_h_;
}

/// What leaves the longest label whole, where that leaves room for the seconds.
float TimelineScreen::label_width(Ui& ui, float width) {
  const auto& lanes = shown().lanes;
  if (lanes.size() < labelled_) labelled_ = 0, longest_.clear();
  // Only those that came since: a session of hours has hundreds.
  for (; labelled_ < lanes.size(); ++labelled_) {
    std::string label = label_of(ui.state, lanes[labelled_]);
    if (ui.width(label, kSmall_px, Face::strong) > ui.width(longest_, kSmall_px, Face::strong))
      longest_ = std::move(label);
  }
  const float needed = ui.width(longest_, kSmall_px, Face::strong) + ui.px(kLabelPad + 2);
  return std::min(std::max(needed, ui.px(kLabel)), width * kMostLabel);
}

void TimelineScreen::draw(Ui& ui, Area all) {
  of_run_ = &growing_.update(ui.state);
  if (version_ != ui.state.ladder.version || rung_ != ui.state.selection.rung ||
      telemetry_ != ui.state.run().telemetry().size())
    remake(ui.state);
  telemetry_ = ui.state.run().telemetry().size();
  ui.panel(all);
  if (shown().lanes.empty()) {
    const bool old = !ui.state.run().series().empty();
    draw_not_measured(
        ui, all, "There is no timeline yet.",
        old ? "This run's lines carry no time stamps: it was made by an earlier worker."
            : "It shows when each rung was checked, timed and compared.",
        "Run the ladder", "run");
    return;
  }
  Area inner = all.inset(ui.px(20), ui.px(14));
  const Area legend = inner.take_top(ui.px(28), ui.px(4));
  const float label_w = label_width(ui, inner.w);
  left_ = inner.x + label_w;
  inner.w -= Scroll::bar(ui);
  width_ = inner.w - label_w;
  const float top = inner.y;
  const Area axis = inner.take_bottom(ui.px(26));
  const float telemetry_h = share_out(ui, inner.h);
  const Area telemetry = inner.take_bottom(telemetry_h, telemetry_h > 0 ? ui.px(6) : 0);
  place_axis();
  draw_legend(ui, legend);
  draw_switch(ui, legend);
  draw_runs_switch(ui, legend);
  if (draw_fit(ui, legend) || ui.state.chart.command == ChartCommand::fit) {
    ui.dispatch([](State& state) { state.chart.command = ChartCommand::none; });
    range_.reset();
    place_axis();
  }
  take_gestures(ui, inner, axis.bottom());
  ui.widgets["lanes"] = inner;
  ui.widgets["seconds"] = {left_, axis.y, width_, axis.h};
  draw_axis(ui, axis, top);
  draw_lanes(ui, inner);
  draw_telemetry(ui, telemetry);
}

}  // namespace

std::unique_ptr<Screen> make_timeline_screen() {
  return std::make_unique<TimelineScreen>();
}

}  // namespace ridge::window
