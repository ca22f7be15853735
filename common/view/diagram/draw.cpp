#include <algorithm>
#include <cmath>

#include "common/view/chart/layout_parts.h"
#include "common/view/chart/svg.h"
#include "common/view/diagram/diagram.h"

namespace ridge::diagram {
namespace {

using chart::Primitive;
using chart::Role;
using chart::Scene;
using chart::TextFit;
using chart::parts::add_line;
using chart::parts::add_text;
using chart::parts::draw_lines;

constexpr float kLine = 1.4f;         // line pitch over text size, as draw_lines() has it
constexpr float kMostCell_em = 1.3f;  // a cell is no larger than a line of text
constexpr float kMostHigh_em = 20;    // of a grid of square cells
constexpr int kMostWords = 4;         // lines
constexpr float kLinks_em = 1.8f;     // between two grids with links
constexpr float kGrids = 0.54f;       // of the width, with the words beside them

class Page {
 public:
  Page(const Diagram& diagram, int step, const chart::LayoutOptions& options, Words words)
      : diagram_(diagram), options_(options), step_(step), words_(words) {
    if (!options_.text_width) options_.text_width = chart::builtin_text_width;
    font_ = options.font_px;
    small_ = std::max(font_ * 0.9f, 10.0f);
    pad_ = std::round(font_ * 0.7f);
    scene_.width = options.width;
    width_ = inner();
    for (const Grid& grid : diagram.grids) {
      for (const std::string& label : grid.row_labels)
        labels_ = std::max(labels_, fit(small_)(label) + font_ * 0.6f);
    }
  }

  Scene build() {
    float y =
        draw_lines(&scene_, fit(font_, true), diagram_.title, pad_, pad_, inner(), 2, Role::text);
    const float top = y;
    if (words_ == Words::beside) width_ = inner() * kGrids;
    for (size_t i = 0; i < diagram_.grids.size(); ++i)
      y = draw_grid(i, y + font_ * (i == 1 && !links().empty() ? kLinks_em : 0.3f));
    draw_links();
    float bottom = y;
    if (words_ == Words::beside) {
      const float gap = font_ * 1.5f;
      left_ = pad_ + width_ + gap, width_ = inner() - width_ - gap;
      y = top;
    }
    y = draw_keys(y + font_ * 0.4f);
    y = draw_words(y + font_ * 0.2f);
    bottom = std::max(bottom, draw_lines(&scene_, fit(small_), diagram_.summary, left(),
                                         y + font_ * 0.2f, width_, 5, Role::muted));
    scene_.height = bottom + pad_;
    scene_.body_bottom = scene_.height;
    return std::move(scene_);
  }

 private:
  TextFit fit(float size_px, bool bold = false) const {
    return {options_.text_width, size_px, false, bold};
  }
  float inner() const { return scene_.width - 2 * pad_; }
  float left() const { return std::max(left_, pad_); }

  Primitive rect(float left, float top, float right, float bottom, Role role, float alpha) const {
    Primitive made{.kind = Primitive::Kind::rect, .a = {left, top}, .b = {right, bottom}};
    made.role = role;
    made.alpha = alpha;
    return made;
  }

  /// Every step takes as much room as the one with the most words.
  float draw_words(float y) {
    size_t most = 0;
    for (const Step& step : diagram_.steps)
      most = std::max(most, fit(small_).wrap(step.words, width_, kMostWords).size());
    if (step_ < static_cast<int>(diagram_.steps.size())) {
      const Step& step = diagram_.steps[static_cast<size_t>(step_)];
      draw_lines(&scene_, fit(small_), step.words, left(), y, width_, kMostWords, Role::text);
    }
    return y + static_cast<float>(most) * small_ * kLine;
  }

  float draw_keys(float y) {
    float x = left();
    const float box = std::round(small_ * 0.8f), line = small_ * kLine;
    for (const DiagramKey& key : diagram_.keys) {
      const float width = box * 1.4f + fit(small_)(key.text);
      if (x > left() && x + width > left() + width_) x = left(), y += line;
      const float middle = std::round(y + line / 2), top = middle - std::round(box / 2);
      if (key.alpha > 0)
        scene_.primitives.push_back(rect(x, top, x + box, top + box, key.role, key.alpha));
      add_text(&scene_, key.alpha > 0 ? x + box * 1.4f : x, middle, key.text, small_, Role::muted);
      x += width + font_;
    }
    return y + line;
  }

  float draw_grid(size_t index, float y) {
    const Grid& grid = diagram_.grids[index];
    if (!grid.title.empty()) {
      y = draw_lines(&scene_, fit(small_), grid.title, pad_, y, width_, 2, Role::muted);
      y += font_ * 0.15f;
    }
    const float labels = grid.row_labels.empty() ? 0 : labels_;
    const float left = std::round(pad_ + labels), room = width_ - labels;
    const float most = grid.square ? std::min(font_ * kMostCell_em,
                                              font_ * kMostHigh_em / static_cast<float>(grid.rows))
                                   : room;
    const float wide = std::min(room / static_cast<float>(grid.columns), most);
    const float high = grid.square ? wide : std::round(font_ * grid.row_em);
    places_.push_back({left, std::round(y), wide, high});
    const auto x_of = [&](int column) {
      return std::round(left + wide * static_cast<float>(column));
    };
    const auto y_of = [&, top = std::round(y)](int row) {
      return std::round(top + high * static_cast<float>(row));
    };
    const auto draw = [&](const Cell& cell) {
      const int bottom = std::min(cell.row + cell.rows, grid.rows);
      const int right = std::min(cell.column + cell.columns, grid.columns);
      if (cell.row >= bottom || cell.column >= right) return;
      // A pixel of air where there is room for it.
      const float air = wide >= 5 ? 1 : 0;
      const float x0 = x_of(cell.column), x1 = x_of(right) - air;
      const float y0 = y_of(cell.row), y1 = y_of(bottom) - (high >= 5 ? 1.0f : 0.0f);
      scene_.primitives.push_back(rect(x0, y0, x1, y1, cell.role, cell.alpha));
      if (cell.text.empty() || fit(small_)(cell.text) + 2 > x1 - x0 || small_ > y1 - y0) return;
      add_text(&scene_, (x0 + x1) / 2, (y0 + y1) / 2, cell.text, small_,
               cell.alpha > 0.7f ? Role::canvas : Role::text, chart::Anchor::middle);
    };
    scene_.primitives.push_back(
        rect(x_of(0), y_of(0), x_of(grid.columns), y_of(grid.rows), Role::canvas, 1));
    for (const Cell& cell : grid.cells) draw(cell);
    if (step_ < static_cast<int>(diagram_.steps.size())) {
      for (const Cell& cell : diagram_.steps[static_cast<size_t>(step_)].cells[index]) draw(cell);
    }
    for (int row = grid.rule_rows; grid.rule_rows > 0 && row < grid.rows; row += grid.rule_rows)
      add_line(&scene_, {x_of(0), y_of(row)}, {x_of(grid.columns), y_of(row)}, Role::grid, 1);
    for (int at = grid.rule_columns; grid.rule_columns > 0 && at < grid.columns;
         at += grid.rule_columns)
      add_line(&scene_, {x_of(at), y_of(0)}, {x_of(at), y_of(grid.rows)}, Role::grid, 1);
    Primitive frame = rect(x_of(0), y_of(0), x_of(grid.columns), y_of(grid.rows), Role::grid, 1);
    frame.filled = false;
    scene_.primitives.push_back(frame);
    for (size_t row = 0; row < grid.row_labels.size(); ++row)
      add_text(&scene_, left - font_ * 0.5f, y_of(static_cast<int>(row)) + high / 2,
               grid.row_labels[row], small_, Role::muted, chart::Anchor::end);
    return y_of(grid.rows) + font_ * 0.35f;
  }

  const std::vector<Link>& links() const {
    static const std::vector<Link> kNone;
    const auto step = static_cast<size_t>(step_);
    return step < diagram_.steps.size() ? diagram_.steps[step].links : kNone;
  }

  void draw_links() {
    if (places_.size() < 2) return;
    const Place &from = places_[0], &to = places_[1];
    const float bottom =
        std::round(from.top + from.high * static_cast<float>(diagram_.grids[0].rows));
    for (const Link& link : links()) {
      const float middle = static_cast<float>(link.column) + static_cast<float>(link.columns) / 2;
      add_line(&scene_, {from.left + from.wide * (static_cast<float>(link.from) + 0.5f), bottom},
               {to.left + to.wide * middle, to.top + to.high * static_cast<float>(link.row)},
               Role::muted, 1, 0.6f);
    }
  }

  /// Where a grid was drawn, and how large its cells are.
  struct Place {
    float left, top, wide, high;
  };
  std::vector<Place> places_;
  const Diagram& diagram_;
  chart::LayoutOptions options_;
  int step_;
  Words words_;
  float left_ = 0, width_ = 0;  ///< of the grids, then of keys and words
  float font_ = 14, small_ = 12, pad_ = 10, labels_ = 0;
  Scene scene_;
};

}  // namespace

chart::Scene draw(const Diagram& diagram, int step, const chart::LayoutOptions& options,
                  Words words) {
  return Page(diagram, step, options, words).build();
}

std::string to_svg(const Diagram& diagram, const std::string& id,
                   const chart::LayoutOptions& options, bool embedded) {
  chart::ChartModel named;
  named.id = id;
  named.title = diagram.title;
  named.summary = diagram.summary;
  return chart::to_svg(named, draw(diagram, diagram.still, options), {.embedded = embedded});
}

}  // namespace ridge::diagram
