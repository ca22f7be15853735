// The saves of a learner's file, as the run holds them: what each was built to, measured as and compared with. Read
// from the transcript alone, so that a saved run shows the same history. No ImGui here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::window {

/// One text that was built. The pointers are the run's.
struct Save {
  int64_t request = 0;  ///< its first build
  const EditBuild* build = nullptr;
  const Series* series = nullptr;  ///< its own run; null: it did not come to that
  /// With the rung that it was made from, at the problem of `series`; null: none was made.
  const Comparison* comparison = nullptr;
  int number = 0;  ///< from the file's first, across sessions; 0: not numbered yet
  /// The text did not compile, could not be loaded, failed its check or crashed.
  bool failed() const;
  /// Why, one sentence; empty where it did not fail.
  std::string reason() const;
  bool verified() const { return series && series->quality_passed() && series->stats; }
  double median_ns() const { return verified() ? series->stats->median_ns : 0; }
};

/// In the order saved. A text that was built again without a change (for another data type) is one save, and so is
/// one that was run again: the latest counts.
std::vector<Save> saves_of(const Run& run, const std::string& edit, const std::string& original);

/// By the numbers of their requests; one that has none, by its neighbours.
void number_saves(const std::map<int64_t, int>& numbers, std::vector<Save>* saves);

/// "does not compile", "failed its check", "is not compared yet": in the words of Your turn, within a sentence.
std::string state_words(const Save& save);

/// A comparison of a learner's text that is not the last that was saved.
struct EarlierSave {
  int compared = 0, last = 0;  ///< their numbers
  std::string last_state;      ///< state_words() of the last
};
/// None: of the last one, or no learner's. `numbers` as for number_saves().
std::optional<EarlierSave> earlier_save(const Run& run, const Comparison& comparison,
                                        const std::map<int64_t, int>& numbers);
/// Of a build that came to nothing, in two words: the compiler refused it, or what was compiled cannot be loaded.
const char* refused_headline(const EditBuild& build);

/// "n = 512": what its time is of; empty: it has none, or no size.
std::string size_of(const Save& save);
/// Whether two saves were timed at one problem.
bool is_same_problem(const Save& one, const Save& other);
/// The newest run of the original alone at the problem of this save; null: none.
const Series* original_beside(const Run& run, const Save& save, const std::string& original);

/// "Save 3, n = 512: 1.2 ms a call, run alone; in pairs 1.4× as fast as the original", or why it has no time.
std::string save_text(const Save& save);

}  // namespace ridge::window
