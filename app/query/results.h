// Measured results as text for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/query/selection.h"
#include "app/query/series_table.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::app {

/// How much stands below a table: all that is known, or what a first reader can use.
enum class Detail { brief, whole };

/// Heading, one row per series, then why what is missing is missing. `request` 0: all series.
std::string results_text(const Run& run, int64_t request, const std::vector<NotRun>& not_run,
                         Detail detail = Detail::whole);
/// What stands below those rows: traps, stages, and why what is missing is missing.
/// Brief: without what asks nothing of a reader, and all that was not run on one line.
std::string results_notes(const Run& run, int64_t request, const std::vector<NotRun>& not_run,
                          Detail detail = Detail::whole);
/// Traps: the lie beside the honest figure, the factor between, and what the guard said.
std::string traps_text(const std::vector<const Series*>& traps);
/// Trainings of several seeds: the metric's difference to the first one's of the same backend, with its interval.
std::string seed_deltas_text(const Run& run, int64_t request, const std::string& metric);
/// Two lines per comparison: the verdict with ratio, interval, margin and rounds; the decision.
std::string comparisons_text(const Run& run, int64_t request);
/// All that a saved run holds, as 'run', 'compare' and 'serve' printed it.
std::string saved_text(const Run& run);
/// The machine, and whether it was quiet.
std::string environment_text(const Run& run);
std::string ceilings_text(const Run& run);

/// Of the rungs that are there for the gate to refuse (Rung::wrong): which it refused, and which it did not. Empty
/// where there are none.
std::string refusals_text(const Run& run, int64_t request, const Lab& lab);

/// Exit codes from what a request left behind (not its own error): 3 when a check failed, or passed what is wrong
/// by design, 69 when nothing could be run, 0 otherwise.
int run_exit_code(const Run& run, int64_t request, const Lab& lab);
/// 0 faster or same, 1 slower, 2 unresolved, 3 invalid; of several candidates the worst.
/// What a command that compares ends with where this is the worst of its verdicts.
int exit_code_of(Verdict verdict);
int compare_exit_code(const Run& run, int64_t request);

}  // namespace ridge::app
