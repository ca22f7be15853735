#include "app/query/exercises.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "app/study/assets.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

constexpr std::string_view kFolder = "assets/exercises/";
constexpr std::string_view kBegin = "// solution: ", kEnd = "// end of solution";

/// "gemm.cpu.turned_loops": what RIDGE_KERNEL(gemm, cpu, turned_loops, ...) registers.
std::string registered_by(std::string_view text) {
  constexpr std::string_view kMacro = "\nRIDGE_KERNEL(";
  const size_t at = text.find(kMacro);
  std::string id;
  for (size_t i = at + kMacro.size(); at != text.npos && i < text.size() && text[i] != ')'; ++i) {
    if (text[i] == ',' && std::count(id.begin(), id.end(), '.') == 2) break;
    if (text[i] == ',') id += '.';
    if (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_') id += text[i];
  }
  return id;
}

/// Goes on with what the last "// Key   text" line began.
void take_header(std::string_view line, std::string* key, Exercise* made) {
  std::string_view rest = line.substr(std::min<size_t>(3, line.size()));
  const bool goes_on = rest.starts_with("          ");
  if (!goes_on) *key = std::string(rest.substr(0, rest.find(' ')));
  rest.remove_prefix(std::min(goes_on ? size_t{10} : key->size(), rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto add = [&](std::string* to) { *to += (to->empty() ? "" : " ") + std::string(rest); };
  if (*key == "Exercise") add(&made->title);
  if (*key == "After") add(&made->after);
  if (*key == "Task") add(&made->task);
  if (*key == "Hint" && !goes_on) made->hints.emplace_back();
  if (*key == "Hint") add(&made->hints.back());
}

}  // namespace

Result<Exercise> parse_exercise(const std::string& path, const std::string& text) {
  Exercise made;
  const size_t slash = path.rfind('/'), dot = path.rfind('.');
  made.name = path.substr(slash + 1, dot - slash - 1);
  made.is_cuda = path.substr(dot) == ".cu";
  made.lab = path.substr(kFolder.size(), slash - kFolder.size());
  made.kernel = registered_by(text);
  made.reference = text;
  std::istringstream lines(text);
  std::string key;
  bool in_header = true, in_solution = false;
  int solutions = 0;
  for (std::string line; std::getline(lines, line);) {
    in_header = in_header && line.starts_with("//");
    if (in_header && !line.starts_with("// ridge:")) take_header(line, &key, &made);
    if (in_header && key == "Hint") continue;
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view code = std::string_view(line).substr(indent);
    if (code.starts_with(kBegin)) {
      made.handed_out += line.substr(0, indent) + "// YOUR TURN: ";
      made.handed_out += std::string(code.substr(kBegin.size())) + "\n";
      in_solution = true;
      ++solutions;
    }
    if (!in_solution) made.handed_out += line + "\n";
    if (code.starts_with(kEnd)) in_solution = false;
  }
  const char* missing = made.title.empty()              ? "its header has no Exercise"
                        : made.task.empty()             ? "its header has no Task"
                        : made.after.empty()            ? "its header has no After"
                        : made.hints.empty()            ? "it has no Hint"
                        : solutions == 0 || in_solution ? "its solution is not marked"
                        : !made.kernel.ends_with("." + made.name)
                            ? "it registers another name than its file has"
                            : nullptr;
  if (missing != nullptr) return study::bad_asset(path, missing, "see docs/your_turn.md");
  return made;
}

Result<std::vector<Exercise>> all_exercises() {
  std::vector<Exercise> all;
  for (const std::string& path : study::asset_names(std::string(kFolder))) {
    RIDGE_TRY(const std::string text, study::read_asset(path));
    RIDGE_TRY(Exercise exercise, parse_exercise(path, text));
    all.push_back(std::move(exercise));
  }
  const auto& labs = all_labs();  // a class begins with the first
  const auto place = [&](const Exercise& one) {
    return std::find(labs.begin(), labs.end(), find_lab(one.lab)) - labs.begin();
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Exercise& x, const Exercise& y) { return place(x) < place(y); });
  return all;
}

Result<Exercise> find_exercise(std::string_view name) {
  RIDGE_TRY(std::vector<Exercise> all, all_exercises());
  std::vector<std::string> names;
  for (Exercise& exercise : all) {
    if (exercise.name == name) return std::move(exercise);
    names.push_back(exercise.name);
  }
  return Error{ErrorCode::usage, fmt::format("there is no exercise '{}'", name), "",
               fmt::format("the exercises are {}", fmt::join(names, ", "))};
}

Result<Exercise> exercise_of(const std::string& text) {
  RIDGE_TRY(std::vector<Exercise> all, all_exercises());
  const std::string kernel = registered_by(text);
  for (Exercise& exercise : all) {
    if (kernel == exercise.kernel) return std::move(exercise);
  }
  return Error{ErrorCode::bad_input, "it registers the rung of no exercise", "",
               "'ridgepoint exercise start NAME' makes a file to begin with; of any other file: "
               "ridgepoint compare LAB --edit FILE"};
}

}  // namespace ridge::app
