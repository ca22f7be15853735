#pragma once

#include "labs/table.h"

namespace ridge {

/// The summary table of the talk this lab follows, row by row.
Table gemm_talk_table();

}  // namespace ridge
