// Inside of build_report(): rows of a table that say the same.
#pragma once

#include "common/view/report/content.h"

namespace ridge::report {

/// Of a table with a row for each line of the material: rows with the same figures, three or more of them, become the first
/// of them, with their number and the rungs' names as its label.
void fold_repeated(const Material& material, Table* table);

}  // namespace ridge::report
