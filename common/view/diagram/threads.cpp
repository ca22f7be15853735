// Threads onto tiles: which elements of a block's tile of C, or of another output, belong to which thread and warp.
#include <fmt/format.h>

#include <algorithm>

#include "common/view/diagram/names.h"

namespace ridge::diagram {
namespace {

constexpr int kWarp = 32;
constexpr int64_t kMostCells = 256 * 256, kMostThreads = 1024;

struct Tile {
  int rows = 0, columns = 0, threads = 0;
  std::vector<int> owner{};  ///< thread of each element, row by row

  int at(int row, int column) const { return owner[static_cast<size_t>(row * columns + column)]; }
};

/// "kThreads", or "kTile x kTile" where the block has two dimensions.
Result<std::pair<int64_t, int64_t>> block_of(Expressions* names, const std::string& text) {
  const size_t by = text.find(" x ");
  RIDGE_TRY(const int64_t across, names->value(text.substr(0, by)));
  if (by == std::string::npos) return std::pair(across, int64_t{1});
  RIDGE_TRY(const int64_t down, names->value(text.substr(by + 3)));
  return std::pair(across, down);
}

Result<Tile> tile_of(const Input& input) {
  const Directive& says = input.directive;
  Expressions names = names_of(input);
  Tile tile;
  RIDGE_TRY(const int64_t rows, names.value(says.text("rows")));
  RIDGE_TRY(const int64_t columns, names.value(says.text("columns")));
  RIDGE_TRY(const auto block, block_of(&names, says.text("threads")));
  // Each by itself first: a product of two of them may be more than 64 bits hold.
  const auto fits = [](int64_t value, int64_t most) { return value >= 1 && value <= most; };
  if (!fits(rows, kMostCells) || !fits(columns, kMostCells) || !fits(rows * columns, kMostCells) ||
      !fits(block.first, kMostThreads) || !fits(block.second, kMostThreads) ||
      !fits(block.first * block.second, kMostThreads))
    return Error{ErrorCode::bad_input,
                 fmt::format("{} x {} elements for {} x {} threads", rows, columns, block.first,
                             block.second),
                 "", ""};
  const int64_t threads = block.first * block.second;
  tile.rows = static_cast<int>(rows), tile.columns = static_cast<int>(columns);
  tile.threads = static_cast<int>(threads);
  tile.owner.assign(static_cast<size_t>(rows * columns), -1);
  std::vector<std::pair<std::string, int64_t>> loops;
  int64_t elements = threads;
  for (const std::string& text : says.all("each")) {
    RIDGE_TRY(const auto loop, loop_of(&names, text));
    names.set(loop.first, 0);
    loops.push_back(loop);
    elements = std::min(elements * std::min(loop.second, kMostCells + 1), kMostCells + 1);
  }
  // Every element of a tile is computed once: anything else is a mistake of the directive.
  const Error not_once = {ErrorCode::bad_input,
                          fmt::format("row, column and each do not give every one of {} x {} "
                                      "elements to one thread",
                                      rows, columns),
                          "", ""};
  if (elements != rows * columns) return not_once;
  RIDGE_TRY(const int row, names.compile(says.text("row")));
  RIDGE_TRY(const int column, names.compile(says.text("column")));
  bool is_whole = true;
  for (int thread = 0; is_whole && thread < tile.threads; ++thread) {
    names.set("threadIdx.x", thread % block.first);
    names.set("threadIdx.y", thread / block.first);
    for_all(&names, loops, [&] {
      if (!is_whole) return;
      const int64_t r = names.value(row), c = names.value(column);
      const bool inside = r >= 0 && r < rows && c >= 0 && c < columns;
      if (inside && tile.at(static_cast<int>(r), static_cast<int>(c)) < 0)
        tile.owner[static_cast<size_t>(r * columns + c)] = thread;
      else
        is_whole = false;
    });
  }
  if (!is_whole) return not_once;
  return tile;
}

std::vector<Cell> owned(const Tile& tile, int first, int count, chart::Role role, float alpha) {
  return rectangles(
      tile.rows, tile.columns,
      [&](int row, int column) {
        const int thread = tile.at(row, column);
        return thread >= first && thread < first + count;
      },
      role, alpha);
}

/// "8, 24, 40 ...": the places along one direction.
std::string places(const std::vector<Cell>& cells, bool rows) {
  std::vector<int> at;
  for (const Cell& cell : cells) {
    const int from = rows ? cell.row : cell.column, size = rows ? cell.rows : cell.columns;
    for (int i = from; i < from + size; ++i) at.push_back(i);
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  std::string text = std::to_string(at.front());
  if (at.size() > 2 && at.back() - at.front() == static_cast<int>(at.size()) - 1)
    return fmt::format("{} to {}", at.front(), at.back());
  for (size_t i = 1; i < at.size() && i < 5; ++i) text += ", " + std::to_string(at[i]);
  return at.size() > 5 ? text + fmt::format(" … {}", at.back()) : text;
}

Step step_of(const Tile& tile, int thread) {
  Step step;
  const int warp = thread / kWarp, in_warp = std::min(kWarp, tile.threads);
  auto cells = owned(tile, warp * kWarp, in_warp, chart::Role::series0, 0.42f);
  const auto own = owned(tile, thread, 1, chart::Role::slower, 1);
  const auto count = std::count(tile.owner.begin(), tile.owner.end(), thread);
  const auto of_warp = std::count_if(tile.owner.begin(), tile.owner.end(),
                                     [&](int owner) { return owner / kWarp == warp; });
  step.words = fmt::format("Thread {} has {} element{}: rows {}; columns {}. Its warp {} has {}.",
                           thread, count, count == 1 ? "" : "s", places(own, true),
                           places(own, false), warp, of_warp);
  if (count == 1)
    step.words = fmt::format("Thread {} has one element: row {}, column {}. Its warp {} has {}.",
                             thread, places(own, true), places(own, false), warp, of_warp);
  cells.insert(cells.end(), own.begin(), own.end());
  step.cells.push_back(std::move(cells));
  return step;
}

}  // namespace

Result<Diagram> threads(const Input& input) {
  RIDGE_TRY(const Tile tile, tile_of(input));
  Diagram made;
  const int warps = (tile.threads + kWarp - 1) / kWarp;
  const std::string of = input.directive.text("of"), whole = of.empty() ? "C" : of;
  made.title = fmt::format("A block's {} × {} elements of {}, and its {} threads", tile.rows,
                           tile.columns, whole, tile.threads);
  Grid grid;
  grid.rows = tile.rows, grid.columns = tile.columns;
  grid.rule_rows = grid.rule_columns = std::max(8, std::min(tile.rows, tile.columns) / 4);
  // Warps by turns a little lighter and darker, so that one sees where each is.
  grid.cells = rectangles(
      tile.rows, tile.columns,
      [&](int row, int column) { return tile.at(row, column) / kWarp % 2 == 0; },
      chart::Role::muted, 0.16f);
  made.grids.push_back(std::move(grid));
  for (int lane = 0; lane < std::min(kWarp, tile.threads); ++lane)
    made.steps.push_back(step_of(tile, lane));
  for (int warp = 1; warp < warps; ++warp) made.steps.push_back(step_of(tile, warp * kWarp));
  made.still = std::min(1, tile.threads - 1);
  made.keys = {{"this thread", chart::Role::slower, 1},
               {"its warp", chart::Role::series0, 0.42f},
               {"other warps, by turns", chart::Role::muted, 0.16f}};
  const auto tiles = [&](const char* name, int extent) {
    const auto found = input.params.find(name);
    return found == input.params.end() ? int64_t{0} : (found->second + extent - 1) / extent;
  };
  // m and n are C's extents; what else a tile is of has others.
  const int64_t down = of.empty() ? tiles("m", tile.rows) : 0,
                across = of.empty() ? tiles("n", tile.columns) : 0;
  made.summary =
      fmt::format("{} warps of 32 threads share {} × {} elements of {}, {} a thread.", warps,
                  tile.rows, tile.columns, whole, tile.rows * tile.columns / tile.threads);
  if (down * across == 1)
    made.summary += " At the size set now one such tile covers C.";
  else if (down * across > 0)
    made.summary += fmt::format(" At the size set now C has {} × {} = {} such tiles.", down, across,
                                down * across);
  return made;
}

}  // namespace ridge::diagram
