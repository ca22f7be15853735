// A class's leaderboard is a folder of saved runs. Each run compared a learner's rung with the rung that
// it goes on from, in interleaved pairs on one machine: that ratio is what is ranked. Numbers of
// different machines never stand in one list, and where intervals overlap nobody is ahead.
#pragma once

#include <string>
#include <vector>

#include "common/core/interval.h"
#include "common/core/result.h"
#include "common/record/json.h"
#include "common/record/run.h"

namespace ridge::app {

struct BoardEntry {
  int rank = 0;      ///< equal for a tie
  std::string name;  ///< the learner's, as they typed it; else the file's
  std::string file;  ///< without folder and .jsonl
  std::string hash;  ///< of the source that was measured
  double ratio = 0;  ///< baseline's time over theirs
  Interval ci;
  double median_ns = 0;  ///< theirs
  bool contended = false;
  std::string note;  ///< what has to stand beside the figures (Series::note)
};

/// One rung at one size, on one class of machine.
struct Board {
  std::string kernel, baseline, machine;
  OpenEnum<CacheMode> cache;
  Params params;
  std::vector<BoardEntry> entries;  ///< best first
};

struct Leaderboard {
  std::vector<Board> boards;
  /// Files of which nothing is ranked, and why, once each; `where` is the file.
  std::vector<Error> left_out;
};

/// What has to be equal for two numbers to stand in one list: the processor that ran `kernel`. Empty: the run does not say.
std::string machine_class(const Run& run, const std::string& kernel);

/// Reads every *.jsonl of the folder; nothing in them is compiled or run. Errors: bad_input for no folder.
Result<Leaderboard> read_leaderboard(const std::string& folder);
/// Adds what one run has to say; the last comparison of each rung that can be ranked counts.
void add_run(const Run& run, const std::string& file, Leaderboard* board);
/// Adds the entries of another, which rank_entries() then ranks.
void merge(Leaderboard other, Leaderboard* board);
/// Sorts each board and gives ranks: a tie is an interval that reaches the one of the tie's first.
void rank_entries(Leaderboard* board);

std::string leaderboard_text(const Leaderboard& board);
Json leaderboard_json(const Leaderboard& board);

}  // namespace ridge::app
