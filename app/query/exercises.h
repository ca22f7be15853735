// Exercises: a rung with a part left out, for a learner to fill in. One file each,
// assets/exercises/<lab>/<name>.cpp or .cu: the reference as it compiles, its header with the task and the
// hints, and between `// solution: WHAT` and `// end of solution` what the learner does not get.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace ridge::app {

struct Exercise {
  std::string name, lab;  ///< "turned_loops", "gemm"; its kernel may be of another family
  std::string kernel;     ///< "gemm.cpu.turned_loops"
  std::string title, task;
  std::string after;  ///< the rung that it goes on from, and is compared with
  std::vector<std::string> hints;
  std::string handed_out;  ///< the learner's file: no solution, no hints
  std::string reference;   ///< the file as it is
  bool is_cuda = false;
};

/// One file; `path` as in assets/. bad_input says what is missing.
Result<Exercise> parse_exercise(const std::string& path, const std::string& text);
/// All that are built in, in the order of the labs, then by name.
Result<std::vector<Exercise>> all_exercises();
/// Errors: usage, with those that there are.
Result<Exercise> find_exercise(std::string_view name);
/// By what a learner's text registers, whatever its file is called.
Result<Exercise> exercise_of(const std::string& text);

}  // namespace ridge::app
