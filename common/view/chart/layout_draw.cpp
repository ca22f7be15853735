// What a panel puts into the scene, once layout_panel.cpp has placed its axis and labels.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/core/format.h"
#include "common/view/chart/decimate.h"
#include "common/view/chart/layout_parts.h"

namespace ridge::chart::parts {

std::string better_words(const Axis& axis) {
  if (axis.is_share) return "";
  if (axis.unit.ends_with("/s")) return "more is better";
  return axis.unit == "s" || axis.unit == "J" ? "less is better" : "";
}

/// The fewest digits, three at least, with which neighbouring labels differ: 268.5 beside 269.0.
int tick_digits(const std::vector<Tick>& ticks, double unit) {
  for (int digits = 3; digits < 7; ++digits) {
    std::set<std::string> seen;
    bool differ = true;
    for (const Tick& tick : ticks) {
      if (tick.major) differ = seen.insert(format_tick(tick.value / unit, digits)).second && differ;
    }
    if (differ) return digits;
  }
  return 7;
}

/// A vertical line over all rows but some, interrupted where a text stands in its way.
void PanelLayout::draw_vertical(Scene* scene, float x, Role role, float width_px, float alpha,
                                bool dashed, const std::vector<int>& not_rows) const {
  constexpr float kLeastLine_px = 0.5f;  // what rounding leaves between two rows is none
  std::vector<bool> left_out(static_cast<size_t>(frame_.rows()));
  for (const int row : not_rows) {
    if (row >= 0 && row < frame_.rows()) left_out[static_cast<size_t>(row)] = true;
  }
  float start = frame_.rows_top;
  const auto interrupt = [&](float from, float to) {
    if (from > start + kLeastLine_px)
      add_line(scene, {x, start}, {x, from}, role, width_px, alpha, dashed);
    start = to;
  };
  for (int row = 0; row < frame_.rows(); ++row) {
    const float top = frame_.row_middle(row) - frame_.row_height / 2;
    const float heading_end = frame_.section_ends[static_cast<size_t>(row)];
    const bool is_heading_out = heading_end > 0 && left_out[static_cast<size_t>(row)];
    if (x < heading_end + 3 || is_heading_out) interrupt(top - frame_.section_height, top);
    const bool is_left_out = left_out[static_cast<size_t>(row)];
    bool hit = false, is_row = is_left_out;
    if (const auto texts = blocked_.find(row); texts != blocked_.end()) {
      for (const Blocked& blocked : texts->second) {
        if (x <= blocked.low - 3 || x >= blocked.high + 3) continue;
        hit = true;
        is_row = is_row || blocked.is_row;
      }
    }
    if (!hit && !is_left_out) continue;
    const float middle = frame_.row_middle(row);
    const float half = is_row ? frame_.row_height / 2 : frame_.small * 0.75f;
    interrupt(middle - half, middle + half);
  }
  interrupt(frame_.rows_bottom(), frame_.rows_bottom());
}

void PanelLayout::draw_grid(Scene* scene) const {
  for (const Band& band : panel_.bands) {
    if (!(band.low < band.high)) continue;
    Primitive rect{.a = {x_of(band.low), frame_.rows_top},
                   .b = {x_of(band.high), frame_.rows_bottom()},
                   .role = Role::muted};
    rect.b.x = std::max(rect.b.x, rect.a.x + 1.5f);  // a narrow band is still to be seen
    rect.alpha = 0.13f;
    scene->primitives.push_back(rect);
  }
  for (const Tick& tick : ticks_) {
    draw_vertical(scene, x_of(tick.value), Role::grid, 1, tick.major ? 1.0f : 0.45f, false);
  }
}

void PanelLayout::draw_bar(Scene* scene, const Mark& mark, float y) const {
  const float start = bar_start(mark), end = x_of(mark.value);
  const float half = bar_height() * (mark.quiet ? 0.8f : mark.offset != 0 ? 0.34f : 0.5f);
  Primitive bar{.a = {std::min(start, end), y - half},
                .b = {std::max(start, end), y + half},
                .role = mark.role};
  bar.b.x = std::max(bar.b.x, bar.a.x + 1.5f);  // the smallest value is still a bar
  bar.radius_px = std::min(2.5f, (bar.b.x - bar.a.x) / 2);
  bar.hatched = mark.hatched;
  if (mark.quiet) bar.alpha = 0.3f;
  if (mark.dashed && !mark.hatched) bar.alpha = 0.22f;
  if (!mark.outlined) scene->primitives.push_back(bar);
  if (!mark.dashed && !mark.hatched && !mark.outlined) return;
  bar.filled = bar.hatched = false;  // an outline, so that a pale bar keeps its edge
  bar.dashed = mark.dashed;
  bar.alpha = 1;
  bar.size_px = 1.3f;
  scene->primitives.push_back(bar);
}

/// On a bar the whisker has the page's colour about it: it is seen on any bar, in either theme.
void PanelLayout::draw_whisker(Scene* scene, const Mark& mark, const Label& label, float y) const {
  if (!mark.interval || !std::isfinite(mark.interval->low) || !std::isfinite(mark.interval->high)) {
    return;
  }
  const float low = x_of(mark.interval->low), high = x_of(mark.interval->high);
  const float end = x_of(mark.value), cap = bar_height() * 0.28f, line = 1.4f, ground = 4.2f;
  if (marker_of(mark) != Marker::none && high - low < frame_.font * 0.64f) return;  // on its marker
  std::vector<std::pair<Point, Point>> strokes;
  if (high - low < 3) {  // too narrow for two caps
    strokes.push_back({{end, y - cap}, {end, y + cap}});
  } else {
    if (label.on_whisker) {
      const float gap = frame_.font * 0.3f;
      strokes.push_back({{low, y}, {label.x - gap, y}});
      strokes.push_back({{label.x + label.px + gap, y}, {high, y}});
    } else {
      strokes.push_back({{low, y}, {high, y}});
    }
    if (!(mark.interval->low < low_ && log_)) strokes.push_back({{low, y - cap}, {low, y + cap}});
    if (!(mark.interval->high > high_)) strokes.push_back({{high, y - cap}, {high, y + cap}});
  }
  const float around = (ground - line) / 2;
  for (const auto& [from, to] : strokes) {
    if (marker_of(mark) != Marker::none || mark.outlined || from.x > end) continue;
    const bool is_cap = from.x == to.x;
    const Point grow = is_cap ? Point{0, around} : Point{around, 0};
    add_line(scene, {from.x - grow.x, from.y - grow.y},
             {std::min(to.x, end) + grow.x, to.y + grow.y}, Role::canvas, ground);
  }
  for (const auto& [from, to] : strokes) add_line(scene, from, to, Role::text, line);
  if (mark.interval->low < low_ && log_) draw_beyond(scene, {low, y}, -1, Role::text);
  if (mark.interval->high > high_) draw_beyond(scene, {high, y}, 1, Role::text);
}

/// An arrowhead at the axis's edge: what it stands for goes on, or lies, beyond.
void PanelLayout::draw_beyond(Scene* scene, Point edge, float towards, Role role) const {
  const float size = bar_height() * 0.32f;
  for (const float side : {-1.0f, 1.0f}) {
    add_line(scene, {edge.x - towards * size, edge.y + side * size}, edge, role, 1.4f);
  }
}

void PanelLayout::draw_mark(Scene* scene, const Mark& mark, const Label& label) const {
  const float y = middle_of(mark);
  const Marker marker = marker_of(mark);
  if (marker == Marker::none) {
    draw_bar(scene, mark, y);
    draw_whisker(scene, mark, label, y);
  } else if (log_ && (mark.value < low_ || mark.value > high_)) {
    draw_beyond(scene, {x_of(mark.value), y}, mark.value < low_ ? -1.0f : 1.0f, mark.role);
  } else {
    draw_whisker(scene, mark, label, y);
    Primitive point{.kind = Primitive::Kind::marker, .a = {x_of(mark.value), y}, .role = mark.role};
    point.filled = !mark.hatched && !mark.dashed && !mark.beside;
    point.hatched = mark.hatched;
    point.size_px = frame_.font * 0.32f;
    point.marker = mark.outlined ? Marker::cross : marker;
    if (mark.beside) {  // over a bar of any colour the hollow stays the page's
      Primitive ground = point;
      ground.role = Role::panel;
      ground.filled = true;
      ground.size_px *= 1.3f;
      scene->primitives.push_back(ground);
    }
    scene->primitives.push_back(point);
  }
  if (label.text.empty()) return;
  add_text(scene, label.x, y, label.text, frame_.small, label.inside ? Role::canvas : Role::text,
           Anchor::start, true);
}

/// Samples: at most two in a pixel column of a row.
void PanelLayout::draw_quiet(Scene* scene) const {
  std::map<std::pair<int, std::pair<Role, Marker>>, std::vector<Point>> groups;
  for (const Mark& mark : panel_.marks) {
    if (!mark.quiet || !is_drawn(mark)) continue;
    if (marker_of(mark) == Marker::none) {
      draw_bar(scene, mark, frame_.row_middle(mark.row));
      continue;
    }
    const float y = frame_.row_middle(mark.row) + mark.offset * frame_.row_height * 0.32f;
    groups[{mark.row, {mark.role, marker_of(mark)}}].push_back({x_of(mark.value), y});
  }
  const int columns = std::max(1, static_cast<int>(plot_width_));
  for (const auto& [key, points] : groups) {
    for (const Point& at : decimate(points, left, left + plot_width_, columns)) {
      Primitive dot{.kind = Primitive::Kind::marker, .a = at, .role = key.second.first};
      dot.size_px = std::max(1.5f, frame_.font * 0.13f);
      dot.alpha = 0.6f;
      dot.marker = key.second.second;
      scene->primitives.push_back(dot);
    }
  }
}

void PanelLayout::draw_empty(Scene* scene) const {
  if (!(empty_width > 0)) return;
  const TextFit fit = frame_.fit(frame_.small);
  const float line = frame_.small * 1.45f;
  const int room = std::max(1, static_cast<int>((frame_.rows_bottom() - frame_.rows_top) / line));
  const auto lines = fit.wrap(panel_.empty_reason, empty_width, std::min(room, 8));
  float y = frame_.rows_top + line * 0.75f;
  for (const std::string& text : lines) {
    add_text(scene, left, y, text, frame_.small, Role::muted);
    y += line;
  }
}

void PanelLayout::add_hits(Scene* scene) const {
  for (int row = 0; row < frame_.rows(); ++row) {
    Hit hit{.a = {left, frame_.row_middle(row) - frame_.row_height / 2},
            .b = {left + width, frame_.row_middle(row) + frame_.row_height / 2},
            .row = row,
            .panel = index_};
    if (const Mark* mark = leading_[static_cast<size_t>(row)]) {
      hit.note = mark->note;
      hit.value_text = panel_.axis.scientific ? format_scientific(mark->value)
                       : panel_.axis.is_share ? format_share(mark->value)
                                              : format_quantity(mark->value, panel_.axis.unit);
    }
    if (hit.note.empty()) hit.note = is_empty() ? panel_.empty_reason : reason_note(row);
    scene->hits.push_back(hit);
  }
}

void PanelLayout::draw(Scene* scene) {
  add_hits(scene);
  if (is_empty()) return draw_empty(scene);
  if (panel_.marks.empty()) return;  // a column of texts: its rows' reasons, drawn by the page
  draw_grid(scene);
  draw_quiet(scene);
  for (size_t i = 0; i < panel_.marks.size(); ++i) {
    const Mark& mark = panel_.marks[i];
    if (!mark.quiet && is_drawn(mark)) draw_mark(scene, mark, labels_[i]);
  }
  for (const Rule& rule : panel_.rules) {
    if (!(rule.value >= low_ && rule.value <= high_)) continue;
    draw_vertical(scene, x_of(rule.value), rule.role, 1.6f, 1, true, rule.not_rows);
  }
}

/// The labels of all named ticks, each with the middle of its place.
std::vector<PanelLayout::TickLabel> PanelLayout::all_tick_labels(const TextFit& fit) const {
  std::vector<TickLabel> all;
  const double unit = panel_.axis.is_share ? 0.01 : prefix_.factor;
  const int digits = tick_digits(ticks_, unit);
  for (const Tick& tick : ticks_) {
    if (!tick.major) continue;
    const SiPrefix own = has_own_units_ ? si_prefix(tick.value) : SiPrefix{};
    TickLabel label{has_own_units_
                        ? format_tick(tick.value / own.factor, digits) + " " + prefixed(own, "s")
                        : format_tick(tick.value / unit, digits),
                    x_of(tick.value)};
    label.px = fit(label.text);
    all.push_back(std::move(label));
  }
  return all;
}

/// Those that have room, in the order of their ticks; of a linear axis its end before what is between.
std::vector<PanelLayout::TickLabel> PanelLayout::labels_apart(const std::vector<TickLabel>& all,
                                                              float apart) const {
  std::vector<TickLabel> labels;
  float free_from = left - frame_.font;
  for (TickLabel label : all) {
    const bool is_end = !log_ && label.x == all.back().x;
    label.x = std::clamp(label.x - label.px / 2, left, std::max(left, left + width - label.px));
    while (is_end && labels.size() > 1 && label.x < free_from) {
      labels.pop_back();
      free_from = labels.back().x + labels.back().px + apart;
    }
    if (label.x < free_from || label.px > width) continue;
    free_from = label.x + label.px + apart;
    labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<PanelLayout::TickLabel> PanelLayout::tick_labels(const TextFit& fit) const {
  const std::vector<TickLabel> all = all_tick_labels(fit);
  const float near = fit.size_px * 0.8f;
  // Wider than the gap within a number: "1" and "100" are not "1 100". With units or exponents they are told apart.
  const bool is_plain = log_ && !has_own_units_ && !panel_.axis.scientific;
  const float clear = is_plain ? fit.size_px * 1.2f : near;
  std::vector<TickLabel> labels = labels_apart(all, clear);
  if (log_ && labels.size() < 2) labels = labels_apart(all, near);
  if (!log_ || labels.size() > 1 || all.size() < 2) return labels;
  // One number does not show how fast a log axis grows: on a short one the outer two labels stand outside their ticks. The
  // lower one keeps clear of the numbers of the panel before, where the two have room otherwise.
  const float half_digit = fit.size_px * 0.3f;
  const float end = left + width + frame_.font * 0.5f;  // half of the gap to the next panel
  for (const auto& [before, gap] :
       {std::pair(0.5f, clear), std::pair(0.5f, near), std::pair(1.0f, near)}) {
    TickLabel low = all.front(), high = all.back();
    low.x = std::max(left - frame_.font * before, low.x + half_digit - low.px);
    high.x = std::max(high.x - half_digit, low.x + low.px + gap);
    high.x = std::min(high.x, end - high.px);
    if (high.x >= low.x + low.px + gap) return {low, high};
  }
  return labels;
}

void PanelLayout::draw_ticks(Scene* scene, float y) const {
  if (panel_.marks.empty() || is_empty()) return;
  const TextFit fit = frame_.fit(frame_.tick(), true);
  for (const TickLabel& label : tick_labels(fit))
    add_text(scene, label.x, y, label.text, fit.size_px, Role::muted, Anchor::start, true);
}

int PanelLayout::draw_footnotes(Scene* scene, float y, float line_px) const {
  if (is_empty()) return 0;
  const TextFit fit = frame_.fit(frame_.tick());
  int count = 0;
  auto add = [&](const std::string& label, float x, Role role) {
    if (label.empty()) return;
    for (const std::string& text : fit.wrap_parts(label, width, 3)) {
      const float px = fit(text);
      const float start = std::clamp(x - px / 2, left, std::max(left, left + width - px));
      const float middle = y + line_px * static_cast<float>(count++);
      if (scene) add_text(scene, start, middle, text, fit.size_px, role);
    }
  };
  for (const Band& band : panel_.bands) {
    add(band.label, (x_of(band.low) + x_of(band.high)) / 2, Role::muted);
  }
  for (const Rule& rule : panel_.rules) {
    add(rule.label, x_of(rule.value), rule.role == Role::limit ? Role::limit : Role::muted);
  }
  return count;
}

}  // namespace ridge::chart::parts
