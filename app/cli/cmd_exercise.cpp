// ridgepoint exercise list | start | hint | solution NAME | check FILE.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/counts_text.h"
#include "app/query/editing.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/nearest.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "labs/lab.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/state.h"
#endif

namespace ridge::app {
namespace {

struct ExerciseOptions {
  std::string what = "list", name;  ///< "list", "start" ...; of check a file, of list a lab
  std::string to, out;              ///< start: the file; check: the saved run
  std::vector<std::string> set;     ///< check; empty: the lab's first look
  size_t hint = 1;                  ///< hint: which of them
  bool whole = false;               ///< list: each exercise with its task
};

const std::vector<std::string> kExerciseWords = {"list", "start", "hint", "solution", "check"};

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

/// Where the window notes it, so that the window and 'exercise list' count it.
void note_solved_in_window([[maybe_unused]] const std::string& exercise) {
#ifdef RIDGE_HAS_WINDOW
  window::State state;
  state.settings.path = window::default_settings_path();
  window::load_settings(&state);
  bool& is_solved = state.history.exercises[exercise].is_solved;
  if (std::exchange(is_solved, true)) return;
  window::save_settings(&state);
  if (state.notice.is_error) complain(state.notice.text);
#endif
}

/// "ridgepoint exercise start guard": the first that is not solved yet; empty where all are.
std::string next_start(const std::vector<const Exercise*>& of) {
  const auto next = std::find_if(
      of.begin(), of.end(), [](const Exercise* one) { return !is_solved_in_window(one->name); });
  return next == of.end() ? "" : "next: ridgepoint exercise start " + (*next)->name + "\n";
}

/// A line for each lab: how many it has, and how many are solved.
std::string exercise_counts_text(const std::vector<const Exercise*>& shown) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < shown.size();) {  // those of a lab stand together
    const std::string& id = shown[i]->lab;
    size_t count = 0, solved = 0;
    for (; i < shown.size() && shown[i]->lab == id; ++i, ++count)
      solved += is_solved_in_window(shown[i]->name);
    const Lab* lab = find_lab(id);
    rows.push_back({id + (lab ? std::string(": ") + lab->title : ""), std::to_string(count),
                    fmt::format("{}{}", solved == count ? "✓ " : "", solved)});
  }
  return table({"lab", "exercises", "solved"}, rows) +
         "'ridgepoint exercise list LAB' names a lab's exercises, --all those of every lab\n";
}

std::string where_from(const Exercise& exercise) {
  return exercise.is_puzzle() ? "counted, needs no GPU" : "after " + exercise.after;
}

/// Each with its task.
std::string tasks_text(const std::vector<const Exercise*>& shown) {
  constexpr size_t kIndent = 20;
  std::string text;
  for (const Exercise* one : shown) {
    text += fmt::format("{} {:<18}{} (lab {}, {})\n", is_solved_in_window(one->name) ? "✓" : " ",
                        one->name, one->title, one->lab, where_from(*one)) +
            hanging(std::string(kIndent, ' '), one->task) + "\n";
  }
  return text;
}

/// Of one lab, or of all where none is named. Errors: usage, where there is no such lab, or none of it.
Result<std::vector<const Exercise*>> exercises_of(const std::vector<Exercise>& all,
                                                  const std::string& lab) {
  if (!lab.empty()) {
    RIDGE_TRY_VOID(require_lab(lab));
  }
  std::vector<const Exercise*> found;
  for (const Exercise& one : all)
    if (lab.empty() || one.lab == lab) found.push_back(&one);
  if (!found.empty()) return found;
  return Error{ErrorCode::usage, "the lab '" + lab + "' has no exercise", "exercise list",
               "'ridgepoint exercise list' shows which labs have some"};
}

Json json_of(const Exercise& one) {
  return {{"name", one.name},
          {"lab", one.lab},
          {"title", one.title},
          {"task", one.task},
          {"after", one.after},
          {"hints", one.hints.size()},
          {"solved", is_solved_in_window(one.name)}};
}

int list_exercises(const CommonOptions& common, const ExerciseOptions& options) {
  const auto all = all_exercises();
  if (!all) return fail(common, all.error());
  const auto shown = exercises_of(*all, options.name);
  if (!shown) return fail(common, shown.error());
  if (!common.json) {
    const bool is_brief = options.name.empty() && !options.whole;
    print((is_brief ? exercise_counts_text(*shown) : tasks_text(*shown)) + next_start(*shown));
    return 0;
  }
  Json list = Json::array();
  for (const Exercise* one : *shown) list.push_back(json_of(*one));
  print_json({{"ridgepoint", 1}, {"exercises", list}});
  return 0;
}

/// Why the file that is there already is none of this exercise; absent: it is, or what was written in it cannot be told.
std::optional<Error> another_file_error(const Exercise& exercise, const std::string& path) {
  const auto text = read_learner_file(path);
  if (!text) return std::nullopt;
  const auto found = exercise_of(*text);
  if (!found || found->name == exercise.name) return std::nullopt;
  return Error{ErrorCode::cannot_write, "it holds the exercise '" + found->name + "' already", path,
               "name another file with --to, or delete this one"};
}

int start_exercise(const CommonOptions& common, const Exercise& exercise, const std::string& to) {
  const std::string path =
      to.empty() ? learner_file(learner_folder("exercises"), exercise.name, exercise.is_cuda) : to;
  const auto made = make_copy(path, exercise.handed_out);
  if (!made) return fail(common, made.error());
  const auto another = *made ? std::nullopt : another_file_error(exercise, path);
  if (another) return fail(common, *another);
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"exercise", exercise.name}, {"file", path}, {"copied", *made}});
    return 0;
  }
  print_as_is(path + "\n");
  const std::string named = to.empty() ? exercise.name : "'" + path + "'";
  complain(*made ? hanging("", exercise.task) + "\nthen: ridgepoint exercise check " + named
                 : "it was there already and is left as it is; delete it to begin afresh");
  return 0;
}

/// One hint, since each gives away more than the one before.
int show_hints(const CommonOptions& common, const Exercise& exercise, size_t number) {
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"exercise", exercise.name}, {"hints", exercise.hints}});
    return 0;
  }
  const size_t count = exercise.hints.size();
  if (number > count)
    return fail(
        common,
        {ErrorCode::usage, fmt::format("it has {} hint{}", count, count == 1 ? "" : "s"),
         "exercise hint " + exercise.name, "'ridgepoint exercise solution' shows its answer"});
  print(hanging(fmt::format("{} of {}. ", number, count), exercise.hints[number - 1]) + "\n");
  if (number < count)
    complain(fmt::format("the next: ridgepoint exercise hint {} {}", exercise.name, number + 1));
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

/// The exercise after this one in its lab; empty: it was the last.
std::string next_after(const Exercise& exercise) {
  const auto& all = known_exercises();
  auto next = std::find_if(all.begin(), all.end(),
                           [&](const Exercise& one) { return one.name == exercise.name; });
  if (next == all.end() || ++next == all.end() || next->lab != exercise.lab) return "";
  return "next: ridgepoint exercise start " + next->name + "\n";
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
  if (is_solved(counts, exercise.targets))
    return text + "\nsolved: " + exercise.title + "\n" + next_after(exercise);
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
  if (solved) note_solved_in_window(exercise.name);
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

/// By a verified comparison that is not slower than what it goes on from, as in the window. The verdict; none: nothing was
/// compared.
std::optional<Verdict> note_compared(const Exercise& exercise, const Measured& measured) {
  for (const Comparison& one : measured.driver->run().comparisons()) {
    if (one.request != measured.request || !is_edit(one.candidate)) continue;
    const bool solves = one.verdict == Verdict::faster || one.verdict == Verdict::same;
    if (solves) note_solved_in_window(exercise.name);
    return one.verdict;
  }
  return std::nullopt;
}

/// The last line of a check.
std::string outcome_line(const Exercise& exercise, Verdict verdict) {
  const std::string hint = "\n  ridgepoint exercise hint " + exercise.name + "\n";
  switch (verdict) {
    case Verdict::faster:
    case Verdict::same:
      return "\nsolved: " + exercise.title + "\n" + next_after(exercise);
    case Verdict::slower:
      return "\nnot solved yet: right, and slower than " + exercise.after + hint;
    case Verdict::unresolved:
      return "\nnot solved yet: right, and whether it is slower than " + exercise.after +
             " is open; check it again\n";
    case Verdict::invalid:
      break;
  }
  return "\nnot solved yet: a check failed" + hint;
}

/// What 'start' wrote is there as it was written: measuring it would only show that it has a hole.
int say_unchanged(const Exercise& exercise, const std::string& file) {
  print(exercise.title + ": not solved yet: nothing is changed in it\n  " + file +
        "\n  ridgepoint exercise hint " + exercise.name + "\n");
  return static_cast<int>(ErrorCode::invalid);
}

/// What 'start' wrote, where an exercise is named in place of a file.
std::string file_of(const std::string& given) {
  std::error_code error;
  const auto named = find_exercise(given);
  if (!named || std::filesystem::exists(given, error)) return given;
  return learner_file(learner_folder("exercises"), named->name, named->is_cuda);
}

/// A paired comparison with the rung that it goes on from: its gate is the check.
int check_exercise(const CommonOptions& common, const ExerciseOptions& given) {
  ExerciseOptions options = given;
  options.name = file_of(given.name);
  const auto text = read_learner_file(options.name);
  if (!text) {
    Error error = text.error();
    const std::string name = options.name == given.name ? "NAME" : given.name;
    error.hint = "'ridgepoint exercise start " + name + "' makes a file to begin with";
    return fail(common, error);
  }
  auto exercise = exercise_of(*text);
  if (!exercise) {
    Error error = exercise.error();
    error.where = options.name;
    return fail(common, error);
  }
  const bool is_untouched = *text == exercise->handed_out && !common.json;
  if (is_untouched && !exercise->is_puzzle()) return say_unchanged(*exercise, options.name);
  if (exercise->is_puzzle()) {
    bool has_gpu = false;
    if (is_untouched) print("nothing is changed in it yet: this is what is handed out\n");
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
  std::optional<Verdict> verdict;
  const int code = cmd_compare(common, compare, [&](const Measured& measured) {
    verdict = note_compared(*exercise, measured);
  });
  if (verdict && !common.json && !exercise->is_puzzle()) print(outcome_line(*exercise, *verdict));
  return code;
}

/// An option of another word of this command would be ignored.
std::optional<Error> stray_option(const ExerciseOptions& options) {
  const struct {
    bool is_given;
    const char *name, *of;
  } all[] = {{!options.to.empty(), "--to", "start"},
             {!options.out.empty(), "--out", "check"},
             {!options.set.empty(), "--set", "check"},
             {options.whole, "--all", "list"}};
  for (const auto& one : all) {
    if (one.is_given && options.what != one.of)
      return Error{ErrorCode::usage, fmt::format("{} belongs to 'exercise {}'", one.name, one.of),
                   "exercise " + options.what,
                   "leave it out; 'ridgepoint exercise --help' says more"};
  }
  return std::nullopt;
}

/// One, with what to do about it.
int show_exercise(const CommonOptions& common, const Exercise& exercise) {
  if (common.json) {
    print_json({{"ridgepoint", 1}, {"exercises", Json::array({json_of(exercise)})}});
    return 0;
  }
  const std::string file =
      learner_file(learner_folder("exercises"), exercise.name, exercise.is_cuda);
  std::error_code error;
  const bool is_begun = std::filesystem::exists(file, error);
  std::string text =
      fmt::format("{}: {} (lab {}, {}{})\n", exercise.name, exercise.title, exercise.lab,
                  where_from(exercise), is_solved_in_window(exercise.name) ? ", solved" : "");
  text += hanging("  ", exercise.task) + "\n";
  if (is_begun) text += "  your file: " + file + "\n";
  text += fmt::format("  ridgepoint exercise {} {}\n", is_begun ? "check" : "start", exercise.name);
  print(text + fmt::format("  ridgepoint exercise hint {0}\n  ridgepoint exercise solution {0}\n",
                           exercise.name));
  return 0;
}

/// "exercise gemm" and "exercise tiles": a lab's are listed, one is shown. Errors: usage, where it names neither.
int show_named(const CommonOptions& common, const ExerciseOptions& options) {
  if (!options.name.empty())
    return fail(common,
                {ErrorCode::usage, "'" + options.what + "' is nothing to do with an exercise",
                 "exercise", name_hint(options.what, kExerciseWords)});
  if (find_lab(options.what)) {
    ExerciseOptions of_lab = options;
    of_lab.name = options.what;
    return list_exercises(common, of_lab);
  }
  const auto exercise = find_exercise(options.what);
  if (exercise) return show_exercise(common, *exercise);
  if (nearest(options.what, kExerciseWords).empty()) return fail(common, exercise.error());
  return fail(common, {ErrorCode::usage, "'" + options.what + "' is nothing to do with an exercise",
                       "exercise", name_hint(options.what, kExerciseWords)});
}

int cmd_exercise(const CommonOptions& common, const ExerciseOptions& options) {
  const auto is_known = [&](const std::string& word) { return word == options.what; };
  if (std::none_of(kExerciseWords.begin(), kExerciseWords.end(), is_known))
    return show_named(common, options);
  if (options.what == "list") return list_exercises(common, options);
  if (options.name.empty()) {
    return fail(common, {ErrorCode::usage, "it needs a name (of check: or a file)",
                         "exercise " + options.what, "'ridgepoint exercise list' names them"});
  }
  if (const auto stray = stray_option(options)) return fail(common, *stray);
  if (options.what == "check") return check_exercise(common, options);
  const auto exercise = find_exercise(options.name);
  if (!exercise) return fail(common, exercise.error());
  if (options.what == "start") return start_exercise(common, *exercise, options.to);
  if (options.what == "hint") return show_hints(common, *exercise, options.hint);
  print_as_is(exercise->reference);
  return 0;
}

Command setup_exercise(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ExerciseOptions>();
  command
      .add_option(
          "what", options->what,
          "list (default), start, hint, solution or check; or a lab, or an exercise to show")
      ->type_name(fmt::format("{{{}}}", fmt::join(kExerciseWords, ",")));
  command.add_option("NAME", options->name, "which; of check its name or your FILE, of list a lab");
  command.add_option("N", options->hint, "hint: which of its hints, the first by default")
      ->check(CLI::Range(1, 99));
  command.add_flag("--all", options->whole, "list: the exercises of all labs, with their tasks");
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
              .examples = {{"exercise list", "how many each lab has, and what you have solved"},
                           {"exercise start turned_loops", "writes its file"},
                           {"exercise check turned_loops", "checks and times what you wrote"}},
              .place = 50, .level = Level::kLearn, .schema = "", .setup = setup_exercise);

}  // namespace
}  // namespace ridge::app
