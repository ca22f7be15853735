// ridgepoint exercise list | start | hint | solution NAME | check FILE, and ridgepoint leaderboard FOLDER.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/query/editing.h"
#include "app/query/exercises.h"
#include "app/query/leaderboard.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/record/params.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

int list_exercises(const CommonOptions& common) {
  const auto all = all_exercises();
  if (!all) return fail(common, all.error());
  Json list = Json::array();
  std::string text;
  for (const Exercise& exercise : *all) {
    list.push_back({{"name", exercise.name},
                    {"lab", exercise.lab},
                    {"title", exercise.title},
                    {"task", exercise.task},
                    {"after", exercise.after},
                    {"hints", exercise.hints.size()}});
    text += fmt::format("{:<18}{} (lab {}, after {})\n{:<18}{}\n", exercise.name, exercise.title,
                        exercise.lab, exercise.after, "", exercise.task);
  }
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"exercises", list}});
  } else {
    print(text);
  }
  return 0;
}

int start_exercise(const CommonOptions& common, const Exercise& exercise, const std::string& to) {
  const std::string path =
      to.empty() ? learner_file(learner_folder("exercises"), exercise.name, exercise.is_cuda) : to;
  const auto made = make_copy(path, exercise.handed_out);
  if (!made) return fail(common, made.error());
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"exercise", exercise.name}, {"file", path}, {"copied", *made}});
    return 0;
  }
  print(path + "\n");
  complain(*made ? exercise.task + "\nthen: ridgepoint exercise check '" + path + "'"
                 : "it was there already and is left as it is; delete it to begin afresh");
  return 0;
}

int show_hints(const CommonOptions& common, const Exercise& exercise) {
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"exercise", exercise.name}, {"hints", exercise.hints}});
    return 0;
  }
  for (size_t i = 0; i < exercise.hints.size(); ++i) {
    print(fmt::format("{}. {}\n", i + 1, exercise.hints[i]));
  }
  return 0;
}

/// A paired comparison with the rung that it goes on from: its gate is the check.
int check_exercise(const CommonOptions& common, const ExerciseOptions& options) {
  const auto text = read_learner_file(options.name);
  if (!text) return fail(common, text.error());
  auto exercise = exercise_of(*text);
  if (!exercise) {
    Error error = exercise.error();
    error.where = options.name;
    return fail(common, error);
  }
  MeasureOptions compare;
  // Of the rung that it goes on from: a trap's exercise is a product, a pipeline's a copy.
  const auto [lab, after] = lab_and_rung(exercise->after);
  compare.lab = lab != nullptr ? lab->id : exercise->lab;
  compare.baseline = after;
  compare.edits = {options.name};
  compare.out = options.out;
  compare.set = options.set;
  if (compare.set.empty() && lab != nullptr) {
    const Params& usual = exercise->is_cuda ? lab->first_look_gpu : lab->first_look_cpu;
    for (const auto& one : usual) compare.set.push_back(to_string(Params{one}));
  }
  return cmd_compare(common, compare);
}

}  // namespace

int cmd_exercise(const CommonOptions& common, const ExerciseOptions& options) {
  if (options.what == "list") return list_exercises(common);
  if (options.name.empty()) {
    return fail(common, {ErrorCode::usage, "it needs a name (of check: a file)",
                         "exercise " + options.what, "'ridgepoint exercise list' names them"});
  }
  if (options.what == "check") return check_exercise(common, options);
  const auto exercise = find_exercise(options.name);
  if (!exercise) return fail(common, exercise.error());
  if (options.what == "start") return start_exercise(common, *exercise, options.to);
  if (options.what == "hint") return show_hints(common, *exercise);
  print(exercise->reference);
  return 0;
}

int cmd_leaderboard(const CommonOptions& common, const std::string& folder) {
  const auto board = read_leaderboard(folder);
  if (!board) return fail(common, board.error());
  if (common.json) {
    print_json(leaderboard_json(*board));
  } else {
    print(leaderboard_text(*board));
  }
  return 0;
}

}  // namespace ridge::app
