// A learner's files: where they are kept, and from a file to a rung that the worker knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/query/count_targets.h"
#include "app/query/selection.h"
#include "common/core/result.h"
#include "common/record/edit.h"

namespace ridge::app {

/// $XDG_DATA_HOME/ridgepoint/<kind>, else ~/.local/share/ridgepoint/<kind>: "edits", "exercises"; for a login
/// without a home the current folder.
std::string learner_folder(const std::string& kind);
/// The learner's file of a rung or an exercise in `folder`.
std::string learner_file(const std::string& folder, const std::string& name, bool is_cuda);

/// Errors: bad_input; over 48 kB is too long for a line of the protocol.
Result<std::string> read_learner_file(const std::string& path);
/// Writes `text` to `path` unless there is a file: a learner's work is never written over. True: written.
Result<bool> make_copy(const std::string& path, const std::string& text);

/// Every save of a learner's file stands beside it, "turned_loops.saves/3.cpp", so that nothing that was written is lost.
std::string kept_save(const std::string& file, int number);
/// The number of the last; 0: there is none yet.
int last_kept_save(const std::string& file);
/// Keeps `text`, unless it is the last one kept. Returns its number.
Result<int> keep_save(const std::string& file, const std::string& text);

/// Says when a file was saved: its time and size, asked for, since editors replace files as they like.
class FileWatch {
 public:
  explicit FileWatch(std::string path) : path_(std::move(path)) { changed(); }
  /// Since the last call. A file that is gone for the moment has not changed.
  bool changed();
  const std::string& path() const { return path_; }
  /// When it was saved, nanoseconds of the real-time clock.
  int64_t saved_ns() const { return saved_ns_; }

 private:
  std::string path_;
  int64_t saved_ns_ = 0, bytes_ = -1;
};

/// "KERNEL=FILE" or "FILE".
struct EditArgument {
  std::string kernel, file;
};
EditArgument edit_argument(const std::string& text);

/// "FILE:23:7: error: ..." lines, as compilers print them.
std::string messages_text(const EditBuild& build, const std::string& file);

// ---- exercises ---------------------------------------------------------------------------------
// Exercises: a rung with a part left out, for a learner to fill in. One file each,
// assets/exercises/<lab>/<name>.cpp or .cu: the reference as it compiles, its header with the task and the
// hints, and between `// solution: WHAT` and `// end of solution` what the learner does not get; a line
// `// given: CODE` there stands in its place. A puzzle is a rung of its lab, kernels/<lab>/rungs/<name>.cu, that
// has targets: it is counted on any machine, and solved where it asks for no more than its reference does.

struct Exercise {
  std::string name, lab;  ///< "turned_loops", "gemm"; its kernel may be of another family
  std::string kernel;     ///< "gemm.cpu.turned_loops"
  std::string title, task;
  int level = 2;      ///< 1: the first ones, to 3
  std::string
      after;  ///< the rung that it goes on from, and is compared with; of a puzzle its own reference
  std::vector<std::string> hints;
  std::string handed_out;  ///< the learner's file: no solution, no hints
  std::string reference;   ///< the file as it is
  bool is_cuda = false;
  std::vector<CountTarget> targets;  ///< of a puzzle
  bool is_puzzle() const { return !targets.empty(); }
};

/// One file; `path` as in assets/. bad_input says what is missing.
Result<Exercise> parse_exercise(const std::string& path, const std::string& text);
/// All that are built in, the easiest first: labs by their easiest exercise, then in the course's order; in a lab by
/// level, then by the rungs that they go on from.
Result<std::vector<Exercise>> all_exercises();
/// The same, read once; none where one of them cannot be read, which `ridgepoint exercise` says.
const std::vector<Exercise>& known_exercises();
/// The puzzle whose reference, or a learner's try of it, has this id; null: it is of none.
const Exercise* puzzle_of(std::string_view kernel);
/// What people read where a learner's rung is named: its exercise's title, else that of the rung that it is a copy of;
/// the id itself where neither is known.
std::string edit_title(const std::string& edit);
/// Errors: usage, with those that there are.
Result<Exercise> find_exercise(std::string_view name);
/// By what a learner's text registers, whatever its file is called.
Result<Exercise> exercise_of(const std::string& text);

}  // namespace ridge::app
