// A lab's published table (labs/table.h) filled in: each row with what was measured here, what is
// extrapolated or recorded elsewhere, or why there is nothing. The command line and the window show
// the same rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/query/recordings.h"
#include "common/record/json.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::app {

struct PublishedRow {
  enum class Source { measured, extrapolated, recorded, missing };

  const TableRow* row = nullptr;
  Params params;  ///< as asked of this machine
  Source source = Source::missing;
  const Series* series = nullptr;  ///< of `run` or of a recording; null when missing
  double time_ns = 0;
  std::optional<Interval> ci_ns;
  std::optional<double> flop_per_s, printed_flop_per_s;
  std::string
      note;  ///< "extrapolated by FLOP from n = 1283", "recorded on NVIDIA H200", why it is missing
  std::string machine;  ///< of a recording
  std::string brings;  ///< missing since this machine cannot run it: what would bring it
};

/// What the row asks of a machine with this catalogue entry (null: none), `given` on top.
Params row_params(const Table& table, const TableRow& row, const KernelInfo* info,
                  const Params& given);

/// The parameters that a series was asked for: where it ran smaller, not those it ran at. A parameter that copies
/// another is named only where it differs; `info` (may be null: copies stay as they ran) knows which do.
Params asked_params(const Series& series, const KernelInfo* info = nullptr);

/// Rows in the table's order. `request` 0: whatever `run` holds; the latest counts. The rows point
/// into `table`, `run` and `recordings`.
std::vector<PublishedRow> fill_table(const Table& table, const Run& run, int64_t request,
                                     const std::vector<Recording>& recordings, const Params& given);

/// "1.2 TFLOP/s"; empty where it is not known.
std::string rate_text(const std::optional<double>& flop_per_s);
/// "Printed: n = 4096, fp32. Here: n = 48."
std::string sizes_text(const Table& table, const Params& given);
/// Heading, rows, what is missing and what would bring it, lessons; wrapped to `width` columns.
std::string published_text(const Table& table, const std::vector<PublishedRow>& rows,
                           const Params& given, size_t width);
/// The member "table" of the document of --json.
Json published_json(const Table& table, const std::vector<PublishedRow>& rows);

/// Errors: usage, with the tables there are.
Result<const Table*> require_table(const Lab& lab, const std::string& id);

}  // namespace ridge::app
