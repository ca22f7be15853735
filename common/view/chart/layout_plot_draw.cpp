// What stands in a plot: guides, curves with their points and intervals, and names that find room.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/view/chart/decimate.h"
#include "common/view/chart/plot_layout.h"

namespace ridge::chart::parts {
namespace {

/// Of points that stand above one another at least so many have their names in a column beside them: each beside its own
/// point would be moved away from it by the others' names, and the eye would lose which is whose.
constexpr size_t kColumn = 3;
/// How far from its point a name with a line to it may stand, in lines of its column.
constexpr float kMostPitches = 4;
/// So many parts of a guide are tried for its name.
constexpr int kLabelSteps = 14;

bool is_strong(const Curve& curve) {
  return std::any_of(curve.data.begin(), curve.data.end(),
                     [](const Datum& datum) { return datum.strong; });
}

/// Back to front: many quiet ones, the others, the selected.
int depth(const Curve& curve) {
  return is_strong(curve) ? 2 : curve.quiet ? 0 : 1;
}

Primitive marker_at(Point at, const Curve& curve, float radius, bool hollow) {
  Primitive marker{.kind = Primitive::Kind::marker, .a = at, .role = curve.role};
  marker.size_px = radius;
  marker.marker = curve.marker;
  marker.filled = !hollow;
  return marker;
}

/// Whether the segments ab and cd have a point in common that is inside both.
bool do_cross(Point a, Point b, Point c, Point d) {
  const auto side = [](Point from, Point to, Point of) {
    return (to.x - from.x) * (of.y - from.y) - (to.y - from.y) * (of.x - from.x);
  };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/// Whether the segment from a to b touches the box (sampled: both are drawn on whole pixels).
bool crosses(const Box& box, Point a, Point b) {
  const float length = std::max(std::abs(b.x - a.x), std::abs(b.y - a.y));
  const int steps = std::max(1, static_cast<int>(length / 3));
  for (int i = 0; i <= steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps);
    const float x = a.x + (b.x - a.x) * t, y = a.y + (b.y - a.y) * t;
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
  }
  return false;
}

}  // namespace

/// A text of the plot, with the panel's colour under it: lines pass behind and not through it.
void PlotPage::add_label(Point start, const std::string& text, Role role, bool bold, float angle) {
  const float size = frame_.small, px = frame_.fit(size, false, bold)(text);
  const std::vector<Box> boxes = text_boxes(start, px, size * 1.15f, angle);
  occupied_.add(boxes);
  texts_.insert(texts_.end(), boxes.begin(), boxes.end());
  if (angle == 0) {
    Primitive under{.a = {start.x - 2, start.y - size * 0.58f},
                    .b = {start.x + px + 2, start.y + size * 0.58f},
                    .role = Role::panel};
    scene_.primitives.push_back(under);
  }
  add_text(&scene_, start.x, start.y, text, size, role, Anchor::start, false, bold);
  scene_.primitives.back().angle = angle;
}

void PlotPage::collect_points() {
  for (const int wanted : {0, 1, 2}) {
    for (const Curve& curve : plot_.curves) {
      if (depth(curve) != wanted) continue;
      for (const Datum& datum : curve.data) {
        if (!x_.holds(datum.x) || !y_.holds(datum.y)) continue;
        const float radius = frame_.font * (datum.strong ? 0.36f : curve.quiet ? 0.24f : 0.3f);
        const Point at = {x_.free_px(datum.x), y_.free_px(datum.y)};
        const bool seen = x_.shows(datum.x) && y_.shows(datum.y);
        shown_.push_back({&curve, &datum, at, radius, seen});
        if (!seen || curve.marker == Marker::none) continue;
        const float r = radius + 3;
        occupied_.add(Box{at.x - r, at.y - r, at.x + r, at.y + r});
      }
    }
  }
}

void PlotPage::draw_bands() {
  auto draw = [&](Point a, Point b) {
    Primitive rect{.a = a, .b = b, .role = Role::muted};
    rect.alpha = 0.13f;
    scene_.primitives.push_back(rect);
  };
  for (const Band& band : plot_.x_bands) {
    if (band.low < band.high) draw({x_.px(band.low), area_.top}, {x_.px(band.high), area_.bottom});
  }
  for (const Band& band : plot_.y_bands) {
    if (band.low < band.high) draw({area_.left, y_.px(band.high)}, {area_.right, y_.px(band.low)});
  }
}

// ---- guides ------------------------------------------------------------------------------------

/// In pixels, cut at the plot's edges; false where nothing of it is inside.
bool PlotPage::guide_ends(const Guide& guide, Point* a, Point* b) const {
  if (!std::isfinite(guide.value)) return false;
  if (guide.kind == Guide::Kind::vertical) {
    if (!(guide.value >= x_.low() && guide.value <= x_.high())) return false;
    *a = {x_.px(guide.value), y_.px(guide.from.value_or(y_.low()))};
    *b = {a->x, y_.px(guide.to.value_or(y_.high()))};
    return true;
  }
  double from = std::max(guide.from.value_or(x_.low()), x_.low());
  double to = std::min(guide.to.value_or(x_.high()), x_.high());
  if (guide.kind == Guide::Kind::horizontal) {
    if (!(from < to && guide.value >= y_.low() && guide.value <= y_.high())) return false;
    *a = {x_.px(from), y_.px(guide.value)};
    *b = {x_.px(to), a->y};
    return true;
  }
  if (!(guide.value > 0)) return false;
  from = std::max(from, y_.low() / guide.value);
  to = std::min(to, y_.high() / guide.value);
  if (!(from < to)) return false;
  *a = {x_.px(from), y_.px(from * guide.value)};
  *b = {x_.px(to), y_.px(to * guide.value)};
  return true;
}

bool PlotPage::crosses_guide(const std::vector<Box>& boxes, const Guide* except) const {
  return std::any_of(plot_.guides.begin(), plot_.guides.end(), [&](const Guide& guide) {
    Point a, b;
    return &guide != except && guide_ends(guide, &a, &b) &&
           std::any_of(boxes.begin(), boxes.end(),
                       [&](const Box& box) { return crosses(box, a, b); });
  });
}

void PlotPage::draw_guide_lines() {
  for (const Guide& guide : plot_.guides) {
    Point a, b;
    if (!guide_ends(guide, &a, &b)) continue;
    add_line(&scene_, a, b, guide.role, (guide.quiet ? 1.1f : 1.7f) * stroke_,
             guide.quiet ? 0.4f : 1, guide.dashed);
    if (guide.note.empty()) continue;
    // A slanted line is hovered along a chain of small squares.
    const float reach = frame_.font * 0.45f;
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    const bool straight = a.x == b.x || a.y == b.y;
    const int parts = straight ? 1 : std::max(1, static_cast<int>(length / (2 * reach)));
    for (int i = 0; i < parts; ++i) {
      auto at = [&](int part) {
        const float t = static_cast<float>(part) / static_cast<float>(parts);
        return Point{a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
      };
      const Point p = at(i), q = at(i + 1);
      Hit hit{.a = {std::min(p.x, q.x) - reach, std::min(p.y, q.y) - reach},
              .b = {std::max(p.x, q.x) + reach, std::max(p.y, q.y) + reach},
              .panel = 0,
              .note = guide.note};
      guide_hits_.push_back(hit);
    }
  }
}

void PlotPage::draw_guide_labels() {
  for (const bool quiet : {false, true}) {
    for (const Guide& guide : plot_.guides) {
      Point a, b;
      if (guide.quiet == quiet && !guide.label.empty() && guide_ends(guide, &a, &b)) {
        draw_guide_label(guide, a, b);
      }
    }
  }
}

/// Places for a guide's name: along its line, a little off it. A horizontal's from the right end, a slope's from the lower
/// end, a vertical's beside its top. Empty: a slope is too short for it.
std::vector<Point> PlotPage::places_along(const Guide& guide, Point a, Point b, float px) const {
  const bool upright = guide.kind == Guide::Kind::vertical,
             slope = guide.kind == Guide::Kind::slope;
  const float length = std::hypot(b.x - a.x, b.y - a.y), off = frame_.small * 0.78f;
  const float angle = upright ? 0 : std::atan2(b.y - a.y, b.x - a.x);
  const float gap = frame_.font * 0.5f;
  std::vector<Point> starts;
  if (slope && px > length) return starts;
  constexpr int kPlaces = kLabelSteps + 1;
  // A level line's label tries places beyond the marks that lie on the line, too.
  const bool level = !upright && !slope;
  for (int i = 0; i < (level ? 4 : 2) * kPlaces; ++i) {
    // A vertical's label tries both sides at each height, the others' all of the upper side first.
    const int step = upright ? i / 2 : i % kPlaces;
    const float side = (upright ? i % 2 == 0 : i / kPlaces % 2 == 0) ? -1.0f : 1.0f;
    const float farther = i < 2 * kPlaces ? 0 : frame_.font * 0.5f;
    const float t = static_cast<float>(step) / kLabelSteps;
    if (upright) {
      const float y = b.y + off + (a.y - b.y - 2 * off) * t;
      starts.push_back({side < 0 ? a.x + gap : a.x - gap - px, y});
      continue;
    }
    // A level line shorter than its name is named from its right end, out over its start.
    const float room = slope ? std::max(0.0f, length - px - 2 * gap) : length - px - 2 * gap;
    const float along = gap + room * (slope ? t : room < 0 ? 1 : 1 - t);
    const Point on = {a.x + std::cos(angle) * along, a.y + std::sin(angle) * along};
    const float away =
        side * (farther + (room < 0 ? off + frame_.font * 0.5f : off));  // past a mark at its start
    starts.push_back({on.x - std::sin(angle) * away, on.y + std::cos(angle) * away});
  }
  return starts;
}

/// Level, beside a slope: above the roof, where no point can be, first.
std::vector<Point> PlotPage::places_beside(Point a, Point b, float px) const {
  const float gap = frame_.font * 0.5f;
  std::vector<Point> starts;
  for (const bool above : {true, false}) {
    for (int step = 0; step <= kLabelSteps; ++step) {
      const float t = static_cast<float>(step) / kLabelSteps;
      const Point on = {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
      starts.push_back({above ? on.x - gap - px : on.x + gap, on.y});
    }
  }
  return starts;
}

/// First where nothing is in the way, else where no text is: its whole name along its line, a slope's beside it; where
/// neither has room, what stands before the name's first comma.
void PlotPage::draw_guide_label(const Guide& guide, Point a, Point b) {
  const TextFit fit = frame_.fit(frame_.small);
  const bool upright = guide.kind == Guide::Kind::vertical,
             slope = guide.kind == Guide::Kind::slope;
  const float angle = upright ? 0 : std::atan2(b.y - a.y, b.x - a.x);
  // A quiet one gives way, but where no other of its kind is named.
  const bool insists = !guide.quiet || std::all_of(plot_.guides.begin(), plot_.guides.end(),
                                                   [&](const Guide& other) {
                                                     return other.kind != guide.kind || other.quiet;
                                                   });
  const auto is_drawn = [&](const std::string& text, bool strict, bool beside) {
    const float px = fit(text), turned = beside ? 0 : angle;
    for (const Point& start : beside ? places_beside(a, b, px) : places_along(guide, a, b, px)) {
      const std::vector<Box> boxes = text_boxes(start, px, frame_.small * 1.1f, turned);
      if (!occupied_.is_free(boxes) || (strict && crosses_guide(boxes, &guide))) continue;
      add_label(start, text, Role::muted, false, turned);
      ++guides_named_;
      return true;
    }
    return false;
  };
  const std::string brief = guide.label.substr(0, guide.label.find(", "));
  for (const std::string& text : {guide.label, brief}) {
    if (is_drawn(text, true, false)) return;
    if (!insists) continue;
    if (is_drawn(text, false, false)) return;
    if (slope && (is_drawn(text, true, true) || is_drawn(text, false, true))) return;
  }
}

// ---- curves ------------------------------------------------------------------------------------

/// The intervals of its points, joined.
void PlotPage::draw_band(std::span<const Shown> data) {
  for (size_t i = 1; i < data.size(); ++i) {
    const Shown &from = data[i - 1], &to = data[i];
    if (!from.datum->interval || !to.datum->interval) continue;
    if (from.at.x < area_.left || to.at.x > area_.right) continue;
    const auto top = [&](const Shown& shown) { return y_.px(shown.datum->interval->high); };
    const auto bottom = [&](const Shown& shown) { return y_.px(shown.datum->interval->low); };
    Primitive slab{.kind = Primitive::Kind::slab,
                   .a = {from.at.x, top(from)},
                   .b = {to.at.x, top(to)},
                   .below_a = bottom(from) - top(from),
                   .below_b = bottom(to) - top(to),
                   .role = data.front().curve->role};
    slab.alpha = 0.18f;
    scene_.primitives.push_back(slab);
  }
}

/// Thinned to lowest and highest of a pixel column, and cut at the plot's edges. Returns where it ends,
/// nothing where none of it is seen.
std::optional<Point> PlotPage::draw_line(std::span<const Shown> data) {
  const Curve& curve = *data.front().curve;
  std::vector<Point> points;
  for (size_t i = 0; i < data.size(); ++i) {
    // Of what lies outside only the neighbours of what is inside: a line comes from them.
    const float from = data[i > 0 ? i - 1 : i].at.x,
                to = data[std::min(i + 1, data.size() - 1)].at.x;
    if (to >= area_.left && from <= area_.right) points.push_back(data[i].at);
  }
  std::optional<Point> end;
  const int columns = std::max(1, static_cast<int>(area_.right - area_.left));
  if (points.size() > 2 * static_cast<size_t>(columns)) {
    points = decimate(points, area_.left, area_.right, columns);
  }
  for (size_t i = 1; i < points.size(); ++i) {
    Point a = points[i - 1], b = points[i];
    if (!clip_segment(area_, &a, &b)) continue;
    add_line(&scene_, a, b, curve.role, (is_strong(curve) ? 2.6f : 1.6f) * stroke_,
             curve.quiet ? 0.45f : 1, curve.dashed);
    end = b;
  }
  return end;
}

void PlotPage::draw_curves() {
  // In depth order; each curve's line once, under its markers.
  for (size_t first = 0, next = 0; first < shown_.size(); first = next) {
    std::optional<End> end;
    while (next < shown_.size() && shown_[next].curve == shown_[first].curve) {
      if (shown_[next].seen) end = {next, shown_[next].at};
      ++next;
    }
    if (shown_[first].curve->band) draw_band({&shown_[first], next - first});
    if (shown_[first].curve->line) {
      const auto left = draw_line({&shown_[first], next - first});
      if (left) end = {end ? end->shown : next - 1, *left};
    }
    if (end) ends_.push_back(*end);
  }
  for (const Shown& shown : shown_) {
    if (!shown.seen || shown.curve->marker == Marker::none) continue;
    if (!shown.curve->band) draw_interval(shown);
    Primitive marker = marker_at(shown.at, *shown.curve, shown.radius, shown.datum->hollow);
    if (shown.datum->hollow) {  // lines pass behind an empty marker too
      Primitive under = marker_at(shown.at, *shown.curve, shown.radius, false);
      under.role = Role::panel;
      scene_.primitives.push_back(under);
    }
    marker.alpha = shown.curve->quiet ? 0.6f : 1;
    scene_.primitives.push_back(marker);
    if (!shown.datum->strong) continue;
    Primitive ring{.kind = Primitive::Kind::marker, .a = shown.at, .role = Role::text};
    ring.size_px = shown.radius + 3.5f;
    ring.marker = Marker::dot;
    ring.filled = false;
    scene_.primitives.push_back(ring);
  }
}

void PlotPage::draw_interval(const Shown& shown) {
  const float cap = frame_.font * 0.25f;
  const auto draw = [&](const PlotAxis& axis, const Interval& interval, bool is_upright) {
    const auto at = [&](double value, float aside) -> Point {
      const float px = axis.px(value);
      return is_upright ? Point{shown.at.x + aside, px} : Point{px, shown.at.y + aside};
    };
    if (!axis.holds(interval.low) || !axis.holds(interval.high)) return;
    // Not where it is narrower than its marker.
    if (std::abs(axis.px(interval.high) - axis.px(interval.low)) < 2 * shown.radius) return;
    add_line(&scene_, at(interval.low, 0), at(interval.high, 0), Role::text, 1.4f * stroke_, 0.9f);
    for (const double end : {interval.low, interval.high}) {
      if (axis.shows(end))  // else it goes on beyond the plot
        add_line(&scene_, at(end, -cap), at(end, cap), Role::text, 1.4f * stroke_, 0.9f);
    }
  };
  if (shown.datum->interval) draw(y_, *shown.datum->interval, true);
  if (shown.datum->x_interval) draw(x_, *shown.datum->x_interval, false);
}

// ---- names -------------------------------------------------------------------------------------

void PlotPage::draw_point_labels() {
  std::vector<const Shown*> order;
  size_t all = 0;
  for (const Shown& shown : shown_) {
    all += wants_name(shown);
    const bool is_named = std::find(named_.begin(), named_.end(), &shown) != named_.end();
    if (wants_name(shown) && !is_named) order.push_back(&shown);
  }
  std::stable_sort(order.begin(), order.end(), [](const Shown* a, const Shown* b) {
    if (a->datum->strong != b->datum->strong) return a->datum->strong;
    return a->at.y < b->at.y;
  });
  // Of many points most names stand right beside theirs or nowhere: so many lines would read as data.
  constexpr size_t kMostLines = 8;
  for (const Shown* shown : order) {
    const bool has_line = all <= kMostLines || shown->datum->strong;
    const bool is_named = draw_label_beside(*shown, shown->at, shown->datum->label, has_line);
    if (!is_named && !shown->curve->quiet) unnamed_.push_back(shown->datum);
  }
}

/// Whether its name is to stand beside it.
bool PlotPage::wants_name(const Shown& shown) const {
  return shown.seen && !shown.datum->label.empty() && !number_of(*shown.datum);
}

void PlotPage::draw_selected_name() {
  if (!is_selected_first_) return;
  for (const Shown& shown : shown_) {
    if (shown.datum->strong && wants_name(shown) &&
        draw_label_beside(shown, shown.at, shown.datum->label))
      named_.push_back(&shown);
  }
}

/// From 1 on; 0: it has none.
size_t PlotPage::number_of(const Datum& datum) const {
  const auto found = std::find(numbered_.begin(), numbered_.end(), &datum);
  return found == numbered_.end() ? 0 : static_cast<size_t>(found - numbered_.begin()) + 1;
}

/// Each in a marker that holds it; where that would cover something, beside its own.
void PlotPage::draw_numbers() {
  for (const Shown& shown : shown_) {
    const size_t number = number_of(*shown.datum);
    if (number == 0 || !shown.seen) continue;
    const std::string text = std::to_string(number);
    const float size = frame_.tick(), radius = size * 0.7f;
    const Box place{shown.at.x - radius, shown.at.y - radius, shown.at.x + radius,
                    shown.at.y + radius};
    const bool covers_text = std::any_of(texts_.begin(), texts_.end(),
                                         [&](const Box& text) { return text.overlaps(place); });
    const bool is_apart =
        !covers_text && std::none_of(shown_.begin(), shown_.end(), [&](const Shown& other) {
          const float reach = radius + other.radius;
          return &other != &shown && other.seen && other.curve->marker != Marker::none &&
                 std::hypot(other.at.x - shown.at.x, other.at.y - shown.at.y) < reach;
        });
    if (!is_apart) {
      has_all_ = draw_label_beside(shown, shown.at, text) && has_all_;
      continue;
    }
    for (const bool is_ground : {true, false}) {
      Primitive marker = marker_at(shown.at, *shown.curve, radius + (is_ground ? 1 : 0), false);
      marker.marker = Marker::dot;  // another form has no room for a figure
      if (is_ground) marker.role = Role::panel;
      if (!is_ground && shown.datum->hollow) marker.filled = false;
      scene_.primitives.push_back(marker);
    }
    occupied_.add(place);
    texts_.push_back(place);
    add_text(&scene_, shown.at.x, shown.at.y, text, size,
             shown.datum->hollow ? Role::text : Role::canvas, Anchor::middle, false, true);
  }
}

bool PlotPage::has_list() const {
  return frame_.fit(frame_.small)
      .fits(legend_text(numbered_names()), scene_.width - 2 * frame_.pad, kMostNumberLines);
}

/// "1 tf32  ·  2 fp16, naive": what the numbers in points stand for.
std::vector<std::string> PlotPage::numbered_names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < numbered_.size(); ++i)
    names.push_back(std::to_string(i + 1) + " " + numbered_[i]->label);
  return names;
}

/// In columns, from left to right; each from top to bottom.
std::vector<std::vector<const PlotPage::Shown*>> PlotPage::columns_of_points() const {
  std::vector<const Shown*> named;
  for (const Shown& shown : shown_) {
    const bool is_named = std::find(named_.begin(), named_.end(), &shown) != named_.end();
    if (wants_name(shown) && !is_named) named.push_back(&shown);
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const Shown* a, const Shown* b) { return a->at.x < b->at.x; });
  std::vector<std::vector<const Shown*>> columns;
  for (const Shown* shown : named) {
    const bool is_new =
        columns.empty() || shown->at.x - columns.back().front()->at.x > frame_.font * 1.2f;
    if (is_new) columns.emplace_back();
    columns.back().push_back(shown);
  }
  for (auto& column : columns) {
    std::stable_sort(column.begin(), column.end(),
                     [](const Shown* a, const Shown* b) { return a->at.y < b->at.y; });
  }
  return columns;
}

/// The names of points that stand above one another, on the side where more of them are free, best of lines too; of many
/// on both sides by turns, so that none moves far from its point.
void PlotPage::draw_point_columns() {
  constexpr size_t kOneSide = 5;
  const auto room = static_cast<size_t>((area_.bottom - area_.top) / name_pitch());
  for (const auto& column : columns_of_points()) {
    if (column.size() < kColumn) continue;
    const bool has_two = column.size() > kOneSide;
    std::vector<const Shown*> sides[2];
    for (const Shown* shown : column) {
      auto& side = sides[has_two && sides[0].size() > sides[1].size()];
      if (side.size() < room) side.push_back(shown);
    }
    std::vector<Name> best;
    int most = -1;
    for (const bool right : {true, false}) {
      std::vector<Name> names = column_names(sides[0], right);
      for (Name& name : column_names(sides[1], !right)) names.push_back(std::move(name));
      const int free = free_of(names);
      if (free > most) most = free, best = std::move(names);
    }
    std::vector<Name> taken;
    for (const Name& name : best) {
      if (has_place(name))
        draw_column_name(name);
      else
        taken.push_back(name);
    }
    // The selected one and the baseline choose first; what finds no place at last is tried again beside its point.
    std::stable_partition(taken.begin(), taken.end(), [](const Name& name) {
      return name.shown->datum->strong || name.shown->curve->role == Role::baseline;
    });
    for (const Name& name : taken) {
      if (const auto moved = moved_name(name)) draw_column_name(*moved);
    }
  }
}

void PlotPage::draw_column_name(const Name& name) {
  draw_leader(*name.shown, name.start, name.px);
  add_label(name.start, name.text, name.shown->curve->quiet ? Role::muted : Role::text,
            name.shown->datum->strong);
  named_.push_back(name.shown);
}

/// The same in the nearest free place of the column's two sides: the higher or lower, the farther aside.
std::optional<PlotPage::Name> PlotPage::moved_name(const Name& name) const {
  const float x = name.shown->at.x;
  const bool is_right = name.start.x > x;
  const float column = is_right ? name.start.x - x : x - name.start.x - name.px;
  for (int step = 0;; ++step) {
    const float aside = static_cast<float>((step + 1) / 2) * name_pitch() / 2;
    const float gap = std::max(column, leader_gap(aside) + name.shown->radius);
    Name moved = name;
    moved.start.y = name.shown->at.y + (step % 2 == 0 ? aside : -aside);
    if (aside > kMostPitches * name_pitch()) return std::nullopt;
    for (const bool right : {is_right, !is_right}) {
      moved.start.x = right ? x + gap : x - gap - name.px;
      moved.box = text_boxes(moved.start, name.px, name_pitch(), 0).front();
      if (has_place(moved)) return moved;
    }
  }
}

/// The farther a name moved up or down, the farther aside it stands: steep lines in a narrow gap are a knot.
float PlotPage::leader_gap(float moved) const {
  return std::clamp(moved * 0.9f + 3, frame_.font * 1.1f, frame_.font * 5);
}

/// How good these places are: 2 of each that is free, 1 where a line runs through it.
int PlotPage::free_of(const std::vector<Name>& names) const {
  int free = 0;
  for (const Name& name : names) {
    if (has_place(name)) free += crosses_guide({name.box}, nullptr) ? 1 : 2;
  }
  return free;
}

/// A free place, so near its point that the line to it does not read as data, and that line runs through no text.
bool PlotPage::has_place(const Name& name) const {
  const float moved = std::abs(name.start.y - name.shown->at.y);
  if (moved > kMostPitches * name_pitch() + 1 || !occupied_.is_free(name.box)) return false;
  return is_clear(*name.shown, name.start, name.px);
}

/// Whether the line to a name there would run through no text, no other point and no other such line: it would seem to
/// be that one's.
bool PlotPage::is_clear(const Shown& shown, Point start, float px) const {
  const auto [from, to] = leader_of(shown, start, px);
  const auto runs_through = [&, from = from, to = to](const Box& box) {
    Point a = from, b = to;
    return clip_segment(box, &a, &b);
  };
  if (std::any_of(texts_.begin(), texts_.end(), runs_through)) return false;
  for (const Shown& other : shown_) {
    if (&other == &shown || !other.seen || other.curve->marker == Marker::none) continue;
    const float r = other.radius * 0.6f;
    if (runs_through({other.at.x - r, other.at.y - r, other.at.x + r, other.at.y + r}))
      return false;
  }
  return std::none_of(leaders_.begin(), leaders_.end(),
                      [&, from = from, to = to](const auto& line) {
                        return do_cross(line.first, line.second, from, to);
                      });
}

std::vector<PlotPage::Name> PlotPage::column_names(const std::vector<const Shown*>& column,
                                                   bool right) const {
  if (column.empty()) return {};
  const float pitch = name_pitch(), half = pitch / 2;
  std::vector<float> wanted;
  float leftmost = area_.right, rightmost = area_.left;
  for (const Shown* shown : column) {
    wanted.push_back(shown->at.y);
    leftmost = std::min(leftmost, shown->at.x - shown->radius);
    rightmost = std::max(rightmost, shown->at.x + shown->radius);
  }
  const std::vector<float> places = spread(wanted, pitch, area_.top + half, area_.bottom - half);
  float moved = 0;
  for (size_t i = 0; i < column.size(); ++i)
    moved = std::max(moved, std::abs(places[i] - column[i]->at.y));
  const float gap = leader_gap(moved);
  std::vector<Name> names;
  for (size_t i = 0; i < column.size(); ++i) {
    const Shown* shown = column[i];
    const TextFit fit = frame_.fit(frame_.small, false, shown->datum->strong);
    Name name{.shown = shown, .text = fit.elide(shown->datum->label, area_.width() * 0.4f)};
    name.px = fit(name.text);
    name.start = {right ? rightmost + gap : leftmost - gap - name.px, places[i]};
    name.box = text_boxes(name.start, name.px, frame_.small * 1.1f, 0).front();
    names.push_back(std::move(name));
  }
  return names;
}

std::pair<Point, Point> PlotPage::leader_of(const Shown& shown, Point start, float px) {
  const bool right = start.x > shown.at.x;
  return {{shown.at.x + shown.radius * (right ? 1.0f : -1.0f), shown.at.y},
          {right ? start.x - 3 : start.x + px + 3, start.y}};
}

/// A thin dashed line from a point to its name. None where the name stands level with it and near: a level line at a point
/// reads as its interval.
void PlotPage::draw_leader(const Shown& shown, Point start, float px) {
  const auto [from, to] = leader_of(shown, start, px);
  if (std::abs(to.y - from.y) < frame_.small * 0.4f && std::abs(to.x - from.x) < frame_.font * 4)
    return;
  add_line(&scene_, from, to, Role::muted, stroke_, 0.6f, true);
  leaders_.emplace_back(from, to);
}

/// Beside its point, best where no guide runs through it; where that is taken, some lines up or down,
/// with a thin line back to the point, or not at all where it may have none. Returns whether it found a place.
bool PlotPage::draw_label_beside(const Shown& shown, Point at, const std::string& label,
                                 bool has_line) {
  const bool bold = shown.datum->strong;
  const TextFit fit = frame_.fit(frame_.small, false, bold);
  const std::string text = fit.elide(label, area_.width() * (bold ? 0.6f : 0.4f));
  const float px = fit(text), pitch = frame_.small * 0.62f;
  constexpr int kBeside = 3;   // places on each side that need no line
  constexpr int kPlaces = 29;  // nine lines up and down: farther, the eye no longer follows
  for (const bool strict : {true, false}) {
    for (int i = 0; i < (strict || !has_line ? kBeside : kPlaces); ++i) {
      const int lines = (i % 2 ? -1 : 1) * ((i + 1) / 2);
      const float gap = shown.radius + frame_.font * (i < kBeside ? 0.4f : 1.1f);
      const float y = at.y + pitch * static_cast<float>(lines);
      for (const bool right : {true, false}) {
        const Point start = {right ? at.x + gap : at.x - gap - px, y};
        const std::vector<Box> boxes = text_boxes(start, px, frame_.small * 1.1f, 0);
        if (!occupied_.is_free(boxes) || (strict && crosses_guide(boxes, nullptr))) continue;
        if (i >= kBeside && !is_clear(shown, start, px)) continue;
        if (i >= kBeside) draw_leader(shown, start, px);
        add_label(start, text, shown.curve->quiet ? Role::muted : Role::text, bold);
        return true;
      }
    }
  }
  return false;
}

/// Each curve is named where it ends: those that end farthest right in a column of names beside them, the others
/// beside their own ends; of many that end elsewhere all names stand in the column. No line leads from an end across the
/// plot: it would read as data.
void PlotPage::draw_names() {
  constexpr size_t kMostInside = 3;  // more names between curves are a knot
  if (!plot_.name_ends || ends_.empty()) return;
  float right = area_.left;
  for (const End& end : ends_) right = std::max(right, end.at.x);
  std::vector<End> column, inside;
  for (const End& end : ends_) {
    if (shown_[end.shown].curve->name.empty()) continue;
    (is_beside_names(end, right) ? column : inside).push_back(end);
  }
  if (inside.size() > kMostInside && names_width() > 0) {
    column.insert(column.end(), inside.begin(), inside.end());
    inside.clear();
  }
  draw_name_column(std::move(column), right);
  // The selected one first: where names find no room, its own is the one that stays.
  std::stable_sort(inside.begin(), inside.end(), [&](const End& a, const End& b) {
    return depth(*shown_[a.shown].curve) > depth(*shown_[b.shown].curve);
  });
  for (const End& end : inside) {
    const Shown& last = shown_[end.shown];
    draw_label_beside(last, end.at, last.curve->name);
  }
}

void PlotPage::draw_name_column(std::vector<End> ends, float right) {
  // From top to bottom, as the curves end.
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return a.at.y < b.at.y; });
  const float pitch = frame_.small * 1.25f, half = pitch / 2;
  const auto room = static_cast<size_t>(std::max(1.0f, (area_.bottom - area_.top) / pitch));
  for (const int most : {0, 1, 2}) {  // quiet ones give way first, the slowest before the others
    for (size_t i = ends.size(); i-- > 0 && ends.size() > room;) {
      if (depth(*shown_[ends[i].shown].curve) <= most)
        ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::vector<float> wanted;
  for (const End& end : ends) wanted.push_back(end.at.y);
  const std::vector<float> places = spread(wanted, pitch, area_.top + half, area_.bottom - half);
  // Names that are all level with their points stand right beside them.
  bool are_level = true;
  for (size_t i = 0; i < ends.size(); ++i)
    are_level &= shown_[ends[i].shown].curve->marker != Marker::none &&
                 is_beside_names(ends[i], right) && std::abs(ends[i].at.y - places[i]) <= half;
  const float x = are_level
                      ? right + frame_.font * 0.5f
                      : std::min(area_.right, right + frame_.font * 1.2f) + frame_.font * 0.9f;
  for (size_t i = 0; i < ends.size(); ++i) {
    // A line far up or down the column reads as data; the name's mark says whose it is.
    const bool is_near = std::abs(ends[i].at.y - places[i]) <= kMostPitches * pitch;
    if (!are_level && is_near && is_beside_names(ends[i], right))
      draw_name_line(ends[i], {x, places[i]});
    draw_name(ends[i], {x, places[i]}, are_level);
  }
}

bool PlotPage::is_beside_names(const End& end, float right) const {
  return end.at.x >= right - 2 * frame_.font;
}

/// A thin grey line from a curve's end to its name's mark, which had to move away from it.
void PlotPage::draw_name_line(const End& end, Point at) {
  const Shown& last = shown_[end.shown];
  const float to = at.x - frame_.font * 0.26f - 2;
  const float from = end.at.x + (last.curve->marker == Marker::none ? 0 : last.radius + 1);
  if (from < to) add_line(&scene_, {from, end.at.y}, {to, at.y}, Role::muted, stroke_, 0.4f);
}

/// The curve's mark and its name. `is_bare`: right beside its
/// own point a second mark would read as a second result; in a column of marks one name without would lack its own.
void PlotPage::draw_name(const End& end, Point at, bool is_bare) {
  const Shown& last = shown_[end.shown];
  const Curve& curve = *last.curve;
  const float r = frame_.font * 0.26f, half = frame_.small * 0.625f;
  const bool bold = is_strong(curve);
  Primitive mark = marker_at(at, curve, r, last.datum->hollow);
  if (curve.marker == Marker::none) mark.marker = Marker::dot;  // the name's colour is the line's
  if (!is_bare) scene_.primitives.push_back(mark);
  const TextFit fit = frame_.fit(frame_.small, false, bold);
  const float start = at.x + frame_.font * 0.6f;
  const std::string text = fit.elide(curve.name, scene_.width - frame_.pad * 0.5f - start);
  const Box box{start - 2, at.y - half, start + fit(text) + 2, at.y + half};
  occupied_.add(Box{at.x - r, box.top, box.right, box.bottom});
  if (crosses_guide({box}, nullptr))  // the name has its place: a line through it makes way
    scene_.primitives.push_back(
        {.a = {box.left, box.top}, .b = {box.right, box.bottom}, .role = Role::panel});
  add_text(&scene_, start, at.y, text, frame_.small,
           curve.quiet && !bold ? Role::muted : Role::text, Anchor::start, false, bold);
  scene_.hits.push_back({.a = {at.x - r, at.y - half},
                         .b = {scene_.width, at.y + half},
                         .row = last.datum->row,
                         .panel = 0,
                         .note = last.datum->note,
                         .value_text = curve.name});
}

void PlotPage::add_hits() {
  scene_.hits.insert(scene_.hits.end(), guide_hits_.begin(), guide_hits_.end());
  for (const Shown& shown : shown_) {
    if (!shown.seen || shown.datum->note.empty()) continue;
    const float r = shown.radius + 4;
    scene_.hits.push_back({.a = {shown.at.x - r, shown.at.y - r},
                           .b = {shown.at.x + r, shown.at.y + r},
                           .row = shown.datum->row,
                           .panel = 0,
                           .note = shown.datum->note,
                           .value_text = shown.datum->value_text});
  }
}

}  // namespace ridge::chart::parts
