// Where an output is wrong, in words.
#pragma once

#include <string>

#include "common/record/types.h"

namespace ridge {

/// "63 of 77 elements are wrong; the first is row 0, column 3: 1.25, and 0.75 is right".
std::string error_map_text(const ErrorMap& map);

/// What one cell of the grid holds: "rows 0 to 3, column 8: off by up to 0.52 of the output's root mean square".
std::string error_cell_text(const ErrorMap& map, int64_t cell_row, int64_t cell_column);

/// The series' failed check with its first wrong element; empty where none failed or its output has no rows.
const ErrorMap* error_map_of(const SeriesFacts& series);

}  // namespace ridge
