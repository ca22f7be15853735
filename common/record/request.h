// What the app asks a worker, as plain data, and its JSON line (docs/protocol.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/record/inspection.h"
#include "common/record/json.h"
#include "common/record/serving.h"
#include "common/record/types.h"

namespace ridge {

struct KernelRequest {
  std::string kernel;  ///< full id
  Params params;
  std::vector<std::string> command = {};  ///< compare: program and arguments; empty: a rung
};

/// A run measures the ceilings of its rungs once so many of them have ended: enough to see the ladder climb.
inline constexpr size_t kResultsBeforeCeilings = 3;

/// compare: how commands are judged and limited.
struct CommandRule {
  std::vector<std::string> check;  ///< program and arguments that judge an output; empty: none
  std::string reference;           ///< the file that an output has to equal; empty: none
  double call_limit_s = 60;        ///< of each call, and of the check's
};

/// The margin of a comparison that names none: on a GPU the clock is held, so less is told apart.
constexpr double default_margin(bool has_cpu) {
  return has_cpu ? 0.02 : 0.01;
}

struct WorkRequest {
  RequestType type = RequestType::run;  ///< one that is_work()
  int64_t id = 0;
  std::string lab;
  std::string table;  ///< of the lab, where its rows are what is run; for the transcript's readers
  /// compare: baseline first. Of trainings the same sides for each seed, one seed after the other.
  std::vector<KernelRequest> kernels;
  RunMode mode = RunMode::measure;  ///< live or measure
  CacheMode cache = CacheMode::hot;
  std::optional<double> margin;    ///< compare; absent: default_margin()
  std::optional<int64_t> rounds;   ///< compare: so many, judged once; absent: the kind's own
  bool goes_on = false;            ///< compare: past them until limit_s, while it is unresolved
  /// compare, of kernels: which sides are judged against each other; empty: each candidate against the baseline.
  std::vector<SidePair> pairs;
  Budget budget;                   ///< compare; of trainings accuracy_lost is kMayLose if absent
  std::optional<double> limit_s;   ///< of each timed pass; absent: the mode's own
  std::optional<double> warmup_s;  ///< the least warm-up; absent: 0.3
  bool energy = true;  ///< run, measure: false leaves out the energy pass (over a second a rung)
  bool sustained =
      true;  ///< compare: false leaves out the sustained turns (most of a minute on a GPU)
  bool counters = false;    ///< run: also those that need a profiler, in a worker of their own
  bool count_only = false;  ///< run: that worker's request: check and count, time nothing
  int device = 0;
  bool anew =
      false;  ///< run, compare, probe: ceilings that an earlier worker measured are not taken
  /// run: which point of a sweep this is, by its key; empty: none. Points follow each other at once.
  std::string point;
  Params model;          ///< run: a description whose parts these are; for the transcript's readers
  InspectAsked inspect;  ///< inspect: of the one kernel that is named
  ServeAsked serve;      ///< serve: the same
  CommandRule commands;  ///< compare: of commands
  std::string text;      ///< count: a learner's, in place of the rung's own; empty: its own
};

Json to_line(const WorkRequest& request);
/// Tolerant of unknown fields; an error for a missing kernel list or a wrong kind.
Result<WorkRequest> work_request_from(const Json& line);

}  // namespace ridge
