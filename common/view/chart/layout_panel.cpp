// One panel: its axis, and where its value labels find room. layout_draw.cpp draws it.
#include <algorithm>
#include <cmath>
#include <map>

#include "common/core/format.h"
#include "common/view/chart/layout_parts.h"

namespace ridge::chart::parts {

PanelLayout::PanelLayout(const Frame& frame, int index, float left_px, float width_px)
    : left(left_px),
      width(width_px),
      empty_width(width_px),
      frame_(frame),
      panel_(frame.model->panels[static_cast<size_t>(index)]),
      index_(index) {
  prepare_axis();
  look_through_rows();
  place_labels();
}

/// What is asked of a row again and again: a report has thousands.
void PanelLayout::look_through_rows() {
  has_mark_.assign(static_cast<size_t>(frame_.rows()), false);
  leading_.assign(static_cast<size_t>(frame_.rows()), nullptr);
  for (const Mark& mark : panel_.marks) {
    if (!is_drawn(mark)) continue;
    has_mark_[static_cast<size_t>(mark.row)] = true;
    const Mark*& leading = leading_[static_cast<size_t>(mark.row)];
    if (!leading && !mark.quiet) leading = &mark;
    const auto raise = [&](std::map<int, double>* highest) {
      double& value = highest->try_emplace(mark.row, mark.value).first->second;
      value = std::max(value, mark.value);
    };
    if (mark.beside) raise(&beside_high_);
    if (mark.quiet || mark.beside) raise(&quiet_high_);
  }
}

void PanelLayout::prepare_axis() {
  const Axis& axis = panel_.axis;
  log_ = axis.scale == Scale::log;
  low_ = axis.low;
  high_ = axis.high;
  // A builder without data has nothing to say about the range; the panel must still be drawable.
  if (!std::isfinite(low_) || !std::isfinite(high_) || !(low_ < high_) || (log_ && !(low_ > 0))) {
    low_ = log_ ? 0.1 : 0;
    high_ = log_ ? 10 : 1;
  }
  // Prefixes are for physical units: a ratio of 0.5 is not 500 m.
  // On a logarithmic axis of times each tick has a unit of its own, as the figures beside the marks have: one prefix for
  // all would say "µs" over labels in ms.
  has_own_units_ = log_ && axis.unit == "s";
  if (!axis.is_share && !axis.scientific && !axis.unit.empty() && !has_own_units_)
    prefix_ = axis_prefix(low_, high_, log_, axis.unit);
}

std::string PanelLayout::subtitle() const {
  const Axis& axis = panel_.axis;
  std::string text = axis.is_share ? "%" : has_own_units_ ? "" : prefixed(prefix_, axis.unit);
  if (log_) text += text.empty() ? "log" : ", log";
  if (text.empty() || !panel_.subtitle.empty())
    text += (text.empty() ? "" : axis.is_share ? " " : " · ") + panel_.subtitle;
  const std::string better = better_words(axis);  // last: where there is no room it goes first
  return text + (text.empty() || better.empty() ? "" : " · ") + better;
}

bool PanelLayout::is_drawn(const Mark& mark) const {
  return mark.row >= 0 && mark.row < frame_.rows() && std::isfinite(mark.value);
}

std::string PanelLayout::reason(int row) const {
  if (has_mark(row) || is_empty()) return {};
  const auto index = static_cast<size_t>(row);
  return index < panel_.row_reasons.size() ? panel_.row_reasons[index] : std::string();
}

std::string PanelLayout::brief(int row) const {
  const auto index = static_cast<size_t>(row);
  const bool has_brief =
      index < panel_.row_briefs.size() && panel_.row_briefs[index] != reason(row);
  return has_brief ? panel_.row_briefs[index] : std::string();
}

Role PanelLayout::reason_role(int row) const {
  const auto index = static_cast<size_t>(row);
  return index < panel_.row_roles.size() ? panel_.row_roles[index] : Role::muted;
}

std::string PanelLayout::reason_note(int row) const {
  const auto index = static_cast<size_t>(row);
  const bool has_note = index < panel_.row_notes.size() && !panel_.row_notes[index].empty();
  return has_note ? panel_.row_notes[index] : reason(row);
}

bool PanelLayout::is_empty() const {
  if (panel_.empty_reason.empty()) return false;
  return std::find(has_mark_.begin(), has_mark_.end(), true) == has_mark_.end();
}

float PanelLayout::x_of(double value) const {
  return std::clamp(place().px(value), left, left + plot_width_);
}

float PanelLayout::bar_start(const Mark& mark) const {
  if (mark.from && std::isfinite(*mark.from)) return x_of(*mark.from);
  return x_of(log_ ? low_ : std::clamp(0.0, low_, high_));
}

/// In a low row a bar takes more of the row: a value may stand in it, white on the bar and not on the page.
float PanelLayout::bar_height() const {
  constexpr float kOfLowRow = 0.62f;
  return std::clamp(frame_.row_height * 0.36f,
                    std::min(frame_.font * 1.15f, frame_.row_height * kOfLowRow),
                    frame_.font * 1.6f);
}

/// Two bars of a row at offsets of half stand clear of each other.
float PanelLayout::middle_of(const Mark& mark) const {
  return frame_.row_middle(mark.row) + mark.offset * frame_.row_height * 0.44f;
}

Marker PanelLayout::marker_of(const Mark& mark) const {
  const bool has_no_zero = log_ && !mark.from;
  return mark.marker == Marker::none && has_no_zero ? Marker::dot : mark.marker;
}

bool PanelLayout::is_solid_bar(const Mark& mark) const {
  return marker_of(mark) == Marker::none && !mark.hatched && !mark.outlined && !mark.dashed;
}

std::string PanelLayout::value_text(double value) const {
  if (panel_.axis.is_share) return format_number(value * 100, 2 + (std::abs(value) >= 0.1));
  if (panel_.axis.scientific) return format_scientific(value);
  return format_number(value / prefix_.factor);
}

/// Where the last of the points that lie on a bar ends.
float PanelLayout::beside_inside(const Mark& bar) const {
  const auto last = beside_high_.find(bar.row);
  return last == beside_high_.end() ? 0 : x_of(last->second) + frame_.font * 0.45f;
}

// ---- value labels ------------------------------------------------------------------------------

/// A whisker beyond its value that is longer, of the type's size, takes no label at its end where there is another place.
constexpr float kLongWhisker = 0.75f;

/// Whether a ceiling's line of this row runs through a figure there.
bool PanelLayout::is_on_rule(int row, float x, float px) const {
  const float gap = frame_.font * 0.3f;
  return std::any_of(panel_.rules.begin(), panel_.rules.end(), [&](const Rule& rule) {
    const auto& left_out = rule.not_rows;
    const float line = x_of(rule.value);
    return rule.value >= low_ && rule.value <= high_ &&
           std::find(left_out.begin(), left_out.end(), row) == left_out.end() && line > x - gap &&
           line < x + px + gap;
  });
}

/// A ceiling's line is whole where no bar's figure stands on it: such a figure stands right of the line, where it has room.
float PanelLayout::beyond_rules(int row, float x, float px) const {
  const float gap = frame_.font * 0.3f;
  for (const Rule& rule : panel_.rules) {
    if (!(rule.value >= low_ && rule.value <= high_)) continue;
    const auto& left_out = rule.not_rows;
    if (std::find(left_out.begin(), left_out.end(), row) != left_out.end()) continue;
    const float line = x_of(rule.value);
    const bool is_hit = line > x - gap && line < x + px + gap;
    if (is_hit && line + gap + px <= left + width) x = line + gap;
  }
  return x;
}

bool PanelLayout::place(const Mark& mark, Label* label) const {
  const float gap = frame_.font * 0.45f;
  const float x = x_of(mark.value);
  float low = std::min(x, bar_start(mark)), high = std::max(x, bar_start(mark));
  const bool is_point = marker_of(mark) != Marker::none;
  if (is_point) {
    low = x - frame_.font * 0.3f;
    high = x + frame_.font * 0.3f;
  }
  float whisker_low = x;
  if (mark.interval) {
    whisker_low = std::min(x, x_of(mark.interval->low));
    high = std::max(high, x_of(mark.interval->high));
    if (is_point) low = std::min(low, whisker_low);
  }
  if (const auto quiet = quiet_high_.find(mark.row); quiet != quiet_high_.end()) {
    high = std::max(high, x_of(quiet->second));  // beyond the samples, not among them
  }
  label->inside = label->on_whisker = false;
  label->x = is_point ? high + gap : beyond_rules(mark.row, high + gap, label->px);
  const bool fits = label->x + label->px <= left + width;
  // Beyond a long whisker it would be read as the whisker's end.
  const bool is_far = high - x > frame_.font * kLongWhisker && !quiet_high_.contains(mark.row);
  // Where the whisker reaches further back into the bar than out of it, its upper end is nearer to the bar's.
  const bool is_nearer = is_solid_bar(mark) && high - x <= x - whisker_low;
  // Where the line leaves no room behind it the figure stands in its bar.
  const bool is_crossed = is_solid_bar(mark) && is_on_rule(mark.row, label->x, label->px);
  if (fits && !is_crossed && (!is_far || is_nearer)) return true;
  if (is_solid_bar(mark)) {
    label->x = std::min(x, whisker_low) - gap - label->px;
    label->inside = label->x >= std::max(low, beside_inside(mark)) + gap * 0.5f;
  } else if (is_point && !quiet_high_.contains(mark.row)) {  // to its left, if no samples are there
    label->x = low - gap - label->px;
    if (label->x >= left) return true;
  }
  if (label->inside) return true;
  // The whisker makes room for it where enough is left of it to be seen.
  label->x = (is_point ? x + frame_.font * 0.3f : x) + gap;
  label->on_whisker = is_far && label->x + label->px + gap * 2 < high;
  if (label->on_whisker) return true;
  label->x = high + gap;
  return fits;
}

/// Places every label for the current plot width; false if one has no room.
bool PanelLayout::try_labels() {
  bool all = true;
  for (size_t i = 0; i < panel_.marks.size(); ++i) {
    Label& label = labels_[i];
    if (!label.text.empty() && !place(panel_.marks[i], &label)) all = false;
  }
  return all;
}

void PanelLayout::place_labels() {
  const TextFit fit = frame_.fit(frame_.small, true);
  const float gap = frame_.font * 0.45f;
  float widest = 0;
  labels_.resize(panel_.marks.size());
  for (size_t i = 0; i < panel_.marks.size(); ++i) {
    const Mark& mark = panel_.marks[i];
    if (!is_drawn(mark)) continue;
    if (mark.quiet || mark.beside || mark.bare) continue;
    const std::string text = mark.label.empty() ? value_text(mark.value) : mark.label;
    labels_[i].text = fit.elide(text, width * 0.85f);
    labels_[i].px = fit(labels_[i].text);
    widest = std::max(widest, labels_[i].px);
  }
  plot_width_ = width;
  if (!try_labels()) {  // a strip at the right that no bar enters: every label fits beyond its bar
    plot_width_ = std::max(8.0f, width - widest - gap * 2);
    try_labels();
  }
  std::map<std::pair<int, float>, std::vector<const Label*>> placed;  // by row and offset in it
  for (size_t i = 0; i < labels_.size(); ++i) {
    Label& label = labels_[i];
    if (label.text.empty()) continue;
    auto& others = placed[{panel_.marks[i].row, panel_.marks[i].offset}];
    const bool clash = std::any_of(others.begin(), others.end(), [&](const Label* other) {
      return label.x < other->x + other->px && other->x < label.x + label.px;
    });
    if (clash || label.x < left - 0.5f || label.x + label.px > left + width + 0.5f) {
      label.text.clear();  // two marks of one row on one spot: the second is read by hovering
      continue;
    }
    others.push_back(&label);
    block(panel_.marks[i].row, label.x, label.x + label.px, panel_.marks[i].offset != 0);
  }
  // Powers of ten have at most four digits under an axis's prefix.
  const float tick_room = frame_.small * (log_ && !panel_.axis.scientific ? 3.0f : 4.5f);
  const int least = panel_.axis.is_share ? 3 : 2;  // half of all is read off an axis of shares
  const int target = std::max(least, static_cast<int>(plot_width_ / tick_room));
  ticks_ = log_ && panel_.axis.scientific ? log_ticks(low_, high_, target)
                                          : axis_ticks(low_, high_, log_, target, prefix_);
}

}  // namespace ridge::chart::parts
