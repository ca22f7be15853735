// What a class page keeps of one saved run: its figures without the samples, so that three hundred runs fit beside each
// other.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/query/foresight.h"
#include "app/query/leaderboard.h"
#include "common/record/noise_floor.h"
#include "common/record/run.h"
#include "common/record/studied_note.h"

namespace ridge::app {

/// A verified speed of one rung.
struct ClassResult {
  std::string lab, kernel, problem;  ///< lab: id; problem: "n=512 dtype=fp32 threads=1"
  std::string cache, machine;
  double time_ns = 0;  ///< of one call
  double rate = 0;     ///< in `unit`; 0: nothing is counted
  std::string unit;    ///< "FLOP/s", "items/s"; empty: nothing is counted
  bool is_stale = false;
};

/// Two rungs compared in interleaved pairs.
struct ClassPair {
  std::string lab, baseline, candidate, problem;  ///< kernel ids; problem: the candidate's
  std::string cache, machine;
  double ratio = 0;  ///< above 1: the candidate is faster
  std::optional<Interval> ci;
  Verdict verdict = Verdict::unresolved;
};

struct ClassRun {
  std::string name;        ///< that was typed; empty: none
  double utc_s = 0;        ///< when it was made, seconds since 1970; 0: not known
  std::string changed;     ///< what its seal says was changed since; empty: nothing is known to be
  bool is_sealed = false;  ///< to its end
  uint64_t content = 0;  ///< a hash of the whole file: equal ones are the same file handed in twice
  std::vector<ClassResult> results;  ///< of each rung and problem the latest
  std::vector<ClassPair> pairs;      ///< the same; without learners' rungs and self-checks
  std::vector<Foretold> foretold;
  std::optional<NoiseFloor> floor;
  std::string floor_machine;
  std::vector<StudiedNote> studied;
  std::set<std::string> tried, solved;  ///< exercises' names
  Leaderboard board;                    ///< of learners' rungs
};

/// `file`: without folder and .jsonl, for the leaderboard.
ClassRun class_run(const Run& run, const std::string& file);

/// What people read where a rung is named: the lab's title, else the id without its family.
std::string rung_title(const std::string& kernel);

}  // namespace ridge::app
