// A table that somebody published, as a lab runs it again: each row names the rung and parameters
// that reproduce it, beside the figure that was printed. Data only; app/query/published.h fills it in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

struct TableRow {
  const char* title;                 ///< "NumPy"
  const char* machine;               ///< what the figure was measured on, in a word or two: "A100"
  std::optional<double> printed_ns;  ///< the figure as printed; absent: a row that we add
  const char* kernel;                ///< the rung that runs it here
  /// On top of the table's; "max" for a whole number is the largest that this machine takes.
  Params params;
  const char* brings;  ///< where the rung cannot run: what would bring it
  /// As the table's, of a row that is another kind of call; null: the table's.
  double (*flop)(const Params& params) = nullptr;
};

/// One thing to learn from the figures as printed.
struct TableLesson {
  const char* title;
  const char* text;
};

struct Table {
  const char* id;     ///< "talk"
  const char* title;  ///< a sentence: whose table, of what
  Params params;      ///< of every row
  std::vector<TableRow> rows;
  std::vector<TableLesson> lessons;
  /// Work of one call, in FLOP: what a rung too slow for the size is extrapolated by.
  double (*flop)(const Params& params);
};

}  // namespace ridge
