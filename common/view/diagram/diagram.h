// A lesson's diagram: rectangles of cells and what changes in them from step to step, computed from the
// source of the rung that is shown and from the parameters that are set. Data only; draw() makes a
// chart::Scene of one step, which the window and the SVG writer draw. docs/study.md has the format.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/core/result.h"
#include "common/record/types.h"
#include "common/view/chart/model.h"
#include "common/view/diagram/expression.h"

namespace ridge::diagram {

/// A rectangle of cells, in a grid's rows and columns.
struct Cell {
  int row = 0, column = 0, rows = 1, columns = 1;
  chart::Role role = chart::Role::series0;
  float alpha = 1;
  std::string text{};  ///< inside, where there is room
};

/// Rows and columns of equal cells.
struct Grid {
  std::string title{};
  int rows = 0, columns = 0;
  bool square = true;   ///< cells as high as wide where that fits; else `row_em` high
  float row_em = 1.3f;  ///< over the size of the text: a line of it
  int rule_rows = 0, rule_columns = 0;    ///< a thin line each so many; 0: none
  std::vector<std::string> row_labels{};  ///< empty, or one per row
  std::vector<Cell> cells{};              ///< in every step
};

/// A line from a cell of the first grid's last row to a rectangle of the second one.
struct Link {
  int from = 0;  ///< column
  int row = 0, column = 0, columns = 1;
};

struct Step {
  std::string words{};                     ///< one or two sentences: what is seen now
  std::vector<std::vector<Cell>> cells{};  ///< over those of each grid
  std::vector<Link> links{};
};

struct DiagramKey {
  std::string text{};
  chart::Role role = chart::Role::series0;
  float alpha = 1;
};

struct Diagram {
  std::string kind{}, title{};
  std::string summary{};  ///< what it says, for whoever does not see it; holds in every step
  std::vector<Grid> grids{};
  std::vector<Step> steps{};
  std::vector<DiagramKey> keys{};
  int still = 0;  ///< the step that says most where nothing moves
  /// What the learner may change ("a copy takes" 3 "multiplications' time"); empty: nothing.
  std::string knob_text{}, knob_unit{};
  int knob = 0, knob_low = 0, knob_high = 0;
};

/// "```diagram threads" and the lines up to its end.
struct Directive {
  std::string kind{};
  std::vector<std::pair<std::string, std::string>> lines{};  ///< key, text; repeated keys stay
  std::vector<std::pair<std::string, std::string>> lets{};   ///< name, expression

  /// The text of a key; empty where it has none.
  std::string text(const std::string& key) const;
  std::vector<std::string> all(const std::string& key) const;
};

struct Input {
  Directive directive;
  std::string source;                     ///< of the rung that is shown
  std::map<std::string, int64_t> params;  ///< m, n, k and dtype_bytes as set now
  int knob = 0;                           ///< 0: as the directive says
};

/// Whether a fenced block's info ("diagram threads") asks for a diagram.
bool is_diagram(const std::string& info);
/// Error: a kind that does not exist, a key that it does not have, a line that is none.
Result<Directive> parse_directive(const std::string& info, const std::string& body);
Result<Diagram> build(const Input& input);
/// m, n, k and dtype_bytes as a run's parameters give them; n = 1024 and 4 bytes where they do not.
std::map<std::string, int64_t> sizes_of(const Params& params);
/// parse_directive() and build().
Result<Diagram> build(const std::string& info, const std::string& body, const std::string& source,
                      const std::map<std::string, int64_t>& params, int knob = 0);

/// Where keys and words stand: under the grids, or on a wide and low place at their right.
enum class Words { below, beside };
/// One step in pixels; every step of a diagram has the same height.
chart::Scene draw(const Diagram& diagram, int step, const chart::LayoutOptions& options,
                  Words words = Words::below);
/// The step that stands for all, with title and summary. `id`: of its elements, once in a page.
std::string to_svg(const Diagram& diagram, const std::string& id,
                   const chart::LayoutOptions& options, bool embedded);

// ---- one builder per kind (docs/study.md) -----------------------------------------------------------

/// Which elements of C a block's threads own.
Result<Diagram> threads(const Input& input);
/// What a loop or a warp touches in order, and the lines or sectors that come with it.
Result<Diagram> walk(const Input& input);
/// In which banks of shared memory a warp's addresses lie.
Result<Diagram> banks(const Input& input);
/// A ring of stages between copies and multiplications.
Result<Diagram> pipeline(const Input& input);
/// The online softmax of one row, block by block.
Result<Diagram> softmax(const Input& input);

}  // namespace ridge::diagram
