#include "app/window/panels/lab_panels.h"

#include <algorithm>
#include <cmath>

#include "app/window/panels/widgets.h"
#include "app/window/teach/study.h"
#include "app/window/views/chart_draw.h"
#include "common/core/format.h"
#include "common/stats/stats.h"
#include "common/view/chart/decimate.h"
#include "common/view/chart/distribution.h"
#include "common/view/chart/forest.h"
#include "common/view/chart/ticks.h"

namespace ridge::window {
namespace {

/// The selected rung and the baseline, as far as they have samples: a verdict names them in this order.
std::vector<const RungView*> sampled_rows(const State& state) {
  std::vector<const RungView*> rows;
  for (const std::string& kernel : {state.selection.rung, state.selection.baseline}) {
    const RungView* found = find_row(state.ladder, kernel);
    if (!found || !found->kept || found->kept->samples.empty()) continue;
    if (rows.empty() || found != rows.front()) rows.push_back(found);
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
      row.round_ratios.push_back(std::exp(stats::round_log_ratio(round, comparison->pair())));
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
  if (ui.hovers("strip", area)) {
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

// ---- telemetry ---------------------------------------------------------------------------------

namespace {

using chart::Role;

constexpr const char* kCores = "core_busy";
constexpr Lane kLanes[] = {
    {"process_cpus", "this run, others", false, "CPUs", 1, 0, Role::series0, "foreign_cpus"},
    {kCores, "each core", false, "", 1, 4, Role::series0},
    {"package_power_w", "package power", false, "W", 1, 2, Role::series2},
    {"battery_power_w", "battery power", false, "W", 1, 2, Role::series2},
    {"process_memory_bytes", "worker memory", false, "B", 1, 6, Role::series1},
    {"gpu_busy", "busy", true, "", 1, 3, Role::series0},
    {"power_w", "power", true, "W", 1, 1, Role::series2},
    {"sm_clock_hz", "SM clock", true, "Hz", 1, 1, Role::faster},
    {"temp_c", "temperature", true, "°C", 1, 5, Role::series1},
    {"gpu_memory_bytes", "memory", true, "B", 1, 7, Role::series1},
};

bool is_read(const LaneView& view, const char* name) {
  for (size_t i = view.first; i < view.last; ++i) {
    if (std::isfinite(reading_of(*view.telemetry, i, name))) return true;
  }
  return false;
}

}  // namespace

double reading_of(const Telemetry& telemetry, size_t moment, const char* name) {
  if (std::string_view(name) != kCores) return telemetry.reading(moment, name);
  double sum = 0;
  const std::vector<float> cores = telemetry.core_busy(moment);
  for (const float busy : cores) sum += static_cast<double>(busy);
  return cores.empty() ? NAN : sum / static_cast<double>(cores.size());
}

LaneView lane_view(const Telemetry& telemetry, double window_s) {
  LaneView view{&telemetry, 0, telemetry.size()};
  if (telemetry.empty()) return view;
  view.end_s = telemetry.t_s(view.last - 1);
  if (window_s > 0) {
    // From the end: a run may hold hours of it.
    view.first = view.last - 1;
    while (view.first > 0 && telemetry.t_s(view.first - 1) >= view.end_s - window_s) --view.first;
  }
  view.begin_s = telemetry.t_s(view.first);
  for (const Lane& lane : kLanes) {
    if (!is_read(view, lane.name)) continue;
    view.lanes.push_back(lane);
    view.has_gpu |= lane.gpu;
  }
  return view;
}

void keep_lanes(LaneView* view, size_t most) {
  while (view->lanes.size() > most) {
    view->lanes.erase(
        std::max_element(view->lanes.begin(), view->lanes.end(),
                         [](const Lane& a, const Lane& b) { return a.rank < b.rank; }));
  }
}

double mean_of(const LaneView& view, const char* name) {
  double sum = 0;
  int count = 0;
  for (size_t i = view.first; i < view.last; ++i) {
    const double value = reading_of(*view.telemetry, i, name);
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / count : NAN;
}

std::string lane_text(const Lane& lane, double value) {
  if (!std::isfinite(value)) return kNone;
  const std::string unit = lane.unit;
  if (unit.empty()) return format_share(value);
  if (unit == "B") return format_bytes(value);
  // Prefixes are for physical units; half a CPU is not 500 mCPUs.
  if (unit == "CPUs" || unit == "°C") return format_number(value, 2) + " " + unit;
  return format_quantity(value, unit);
}

std::string describe(const Telemetry& telemetry, size_t moment, double begin_s) {
  std::string text = "at " + format_number(telemetry.t_s(moment) - begin_s) + " s";
  const auto reading = [&](const char* name) { return reading_of(telemetry, moment, name); };
  const auto add = [&](const std::string& label, const std::string& value) {
    text += "\n" + label + "  " + value;
  };
  for (const Lane& lane : kLanes) {
    const double value = reading(lane.name);
    const std::string group = lane.gpu ? "GPU " : "";
    if (lane.beside != nullptr && std::isfinite(value)) {
      add("CPUs of this run", format_number(value, 2));
      add("CPUs of others", format_number(reading(lane.beside), 2));
    } else if (std::isfinite(value)) {
      add(group + (lane.name == kCores ? "mean of the cores" : lane.label), lane_text(lane, value));
    }
  }
  if (const double busy = reading("gpu_memory_busy"); std::isfinite(busy))
    add("GPU memory busy", format_share(busy));
  if (const double clock = reading("memory_clock_hz"); std::isfinite(clock))
    add("GPU memory clock", format_quantity(clock, "Hz"));
  for (const std::string& reason : telemetry.throttle(moment)) add("clock held down by", reason);
  return text;
}

std::optional<size_t> nearest(const LaneView& view, double t_s) {
  std::optional<size_t> found;
  const auto away_s = [&](size_t i) { return std::fabs(view.telemetry->t_s(i) - t_s); };
  for (size_t i = view.first; i < view.last; ++i) {
    if (!found || away_s(i) < away_s(*found)) found = i;
  }
  return found;
}

// ---- drawing: lanes under each other, one time axis below them all ------------------------------

namespace {

// Pixels at scale 1.
constexpr float kGroup = 42, kLabel = 118, kValue = 158, kAxis = 18, kLane = 17;
constexpr double kLive_s = 60;    ///< how far back the strip looks while it is fed
constexpr double kBreak_s = 0.5;  ///< between requests nothing is read: the line is broken

struct Frame {
  Area plot;  ///< of all lanes together
  double begin_s, end_s;
  float x(double t_s) const {
    return plot.x + static_cast<float>((t_s - begin_s) / (end_s - begin_s)) * plot.w;
  }
};

void draw_line(Ui& ui, const Area& lane, const Frame& frame, const LaneView& view, const char* name,
               double high, ImU32 color, float width) {
  std::vector<chart::Point> piece;
  const auto finish = [&] {
    // Relative to the beginning: seconds since boot do not fit a float to the millisecond.
    const auto end = static_cast<float>(frame.end_s - frame.begin_s);
    std::vector<ImVec2> path;
    for (const chart::Point& point :
         chart::decimate(piece, 0, end, std::max(1, static_cast<int>(lane.w)))) {
      const float share = std::min(1.0f, point.y / static_cast<float>(high));
      path.push_back({frame.x(frame.begin_s + static_cast<double>(point.x)),
                      lane.bottom() - share * (lane.h - ui.px(2))});
    }
    if (path.size() > 1)
      compat::add_polyline(ui.list, path.data(), static_cast<int>(path.size()), color, width);
    piece.clear();
  };
  double last_s = frame.begin_s;
  for (size_t i = view.first; i < view.last; ++i) {
    const double value = reading_of(*view.telemetry, i, name), t_s = view.telemetry->t_s(i);
    if (!std::isfinite(value) || t_s - last_s > kBreak_s) finish();
    last_s = t_s;
    if (std::isfinite(value))
      piece.push_back({static_cast<float>(t_s - frame.begin_s), static_cast<float>(value)});
  }
  finish();
}

/// One column of cells, a row a core (neighbours share one where there are many).
void draw_core_column(Ui& ui, const Area& column, std::span<const float> busy, Role role) {
  const auto most = static_cast<size_t>(std::max(1.0f, column.h / std::max(ui.px(3), 1.0f)));
  const size_t rows = std::min(busy.size(), most);
  const float h = column.h / static_cast<float>(rows);
  for (size_t row = 0; row < rows; ++row) {
    const size_t from = row * busy.size() / rows, to = (row + 1) * busy.size() / rows;
    double sum = 0;
    for (size_t core = from; core < to; ++core) sum += static_cast<double>(busy[core]);
    const auto share = static_cast<float>(sum / static_cast<double>(to - from));
    if (!(share > 0.02f)) continue;
    const float y = column.y + static_cast<float>(row) * h;
    ui.fill({column.x, y, column.w, h - 1}, ui.color(role, 0.12f + 0.7f * share));
  }
}

/// Brighter the busier. A column is three pixels wide at least and shows its last reading.
void draw_cores(Ui& ui, const Area& lane, const Frame& frame, const LaneView& view, Role role) {
  const Telemetry& telemetry = *view.telemetry;
  double from_s = frame.begin_s;
  for (size_t i = view.first; i < view.last; ++i) {
    const double t_s = telemetry.t_s(i);
    if (i > view.first && t_s - telemetry.t_s(i - 1) > kBreak_s) from_s = telemetry.t_s(i - 1);
    const double since_s = std::max(from_s, t_s - kBreak_s);
    const float x0 = frame.x(since_s), x1 = frame.x(t_s);
    if (x1 - x0 < ui.px(3) || telemetry.core_busy(i).empty()) continue;
    draw_core_column(ui, {x0, lane.y, x1 - x0, lane.h}, telemetry.core_busy(i), role);
    from_s = t_s;
  }
}

/// Where something held the clock down; the words stand beside the value.
void draw_throttle(Ui& ui, const Area& lane, const Frame& frame, const LaneView& view) {
  for (size_t i = view.first; i + 1 < view.last; ++i) {
    if (view.telemetry->throttle(i).empty()) continue;
    const float x0 = frame.x(view.telemetry->t_s(i)), x1 = frame.x(view.telemetry->t_s(i + 1));
    ui.fill({x0, lane.bottom() - ui.px(3), x1 - x0, ui.px(2)}, ui.color(Role::slower));
  }
}

void draw_axis(Ui& ui, const Area& area, const Frame& frame) {
  const double span = frame.end_s - frame.begin_s;
  double step = chart::nice_floor(span / 4);
  for (double t = 0; t <= span * 1.0001; t += step) {
    const float x = frame.x(frame.begin_s + t);
    ui.list->AddLine({x, frame.plot.y}, {x, frame.plot.bottom()}, ui.color(Role::grid, 0.7f));
    const bool last = t + step > span * 1.0001;
    ui.text(x, area.middle(), format_tick(t) + (last ? " s" : ""), kTiny_px, Role::muted,
            Face::body, Anchor::middle);
  }
}

/// Why there are no lanes of a GPU.
std::string no_gpu_text(const Run& run) {
  const auto& environment = run.environment();
  if (environment && environment->gpus.empty()) {
    return "No GPU" + (environment->no_gpu_reason.empty() ? "" : ": " + environment->no_gpu_reason);
  }
  return "Not read: this run used the CPU alone.";
}

void draw_lane(Ui& ui, const Lane& lane, const Area& area, const Frame& frame, const LaneView& view,
               std::optional<size_t> at) {
  const auto figure = [&](const char* name) {
    return at ? reading_of(*view.telemetry, *at, name) : mean_of(view, name);
  };
  const double value = figure(lane.name);
  std::string text = lane_text(lane, value);
  if (lane.beside != nullptr) {
    const double beside = figure(lane.beside);
    if (std::isfinite(beside))
      text = format_number(value, 2) + ", " + format_number(beside, 2) + " " + lane.unit;
  }
  const bool clock = std::string_view(lane.name) == "sm_clock_hz";
  if (clock && at && !view.telemetry->throttle(*at).empty())
    text = view.telemetry->throttle(*at).front() + " · " + text;
  const Area plot = {frame.plot.x, area.y + ui.px(1), frame.plot.w, area.h - ui.px(2)};
  ui.text(area.x, area.middle(), lane.label, kTiny_px, Role::muted, Face::body, Anchor::start,
          plot.x - area.x - ui.px(6));
  ui.text(area.right(), area.middle(), text, kTiny_px, Role::text, Face::mono, Anchor::end,
          area.right() - plot.right() - ui.px(6));
  ui.list->AddLine({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, ui.color(Role::grid));
  if (std::string_view(lane.name) == "core_busy")
    return draw_cores(ui, plot, frame, view, lane.role);
  double high = lane.least_high;
  for (size_t i = view.first; i < view.last; ++i) {
    for (const char* name : {lane.name, lane.beside}) {
      const double reading = name ? reading_of(*view.telemetry, i, name) : NAN;
      if (reading > high) high = reading;
    }
  }
  if (lane.beside != nullptr)
    draw_line(ui, plot, frame, view, lane.beside, high, ui.color(Role::muted), ui.px(1));
  draw_line(ui, plot, frame, view, lane.name, high, ui.color(lane.role), ui.px(1.6f));
  if (clock) draw_throttle(ui, plot, frame, view);
}

}  // namespace

void StripPanel::draw_telemetry(Ui& ui, const Area& head, Area area, bool live) {
  const Telemetry& telemetry = ui.state.run().telemetry();
  LaneView view = lane_view(telemetry, live ? kLive_s : 0);
  if (view.lanes.empty()) {
    draw_empty_state(ui, area, "No telemetry.",
                     telemetry.empty() ? "This run came without readings." : "Nothing could be read.",
                     ui.px(18));
    return;
  }
  const Area axis = area.take_bottom(ui.px(kAxis));
  // A GPU that is not there takes a lane's room, to say so.
  const size_t said = view.has_gpu ? 0 : 1;
  const auto room = static_cast<size_t>(std::max(1.0f, area.h / ui.px(kLane)));
  keep_lanes(&view, std::max<size_t>(1, room > said ? room - said : 1));
  const float h = area.h / static_cast<float>(view.lanes.size() + said);
  const float left = ui.px(kGroup + kLabel);
  const Frame frame = {{area.x + left, area.y, area.w - left - ui.px(kValue), area.h},
                       view.begin_s,
                       std::max(view.end_s, view.begin_s + 0.1)};
  draw_axis(ui, axis, frame);
  const auto touched = ui.touch("lanes", frame.plot, false);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double mouse_s =
      frame.begin_s +
      static_cast<double>((mouse.x - frame.plot.x) / frame.plot.w) * (frame.end_s - frame.begin_s);
  const std::optional<size_t> at = touched.hovered ? nearest(view, mouse_s) : std::nullopt;
  const std::optional<size_t> shown = at ? at : live ? std::optional(view.last - 1) : std::nullopt;
  const std::string when = at     ? "at " + format_number(telemetry.t_s(*at) - view.begin_s) + " s"
                           : live ? "now"
                                  : "mean";
  ui.text(head.x + ui.px(kGroup), head.middle(), "figures: " + when, kTiny_px, Role::muted);
  const char* group = "";
  for (const Lane& lane : view.lanes) {
    Area row = area.take_top(h);
    const char* own = lane.gpu ? "GPU" : "CPU";
    if (std::string_view(own) != group)
      ui.text(row.x, row.middle(), group = own, kTiny_px, Role::text, Face::strong);
    row.take_left(ui.px(kGroup));
    draw_lane(ui, lane, row, frame, view, shown);
    const Area label = {row.x, row.y, frame.plot.x - row.x, row.h};
    if (ui.hovers(std::string("lane_label:") + lane.name, label))
      ui.tooltip(metric_text(metric_of_field(lane.name)));
    ui.widgets[std::string("lane:") + lane.name] = row;
  }
  if (said) {
    const Area row = area.take_top(h);
    ui.text(row.x, row.middle(), "GPU", kTiny_px, Role::text, Face::strong);
    ui.text(row.x + ui.px(kGroup), row.middle(), no_gpu_text(ui.state.run()), kTiny_px, Role::muted,
            Face::body, Anchor::start, row.w - ui.px(kGroup));
    ui.widgets["lane:no_gpu"] = row;
  }
  if (!at) return;
  const float x = frame.x(telemetry.t_s(*at));
  ui.list->AddLine({x, frame.plot.y}, {x, frame.plot.bottom()}, ui.color(Role::text, 0.6f));
  ui.tooltip(describe(telemetry, *at, view.begin_s));
}

}  // namespace ridge::window
