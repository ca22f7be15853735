#include "app/query/editing.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>
#include <tuple>

#include "app/study/assets.h"
#include "common/core/files.h"
#include "common/core/nearest.h"
#include "common/record/params.h"
#include "common/view/report/report.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMostBytes = 48'000;  // a request is a line of 64 KiB, escapes included

}  // namespace

std::string learner_folder(const std::string& kind) {
  const std::string folder = data_folder(kind);
  return folder.empty() ? "." : folder;
}

std::string learner_file(const std::string& folder, const std::string& name, bool is_cuda) {
  return (fs::path(folder) / (name + (is_cuda ? ".cu" : ".cpp"))).string();
}

Result<std::string> read_learner_file(const std::string& path) {
  auto text = read_whole(path);
  if (!text) {
    return Error{ErrorCode::bad_input, text.error().what, path,
                 "'ridgepoint edit KERNEL' makes a copy to begin with"};
  }
  if (text->size() > kMostBytes) {
    return Error{ErrorCode::bad_input, "it is longer than 48 kB", path, "a rung is one short file"};
  }
  return text;
}

Result<bool> make_copy(const std::string& path, const std::string& text) {
  std::error_code failed;
  if (fs::exists(path, failed)) return false;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, failed);
  if (failed) {
    return Error{ErrorCode::cannot_write, "it cannot be made: " + failed.message(), folder.string(),
                 "choose a folder that you may write to"};
  }
  RIDGE_TRY_VOID(write_whole(path, text));
  return true;
}

namespace {

fs::path saves_folder(const std::string& file) {
  return fs::path(file).replace_extension(".saves");
}

}  // namespace

std::string kept_save(const std::string& file, int number) {
  return (saves_folder(file) / (std::to_string(number) + fs::path(file).extension().string()))
      .string();
}

int last_kept_save(const std::string& file) {
  int last = 0;
  for (const fs::path& save : entries_of(saves_folder(file))) {
    const std::string name = save.stem().string();
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) last = std::max(last, number);
  }
  return last;
}

Result<int> keep_save(const std::string& file, const std::string& text) {
  const int last = last_kept_save(file);
  if (last > 0) {
    const auto kept = read_whole(kept_save(file, last));
    if (kept && *kept == text) return last;
  }
  std::error_code failed;
  fs::create_directories(saves_folder(file), failed);
  RIDGE_TRY_VOID(write_whole(kept_save(file, last + 1), text));
  return last + 1;
}

bool FileWatch::changed() {
  struct stat info = {};
  if (::stat(path_.c_str(), &info) != 0) return false;
  const int64_t saved_ns = info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec;
  const bool moved = saved_ns != saved_ns_ || info.st_size != bytes_;
  saved_ns_ = saved_ns;
  bytes_ = info.st_size;
  return moved;
}

EditArgument edit_argument(const std::string& text) {
  const size_t equals = text.find('=');
  // A kernel's id has no slash: "a=b/rung.cpp" may be a path, "./a=b.cpp" is one.
  std::error_code ignored;
  const bool is_path = text.find('/') < equals || fs::exists(text, ignored);
  if (equals == text.npos || is_path) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string messages_text(const EditBuild& build, const std::string& file) {
  std::string text;
  for (const CompileMessage& message : build.messages) {
    if (message.kind == "remark") continue;  // a loop that was not vectorised: no fault of the text
    const std::string place =
        message.line > 0 ? fmt::format("{}:{}:{}", file, message.line, message.column) : file;
    text +=
        fmt::format("{}{}: {}: {}", text.empty() ? "" : "\n", place, message.kind, message.text);
  }
  return text;
}

// ---- exercises ---------------------------------------------------------------------------------

namespace {

constexpr const char *kFolder = "assets/exercises/", *kPuzzleFolder = "kernels/";
constexpr std::string_view kBegin = "// solution: ", kEnd = "// end of solution",
                           kGiven = "// given: ";

/// "gemm" of assets/exercises/gemm/turned_loops.cpp, "puzzles" of kernels/puzzles/rungs/map.cu.
std::string lab_of_path(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return (folder.filename() == "rungs" ? folder.parent_path() : folder).filename().string();
}

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
void take_header(std::string_view line, std::string* key, std::string* targets, Exercise* made) {
  std::string_view rest = line.substr(std::min<size_t>(3, line.size()));
  const bool goes_on = rest.starts_with("          ");
  if (!goes_on) *key = std::string(rest.substr(0, rest.find(' ')));
  rest.remove_prefix(std::min(goes_on ? size_t{10} : key->size(), rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const auto add = [&](std::string* to) { *to += (to->empty() ? "" : " ") + std::string(rest); };
  if (*key == "Exercise") add(&made->title);
  if (*key == "After") add(&made->after);
  if (*key == "Level" && !rest.empty()) made->level = rest.front() - '0';
  if (*key == "Task") add(&made->task);
  if (*key == "Target") add(targets);
  if (*key == "Hint" && !goes_on) made->hints.emplace_back();
  if (*key == "Hint") add(&made->hints.back());
}

}  // namespace

Result<Exercise> parse_exercise(const std::string& path, const std::string& text) {
  Exercise made;
  const size_t slash = path.rfind('/'), dot = path.rfind('.');
  made.name = path.substr(slash + 1, dot - slash - 1);
  made.is_cuda = path.substr(dot) == ".cu";
  made.lab = lab_of_path(path);
  made.kernel = registered_by(text);
  made.reference = text;
  std::istringstream lines(text);
  std::string key, targets;
  bool in_header = true, in_solution = false;
  int solutions = 0;
  for (std::string line; std::getline(lines, line);) {
    in_header = in_header && line.starts_with("//");
    if (in_header && !line.starts_with("// ridge:")) take_header(line, &key, &targets, &made);
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
    if (in_solution && code.starts_with(kGiven))
      made.handed_out += line.substr(0, indent) + std::string(code.substr(kGiven.size())) + "\n";
    if (code.starts_with(kEnd)) in_solution = false;
  }
  auto parsed = parse_targets(targets);
  if (!parsed) return study::bad_asset(path, parsed.error().what, parsed.error().hint);
  made.targets = *std::move(parsed);
  if (made.after.empty() && made.is_puzzle()) made.after = made.kernel;
  const char* missing = made.title.empty()                 ? "its header has no Exercise"
                        : made.task.empty()                ? "its header has no Task"
                        : made.after.empty()               ? "its header has no After"
                        : made.hints.empty()               ? "it has no Hint"
                        : made.level < 1 || made.level > 3 ? "its Level is not 1, 2 or 3"
                        : solutions == 0 || in_solution    ? "its solution is not marked"
                        : !made.kernel.ends_with("." + made.name)
                            ? "it registers another name than its file has"
                            : nullptr;
  if (missing != nullptr) return study::bad_asset(path, missing, "see docs/your_turn.md");
  return made;
}

Result<std::vector<Exercise>> all_exercises() {
  std::vector<Exercise> all;
  std::vector<std::string> paths = study::asset_names(kFolder);
  for (std::string& path : study::asset_names(kPuzzleFolder)) paths.push_back(std::move(path));
  for (const std::string& path : paths) {
    RIDGE_TRY(const std::string text, study::read_asset(path));
    RIDGE_TRY(Exercise exercise, parse_exercise(path, text));
    all.push_back(std::move(exercise));
  }
  const auto& labs = all_labs();
  std::map<std::string, int> easiest;  // of each lab; a class begins with the first
  for (const Exercise& one : all) {
    int& level = easiest.try_emplace(one.lab, one.level).first->second;
    level = std::min(level, one.level);
  }
  const auto place = [&](const Exercise& one) {
    return std::find(labs.begin(), labs.end(), find_lab(one.lab)) - labs.begin();
  };
  const auto step = [](const Exercise& one) {
    const Lab* lab = lab_and_rung(one.after).first;
    const auto rung = lab ? find_rung(*lab, one.after) : nullptr;
    return rung ? *rung - lab->rungs.data() : 0;
  };
  std::stable_sort(all.begin(), all.end(), [&](const Exercise& x, const Exercise& y) {
    return std::make_tuple(easiest[x.lab], place(x), x.level, step(x)) <
           std::make_tuple(easiest[y.lab], place(y), y.level, step(y));
  });
  return all;
}

const std::vector<Exercise>& known_exercises() {
  static const std::vector<Exercise> kAll = [] {
    auto all = all_exercises();
    return all ? *std::move(all) : std::vector<Exercise>();
  }();
  return kAll;
}

const Exercise* puzzle_of(std::string_view kernel) {
  for (const Exercise& one : known_exercises()) {
    if (one.is_puzzle() && one.kernel == original_of(kernel)) return &one;
  }
  return nullptr;
}

std::string edit_title(const std::string& edit) {
  const std::string original(original_of(edit));
  for (const Exercise& exercise : known_exercises()) {
    if (exercise.kernel == original) return "exercise: " + exercise.title;
  }
  const Rung* rung = rung_of(original);
  return rung ? report::copy_title(rung->title) : edit;
}

Result<Exercise> find_exercise(std::string_view name) {
  RIDGE_TRY(std::vector<Exercise> all, all_exercises());
  std::vector<std::string> names;
  for (Exercise& exercise : all) {
    if (exercise.name == name) return std::move(exercise);
    names.push_back(exercise.name);
  }
  return Error{ErrorCode::usage, fmt::format("there is no exercise '{}'", name), "",
               name_hint(name, names, "ridgepoint exercise list --all")};
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
