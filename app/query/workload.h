// A workload (labs/workload.h) filled in with what was measured: the window's view and `ridgepoint model`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/query/published.h"
#include "common/record/request.h"
#include "common/view/chart/workload.h"
#include "labs/lab.h"
#include "labs/workload.h"

namespace ridge::app {

/// The parts as rows of a table, which fill_table() knows how to fill in. Parts without a rung of their own are the
/// `selected` one's, with `other` parameters; of `other`, the threads hold for all. Points into `workload` and
/// `selected`.
Table workload_table(const Workload& workload, const char* selected, const Params& other);

/// Each shape once.
std::vector<KernelRequest> workload_requests(const Table& table);

/// Of what a parameter list computes with: its dtype's.
double element_bytes(const Params& params);

/// A chart's row for each part: work and bytes, and the time where there is one.
std::vector<chart::WorkloadRow> workload_rows(const Workload& workload,
                                              const std::vector<PublishedRow>& filled);

/// A call at the nearest size that there is, whose rate stands in for what was not measured.
struct Reckoned {
  const Series* series = nullptr;  ///< null: there is none; then maybe `failed`
  std::string failed;        ///< why the nearest has no speed: "failed: NMSE 0.5 is over 2e-12"
  const Run* run = nullptr;  ///< that has it
  std::string machine;       ///< empty: this one
  std::string size;          ///< "n = 4096"; empty: at this very shape
  double scale = 1;  ///< work asked for over work done: what times and joules are multiplied by
  /// Of the extent that differs most, how many times as large it is here or there.
  double farthest = 1;
};
/// Beyond it a rate says nothing of a shape: a product with a k of 128 has another one than with 1000.
inline constexpr double kTooFar = 7;
/// Of this machine where the rung runs here, with as many threads; else of a recording.
Reckoned reckon(const Run& run, const std::vector<Recording>& recordings, const WorkloadPart& part,
                const PublishedRow& filled, const OpenEnum<CacheMode>& cache);

/// The fastest verified call of a part's own problem: of any rung of its family, with the part's parameters. Null: there
/// is none.
const Series* fastest_call(const Run& run, const PublishedRow& part,
                           const OpenEnum<CacheMode>& cache);

/// "85 % of this machine's bandwidth and 4 % of its FLOP/s: memory binds"; empty where a time or a ceiling is
/// missing.
std::string what_binds(const std::vector<chart::WorkloadRow>& rows, const Run& run,
                       const Table& table);

/// How long the bytes alone would take at the rate at which memory was read here; empty where that was not measured.
std::optional<double> memory_floor_s(const std::vector<chart::WorkloadRow>& rows, const Run& run,
                                     const Table& table);

/// What is known of a workload from one run, for its chart: `rung` is who does its parts. No other size and no other
/// machine stands in.
chart::WorkloadInput workload_input(const Workload& workload, const Table& table, const Run& run,
                                    const std::string& rung);

/// `ridgepoint model`: both phases of a model that is described.
std::string model_text(const chart::ChartModel& model);

/// `ridgepoint run --workload`: a rung's time for each part, with each step that has no product.
std::string workload_text(const chart::ChartModel& model);
/// What a published workload counts, as printed and ours; empty where it printed nothing.
std::string workload_counts_text(const chart::ChartModel& model);
/// Errors: usage, with the workloads there are.
Result<const Workload*> require_workload(const Lab& lab, const std::string& id);

}  // namespace ridge::app
