// A plot's page: heading, axes with their ticks and titles, and the legend under it.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "common/core/format.h"
#include "common/view/chart/plot_layout.h"

namespace ridge::chart::parts {

namespace {

/// Of more points than so many a list is no help: hovering names each.
constexpr size_t kMostNumbers = 8;

/// A range that an axis can be drawn over.
bool is_range(double low, double high, bool log) {
  return std::isfinite(low) && std::isfinite(high) && low < high && (!log || low > 0);
}

}  // namespace

PlotAxis::PlotAxis(const Axis& axis, const Interval& range) : axis_(axis) {
  place_.log = axis.scale == Scale::log;
  place_.low = place_.log ? 0.1 : 0;
  place_.high = place_.log ? 10 : 1;
  // A builder without data has nothing to say about the range; the plot must still be drawable.
  for (const Interval& wanted : {Interval{axis.low, axis.high}, range}) {
    if (is_range(wanted.low, wanted.high, place_.log))
      place_.low = wanted.low, place_.high = wanted.high;
  }
  if (!axis.is_share && !axis.scientific && !axis.unit.empty()) {
    prefix_ = axis_prefix(place_.low, place_.high, place_.log, axis.unit);
  }
}

void PlotAxis::place(float low_px, float high_px, int tick_target) {
  place_.low_px = low_px;
  place_.high_px = high_px;
  ticks_.clear();
  for (const double value : axis_.ticks) {
    if (shows(value)) ticks_.push_back({value, true});
  }
  digits_ = 7;
  // Between two of the sizes measured, the axis has to be read by other numbers.
  if (ticks_.size() > 1 || (!ticks_.empty() && axis_.ticks.size() == 1)) return;
  if (!axis_.stops.empty()) return;  // between two of these there is nothing
  const int target = std::max(2, tick_target);
  ticks_ = axis_ticks(low(), high(), place_.log, target, prefix_);
  digits_ = tick_digits(ticks_, axis_.is_share ? 0.01 : prefix_.factor);
}

bool PlotAxis::holds(double value) const {
  return std::isfinite(value) && (!place_.log || value > 0);
}

bool PlotAxis::shows(double value) const {
  return holds(value) && value >= low() && value <= high();
}

float PlotAxis::px(double value) const {
  return place_.px(std::clamp(value, low(), high()));
}

float PlotAxis::free_px(double value) const {
  return place_.px(value);
}

std::string PlotAxis::title() const {
  std::string text = axis_.title;
  const std::string unit = axis_.is_share ? "%" : prefixed(prefix_, axis_.unit);
  if (!unit.empty()) text += (text.empty() ? "" : ", ") + unit;
  return place_.log ? text + " (log)" : text;
}

std::string PlotAxis::tick_label(const Tick& tick) const {
  if (axis_.scientific) {
    const double power = std::log10(tick.value);
    const bool whole = place_.log && std::abs(power - std::round(power)) < 1e-9;
    return whole ? "1e" + std::to_string(static_cast<int>(std::round(power)))
                 : format_scientific(tick.value);
  }
  if (!axis_.stops.empty()) return format_tick(stop_at(axis_, tick.value), digits_);
  const double shown = tick.value / (axis_.is_share ? 0.01 : prefix_.factor);
  // A size is read digit by digit, "16 777 216", and is no power of ten.
  const bool is_size = !axis_.ticks.empty() && shown == std::round(shown);
  return is_size && shown >= 1e7 ? format_count(shown) : format_tick(shown, digits_);
}

PlotPage::PlotPage(const ChartModel& model, const LayoutOptions& options,
                   std::vector<const Datum*> numbered, bool is_selected_first)
    : model_(model),
      plot_(*model.plot),
      options_(options),
      x_(plot_.x, options.range ? options.range->x : Interval{}),
      y_(plot_.y, options.range ? options.range->y : Interval{}),
      numbered_(std::move(numbered)),
      is_selected_first_(is_selected_first) {
  frame_.model = &model;
  frame_.options = &options;
  frame_.font = options.font_px;
  frame_.small = std::max({options.font_px * 0.86f, 10.0f, options.least_px});
  frame_.pad = frame_.font * 0.9f;
  stroke_ = std::max(1.0f, frame_.font / 16);
  scene_.width = std::max(options.width, frame_.font * 20);
}

bool PlotPage::has_points() const {
  if (!plot_.cells.empty()) return true;
  return std::any_of(plot_.curves.begin(), plot_.curves.end(), [&](const Curve& curve) {
    return std::any_of(curve.data.begin(), curve.data.end(),
                       [&](const Datum& datum) { return x_.holds(datum.x) && y_.holds(datum.y); });
  });
}

/// Room at the right for the curves' names, a quarter of the width at most. Points of one column have it beside them.
float PlotPage::names_width() const {
  if (!plot_.name_ends) return 0;
  float widest = 0;
  std::set<double> columns;
  for (const Curve& curve : plot_.curves) {
    widest = std::max(widest, frame_.fit(frame_.small, false, true)(curve.name));
    for (const Datum& datum : curve.data) columns.insert(datum.x);
  }
  if (columns.size() < 2) return 0;
  return std::min(widest + frame_.font * 2.2f, scene_.width * 0.28f);
}

void PlotPage::place_area() {
  const float pitch = frame_.small * 1.4f;
  area_.top = draw_heading(&scene_, frame_) + pitch + frame_.font * 0.4f;
  const TextFit small = frame_.fit(frame_.small);
  const auto lines =
      legend_lines(small, model_.legend, scene_.width - 2 * frame_.pad, kMostLegendLines).size() +
      legend_lines(small, numbered_names(), scene_.width - 2 * frame_.pad, kMostNumberLines).size();
  const float footer = frame_.font * 0.9f + 2 * pitch + draw_keys(nullptr, 0) +
                       draw_scale(nullptr, 0) + pitch * static_cast<float>(lines) + frame_.pad;
  const float wanted = std::clamp(scene_.width * 0.56f, frame_.font * 18, frame_.font * 46);
  const float height = options_.height > 0 ? options_.height - area_.top - footer : wanted;
  area_.bottom = area_.top + std::max(height, frame_.font * 8);
  footer_top_ = area_.bottom + frame_.font * 0.4f;

  // The y axis first: its labels' width decides where the plot begins.
  y_.place(area_.bottom, area_.top,
           static_cast<int>((area_.bottom - area_.top) / (frame_.small * 3.2f)));
  const TextFit mono = frame_.fit(frame_.tick(), true);
  float widest = 0;
  for (const Tick& tick : y_.ticks()) {
    if (tick.major) widest = std::max(widest, mono(y_.tick_label(tick)));
  }
  area_.left = frame_.pad + widest + frame_.font * 0.5f;
  area_.right = scene_.width - frame_.pad - names_width();
  x_.place(area_.left, area_.right,
           static_cast<int>((area_.right - area_.left) / (frame_.small * 6)));
}

void PlotPage::draw_x_ticks() {
  const float size = frame_.tick(), y = footer_top_ + frame_.small * 0.7f;
  const TextFit mono = frame_.fit(size, true);
  float free_from = 0;
  for (const Tick& tick : x_.ticks()) {
    if (!tick.major) continue;
    const std::string text = x_.tick_label(tick);
    const float px = mono(text);
    const float x = std::clamp(x_.px(tick.value) - px / 2, area_.left - frame_.font,
                               scene_.width - frame_.pad - px);
    if (x < free_from) continue;
    add_text(&scene_, x, y, text, size, Role::muted, Anchor::start, true);
    free_from = x + px + size * 0.8f;
  }
}

/// The legend's marks from `y` down, as many lines as they take; returns their height. Draws nothing
/// where `scene` is null.
float PlotPage::draw_keys(Scene* scene, float y) const {
  const TextFit small = frame_.fit(frame_.small);
  const float pitch = frame_.small * 1.4f, radius = frame_.font * 0.28f;
  float x = frame_.pad, top = y;
  for (const Key& key : model_.keys) {
    const std::string text = small.elide(key.text, scene_.width - 2 * frame_.pad - radius * 4);
    const float width = radius * 3.2f + small(text);
    if (x > frame_.pad && x + width > scene_.width - frame_.pad) {
      x = frame_.pad;
      top += pitch;
    }
    if (scene) {
      Primitive mark{
          .kind = Primitive::Kind::marker, .a = {x + radius, top + pitch / 2}, .role = key.role};
      mark.size_px = radius;
      mark.marker = key.marker;
      scene->primitives.push_back(mark);
      add_text(scene, x + radius * 3.2f, top + pitch / 2, text, small.size_px, Role::muted);
    }
    x += width + frame_.font * 1.2f;
  }
  return model_.keys.empty() ? 0 : top - y + pitch;
}

/// "Rate, TFLOP/s (log) · more is better"
std::string PlotPage::y_title() const {
  const std::string better = better_words(plot_.y);
  return y_.title() + (better.empty() ? "" : " · " + better);
}

void PlotPage::draw_axes() {
  const bool has_grid = plot_.cells.empty();  // cells have edges of their own
  for (const Tick& tick : x_.ticks()) {
    const float x = x_.px(tick.value);
    if (has_grid)
      add_line(&scene_, {x, area_.top}, {x, area_.bottom}, Role::grid, stroke_,
               tick.major ? 0.8f : 0.35f);
  }
  const float size = frame_.tick();
  for (const Tick& tick : y_.ticks()) {
    const float y = y_.px(tick.value);
    if (has_grid)
      add_line(&scene_, {area_.left, y}, {area_.right, y}, Role::grid, stroke_,
               tick.major ? 0.8f : 0.35f);
    if (!tick.major) continue;
    add_text(&scene_, area_.left - frame_.font * 0.5f, y, y_.tick_label(tick), size, Role::muted,
             Anchor::end, true);
  }
  add_line(&scene_, {area_.left, area_.bottom}, {area_.right, area_.bottom}, Role::muted, stroke_,
           0.7f);
  add_line(&scene_, {area_.left, area_.top}, {area_.left, area_.bottom}, Role::muted, stroke_,
           0.7f);
  const TextFit small = frame_.fit(frame_.small);
  const float pitch = frame_.small * 1.4f;
  for (const std::string& line : small.wrap_parts(y_title(), area_.right - frame_.pad, 1))
    add_text(&scene_, frame_.pad, area_.top - frame_.font * 0.4f - pitch / 2, line, small.size_px,
             Role::muted);
  draw_x_ticks();
  add_text(&scene_, area_.right, footer_top_ + pitch * 1.5f,
           small.elide(x_.title(), area_.right - area_.left), small.size_px, Role::muted,
           Anchor::end);
}

float PlotPage::draw_empty(float top) {
  const TextFit small = frame_.fit(frame_.small);
  const float width = scene_.width - 2 * frame_.pad;
  const auto lines = small.wrap(plot_.empty_reason, width, 6);
  const float needed = frame_.small * 1.4f * static_cast<float>(lines.size());
  const float height = std::max(options_.height, top + needed + 4 * frame_.font);
  float y = std::max(top + frame_.font, (top + height - needed) / 2);
  for (const std::string& line : lines) {
    add_text(&scene_, scene_.width / 2, y, line, small.size_px, Role::muted, Anchor::middle);
    y += frame_.small * 1.4f;
  }
  return height;
}

Scene PlotPage::build() {
  if (!has_points()) {
    scene_.height = draw_empty(draw_heading(&scene_, frame_));
  } else {
    place_area();
    occupied_ = Occupied(area_);
    collect_points();
    draw_bands();
    draw_axes();
    draw_cells();
    draw_guide_lines();
    draw_curves();
    draw_names();
    draw_guide_labels();  // before the names of points, which find other places
    draw_selected_name();
    draw_numbers();
    draw_point_columns();
    draw_point_labels();
    add_hits();
    const float pitch = frame_.small * 1.4f;
    float y = footer_top_ + 2 * pitch + frame_.font * 0.5f;
    y += draw_scale(&scene_, y);
    y += draw_keys(&scene_, y);
    y = draw_legend(&scene_, frame_, numbered_names(), y, kMostNumberLines);
    y = draw_legend(&scene_, frame_, model_.legend, y, kMostLegendLines);
    scene_.x_axes = {x_.place()};
    scene_.y_axis = y_.place();
    scene_.height = std::max(options_.height, y + frame_.pad);
  }
  scene_.body_bottom = scene_.height;
  return std::move(scene_);
}

/// Points whose names find no room get numbers, where that names them all and costs nothing else its room.
Scene layout_plot(const ChartModel& model, const LayoutOptions& options) {
  PlotPage first(model, options);
  Scene without = first.build();
  // The selected point is the one that a reader looks for: it has its name and no number.
  const bool is_selected_first = std::any_of(first.unnamed().begin(), first.unnamed().end(),
                                             [](const Datum* datum) { return datum->strong; });
  PlotPage plain(model, options, {}, is_selected_first);
  if (is_selected_first) without = plain.build();
  // The list takes height from the plot, so that another name may lose its room: some rounds settle it.
  constexpr int kMostRounds = 4;
  const PlotPage& shown = is_selected_first ? plain : first;
  std::vector<const Datum*> numbered = shown.unnamed();
  for (int round = 0; round < kMostRounds && !numbered.empty(); ++round) {
    if (numbered.size() > kMostNumbers) break;
    std::stable_sort(numbered.begin(), numbered.end(),
                     [](const Datum* a, const Datum* b) { return a->x < b->x; });
    PlotPage page(model, options, numbered, is_selected_first);
    Scene scene = page.build();
    const bool fits = options.height <= 0 || scene.height <= without.height + 0.5f;
    if (!fits || page.guides_named() < shown.guides_named()) break;
    if (page.is_complete()) return scene;
    if (page.unnamed().empty()) break;
    numbered.insert(numbered.end(), page.unnamed().begin(), page.unnamed().end());
  }
  return without;
}

}  // namespace ridge::chart::parts
