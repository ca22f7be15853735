// The default view of every lab: one row per rung, four aligned panels (time per call, utilization,
// memory bandwidth, accuracy delta), each with its interval and its measured ceiling. A rung that has no
// number says why in its place. Where there are traps among the rungs, the panels are theirs: the honest
// time with the lie beside it, the factor between, and what the guard said.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "common/record/seed_delta.h"
#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::chart {

/// What a reader calls the lab's parameters, where that is not their name: "kib": "working set, KiB".
using ParamTitles = std::map<std::string, std::string>;

struct LadderRow {
  std::string label{};             ///< the lab's title of the rung
  std::string section{};           ///< part of the ladder it belongs to, a heading; may be empty
  std::string sublabel{};          ///< added before what follows from the series; may be empty
  const Series* series = nullptr;  ///< null: not run yet
  const Run* run = nullptr;  ///< that measured it, with its machine and ceilings; null: no ceilings
  bool is_baseline = false, selected = false, is_peer = false;
  /// Of its rung in the lab's list, which gives a curve its colour and mark; -1: its order here.
  int place = -1;
  /// A result at the size in view: of a rung at several sizes the one that is ringed.
  bool at_size = true;
  bool in_turns = false;  ///< timed as a side of a comparison, not alone
  /// What its rung runs on, where it has no result: no other processor's ceiling is drawn through it.
  std::optional<OpenEnum<Backend>> processor{};
  bool is_trap = false;   ///< of the fourth kind: a lie and an honest figure in place of a time
  std::string state{};    ///< shown where there are no marks: "needs an NVIDIA GPU",
                          ///< "about 12 s"; empty: said from the series
  std::string origin{};   ///< recorded on this machine ("NVIDIA H200"); empty: live
  std::optional<SeedDelta>
      delta{};  ///< the task metric's, against the baseline: pair_seeds() sets it
  std::optional<double>
      paired_base{};  ///< that baseline's metric over its seeds: the same run and processor
  std::optional<SeedMean> over_seeds{};  ///< the metric over all its seeds: pair_seeds() sets it
  std::optional<SeedRates> rates{};  ///< over all its seeds: pair_seeds() sets it
};

/// The rows under names that say which of them are stale ("cuBLASLt · stale"), and no others: for charts whose names have no
/// second line.
std::vector<LadderRow> with_marks(std::span<const LadderRow> rows);

/// Gives every row of this run whose check has this task metric its difference to the run's baseline row on that
/// processor (to its first row that has the metric otherwise), over the seeds among all series of the run. The
/// baseline's own is 0, of no seeds.
void pair_seeds(const std::vector<const Series*>& run, const std::string& metric,
                std::span<LadderRow> rows);

struct LadderOptions {
  std::string title{}, subtitle{};  ///< heading of the chart; the window has its own
  /// Task metric that takes the place of NMSE in the fourth panel ("accuracy"), with its delta to the
  /// baseline row. Empty: the one that the checks have, if all they have is one; else NMSE against
  /// float64, with the gate. Where nothing is counted in FLOP either, a panel of items a second takes the
  /// place of utilization.
  std::string task_metric{};
  std::string items = "items";  ///< what is counted a second there
  bool per_item = false;        ///< in place of the time per call: that of one of its items
};

/// Whether the rung, or its check, failed: then it has no speed, whatever was timed.
bool has_failed(const Series& series);
/// "✕ check failed, no speed: NMSE 1.0 > 1e-9"; for a series that has failed.
std::string failure_text(const Series& series);
/// The words that stand where a number would: "not run yet", "cancelled before it was measured"; empty: it has a figure.
std::string why_no_figure(const LadderRow& row);

/// "operation" of "operations".
std::string one_of(const std::string& items);

ChartModel ladder_chart(std::span<const LadderRow> rows, const LadderOptions& options = {});

}  // namespace ridge::chart
