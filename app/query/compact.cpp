#include "app/query/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/core/files.h"
#include "common/record/in_turns.h"
#include "common/record/json.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

const std::set<std::string> kRaw = {"samples", "phase", "timing",    "problem",
                                    "check",   "pong",  "estimates", "seal"};
/// Of a machine's telemetry what belongs to the GPU that computes.
const std::set<std::string> kTelemetry = {"sm_clock_hz", "memory_clock_hz", "power_w",
                                          "temp_c",      "gpu_busy",        "gpu_memory_busy"};

/// Six digits say all that an interval of a tenth of a per cent does. Whole numbers stay (FLOP, bytes).
void round_numbers(Json* value) {
  if (value->is_number_float()) {
    const auto number = value->get<double>();
    if (number != std::floor(number))
      *value = std::strtod(fmt::format("{:.6g}", number).c_str(), nullptr);
    return;
  }
  if (!value->is_structured()) return;
  for (Json& part : *value) round_numbers(&part);
}

/// What a warp did request by request is for looking at, here and now: of a recording it would be most of the counts.
void drop_steps(Json* line) {
  if (const auto counts = line->find("counts"); counts != line->end() && counts->is_object())
    counts->erase("steps");
}

/// "gemm.cuda.naive n=512": one kernel on one problem.
std::string problem_of(const Json& outcome) {
  return text_field(outcome, "kernel") + " " + dump_json(outcome.value("params", Json::object()));
}

std::optional<double> median_of(const Json& outcome) {
  const Json* stats = object_field(outcome, "stats");
  return stats ? number_field(*stats, "median_ns") : std::nullopt;
}

/// The same of a training, whatever its seed.
std::string training_of(Json outcome) {
  if (outcome.contains("params")) outcome["params"].erase("seed");
  return problem_of(outcome);
}

/// "gemm.cuda.naive 1f3a…" where the line holds the text of a rung; else empty.
std::string source_of(const Json& line) {
  const Json* source = object_field(line, "source");
  return source ? text_field(*source, "kernel") + " " + text_field(*source, "hash") : "";
}

/// Texts that recordings beside this one hold: whoever shows one rung finds them there.
std::set<std::string> sources_beside(const std::string& path) {
  namespace fs = std::filesystem;
  std::set<std::string> found;
  for (const fs::path& other : entries_of(fs::path(path).parent_path())) {
    const bool same = other.filename() == fs::path(path).filename() ||
                      other.filename() == fs::path(path).stem();  // NAME.jsonl.new
    if (other.extension() != ".jsonl" || same) continue;
    std::ifstream in(other);
    for (std::string line; std::getline(in, line);) {
      if (line.find("\"source\":{") != std::string::npos)
        found.insert(source_of(Json::parse(line, nullptr, false)));
    }
  }
  return found;
}

class Compactor {
 public:
  explicit Compactor(std::set<std::string> known_sources) : sources_(std::move(known_sources)) {}

  void look(const Json& line) {
    const std::string type = text_field(line, "type");
    if (type == "compare") compares_.insert(whole_field(line, "id"));
    if (type == "compare" && line.contains("pairs")) turns_.insert(whole_field(line, "id"));
    if (type == "probe" && line.contains("kernels")) estimates_.insert(whole_field(line, "id"));
    if (type == "done" && text_field(line, "status") != "cancelled")
      ended_.insert(whole_field(line, "request"));
    const Json* outcome = object_field(line, "outcome");
    if (outcome != nullptr) ++outcomes_[series_of(line)];
    if (outcome != nullptr && text_field(*outcome, "kind") == "training") {
      const bool is_first = trainings_.insert(training_of(*outcome)).second;
      curves_[series_of(line)].most_points = is_first ? kMostCurvePoints : 0;
    }
    if (outcome != nullptr && !is_side(line)) run_.insert(problem_of(*outcome));
    if (outcome != nullptr && turns_.count(whole_field(line, "request")) > 0)
      timed_in_turns_[problem_of(*outcome)] = {whole_field(line, "request"), *outcome};
    const bool has_ended = outcome != nullptr && text_field(*outcome, "status") != "cancelled";
    if (has_ended) measured_.insert(text_field(*outcome, "kernel"));
    const bool names_lab = type == "run" || type == "compare" || type == "inspect";
    if (!lab_ && names_lab) lab_ = find_lab(text_field(line, "lab"));
    if (type == "curve") {
      Curve& curve = curves_[series_of(line)];
      for (const Json& point : line["points"]) {
        ++curve.points;
        curve.evaluations += is_evaluation(point);
      }
    }
  }

  /// A rung that was timed in turns with the others has that time: two of one rung would say different things, and only
  /// those of one state of the machine can be divided.
  void take_time_in_turns(Json* line) const {
    Json& outcome = (*line)["outcome"];
    const auto found = timed_in_turns_.find(problem_of(outcome));
    if (found == timed_in_turns_.end() || is_side(*line)) return;
    const auto& [request, side] = found->second;
    if (ended_.count(request) == 0 || text_field(side, "status") != "ok") return;
    const auto before_ns = median_of(outcome), now_ns = median_of(side);
    for (const char* name : {"stats", "sm_clock_hz"}) {
      if (side.contains(name)) outcome[name] = side[name];
    }
    // As many of what it counts, in the other time.
    const auto rate = number_field(outcome, "items_per_s");
    if (rate && before_ns && now_ns && *now_ns > 0)
      outcome["items_per_s"] = *rate * *before_ns / *now_ns;
    std::string note = text_field(outcome, "note");
    outcome["note"] = note + (note.empty() ? "" : "; ") + kTimedInTurns + " with the other rungs";
  }

  /// Of a training's curve what a chart shows; false: none of these points.
  bool thin_curve(Json* line) {
    Curve& curve = curves_[series_of(*line)];
    if (curve.points <= curve.most_points) return true;
    const size_t most = std::max(curve.most_points, curve.evaluations + 2);
    const size_t room = most - curve.evaluations - 1;
    Json kept = Json::array();
    for (Json& point : (*line)["points"]) {
      const size_t at = curve.seen++;
      const bool on_grid = at == 0 || at * room / curve.points != (at - 1) * room / curve.points;
      if (!on_grid && at + 1 != curve.points && !is_evaluation(point)) continue;
      if (curve.most_points == 0 && lab_) keep_spread(&point);
      kept.push_back(std::move(point));
    }
    (*line)["points"] = std::move(kept);
    return !(*line)["points"].empty();
  }

  /// Of a pipeline's spans the first ones, which a timeline shows; false: none of these.
  bool trim_spans(Json* line) {
    constexpr size_t kMost = 800;
    size_t& kept = spans_[series_of(*line)];
    Json& spans = (*line)["spans"];
    if (spans.size() > kMost - kept)
      spans.erase(spans.begin() + std::ptrdiff_t(kMost - kept), spans.end());
    kept += spans.size();
    return !spans.empty();
  }

  /// Of the telemetry beside a run with an energy pass two readings a second; false: none of this one.
  bool thin_telemetry(Json* line) {
    constexpr double kApart_s = 0.45;
    const double t_s = line->value("t_s", 0.0);
    if (!energy_runs_ || t_s < telemetry_s_ + kApart_s) return false;
    telemetry_s_ = t_s;
    line->erase("core_busy");
    Json kept = Json::object();
    for (const auto& [name, value] : (*line)["values"].items()) {
      if (kTelemetry.count(name) > 0) kept[name] = value;
    }
    (*line)["values"] = std::move(kept);
    return !(*line)["values"].empty();
  }

  /// Of the comparisons of a line those that came to an interval; false: it holds none of them.
  static bool drop_unjudged(Json* line) {
    Json judged = Json::array();
    for (Json& one : (*line)["comparisons"]) {
      if (one.contains("ci") && !one["ci"].is_null()) judged.push_back(std::move(one));
    }
    (*line)["comparisons"] = std::move(judged);
    return !(*line)["comparisons"].empty();
  }

  bool keeps(const Json& line) {
    const std::string type = text_field(line, "type");
    const bool from_app = text_field(line, "from") == "app";
    if (from_app && type == "run") energy_runs_ = line.value("energy", true);
    if (!from_app && type == "done") energy_runs_ = false;
    if (kRaw.count(type) > 0 || is_estimate(line) || is_broken_off(line)) return false;
    if (type == "env") return !std::exchange(has_environment_, true);
    if (type == "kernel") {
      const Json* kernel = object_field(line, "kernel");
      return kernel == nullptr || keeps_kernel(*kernel);
    }
    const std::string source = source_of(line);
    if (!source.empty()) return sources_.insert(source).second;
    const Json* outcome = object_field(line, "outcome");
    if (outcome == nullptr) return true;
    if (--outcomes_[series_of(line)] > 0) return false;  // it comes again with its counters
    if (text_field(*outcome, "status") == "cancelled")
      return false;  // the others have what they found
    return !is_side(line) || run_.count(problem_of(*outcome)) == 0;
  }

 private:
  using SeriesId = std::pair<int64_t, int64_t>;  ///< request, place in it

  static SeriesId series_of(const Json& line) {
    return {whole_field(line, "request"), whole_field(line, "series")};
  }

  struct Curve {
    size_t points = 0, evaluations = 0, seen = 0, most_points = kMostCurvePoints;
  };

  /// Of a further seed's point what the band over the seeds is made of: not the histogram of its gradients.
  void keep_spread(Json* point) const {
    Json values = Json::object();
    for (const char* name : {"loss", lab_->quality_metric}) {
      if (const auto at = (*point)["values"].find(name); at != (*point)["values"].end())
        values[name] = *at;
    }
    (*point)["values"] = std::move(values);
  }

  bool is_evaluation(const Json& point) const {
    return lab_ != nullptr && point.contains("values") &&
           point["values"].contains(std::string(lab_->quality_metric));
  }

  bool keeps_kernel(const Json& kernel) const {
    const std::string id = text_field(kernel, "id");
    if (measured_.count(id) > 0) return true;
    if (text_field(kernel, "backend") != "cuda") return false;
    return !lab_ || std::any_of(lab_->rungs.begin(), lab_->rungs.end(),
                                [&](const Rung& rung) { return rung.kernel == id; });
  }

  bool is_side(const Json& line) const { return compares_.count(whole_field(line, "request")) > 0; }

  /// A comparison that did not end has no verdict. Of a run what was measured until then stays.
  bool is_broken_off(const Json& line) const {
    const int64_t id = whole_field(line, text_field(line, "from") == "app" ? "id" : "request");
    return compares_.count(id) > 0 && ended_.count(id) == 0;
  }

  bool is_estimate(const Json& line) const {
    return estimates_.count(whole_field(line, line.contains("request") ? "request" : "id")) > 0;
  }

  std::set<int64_t> compares_, turns_, estimates_, ended_;
  std::map<std::string, std::pair<int64_t, Json>>
      timed_in_turns_;  ///< by problem: the request, and the side of it that ran it
  std::set<std::string> trainings_;
  std::set<std::string> run_, sources_, measured_;
  const Lab* lab_ = nullptr;  ///< that was run
  std::map<SeriesId, Curve> curves_;
  std::map<SeriesId, size_t> spans_;
  std::map<SeriesId, int> outcomes_;  ///< still to come
  bool has_environment_ = false, energy_runs_ = false;
  double telemetry_s_ = -1e9;  ///< of the last reading kept
};

Error cannot(const char* what, const std::string& path) {
  return {ErrorCode::cannot_write, what, path, "the recording is as it was"};
}

}  // namespace

bool is_raw(const std::string& type) {
  return kRaw.count(type) > 0;
}

Result<void> compact(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.empty()) return cannot("nothing can be read", path);
  Compactor compactor(sources_beside(path));
  const auto parsed = [](const std::string& line) { return Json::parse(line, nullptr, false); };
  for (const std::string& line : lines) compactor.look(parsed(line));
  const std::string smaller = path + ".compact";
  {
    std::ofstream out(smaller);
    for (const std::string& line : lines) {
      Json json = parsed(line);
      if (!compactor.keeps(json)) continue;
      const std::string type = text_field(json, "type");
      if (type == "span" && !compactor.trim_spans(&json)) continue;
      if (type == "curve" && !compactor.thin_curve(&json)) continue;
      if (json.contains("comparisons") && !Compactor::drop_unjudged(&json)) continue;
      if (type == "telemetry" && !compactor.thin_telemetry(&json)) continue;
      if (type == "result" || type == "span" || type == "curve" || type == "telemetry") {
        drop_steps(&json);
        if (json.contains("outcome")) compactor.take_time_in_turns(&json);
        if (type != "span") round_numbers(&json);
        out << dump_json(json) << '\n';
      } else {
        out << line << '\n';
      }
    }
    if (!out.flush()) return cannot("it could not be written", smaller);
  }
  std::error_code error;
  std::filesystem::rename(smaller, path, error);
  if (error) return cannot("it could not be replaced", path);
  return {};
}

}  // namespace ridge::app
