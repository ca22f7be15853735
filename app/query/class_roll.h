// A class's saved runs, read into one plain table of people, ladders, predictions, noise floors and exercises. The page, the
// gradebook, the terminal and the window's Class screen read this one.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/query/class_run.h"
#include "common/core/result.h"

namespace ridge::app {

/// Whoever handed something in. Those with one typed name are one person, whatever their files are called. A file without a name
/// is of the person whose name the other files of its folder bear, if that is one; else its folder is a person, who gets
/// a pseudonym: folders are often called by people who did not ask for it.
struct ClassPerson {
  std::string label;      ///< the typed name, or "Person 3"
  bool is_named = false;  ///< `label` was typed
  std::vector<std::string>
      sources;   ///< what was handed in: names of folders, or of files without their ending
  int runs = 0;  ///< that could be read
  int unreadable = 0, changed = 0;
  std::set<std::string> machines;
  std::vector<Foretold> foretold;  ///< the earliest first
  Foresight foresight;
  std::set<std::string> tried, solved;  ///< exercises' names
  int quiz_right = 0, quiz_wrong = 0;   ///< answers, over all decks
  int cards_known = 0, cards_answered = 0;
};

/// Of one rung on one machine: the median of its people's latest results.
struct LadderCell {
  double value = 0;  ///< in the table's unit
  int people = 0;
  bool is_stale = false;  ///< one of the results is
};

/// One ladder at one problem: rung × machine.
struct ClassLadder {
  std::string lab, problem, cache;
  std::string
      unit;  ///< of a rate: "FLOP/s"; "s": times of a call, since not all rungs count the same
  std::vector<std::string> machines, kernels;  ///< columns, and rows in the ladder's order
  std::vector<std::vector<std::optional<LadderCell>>> cells;  ///< [row][column]
  int people = 0;
};

/// Two rungs compared in pairs, on one machine.
struct ClassCompared {
  std::string lab, baseline, candidate, problem, cache, machine;
  std::vector<double> ratios;  ///< a person's latest each
  std::optional<Interval> ci;  ///< of the one person's
  int faster = 0;              ///< verdicts among them
};

struct ClassFloor {
  size_t person = 0;
  std::string machine;
  NoiseFloor floor;
};

/// What has to be said of one file or folder.
struct ClassRemark {
  size_t person = 0;
  int file = 0;  ///< of that person, from 1; 0: a folder
  Error error;   ///< `where` is its path
};

struct ClassRoll {
  int files = 0, runs = 0;          ///< found, and read
  std::vector<ClassPerson> people;  ///< those with names by name, then the others
  std::vector<ClassLadder>
      ladders;  ///< labs in the course's order, in each the problem of most people first
  std::vector<ClassCompared> compared;
  std::vector<ClassFloor> floors;
  std::vector<std::string> machines;
  Leaderboard board;  ///< of learners' rungs, under the people's labels
  std::vector<ClassRemark>
      unreadable;  ///< broken files, runs of another version, folders without a run
  /// Files that are byte for byte an earlier one, which `error` says in words without a name.
  std::vector<ClassRemark> copies;
  std::vector<ClassRemark> changed;        ///< since they were saved: their seals say so
  int nameless_files = 0;                  ///< that lie loose: each counts as a person
  int unsealed = 0;                        ///< runs without a seal to their end
  double first_utc_s = 0, last_utc_s = 0;  ///< 0: no run says when it was made
};

/// Reads folders, with all *.jsonl below them, and files. Each entry of one folder is a person's; of several paths each path
/// is. Files are read by several threads; the order is that of their names. Nothing in them is compiled or run. Error
/// bad_input: a path that is not there. A folder without anything to read is an
/// empty roll.
Result<ClassRoll> read_class(const std::vector<std::string>& paths);

}  // namespace ridge::app
