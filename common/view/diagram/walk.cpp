// Memory walk: the elements that a loop, or a warp, touches one step after the other, and the lines (or
// sectors) that memory delivers for them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/view/diagram/names.h"

namespace ridge::diagram {
namespace {

constexpr int kMostSteps = 16, kMostRows = 32, kMostColumns = 32;

/// A matrix that is touched: its extents, and what is touched in each step.
struct Touched {
  std::string name{};
  int64_t rows = 0, columns = 0;
  std::vector<int> places{};                  ///< compiled
  std::vector<std::set<int64_t>> elements{};  ///< of each step, from the matrix's first
  std::vector<std::set<int64_t>> lines{};
};

struct Walk {
  std::string step_name{}, line_word{};
  int64_t steps = 0, lanes = 1;
  int64_t bytes = 4, line = 64;  ///< of an element; of a line, in elements
  std::vector<Touched> matrices{};
};

/// "A g.a[i * g.k + p]": which matrix, and where in it.
Result<Touched> touched_of(Expressions* names, const Input& input, const std::string& text) {
  Touched made;
  made.name = text.substr(0, text.find(' '));
  const auto size = [&](const char* name) {
    const auto found = input.params.find(name);
    return found == input.params.end() ? int64_t{0} : found->second;
  };
  made.rows = size(made.name == "B" ? "k" : "m");
  made.columns = size(made.name == "A" ? "k" : "n");
  const bool is_matrix = made.name == "A" || made.name == "B" || made.name == "C";
  if (!is_matrix || made.rows < 1 || made.columns < 1 || made.name.size() == text.size())
    return Error{ErrorCode::bad_input, "'" + text + "' is not 'A place', with A, B or C", "", ""};
  RIDGE_TRY(const int place, names->compile(text.substr(2)));
  made.places = {place};
  return made;
}

void take_steps(Expressions* names, const Walk& walk, Touched* matrix) {
  for (int64_t step = 0; step < walk.steps; ++step) {
    names->set(walk.step_name, step);
    std::set<int64_t> elements, lines;
    for (int64_t lane = 0; lane < walk.lanes; ++lane) {
      names->set("threadIdx.x", lane);
      for (const int place : matrix->places) {
        const int64_t at = names->value(place);
        if (at < 0 || at >= matrix->rows * matrix->columns) continue;
        elements.insert(at);
        lines.insert(at / walk.line);
      }
    }
    matrix->elements.push_back(std::move(elements));
    matrix->lines.push_back(std::move(lines));
  }
}

Result<Walk> walk_of(const Input& input) {
  const Directive& says = input.directive;
  Expressions names = names_of(input);
  Walk walk;
  RIDGE_TRY(const auto loop, loop_of(&names, says.text("step")));
  walk.step_name = loop.first;
  walk.steps = std::min<int64_t>(loop.second, kMostSteps);
  const std::string element = says.text("bytes");
  RIDGE_TRY(walk.bytes, names.value(element.empty() ? "dtype_bytes" : element));
  RIDGE_TRY(const int64_t line, names.value(says.text("line")));
  if (walk.bytes < 1 || line < walk.bytes || line > 4096)
    return Error{ErrorCode::bad_input,
                 fmt::format("a line of {} bytes, elements of {}", line, walk.bytes), "", ""};
  walk.line = line / walk.bytes;
  walk.line_word = line == 32 ? "sector" : "line";
  const std::string lanes = says.text("lanes");
  if (!lanes.empty()) {
    RIDGE_TRY(walk.lanes, names.value(lanes));
    walk.lanes = std::clamp<int64_t>(walk.lanes, 1, 32);
  }
  // The other loops stand at their first turn.
  for (const char* other : {"i", "j", "p", "p0", "j0"}) names.set(other, 0);
  for (const std::string& text : says.all("touch")) {
    RIDGE_TRY(const auto touched, touched_of(&names, input, text));
    const auto same = std::find_if(walk.matrices.begin(), walk.matrices.end(),
                                   [&](const Touched& one) { return one.name == touched.name; });
    if (same == walk.matrices.end())
      walk.matrices.push_back(touched);
    else
      same->places.push_back(touched.places.front());
  }
  for (Touched& matrix : walk.matrices) take_steps(&names, walk, &matrix);
  return walk;
}

Grid grid_of(const Touched& matrix, const Walk& walk) {
  int64_t last_row = 0, last_column = 0;
  for (const auto& elements : matrix.elements) {
    for (const int64_t at : elements) {
      last_row = std::max(last_row, at / matrix.columns);
      last_column = std::max(last_column, at % matrix.columns);
    }
  }
  Grid grid;
  grid.rows = static_cast<int>(
      std::min({std::max<int64_t>(last_row + 1, 3), matrix.rows, int64_t{kMostRows}}));
  grid.columns = static_cast<int>(std::min(
      {std::max<int64_t>(last_column + 1, kMostColumns), matrix.columns, int64_t{kMostColumns}}));
  grid.title = fmt::format("{}, {} × {}: rows 0 to {}, columns 0 to {}", matrix.name, matrix.rows,
                           matrix.columns, grid.rows - 1, grid.columns - 1);
  if (matrix.columns % walk.line == 0) grid.rule_columns = static_cast<int>(walk.line);
  return grid;
}

/// The cells of the grid that hold an element of `at`, or of the lines in it.
std::vector<Cell> cells_of(const Grid& grid, const Touched& matrix, const std::set<int64_t>& at,
                           int64_t of, chart::Role role, float alpha) {
  return rectangles(
      grid.rows, grid.columns,
      [&](int row, int column) { return at.contains((row * matrix.columns + column) / of); }, role,
      alpha);
}

std::string plural(size_t count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

Result<Diagram> walk(const Input& input) {
  RIDGE_TRY(const Walk walk, walk_of(input));
  Diagram made;
  made.title = fmt::format("What {} touches, and the {}s that come with it",
                           walk.lanes > 1 ? "a warp" : "the inner loop", walk.line_word);
  for (const Touched& matrix : walk.matrices) made.grids.push_back(grid_of(matrix, walk));
  std::vector<std::set<int64_t>> lines(walk.matrices.size()), used(walk.matrices.size());
  for (size_t step = 0; step < static_cast<size_t>(walk.steps); ++step) {
    Step now;
    size_t fetched = 0, of_use = 0;
    now.words = fmt::format("{} = {}:", walk.step_name, step);
    for (size_t i = 0; i < walk.matrices.size(); ++i) {
      const Touched& matrix = walk.matrices[i];
      const Grid& grid = made.grids[i];
      const auto earlier = lines[i].size();
      auto cells = cells_of(grid, matrix, lines[i], walk.line, chart::Role::muted, 0.22f);
      lines[i].insert(matrix.lines[step].begin(), matrix.lines[step].end());
      used[i].insert(matrix.elements[step].begin(), matrix.elements[step].end());
      for (auto& more :
           {cells_of(grid, matrix, matrix.lines[step], walk.line, chart::Role::series0, 0.45f),
            cells_of(grid, matrix, matrix.elements[step], 1, chart::Role::slower, 1)})
        cells.insert(cells.end(), more.begin(), more.end());
      now.cells.push_back(std::move(cells));
      now.words += fmt::format("{} of {} {} in {}{}", i == 0 ? "" : ",", matrix.name,
                               plural(matrix.elements[step].size(), "element"),
                               plural(matrix.lines[step].size(), walk.line_word),
                               lines[i].size() == earlier ? " (there already)" : "");
      fetched += lines[i].size() * static_cast<size_t>(walk.line * walk.bytes);
      of_use += used[i].size() * static_cast<size_t>(walk.bytes);
    }
    now.words += fmt::format(". So far {} of {} bytes were of use.", of_use, fetched);
    made.steps.push_back(std::move(now));
  }
  made.still = static_cast<int>(std::min<int64_t>(4, walk.steps - 1));
  made.keys = {{walk.lanes > 1 ? "touched by the warp now" : "touched now", chart::Role::slower, 1},
               {fmt::format("its {} of {} bytes", walk.line_word, walk.line * walk.bytes),
                chart::Role::series0, 0.45f},
               {"fetched before", chart::Role::muted, 0.22f}};
  made.summary = fmt::format("After {} steps: {}", walk.steps,
                             made.steps.back().words.substr(made.steps.back().words.find(':') + 2));
  return made;
}

}  // namespace ridge::diagram
