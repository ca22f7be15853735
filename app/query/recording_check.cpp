#include "app/query/recording_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/query/compact.h"
#include "app/query/owner_words.h"
#include "common/core/files.h"
#include "common/record/params.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgain = "record it again with 'ridgepoint record'";

class Checker {
 public:
  Checker(std::string path, const CheckOptions& options)
      : path_(std::move(path)), options_(options) {}

  Result<void> check() {
    RIDGE_TRY(name_, recording_name(path_));
    if (!check_size()) return found_fault();
    RIDGE_TRY(run_, Run::load(path_));
    if (!run_.log().empty()) {
      fault(run_.log().front());
      return found_fault();
    }
    using Step = bool (Checker::*)();
    for (const Step step :
         {&Checker::check_lines, &Checker::check_machine, &Checker::check_catalogue,
          &Checker::check_results, &Checker::check_comparisons}) {
      if (!(this->*step)()) return found_fault();
    }
    return {};
  }

 private:
  bool fault(std::string what, std::string hint = kAgain) {
    what_ = std::move(what), hint_ = std::move(hint);
    return false;
  }

  Error found_fault() const { return {ErrorCode::bad_input, what_, path_, hint_}; }

  /// Before a line of it is read.
  bool check_size() {
    std::error_code ignored;
    const auto bytes = fs::file_size(path_, ignored);
    if (bytes > kMostLabBytes) {
      return fault(fmt::format("it has {} bytes, and all recordings of a lab together have {}",
                               bytes, kMostLabBytes),
                   "record fewer points");
    }
    return true;
  }

  bool check_lines() {
    std::map<std::pair<int64_t, int64_t>, size_t> points;
    std::ifstream in(path_);
    int64_t number = 0;
    for (std::string text; std::getline(in, text);) {
      const std::string line = fmt::format("line {}: ", ++number);
      if (const std::string found = owner_word_in(text); !found.empty()) {
        return fault(line + "'" + found + "' says whose machine it was",
                     "record it with 'ridgepoint record --contribute', which removes such words");
      }
      const Json json = Json::parse(text, nullptr, false);
      const std::string type = text_field(json, "type");
      if (is_raw(type)) return fault(line + "it still holds '" + type + "' lines");
      if (type != "curve" || !json.contains("points")) continue;
      size_t& count = points[{whole_field(json, "request"), whole_field(json, "series")}];
      count += json["points"].size();
      if (count > kMostCurvePoints)
        return fault(fmt::format("{}a curve has more than {} points", line, kMostCurvePoints));
    }
    return true;
  }

  bool check_machine() {
    if (!run_.environment() || run_.environment()->machine().empty())
      return fault("it does not say which machine measured");
    const std::string word = machine_word(run_.environment()->machine());
    if (word != name_.machine) {
      return fault("it was measured on " + run_.environment()->machine(),
                   "name it " + name_.lab + "." + word +
                       (name_.name.empty() ? "" : "." + name_.name) + ".jsonl");
    }
    const std::string commit = commit_of(run_);
    if (!options_.dirty_too && !is_clean_commit(commit)) {
      return fault("it was measured by a build of commit '" + commit + "', which names no source",
                   "commit, build and record it again");
    }
    return true;
  }

  bool check_catalogue() {
    const Lab* lab = find_lab(name_.lab);
    const auto is_ours = [&](const std::string& kernel) {
      return std::any_of(lab->rungs.begin(), lab->rungs.end(),
                         [&](const Rung& rung) { return rung.kernel == kernel; });
    };
    std::set<std::string> measured;
    for (const Series& series : run_.series()) measured.insert(series.kernel);
    for (const KernelInfo& info : run_.catalogue()) {
      if (!is_ours(info.id) && !measured.contains(info.id))
        return fault("its catalogue holds " + info.id + " of another lab");
    }
    for (const Series& series : run_.series()) {
      if (series.lab != name_.lab)
        return fault(series.kernel + " was measured for lab '" + series.lab + "'",
                     "record each lab into a file of its own");
    }
    return true;
  }

  /// What is wrong with a result; empty: nothing.
  std::string problem_of(const Series& series) const {
    if (series.hash.empty()) return "has no hash of its code";
    // A library that the gate refused is part of the record, without a speed. Ours may not fail.
    if (series.status == SeriesStatus::failed) {
      const Rung* rung = rung_of(series.kernel);
      const bool is_meant = rung && rung->wrong && rung->wrong(series.params);
      if (is_meant && !series.stats) return "";  // it is there for the gate to refuse
      const KernelInfo* info = run_.kernel(series.kernel);
      if (!info || info->library.empty()) return "failed: " + series.reason;
      return series.reason.empty() ? "failed without a reason"
             : series.stats        ? "failed and has a speed"
                                   : "";
    }
    // What a rung cannot do at this setting, in a sentence: fp8 where a layer has ten sides.
    if (series.status == SeriesStatus::skipped) {
      return series.reason.empty() ? "was skipped without a reason"
             : series.stats        ? "was skipped and has a speed"
                                   : "";
    }
    if (series.status != SeriesStatus::ok) return "is " + to_string(series.status);
    if (!series.quality_passed()) return "has no passed check";
    const bool has_figure = series.stats.has_value() || (series.trap && series.trap->ci) ||
                            series.unavailable.contains("stats");
    return has_figure ? "" : "has no figure";
  }

  bool check_results() {
    size_t ok = 0;
    for (const Series& series : run_.series()) {
      const std::string problem = problem_of(series);
      if (!problem.empty())
        return fault(series.kernel + " (" + to_string(series.params) + ") " + problem,
                     "mend the rung or leave it out with --rungs, and record it again");
      ok += series.status == SeriesStatus::ok;
    }
    for (const Inspection& look : run_.inspections()) {
      if (!look.lanes) continue;
      if (look.lanes->hash.empty())
        return fault("the lanes of " + look.kernel + " have no hash of its code");
      if (!look.lanes->cost_ci)
        return fault("the lanes of " + look.kernel + " do not say what the stamps cost");
      ++ok;
    }
    return ok > 0 || fault("it holds no result");
  }

  bool has_side(const std::string& kernel, const Params& params) const {
    return std::any_of(run_.series().begin(), run_.series().end(), [&](const Series& series) {
      return series.kernel == kernel && series.params == params && series.stats &&
             series.quality_passed();
    });
  }

  bool check_comparisons() {
    for (const Comparison& one : run_.comparisons()) {
      const std::string pair = one.candidate + " against " + one.baseline;
      if (one.rounds < 6 || !one.ci) return fault(pair + " has no interval");
      if (!has_side(one.baseline, one.baseline_params) ||
          !has_side(one.candidate, one.candidate_params))
        return fault(pair + " lacks the result of a side");
    }
    return true;
  }

  std::string path_, what_, hint_;
  CheckOptions options_;
  RecordingName name_;
  Run run_;
};

}  // namespace

Result<RecordingName> recording_name(const std::string& path) {
  const std::string file = fs::path(path).filename().string();
  std::vector<std::string> parts;
  std::istringstream words(file);
  for (std::string part; std::getline(words, part, '.');) parts.push_back(part);
  const bool named = (parts.size() == 3 || parts.size() == 4) && parts.back() == "jsonl" &&
                     std::none_of(parts.begin(), parts.end(),
                                  [](const std::string& part) { return part.empty(); });
  if (!named) {
    return Error{ErrorCode::bad_input, "a recording's name says lab and machine", path,
                 "name it LAB.MACHINE.jsonl or LAB.MACHINE.NAME.jsonl"};
  }
  if (!find_lab(parts[0])) {
    return Error{ErrorCode::bad_input, "there is no lab '" + parts[0] + "'", path,
                 "begin its name with a lab of 'ridgepoint list'"};
  }
  return RecordingName{parts[0], parts[1], parts.size() == 4 ? parts[2] : ""};
}

std::string machine_word(const std::string& machine) {
  std::string word;
  for (const char c : machine) {
    const bool keeps = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!keeps && (word.empty() || word.back() == '_')) continue;
    word += keeps ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  return word.starts_with("nvidia_") ? word.substr(7) : word;
}

bool is_clean_commit(const std::string& commit) {
  return !commit.empty() && commit != "unknown" && !commit.ends_with("-dirty");
}

std::string commit_of(const Run& run) {
  const bool says = run.environment() && !run.environment()->commit.empty();
  return says ? run.environment()->commit : "unknown";
}

Result<void> check_recording(const std::string& path, const CheckOptions& options) {
  return Checker(path, options).check();
}

Result<void> scrub_recording(const std::string& path, const Owner& owner) {
  RIDGE_TRY(const std::string whole, read_whole(path));
  std::string text;
  std::istringstream lines(whole);
  for (std::string line; std::getline(lines, line);) text += line_without_owner(line, owner) + "\n";
  return write_whole(path, text);
}

}  // namespace ridge::app
