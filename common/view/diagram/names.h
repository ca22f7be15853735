// What the builders share: the names that every diagram knows, and rectangles out of single cells.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "common/view/diagram/diagram.h"

namespace ridge::diagram {

/// The source's names, the directive's own, the parameters (n and g.n alike), and the first block of
/// the grid: blockIdx.x = 0, tiles_n = 1, matrices that begin at 0.
Expressions names_of(const Input& input);

/// "r < kThreadM": a name that runs from 0, and how far. Error: anything else, or less than 1.
Result<std::pair<std::string, int64_t>> loop_of(Expressions* names, const std::string& text);

/// Calls `each` with every combination of the loops' values set.
void for_all(Expressions* names, const std::vector<std::pair<std::string, int64_t>>& loops,
             const std::function<void()>& each, size_t from = 0);

/// Cells that are `wanted`, as few rectangles as going along rows and then down finds.
std::vector<Cell> rectangles(int rows, int columns, const std::function<bool(int, int)>& wanted,
                             chart::Role role, float alpha);

}  // namespace ridge::diagram
