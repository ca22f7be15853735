// ridgepoint exercise list | start | hint | solution NAME | check FILE.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/counts_text.h"
#include "app/query/editing.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/record/params.h"
#include "labs/lab.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/state.h"
#endif

namespace ridge::app {
namespace {

struct ExerciseOptions {
  std::string what = "list", name;  ///< "list", "start" ...; of check a file
  std::string to, out;              ///< start: the file; check: the saved run
  std::vector<std::string> set;     ///< check; empty: the lab's first look
};

/// What was solved in the window, as it remembers it; in a build without a window nothing is known.
bool is_solved_in_window([[maybe_unused]] const std::string& exercise) {
#ifdef RIDGE_HAS_WINDOW
  static const auto known = [] {
    window::State state;
    state.settings.path = window::default_settings_path();
    window::load_settings(&state);
    return state.history.exercises;
  }();
  const auto found = known.find(exercise);
  return found != known.end() && found->second.is_solved;
#else
  return false;
#endif
}

constexpr size_t kIndent = 20;  ///< of a task under its exercise's title

/// In the terminal's width, and no wider than is read with ease; after a beginning of `indent` columns.
std::string lines_of(const std::string& text, size_t indent) {
  constexpr size_t kWidest = 100;
  const size_t width = std::min(terminal_width(), kWidest);
  return wrapped(std::string(indent, ' ') + text, width, indent).substr(indent);
}

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
                    {"hints", exercise.hints.size()},
                    {"solved", is_solved_in_window(exercise.name)}});
    const std::string head =
        fmt::format("{} {:<18}{} (lab {}, {})\n", is_solved_in_window(exercise.name) ? "✓" : " ",
                    exercise.name, exercise.title, exercise.lab,
                    exercise.is_puzzle() ? "counted, needs no GPU" : "after " + exercise.after);
    text += head + std::string(kIndent, ' ') + lines_of(exercise.task, kIndent) + "\n";
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
  complain(*made ? lines_of(exercise.task, 0) + "\nthen: ridgepoint exercise check '" + path + "'"
                 : "it was there already and is left as it is; delete it to begin afresh");
  return 0;
}

int show_hints(const CommonOptions& common, const Exercise& exercise) {
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"exercise", exercise.name}, {"hints", exercise.hints}});
    return 0;
  }
  for (size_t i = 0; i < exercise.hints.size(); ++i) {
    print(fmt::format("{}. {}\n", i + 1, lines_of(exercise.hints[i], 3)));
  }
  return 0;
}

Json targets_json(const KernelCounts& counts, const std::vector<CountTarget>& targets) {
  Json all = Json::array();
  for (const CountTarget& target : targets)
    all.push_back({{"counted", name_of(target.kind)},
                   {"yours", count_of(counts, target.kind)},
                   {"target", target.most},
                   {"met", is_met(counts, target)}});
  return all;
}

std::string puzzle_text(const KernelCounts& counts, const Exercise& exercise,
                        const std::string& file) {
  // A fault that stopped it says more than that it was stopped.
  const std::string outcome = counts.faults.empty() ? outcome_text(counts) : "a fault";
  std::string text = fmt::format("{}: {}\n{}", exercise.title, outcome, wrong_text(counts));
  const size_t shown = std::min<size_t>(counts.faults.size(), 3);
  for (size_t i = 0; i < shown; ++i) text += fault_text(counts.faults[i]) + "\n";
  if (shown < counts.faults.size())
    text += fmt::format("and {} more\n", counts.faults.size() - shown);
  text += "\n" + targets_text(counts, exercise.targets);
  if (is_solved(counts, exercise.targets)) return text + "\nsolved\n";
  const std::string said = is_clean(counts)
                               ? std::string("right, and ") + unmet_words(counts, exercise.targets)
                               : "not yet";
  return text +
         fmt::format("\n{}\n  ridgepoint exercise hint {}\n  ridgepoint count {} --file {}\n", said,
                     exercise.name, exercise.kernel, file);
}

/// Counted on this CPU, always at its own size, which its targets are of.
int check_puzzle(const CommonOptions& common, const ExerciseOptions& options,
                 const Exercise& exercise, const std::string& text, bool* has_gpu) {
  auto driver = Driver::start(common, options.out);
  if (!driver) return fail(common, driver.error());
  // Whether a GPU goes on from here is in the catalogue.
  if (const auto listed = (*driver)->fetch_catalogue(); !listed)
    return fail(common, listed.error());
  const auto counts = (*driver)->count(exercise.kernel, {}, text);
  const KernelInfo* rung = (*driver)->run().kernel(exercise.kernel);
  *has_gpu = rung != nullptr && rung->available;
  const auto saved = (*driver)->close_file();
  if (!counts) return fail(common, counts.error());
  if (!saved) return fail(common, saved.error());
  const bool solved = is_solved(*counts, exercise.targets);
  if (common.json) {
    print_json({{"ridgepoint", 1},
                {"exercise", exercise.name},
                {"solved", solved},
                {"targets", targets_json(*counts, exercise.targets)},
                {"counts", Json(*counts)}});
  } else {
    print(puzzle_text(*counts, exercise, options.name));
  }
  return solved ? 0 : static_cast<int>(ErrorCode::invalid);
}

/// A paired comparison with the rung that it goes on from: its gate is the check.
int check_exercise(const CommonOptions& common, const ExerciseOptions& options) {
  const auto text = read_learner_file(options.name);
  if (!text) {
    Error error = text.error();
    error.hint = "'ridgepoint exercise start NAME' makes a file to begin with";
    return fail(common, error);
  }
  auto exercise = exercise_of(*text);
  if (!exercise) {
    Error error = exercise.error();
    error.where = options.name;
    return fail(common, error);
  }
  if (exercise->is_puzzle()) {
    bool has_gpu = false;
    const int outcome = check_puzzle(common, options, *exercise, *text, &has_gpu);
    if (outcome != 0 || !has_gpu || common.json) return outcome;
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

Command setup_exercise(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ExerciseOptions>();
  command.add_option("what", options->what, "list (default), start, hint, solution or check")
      ->check(CLI::IsMember({"list", "start", "hint", "solution", "check"}));
  command.add_option("NAME", options->name, "which; of check your FILE");
  command.add_option("--to", options->to, "start: where to");
  command.add_option("--out", options->out, "check: save the run, for a leaderboard: RUN.jsonl");
  one_at_a_time(command.add_option("--set", options->set,
                                   "check: a parameter of what is timed: n=512 (repeat)"));
  return [options, &common] { return cmd_exercise(common, *options); };
}

RIDGE_COMMAND(exercise, .about = "list the exercises, write one's file, check it",
              .group = CommandGroup::learn,
              .use =
                  "Exercises are files with a hole to fill. Start one, change it, and have it "
                  "checked and timed.",
              .examples = {{"exercise list", "all of them, with what you have solved"},
                           {"exercise start turned_loops", "writes its file"},
                           {"exercise check FILE", "checks and times what you wrote"}},
              .place = 50, .level = Level::kLearn, .schema = "", .setup = setup_exercise);

}  // namespace
}  // namespace ridge::app
