#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "common/core/format.h"
#include "common/view/chart/layout_parts.h"

namespace ridge::chart {
namespace parts {

void add_text(Scene* scene, float x, float y, const std::string& text, float size_px, Role role,
              Anchor anchor, bool mono, bool bold) {
  if (text.empty()) return;
  Primitive primitive{.kind = Primitive::Kind::text, .a = {x, y}, .role = role};
  primitive.mono = mono;
  primitive.bold = bold;
  primitive.size_px = size_px;
  primitive.anchor = anchor;
  primitive.text = text;
  scene->primitives.push_back(primitive);
}

void add_line(Scene* scene, Point a, Point b, Role role, float width_px, float alpha, bool dashed) {
  Primitive primitive{.kind = Primitive::Kind::line, .a = a, .b = b, .role = role};
  primitive.dashed = dashed;
  primitive.size_px = width_px;
  primitive.alpha = alpha;
  scene->primitives.push_back(primitive);
}

namespace {

constexpr float kLine = 1.4f;  // line pitch over text size

}  // namespace

float draw_lines(Scene* scene, const TextFit& fit, const std::string& text, float x, float y,
                 float width, int max_lines, Role role) {
  for (const std::string& line : fit.wrap(text, width, max_lines)) {
    add_text(scene, x, y + fit.size_px * kLine / 2, line, fit.size_px, role, Anchor::start,
             fit.mono, fit.bold);
    y += fit.size_px * kLine;
  }
  return y;
}

float draw_heading(Scene* scene, const Frame& frame) {
  const float width = scene->width - 2 * frame.pad;
  const TextFit title = frame.fit(frame.font * 1.2f, false, true);
  float y =
      draw_lines(scene, title, frame.model->title, frame.pad, frame.pad, width, 2, Role::text);
  y = draw_lines(scene, frame.fit(frame.small), frame.model->subtitle, frame.pad, y, width, 2,
                 Role::muted);
  return y > frame.pad ? y + frame.font * 0.7f : y;
}

std::string legend_text(std::span<const std::string> entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : "  ·  ") + entry;
  return text;
}

std::vector<std::string> legend_lines(const TextFit& fit, const std::vector<std::string>& entries,
                                      float width, int max_lines) {
  const std::span<const std::string> all(entries);
  std::string text = legend_text(all);
  for (size_t shown = all.size() - 1; all.size() > 1 && shown > 0; --shown) {
    if (fit.fits(text, width, max_lines)) break;
    text = legend_text(all.first(shown)) + "  ·  …";
  }
  return fit.wrap(text, width, max_lines);
}

float draw_legend(Scene* scene, const Frame& frame, const std::vector<std::string>& entries,
                  float y, int max_lines) {
  const TextFit fit = frame.fit(frame.small);
  const float width = scene->width - 2 * frame.pad, top = y;
  const auto lines = legend_lines(fit, entries, width, max_lines);
  for (const std::string& line : lines)
    y = draw_lines(scene, fit, line, frame.pad, y, width, 1, Role::muted);
  const std::string text = legend_text(entries);
  if (!fit.fits(text, width, max_lines))
    scene->hits.push_back({.a = {frame.pad, top}, .b = {frame.pad + width, y}, .note = text});
  return y;
}

namespace {

/// The least that bars have beside columns, as a share of the width or, of a wide chart, of the type's size, and panels beside
/// panels, of the type's size. What bars have beyond that they can spare for texts that would be brief.
constexpr float kLeastBars = 0.3f, kEasyBars = 12, kLeastPanel = 5.6f;
/// The most that names may take of the width: with a second line under them, and with it beside them.
constexpr float kLabels = 0.24f, kWideLabels = 0.34f;
/// What a long name may take for itself, the most that costs no panel.
constexpr float kNameShares[] = {kWideLabels, 0.32f, 0.3f, 0.28f, 0.26f};
constexpr float kBeside = 0.7f;      // between a name and what stands beside it, of the type's size
constexpr float kLeastBeside =
    3.2f;  // that what stands beside a name takes, of the smaller type's size
constexpr float kOfRounding = 0.5f;  // a column as wide as its longest name holds it whole
constexpr const char* kMore = " …";  // behind a brief text: hovering has the whole
/// The least height of a row of one line, of the type's size: where all rows are seen, and where they scroll.
constexpr float kLeastRow = 1.5f, kBriefRow = 1.4f;
constexpr int kBriefLegend = 2;      // lines
constexpr float kTwoLines = 3;       // a badge of two lines, apart from that of the next row
constexpr float kStackedRow = 2.5f;  // of the type's size: two figures, 0.44 of a row apart
constexpr float kEasyStackedRow =
    3.2f;  // where there is room, they stand clear of the next row's too

/// The page: heading, panel headings, rows with their labels, panels, footer.
class Page {
 public:
  Page(const ChartModel& model, const LayoutOptions& options) : model_(model), options_(options) {
    frame_.model = &model;
    frame_.options = &options;
    frame_.font = options.font_px;
    frame_.small = std::max({options.font_px * 0.86f, 10.0f, options.least_px});
    frame_.pad = pad_ = frame_.font * 0.9f;
    scene_.width = std::max(options.width, frame_.font * 20);
    frame_.section_height = frame_.font * (options.is_brief ? kBriefRow : 1.9f);
    int headings = 0;
    const std::string* section = nullptr;
    for (const Row& row : model.rows) {
      const bool is_new = section ? *section != row.section : !row.section.empty();
      headings += is_new && !row.section.empty();
      section = &row.section;
      frame_.sections.push_back(headings);
    }
    frame_.section_ends.resize(model.rows.size());
  }

  Scene build() {
    place_top();
    tighten_names();
    widen_names();
    // The names' column takes more of the width where what rows say would not stand under their names in one line, then
    // where it stands beside them; but never that of a panel.
    const size_t shown = panels_.size();
    Names best = names_;
    for (const Names names : {Names::cautions, Names::wide, Names::beside}) {
      if (!one_line_) break;
      place_again(names);
      const bool costs_panel = panels_.size() < shown;
      if (costs_panel && names != Names::cautions) break;
      // What is still beside the name has its room already.
      const bool is_less = names == Names::wide && one_line_ && best == Names::cautions;
      if (!costs_panel && !is_less) best = names;
    }
    if (names_ != best) place_again(best);
    scene_.body_bottom = frame_.rows_bottom();
    draw_rows();
    draw_reasons();  // first: grid lines make way for them
    join_empty();
    for (PanelLayout& panel : panels_) {
      panel.draw(&scene_);
      scene_.x_axes.push_back(panel.place());
    }
    for (Hit& hit : scene_.hits) {
      if (hit.row >= 0) hit.row = source_of(hit.row);
    }
    scene_.height = draw_footer();
    if (options_.height > scene_.height) scene_.height = options_.height;
    return std::move(scene_);
  }

 private:
  /// `cautions`: the first word beside a name ("busy", "few samples") has its room.
  enum class Names { tight, narrow, cautions, wide, beside };

  /// What neighbours lack for one reason is said once, across all of them.
  void join_empty() {
    for (size_t i = 0, next = 0; i < panels_.size(); i = next) {
      next = i + 1;
      if (!panels_[i].is_empty()) continue;
      for (; next < panels_.size() && panels_[next].is_empty() &&
             panels_[next].empty_reason() == panels_[i].empty_reason();
           ++next)
        panels_[next].empty_width = 0;
      const PanelLayout& last = panels_[next - 1];
      panels_[i].empty_width = last.left + last.width - panels_[i].left;
    }
  }

  void place_top() {
    place_columns();
    const float top = draw_heading(&scene_, frame_) - pad_ + edge();
    scene_.body_top = frame_.rows_top = draw_panel_headings(top);
    frame_.row_height = choose_row_height();
  }

  /// Where panels have no room, what stands under the names takes no width of its own: it has two lines, or is cut.
  void tighten_names() {
    const size_t shown = panels_.size();
    size_t most = 0;
    for (size_t i = 0; i < model_.panels.size(); ++i) most += !is_in_legend(i);
    if (shown == most || !has_sublabels()) return;
    place_again(Names::tight);
    if (panels_.size() == shown) place_again(Names::narrow);
  }

  /// A name is whole where that takes no panel from the chart; else it has what the panels leave.
  void widen_names() {
    if (!has_cut_name()) return;
    const Names names = names_;
    const size_t shown = panels_.size();
    for (const float share : kNameShares) {
      name_share_ = share;
      place_again(names);
      if (panels_.size() == shown) return;
    }
    name_share_ = kLabels;
    place_again(names);
  }

  bool is_cut(const Row& row) const {
    return frame_.fit(frame_.font, false, true)(row.label) > label_width_;
  }

  bool has_cut_name() const {
    return std::any_of(model_.rows.begin(), model_.rows.end(),
                       [&](const Row& row) { return is_cut(row); });
  }

  /// Where a name of its section has no room, no name there repeats the heading.
  std::string name_of(const Row& row) const {
    const bool has_room = std::none_of(
        model_.rows.begin(), model_.rows.end(),
        [&](const Row& other) { return other.section == row.section && is_cut(other); });
    return has_room ? row.label : name_under(row.section, row.label);
  }

  void place_again(Names names) {
    names_ = names;
    scene_.primitives.clear(), scene_.hits.clear(), panels_.clear();
    place_top();
  }

  int source_of(int row) const {
    const int source = model_.rows[static_cast<size_t>(row)].source;
    return source < 0 ? row : source;
  }

  float inner_width() const { return scene_.width - 2 * pad_; }
  float least_bars() const { return std::min(inner_width() * kLeastBars, frame_.font * kEasyBars); }
  const char* more() const { return options_.is_paper ? "" : kMore; }

  void place_columns() {
    const bool is_wide = names_ >= Names::cautions;
    float widest_allowed = scene_.width * (is_wide ? kWideLabels : kLabels);
    float labels = frame_.font * 4;
    for (const Row& row : model_.rows) {
      const float label = frame_.fit(frame_.font, false, true)(row.label);
      const TextFit small = frame_.fit(frame_.small);
      const float sub = names_ == Names::tight      ? 0
                        : names_ == Names::cautions ? small(first_words(row))
                                                    : small(row.sublabel);
      const bool one_line = (names_ == Names::beside || names_ == Names::cautions) && sub > 0;
      widest_allowed = std::max(widest_allowed, std::min(label, scene_.width * name_share_));
      labels = std::max(labels, one_line ? label + frame_.font * kBeside +
                                               std::max(sub, frame_.small * kLeastBeside)
                                         : std::max(label, sub));
    }
    if (model_.panels.empty()) {
      label_width_ = inner_width();
      return;
    }
    label_width_ = std::min(labels, widest_allowed);
    const float gap = std::clamp(scene_.width * 0.02f, frame_.font, frame_.font * 2.2f);
    const std::vector<ShownPanel> shown = shown_panels(inner_width() - label_width_, gap);
    float x = pad_ + label_width_ + gap;
    panels_.reserve(shown.size());
    for (const ShownPanel& one : shown) {
      panels_.emplace_back(frame_, static_cast<int>(one.index), x, one.width);
      x += one.width + gap;
    }
  }

  /// Whether a panel is empty beside others that are not: the legend says why, since over the rows its words would stand on
  /// those of some.
  bool is_in_legend(size_t i) const {
    const Panel& panel = model_.panels[i];
    return panel.leaves_when_empty && panel.marks.empty() &&
           std::any_of(model_.panels.begin(), model_.panels.end(),
                       [](const Panel& other) { return !other.marks.empty(); });
  }

  struct ShownPanel {
    size_t index;  ///< in the model
    float width;
  };

  /// Of how many rows a panel says something.
  size_t rows_said(const Panel& panel) const {
    if (panel.is_column || panel.is_text) return model_.rows.size();
    std::set<int> rows;
    for (const Mark& mark : panel.marks) rows.insert(mark.row);
    return rows.size();
  }

  /// Which of these has no room: from the last, one that says nothing of most rows, else one that does not stay.
  size_t least_of(const std::vector<ShownPanel>& shown) const {
    const size_t first = rows_said(model_.panels[shown.front().index]);
    const auto is_spare = [&](const ShownPanel& one) {
      return rows_said(model_.panels[one.index]) * 2 < first;
    };
    const auto may_go = [&](const ShownPanel& one) { return !model_.panels[one.index].stays; };
    const auto last_of = [&](const auto& is) {
      for (size_t i = shown.size() - 1; i > 0; --i)
        if (is(shown[i])) return i;
      return size_t{0};
    };
    const size_t spare = last_of(is_spare), other = last_of(may_go);
    return spare > 0 ? spare : other > 0 ? other : shown.size() - 1;
  }

  /// The panels that are shown: columns as wide as they need, the others by their weights in what is left. Where that is
  /// too little, long texts become brief, then panels are left out, at most down to the first and a column beside it. What
  /// the bars can spare in the end has as many of the long texts whole as it holds.
  std::vector<ShownPanel> shown_panels(float room, float gap) const {
    const auto weight = [&](const ShownPanel& one) {
      const Panel& panel = model_.panels[one.index];
      return panel.is_column ? 0 : panel.weight;
    };
    std::vector<ShownPanel> shown;
    float weights = 0, columns = 0;
    for (size_t i = 0; i < model_.panels.size(); ++i) {
      if (is_in_legend(i)) continue;
      shown.push_back({i, model_.panels[i].is_column ? column_width(i) : 0});
      columns += shown.back().width;
      weights += weight(shown.back());
    }
    const auto unit = [&] {  // the width of a panel of weight 1
      return (room - gap * static_cast<float>(shown.size()) - columns) / weights;
    };
    const auto is_tight = [&] {
      if (columns > 0) return unit() * weights < least_bars();
      return unit() < frame_.font * kLeastPanel;
    };
    const auto give_column = [&](ShownPanel* one, float most) {
      if (!model_.panels[one->index].is_column) return;
      columns -= one->width;
      one->width = column_width(one->index, most);
      columns += one->width;
    };
    for (size_t i = 0; i < shown.size() && is_tight(); ++i) give_column(&shown[i], 0);
    while (weights > 0 && shown.size() > 2 && is_tight()) {
      const auto least = shown.begin() + static_cast<std::ptrdiff_t>(least_of(shown));
      columns -= least->width;
      weights -= weight(*least);
      shown.erase(least);
    }
    for (size_t i = 0; i < shown.size() && weights > 0; ++i) {
      const float spare = unit() * weights - least_bars();
      if (spare > 0) give_column(&shown[i], shown[i].width + spare);
    }
    const float each = weights > 0 ? std::max(1.0f, unit()) : 0;
    for (ShownPanel& one : shown) one.width += each * weight(one);
    return shown;
  }

  static float longest_word(const TextFit& fit, const std::string& text) {
    float longest = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      longest = std::max(longest, fit(text.substr(at, end - at)));
      at = end + 1;
    }
    return longest;
  }

  /// What its heading and its texts need: those that would be wider than `most` are brief. What a row says across this
  /// panel and the one before is no text of its own.
  float column_width(size_t index, float most = INFINITY) const {
    const Panel& panel = model_.panels[index];
    const TextFit small = frame_.fit(frame_.small);
    const float subtitle = small(panel.subtitle);
    float width = std::max(frame_.fit(frame_.font, false, true)(panel.title),
                           subtitle > most ? longest_word(small, panel.subtitle) : subtitle);
    for (size_t row = 0; row < panel.row_reasons.size(); ++row) {
      const std::string& text = panel.row_reasons[row];
      const bool is_shared = index > 0 && row < model_.panels[index - 1].row_reasons.size() &&
                             model_.panels[index - 1].row_reasons[row] == text;
      const float margin = frame_.small * 0.4f, whole = small(text) + margin;
      const bool has_brief = whole > most && row < panel.row_briefs.size() &&
                             !panel.row_briefs[row].empty() && panel.row_briefs[row] != text;
      const float needs = has_brief ? small(panel.row_briefs[row] + more()) + margin : whole;
      if (!is_shared) width = std::max(width, needs);
    }
    return std::min(width, inner_width() * 0.4f);
  }

  float draw_panel_headings(float top) {
    const TextFit title = frame_.fit(frame_.font, false, true), small = frame_.fit(frame_.small);
    size_t title_lines = 0;
    for (const PanelLayout& panel : panels_) {
      title_lines = std::max(title_lines, title.wrap(panel.title(), panel.width, 2).size());
    }
    float bottom = top;
    for (const PanelLayout& panel : panels_) {
      float y = top;
      draw_lines(&scene_, title, panel.title(), panel.left, y, panel.width, 2, Role::text);
      y += static_cast<float>(title_lines) * frame_.font * kLine;
      for (const std::string& line :
           small.wrap_parts(panel.subtitle(), panel.width, options_.is_brief ? 1 : 2))
        y = draw_lines(&scene_, small, line, panel.left, y, panel.width, 1, Role::muted);
      bottom = std::max(bottom, y);
      scene_.hits.push_back({.a = {panel.left, top},
                             .b = {panel.left + panel.width, y},
                             .panel = panel.place().panel});
    }
    return bottom > top ? bottom + frame_.font * 0.5f : bottom;
  }

  std::vector<std::string> sublines(const Row& row) const {
    return frame_.fit(frame_.small).wrap_parts(row.sublabel, label_width_, most_sublines_);
  }

  /// Bars of one row beside each other, each with its figure.
  bool has_stacked_bars() const {
    return std::any_of(model_.panels.begin(), model_.panels.end(), [](const Panel& panel) {
      return std::any_of(panel.marks.begin(), panel.marks.end(), [](const Mark& mark) {
        return std::abs(mark.offset) >= 0.5f && !mark.quiet && !mark.beside;
      });
    });
  }

  bool has_sublabels() const {
    return std::any_of(model_.rows.begin(), model_.rows.end(),
                       [](const Row& row) { return !row.sublabel.empty(); });
  }

  float least_row() const { return options_.is_brief ? kBriefRow : kLeastRow; }

  /// The least height of a row: its name, and the lines under it.
  float least_row_of_lines() const {
    size_t lines = 0;
    for (const Row& row : model_.rows) lines = std::max(lines, sublines(row).size());
    return frame_.font * 1.4f + frame_.small * 1.3f * static_cast<float>(lines);
  }

  /// A row's part of what headings and footer leave.
  float row_room() const {
    const float sections = frame_.section_height * static_cast<float>(frame_.sections.back());
    return (options_.height - frame_.rows_top - footer_height() - sections) /
           static_cast<float>(model_.rows.size());
  }

  /// The legend has one line where all rows are seen by that.
  float choose_room() {
    const auto sees_all = [&] { return row_room() >= frame_.font * least_row(); };
    for (brief_legend_ = kBriefLegend; brief_legend_ > 1 && !sees_all();) --brief_legend_;
    if (!sees_all()) brief_legend_ = kBriefLegend;
    return row_room();
  }

  float choose_row_height() {
    most_sublines_ = options_.height > 0 ? 2 : 3;  // a page grows, a window's pane does not
    float least = least_row_of_lines();
    const float easy = std::max(frame_.font * (has_stacked_bars() ? kEasyStackedRow : 2.3f),
                                least + frame_.font * 0.35f);
    if (options_.height <= 0 || model_.rows.empty()) return easy;
    const float room = choose_room();
    if (room < least) {
      most_sublines_ = 1;
      least = least_row_of_lines();
    }
    // A long ladder gives up the line under a name first: what it says then follows the name.
    one_line_ = has_sublabels() && room < least;
    if (one_line_) least = frame_.font * (has_stacked_bars() ? kStackedRow : least_row());
    return std::clamp(room, least, std::max(easy, frame_.font * 4.2f));
  }

  void draw_section(int row) {
    const std::string& section = model_.rows[static_cast<size_t>(row)].section;
    const int before = row > 0 ? frame_.sections[static_cast<size_t>(row) - 1] : 0;
    if (frame_.sections[static_cast<size_t>(row)] == before) return;
    const TextFit fit = frame_.fit(frame_.small, false, true);
    const float y = frame_.row_middle(row) - frame_.row_height / 2 - frame_.small * 0.9f;
    const std::string text = fit.elide(section, inner_width());
    add_text(&scene_, pad_, y, text, fit.size_px, Role::muted, Anchor::start, false, true);
    frame_.section_ends[static_cast<size_t>(row)] = pad_ + fit(text);
  }

  void draw_rows() {
    for (int i = 0; i < frame_.rows(); ++i) {
      const Row& row = model_.rows[static_cast<size_t>(i)];
      const float middle = frame_.row_middle(i), half = frame_.row_height / 2;
      draw_section(i);
      if (row.selected) {
        Primitive band{.a = {pad_ * 0.4f, middle - half},
                       .b = {scene_.width - pad_ * 0.4f, middle + half},
                       .role = Role::highlight};
        band.radius_px = 4;
        scene_.primitives.push_back(band);
      }
      draw_row_label(row, middle);
      scene_.hits.push_back(
          {.a = {0, middle - half},
           .b = {pad_ + label_width_, middle + half},
           .row = i,
           .note = row.sublabel.empty() ? row.label : row.label + ": " + row.sublabel});
    }
  }

  /// "busy" of "busy", "busy …" where more follows.
  static std::string first_words(const Row& row) {
    const std::string first = row.sublabel.substr(0, row.sublabel.find_first_of(",;:"));
    return row.sublabel == first ? first : first + " …";
  }

  /// What the first of the words beside a name takes of its width: "busy" is not lost behind a long name.
  float caution_width(const Row& row, const TextFit& small) const {
    constexpr float kMostOfName = 0.35f;
    if (!one_line_ || row.sublabel.empty()) return 0;
    const float words = small(first_words(row));
    const float needs = std::max(words, frame_.small * kLeastBeside) + frame_.font * kBeside;
    return names_ == Names::cautions || needs < label_width_ * kMostOfName ? needs : 0;
  }

  void draw_row_label(const Row& row, float middle) {
    const TextFit fit = frame_.fit(frame_.font, false, row.selected);
    const TextFit small = frame_.fit(frame_.small);
    const std::vector<std::string> subs = one_line_ ? std::vector<std::string>() : sublines(row);
    const float pitch = frame_.small * 1.3f;
    float y = middle - pitch * static_cast<float>(subs.size()) / 2;
    const std::string label =
        fit.elide(name_of(row), label_width_ - caution_width(row, small) + kOfRounding);
    add_text(&scene_, pad_, y, label, frame_.font, row.muted ? Role::muted : Role::text,
             Anchor::start, false, row.selected);
    if (one_line_) {
      const float used = fit(label) + frame_.font * (kBeside - 0.1f), room = label_width_ - used;
      const auto beside = small.wrap_parts(row.sublabel, room, 1);
      if (!beside.empty() && room > frame_.small * 3) {
        const bool is_half = beside.front().ends_with("…");
        add_text(&scene_, pad_ + used, y, is_half ? "…" : beside.front(), small.size_px,
                 Role::muted);
      }
    }
    y += frame_.font * 0.5f + pitch * 0.55f;
    for (const std::string& sub : subs) {
      add_text(&scene_, pad_, y, sub, small.size_px, Role::muted);
      y += pitch;
    }
  }

  /// A reason that neighbouring panels share is said once, across them.
  void draw_reasons() {
    const TextFit fit = frame_.fit(frame_.small);
    for (int row = 0; row < frame_.rows(); ++row) {
      for (size_t first = 0; first < panels_.size();) {
        const std::string reason = panels_[first].reason(row);
        size_t last = first;
        while (last + 1 < panels_.size() && !reason.empty() &&
               panels_[last + 1].reason(row) == reason) {
          ++last;
        }
        if (!reason.empty()) draw_reason(fit, reason, row, first, last);
        first = last + 1;
      }
    }
  }

  /// The ground of a reason in a role of its own, a text of this width and `more` than a line high, about `middle`.
  void draw_badge(float start, float middle, float width, float more, Role role) {
    const float margin = frame_.small * 0.4f, half = frame_.small * 0.75f + more / 2;
    Primitive ground{.a = {start - margin, middle - half},
                     .b = {start + width + margin, middle + half}};
    ground.role = role;
    ground.radius_px = 3;
    ground.alpha = 0.12f;
    scene_.primitives.push_back(ground);
  }

  void draw_reason(const TextFit& fit, const std::string& reason, int row, size_t first,
                   size_t last) {
    const float start = panels_[first].left;
    const float width = panels_[last].left + panels_[last].width - start;
    const float pitch = frame_.small * 1.3f;
    const int room = std::max(1, static_cast<int>(frame_.row_height / pitch));
    auto lines = fit.wrap_parts(reason, width, std::min(room, 2));
    // Half a reason says nothing, but "caught" of "caught: the gate ..." does: hovering has it whole.
    const std::string brief = panels_[first].brief(row);
    const bool is_cut = lines.back().ends_with("…") && !reason.ends_with("…");
    // What follows the ratio has a line of its own in a high row, where it fits there whole.
    const std::string rest = reason.starts_with(brief + " ") ? reason.substr(brief.size() + 1) : "";
    if (!brief.empty() && fit(reason) > width) {
      const bool is_high = frame_.row_height >= frame_.small * kTwoLines;
      const bool has_two = is_high && !rest.empty() && fit(rest) <= width;
      lines = has_two ? std::vector<std::string>{brief, rest}
                      : std::vector<std::string>{fit.elide(brief + more(), width)};
    } else if (is_cut && first == last && first > 0) {
      const std::string head = reason.substr(0, reason.find(": "));
      lines = {head != reason && fit(head) <= width ? head : kNone};
    }
    float y = frame_.row_middle(row) - pitch * static_cast<float>(lines.size() - 1) / 2;
    const Role role = panels_[first].reason_role(row);
    float widest = 0;
    for (const std::string& line : lines) widest = std::max(widest, fit(line));
    if (role != Role::muted)
      draw_badge(start, frame_.row_middle(row), widest,
                 pitch * static_cast<float>(lines.size() - 1), role);
    for (const std::string& line : lines) {
      add_text(&scene_, start, y, line, fit.size_px, role);
      for (size_t i = first; i <= last; ++i) panels_[i].block(row, start, start + fit(line));
      y += pitch;
    }
  }

  /// The model's, and what of it has no room here.
  std::vector<std::string> legend() const {
    std::vector<std::string> entries = model_.legend;
    std::string left_out;
    for (int i = 0; i < static_cast<int>(model_.panels.size()); ++i) {
      const bool is_shown =
          std::any_of(panels_.begin(), panels_.end(),
                      [&](const PanelLayout& one) { return one.place().panel == i; });
      const Panel& panel = model_.panels[static_cast<size_t>(i)];
      if (is_in_legend(static_cast<size_t>(i)))
        entries.push_back(panel.title + " " + panel.empty_reason);
      else if (!is_shown)
        left_out += (left_out.empty() ? "no room for: " : ", ") + panel.title;
    }
    if (!left_out.empty()) entries.push_back(left_out);
    return entries;
  }

  int most_legend_lines() const { return options_.is_brief ? brief_legend_ : kMostLegendLines; }

  float footer_pitch() const { return frame_.small * 1.35f; }

  int footnote_lines() const {
    int lines = 0;
    for (const PanelLayout& panel : panels_) {
      lines = std::max(lines, panel.draw_footnotes(nullptr, 0, footer_pitch()));
    }
    return lines;
  }

  float footer_height() const {
    const auto lines =
        legend_lines(frame_.fit(frame_.small), legend(), inner_width(), most_legend_lines()).size();
    return frame_.font * (lines ? 0.9f : 0.4f) +
           footer_pitch() * static_cast<float>(1 + footnote_lines()) +
           frame_.small * kLine * static_cast<float>(lines) + edge();
  }

  float draw_footer() {
    float y = frame_.rows_bottom() + frame_.font * 0.4f + footer_pitch() / 2;
    for (const PanelLayout& panel : panels_) panel.draw_ticks(&scene_, y);
    y += footer_pitch();
    for (const PanelLayout& panel : panels_) panel.draw_footnotes(&scene_, y, footer_pitch());
    y += footer_pitch() * (static_cast<float>(footnote_lines()) - 0.5f);
    if (const auto entries = legend(); !entries.empty())
      y = draw_legend(&scene_, frame_, entries, y + frame_.font * 0.5f, most_legend_lines());
    return y + edge();
  }

  /// Above the headings and below the legend.
  float edge() const { return options_.is_brief ? frame_.font * 0.3f : pad_; }

  const ChartModel& model_;
  const LayoutOptions& options_;
  Frame frame_;
  Scene scene_;
  float pad_ = 0, label_width_ = 0;
  bool one_line_ = false;  ///< what a row says under its label stands beside it
  int brief_legend_ = kBriefLegend;
  int most_sublines_ = 2;  ///< else: the most lines that it takes there
  Names names_ = Names::narrow;
  float name_share_ = kLabels;
  std::vector<PanelLayout> panels_;
};

}  // namespace
}  // namespace parts

Scene layout(const ChartModel& model, const LayoutOptions& options) {
  return model.plot ? parts::layout_plot(model, options) : parts::Page(model, options).build();
}

}  // namespace ridge::chart
