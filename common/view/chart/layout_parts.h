// Inside of layout(): shared by layout.cpp (the page), layout_panel.cpp (one panel: axis and
// labels) and layout_draw.cpp (what is drawn in it).
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/view/chart/model.h"
#include "common/view/chart/text.h"
#include "common/view/chart/ticks.h"

namespace ridge::chart::parts {

/// Sizes that every part agrees on, in pixels.
struct Frame {
  const ChartModel* model = nullptr;
  const LayoutOptions* options = nullptr;
  float font = 14, small = 12, pad = 12;
  float rows_top = 0, row_height = 0, section_height = 0;
  std::vector<int> sections;        ///< section headings at or above each row
  std::vector<float> section_ends;  ///< where the text of the heading above each row ends; 0: none

  float row_middle(int row) const {
    return rows_top + row_height * (static_cast<float>(row) + 0.5f) +
           section_height * static_cast<float>(sections[static_cast<size_t>(row)]);
  }
  float rows_bottom() const {
    return rows_top + row_height * static_cast<float>(rows()) +
           (sections.empty() ? 0 : section_height * static_cast<float>(sections.back()));
  }
  int rows() const { return static_cast<int>(model->rows.size()); }
  /// Of the labels at ticks and bars.
  float tick() const { return std::max(small * 0.92f, options->least_px); }
  TextFit fit(float size_px, bool mono = false, bool bold = false) const {
    return {options->text_width, size_px, mono, bold};
  }
};

void add_text(Scene* scene, float x, float y, const std::string& text, float size_px, Role role,
              Anchor anchor = Anchor::start, bool mono = false, bool bold = false);
void add_line(Scene* scene, Point a, Point b, Role role, float width_px, float alpha = 1,
              bool dashed = false);
/// Wrapped text from `y` down; returns where the next line would begin.
float draw_lines(Scene* scene, const TextFit& fit, const std::string& text, float x, float y,
                 float width, int max_lines, Role role);
/// Title and subtitle at the top of the scene; returns where the chart begins.
float draw_heading(Scene* scene, const Frame& frame);
/// The most lines of a legend, where its chart is not brief.
constexpr int kMostLegendLines = 4;
/// The most lines of the list of a plot's numbered points.
constexpr int kMostNumberLines = 3;
/// "entry  ·  entry"
std::string legend_text(std::span<const std::string> entries);
/// The legend's lines. Of one that is too long whole entries are left out at its end: " · …" says so.
std::vector<std::string> legend_lines(const TextFit& fit, const std::vector<std::string>& entries,
                                      float width, int max_lines);
/// Draws them from `y` down, with all of the legend as their tooltip where entries are left out; returns where it ends.
float draw_legend(Scene* scene, const Frame& frame, const std::vector<std::string>& entries,
                  float y, int max_lines);
/// "more is better" of a rate, "less is better" of a time or an energy; empty: its unit does not tell.
std::string better_words(const Axis& axis);
/// A tick's label in units of `unit`, with as many digits as it takes to tell `ticks` apart.
int tick_digits(const std::vector<Tick>& ticks, double unit);

/// A model with a plot (layout_plot.cpp).
Scene layout_plot(const ChartModel& model, const LayoutOptions& options);

/// One panel: its place on the page, its axis in pixels, and what is drawn in it.
class PanelLayout {
 public:
  PanelLayout(const Frame& frame, int index, float left, float width);

  const std::string& title() const { return panel_.title; }
  /// "ms, log" · the panel's own subtitle.
  std::string subtitle() const;
  /// Labels of rules and bands under the panel, near what they name; the first line's middle at `y`.
  /// Returns the number of lines; draws nothing where `scene` is null.
  int draw_footnotes(Scene* scene, float y, float line_px) const;
  /// Draws everything between the header and the footer.
  void draw(Scene* scene);
  /// Draws the tick labels around `y`.
  void draw_ticks(Scene* scene, float y) const;
  bool has_mark(int row) const { return has_mark_[static_cast<size_t>(row)]; }
  /// Why a row has no mark; empty if it has one or nobody said why.
  std::string reason(int row) const;
  std::string brief(int row) const;  ///< of the reason; empty: it has none
  Role reason_role(int row) const;
  /// Its tooltip.
  std::string reason_note(int row) const;
  AxisPlace place() const { return {low_, high_, left, left + plot_width_, log_, index_}; }
  bool is_empty() const;  ///< shows its empty_reason instead of rows
  const std::string& empty_reason() const { return panel_.empty_reason; }
  /// Keeps grid lines from running through a text that somebody else draws over this panel.
  void block(int row, float x_low, float x_high, bool is_row = false) {
    blocked_[row].push_back({x_low, x_high, is_row});
  }

  float left, width;
  float
      empty_width;  ///< that its empty_reason has: its own, or of neighbours with the same the first has all; 0: none

 private:
  struct Label {
    std::string text;
    float x = 0, px = 0;  ///< left end and width
    bool inside = false;
    bool on_whisker = false;  ///< at the mark's end; the whisker goes on behind it
  };
  struct TickLabel {
    std::string text;
    float x = 0, px = 0;  ///< left end and width
  };
  struct Blocked {
    float low, high;
    bool is_row;  ///< all of the row's height: its marks lie above one another
  };

  void prepare_axis();
  void look_through_rows();
  void place_labels();
  bool try_labels();
  bool place(const Mark& mark, Label* label) const;
  bool is_on_rule(int row, float x, float px) const;
  float beyond_rules(int row, float x, float px) const;
  void draw_grid(Scene* scene) const;
  void draw_vertical(Scene* scene, float x, Role role, float width_px, float alpha, bool dashed,
                     const std::vector<int>& not_rows = {}) const;
  void draw_mark(Scene* scene, const Mark& mark, const Label& label) const;
  void draw_bar(Scene* scene, const Mark& mark, float y) const;
  void draw_whisker(Scene* scene, const Mark& mark, const Label& label, float y) const;
  void draw_beyond(Scene* scene, Point edge, float towards, Role role) const;
  void draw_quiet(Scene* scene) const;
  void draw_empty(Scene* scene) const;
  std::vector<TickLabel> all_tick_labels(const TextFit& fit) const;
  std::vector<TickLabel> labels_apart(const std::vector<TickLabel>& all, float apart) const;
  std::vector<TickLabel> tick_labels(const TextFit& fit) const;
  void add_hits(Scene* scene) const;
  float x_of(double value) const;  ///< clamped to the axis's ends
  float bar_start(const Mark& mark) const;
  float bar_height() const;
  float middle_of(const Mark& mark) const;  ///< of one that is not quiet
  std::string value_text(double value) const;
  bool is_drawn(const Mark& mark) const;
  /// None: the mark is a bar. A bar's length says something only from a zero, which a logarithmic axis has not: there a
  /// mark that is to begin at the axis's start is a dot.
  Marker marker_of(const Mark& mark) const;
  bool is_solid_bar(const Mark& mark) const;
  float beside_inside(const Mark& bar) const;

  const Frame& frame_;
  const Panel& panel_;
  int index_;
  double low_ = 0, high_ = 1;
  bool log_ = false;
  bool has_own_units_ = false;  ///< its ticks: "10 µs", "1 ms"
  SiPrefix prefix_;
  float plot_width_ = 0;
  std::vector<Tick> ticks_;
  std::vector<Label> labels_;                    ///< one per mark; empty text: none
  std::map<int, std::vector<Blocked>> blocked_;  ///< by row
  std::map<int, double> quiet_high_;             ///< highest sample of a row
  std::map<int, double> beside_high_;            ///< highest point beside the bars of a row
  std::vector<bool> has_mark_;                   ///< by row
  std::vector<const Mark*> leading_;  ///< by row: the first that is not quiet; null: none
};

}  // namespace ridge::chart::parts
