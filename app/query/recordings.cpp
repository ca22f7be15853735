#include "app/query/recordings.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "app/session/saved_run.h"
#include "common/core/files.h"
#include "common/record/clocks.h"
#include "common/record/command.h"
#include "common/record/in_turns.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "labs/lab.h"

namespace ridge::app {
namespace fs = std::filesystem;

std::string asset_folder(const std::string& name) {
  std::vector<fs::path> roots;
  if (const char* set = std::getenv("RIDGEPOINT_ASSETS")) roots.emplace_back(set);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    roots.push_back(program.parent_path() / "assets");
    roots.push_back(program.parent_path().parent_path() / "share/ridgepoint");
    roots.push_back(program.parent_path().parent_path().parent_path() / "assets");
  }
#ifdef RIDGE_SOURCE_DIR
  roots.emplace_back(fs::path(RIDGE_SOURCE_DIR) / "assets");
#endif
  for (const fs::path& root : roots) {
    if (fs::is_directory(root / name, error)) return (root / name).string();
  }
  return {};
}

std::string title_of_run(const Run& run) {
  std::set<std::string> rungs;
  std::set<const Lab*> labs;
  const Lab* lab = nullptr;
  for (const Series& series : run.series()) {
    if (!series.stats && series.samples.empty()) continue;
    rungs.insert(series.kernel);
    const Lab* of = find_lab(series.lab);
    if (of) labs.insert(of);
    if (!lab) lab = of;
  }
  if (!lab && !run.comparisons().empty()) lab = find_lab(run.comparisons().front().lab);
  const auto counted = [](size_t count, const char* what) {
    return fmt::format(" · {} {}{}", count, what, count == 1 ? "" : "s");
  };
  const OwnSides own =
      lab || run.series().size() == 0 ? OwnSides() : own_sides(*run.series().begin());
  std::string title = lab ? lab->title : own.many.empty() ? "Run" : own.many;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  if (labs.size() > 1)
    title += fmt::format(" and {} more lab{}", labs.size() - 1, labs.size() == 2 ? "" : "s");
  if (!rungs.empty() && own.one.empty()) title += counted(rungs.size(), "rung");
  if (!rungs.empty() && !own.one.empty())
    title += fmt::format(" · {} {}", rungs.size(), rungs.size() == 1 ? own.one : own.many);
  if (!run.comparisons().empty()) title += counted(run.comparisons().size(), "comparison");
  return title;
}

namespace {

/// "gemm" of "…/gemm.h200.bf16.jsonl".
std::string lab_in_name(const Recording& recording) {
  const std::string name = fs::path(recording.path).filename().string();
  return name.substr(0, name.find('.'));
}

bool is_undisturbed(const Series& series) {
  const auto& stats = series.stats;
  return series.status == SeriesStatus::ok &&
         (!stats || std::count(stats->flags.begin(), stats->flags.end(), "contended") == 0);
}

/// Of each lab the machine with the most results that nothing disturbed comes first, so that a view of one machine shows the
/// fullest ladder.
void put_fullest_first(std::vector<Recording>* all) {
  std::map<std::pair<std::string, std::string>, int64_t> results;
  for (const Recording& one : *all) {
    for (const Series& series : one.run->series())
      results[{lab_in_name(one), one.machine}] += is_undisturbed(series);
  }
  std::stable_sort(all->begin(), all->end(), [&](const Recording& one, const Recording& other) {
    const std::string lab = lab_in_name(one), of = lab_in_name(other);
    if (lab != of) return lab < of;
    return results[{lab, one.machine}] > results[{of, other.machine}];
  });
}

}  // namespace

std::string cpu_name(const CpuInfo& cpu) {
  if (cpu.cores <= 0) return cpu.model;
  return fmt::format("{}, {} core{}", cpu.model, cpu.cores, cpu.cores == 1 ? "" : "s");
}

std::string machine_name(const Environment& environment) {
  return environment.gpus.empty() ? cpu_name(environment.cpu) : environment.machine();
}

std::vector<std::string> recording_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  if (folder.empty() || !fs::is_directory(folder, error)) return files;
  for (const fs::path& file : entries_of(folder)) {
    if (file.extension() == ".jsonl") files.push_back(file.string());
  }
  return files;
}

namespace {

Result<Recording> load_recording(const std::string& path, std::span<const RungHash> now) {
  RIDGE_TRY(Run read, load_saved(path, now));
  auto run = std::make_shared<const Run>(std::move(read));
  std::string machine =
      run->environment() ? machine_name(*run->environment()) : fs::path(path).stem().string();
  std::string title = title_of_run(*run);
  std::string stale = stale_text(*run);
  return Recording{path, std::move(machine), std::move(title), std::move(run), std::move(stale)};
}

}  // namespace

std::vector<Recording> load_recordings(const std::string& folder,
                                       std::vector<std::string>* problems,
                                       std::span<const RungHash> now) {
  std::vector<Recording> found;
  for (const std::string& path : recording_files(folder)) {
    auto recording = load_recording(path, now);
    if (recording)
      found.push_back(*std::move(recording));
    else if (problems)
      problems->push_back(recording.error().sentence());
  }
  put_fullest_first(&found);
  return found;
}

std::vector<Recording> load_all_recordings(std::vector<std::string>* problems,
                                           std::span<const RungHash> now) {
  std::vector<Recording> all = load_recordings(asset_folder("recorded"), problems, now);
  for (Recording& own : load_recordings(data_folder("recorded"), problems, now))
    all.push_back(std::move(own));
  return all;
}

// ---- one after the other -----------------------------------------------------------------------

RecordingShelf::RecordingShelf() {
  for (const std::string& folder : {asset_folder("recorded"), data_folder("recorded")}) {
    for (const std::string& path : recording_files(folder)) waiting_.push_back({folder, path});
  }
}

bool RecordingShelf::is_of(const std::string& path, const std::string& lab) {
  return fs::path(path).filename().string().starts_with(lab + ".");
}

size_t RecordingShelf::left(const std::string& lab) const {
  return static_cast<size_t>(std::count_if(
      waiting_.begin(), waiting_.end(), [&](const File& file) { return is_of(file.path, lab); }));
}

bool RecordingShelf::read_next(const std::string& lab, std::vector<std::string>* problems) {
  if (waiting_.empty()) return false;
  auto next = std::find_if(waiting_.begin(), waiting_.end(),
                           [&](const File& file) { return is_of(file.path, lab); });
  if (next == waiting_.end()) next = waiting_.begin();
  auto recording = load_recording(next->path, rung_hashes());
  if (recording)
    read_[next->folder].push_back(*std::move(recording));
  else if (problems)
    problems->push_back(recording.error().sentence());
  waiting_.erase(next);
  return true;
}

std::vector<Recording> RecordingShelf::all() const {
  std::vector<Recording> all;
  for (const std::string& folder : {asset_folder("recorded"), data_folder("recorded")}) {
    const auto read = read_.find(folder);
    if (read == read_.end()) continue;
    std::vector<Recording> of = read->second;
    std::sort(of.begin(), of.end(),
              [](const Recording& a, const Recording& b) { return a.path < b.path; });
    put_fullest_first(&of);
    all.insert(all.end(), of.begin(), of.end());
  }
  return all;
}

namespace {

bool has_result(const Series& series) {
  return series.stats || series.trap || !series.samples.empty() || !series.curve.empty();
}

/// The lab of a recording, as title_of_run() names it; null: of none of this build.
const Lab* lab_of(const Run& run) {
  for (const Series& series : run.series()) {
    if (const Lab* lab = has_result(series) ? find_lab(series.lab) : nullptr) return lab;
  }
  return run.comparisons().empty() ? nullptr : find_lab(run.comparisons().front().lab);
}

/// "CUDA cores" of the section "GPU, CUDA cores": the processor is the machine's.
std::string part_of(const std::string& section) {
  const size_t comma = section.find(", ");
  const std::string part = comma == std::string::npos ? "" : section.substr(comma + 2);
  return part == "GPU" || part == "CPU" ? "" : part;
}

void count_group(const Lab& lab, std::span<const Recording* const> files, RecordingGroup* group) {
  std::set<std::string> rungs, stale;
  for (const Recording* file : files) {
    group->paths.push_back(file->path);
    for (const Series& series : file->run->series()) {
      if (!has_result(series)) continue;
      rungs.insert(series.kernel);
      if (series.stale) stale.insert(series.kernel);
    }
    const auto& environment = file->run->environment();
    if (environment) group->day = std::max(group->day, environment->time_utc.substr(0, 10));
  }
  std::set<std::string> seen;
  std::string part;
  for (const Rung& rung : lab.rungs) {
    if (const Section* section = section_at(lab, rung)) part = part_of(section->title);
    if (!rungs.contains(rung.kernel)) continue;
    ++group->rungs;
    if (!part.empty() && seen.insert(part).second)
      group->parts += (group->parts.empty() ? "" : ", ") + part;
  }
  group->stale = ridge::stale_text(stale.size(), rungs.size(), "rung");
}

}  // namespace

std::vector<RecordingGroup> recording_groups(std::span<const Recording> recordings) {
  std::vector<RecordingGroup> groups;
  for (const Lab* lab : all_labs()) {
    std::map<std::string, std::vector<const Recording*>> by_machine;
    for (const Recording& recording : recordings) {
      if (lab_of(*recording.run) == lab) by_machine[recording.machine].push_back(&recording);
    }
    for (const auto& [machine, files] : by_machine) {
      RecordingGroup& group = groups.emplace_back();
      group.lab = lab->id;
      group.machine = machine;
      count_group(*lab, files, &group);
    }
  }
  return groups;
}

std::string stale_text(const Run& run) {
  std::set<std::string> rungs, stale;
  for (const Series& series : run.series()) {
    rungs.insert(series.kernel);
    if (series.stale) stale.insert(series.kernel);
  }
  return ridge::stale_text(stale.size(), rungs.size(), "rung");
}

// ---- the nearest result ------------------------------------------------------------------------

namespace {

constexpr const char* kThreads[] = {"threads"};

/// Sum over shared integer parameters of |ln(have / wanted)|; nullopt where a text parameter differs.
/// Threads of a recording say nothing about this machine's, so they do not count.
std::optional<double> size_distance(const Params& have, const Params& wanted) {
  double distance = 0;
  for (const auto& [name, value] : wanted) {
    const auto other = have.find(name);
    if (other == have.end() || name == "threads") continue;
    const auto* a = std::get_if<int64_t>(&value);
    const auto* b = std::get_if<int64_t>(&other->second);
    if (a && b && *a > 0 && *b > 0) {
      distance += std::abs(std::log(static_cast<double>(*a) / static_cast<double>(*b)));
    } else if (value != other->second) {
      return std::nullopt;
    }
  }
  return distance;
}

bool has_same(const Params& have, const Params& wanted, std::span<const char* const> names) {
  return std::all_of(names.begin(), names.end(), [&](const char* name) {
    const auto a = have.find(name), b = wanted.find(name);
    return a == have.end() || b == wanted.end() || a->second == b->second;
  });
}

}  // namespace

std::string size_difference(std::string_view lab, const Params& have, const Params& wanted,
                            const std::string& size) {
  Params::Map differing;
  for (const auto& [name, value] : wanted) {
    const auto other = have.find(name);
    if (other == have.end() || name == "threads" || other->second == value) continue;
    differing[name] = other->second;
  }
  const bool one_value = std::all_of(differing.begin(), differing.end(), [&](const auto& item) {
    return item.second == differing.begin()->second;
  });
  if (const auto at = differing.find(size); one_value && at != differing.end())
    differing = Params::Map{*at};
  return params_in_words(lab, differing);
}

Snapped nearest_series(const Run& run, const std::string& kernel, const Params& wanted,
                       const OpenEnum<CacheMode>& cache, std::span<const char* const> fixed) {
  Snapped best;
  double best_distance = 0;
  for (const Series* one : run.series_of_kernel(kernel)) {
    const Series& series = *one;
    if (series.cache != cache) continue;
    if (series.status != SeriesStatus::ok && series.status != SeriesStatus::failed) continue;
    const auto distance = size_distance(series.params, wanted);
    if (!distance || !has_same(series.params, wanted, fixed)) continue;
    // The newest result at a size counts, but the side of a comparison takes the place of none that was timed alone.
    const bool is_worse = best.series && *distance == best_distance && is_in_turns(run, series) &&
                          !is_in_turns(run, *best.series);
    if (!best.series || (*distance <= best_distance && !is_worse)) {
      best.series = &series;
      best_distance = *distance;
    }
  }
  if (best.series) {
    best.distance = best_distance;
    best.exact = best_distance == 0;
    if (!best.exact)
      best.shown_size =
          size_difference(best.series->lab, best.series->params, wanted, best.series->size_param);
  }
  return best;
}

namespace {

/// Trainings are compared over their seeds, whichever is chosen.
Params asked_of(const Comparison& comparison, Params wanted) {
  const auto seed = comparison.candidate_params.find("seed");
  if (comparison.trained && seed != comparison.candidate_params.end())
    wanted["seed"] = seed->second;
  return wanted;
}

}  // namespace

SnappedComparison nearest_comparison(const Run& run, const std::string& baseline,
                                     const std::string& candidate, const Params& wanted,
                                     const OpenEnum<CacheMode>& cache) {
  SnappedComparison best;
  double best_distance = 0;
  for (const Comparison& comparison : run.comparisons()) {
    if (is_self_check(comparison)) continue;
    if (comparison.baseline != baseline || comparison.candidate != candidate) continue;
    if (comparison.cache != cache) continue;
    const auto distance = size_distance(comparison.candidate_params, asked_of(comparison, wanted));
    if (!distance) continue;
    const bool is_nearer = !best.comparison || *distance < best_distance;
    const bool is_weightier =
        !is_nearer && *distance == best_distance && outweighs(comparison, *best.comparison);
    if (!is_nearer && !is_weightier) continue;
    best.comparison = &comparison;
    best_distance = *distance;
  }
  if (!best.comparison) return best;
  best.distance = best_distance;
  best.exact = best_distance == 0 && has_same(best.comparison->candidate_params,
                                              asked_of(*best.comparison, wanted), kThreads);
  if (best_distance > 0) {
    const Comparison& found = *best.comparison;
    best.shown_size = size_difference(found.lab, found.candidate_params, wanted, found.size_param);
  }
  return best;
}

SnappedComparison nearest_pair(const Run& run, const std::string& baseline,
                               const std::string& candidate, const Params& wanted,
                               const OpenEnum<CacheMode>& cache) {
  SnappedComparison direct = nearest_comparison(run, baseline, candidate, wanted, cache);
  SnappedComparison turned = nearest_comparison(run, candidate, baseline, wanted, cache);
  if (direct.exact)
    return turned.exact && !outweighs(*direct.comparison, *turned.comparison) ? turned : direct;
  return turned.exact || !direct.comparison ? turned : direct;
}

namespace {

std::string recorded_at(const Recording& recording) {
  return recording.run->environment() ? recording.run->environment()->time_utc : "";
}

/// A time of a rung in turns with another takes the place of none that was timed alone.
bool is_second(const Snapped& found) {
  return is_in_turns(*found.recording->run, *found.series);
}
bool is_second(const SnappedComparison&) {
  return false;
}

/// Over the recordings of the first machine where `find` finds something; `has` is its series or comparison.
template <class Found, class Find, class Has>
Found nearest_of(std::span<const Recording> recordings, const Find& find, const Has& has) {
  Found best;
  for (const Recording& recording : recordings) {
    if (best.recording && recording.machine != best.recording->machine) continue;
    Found found = find(recording);
    if (!has(found)) continue;
    found.recording = &recording;
    const auto rank = [&](const Found& one) {
      return std::make_tuple(one.distance, !one.exact, has(one)->stale, is_second(one));
    };
    const bool nearer = !best.recording || rank(found) < rank(best);
    const bool newer = best.recording && rank(found) == rank(best) &&
                       recorded_at(recording) > recorded_at(*best.recording);
    if (nearer || newer) best = std::move(found);
  }
  return best;
}

}  // namespace

std::string own_type(const Run* run, std::span<const Recording> recordings,
                     const std::string& kernel) {
  const auto type_in = [&](const Run& one) -> std::string {
    const KernelInfo* info = one.kernel(kernel);
    return info && !info->dtypes.empty() ? info->dtypes.front() : "";
  };
  std::string type = run ? type_in(*run) : "";
  for (size_t i = 0; type.empty() && i < recordings.size(); ++i) type = type_in(*recordings[i].run);
  return type;
}

namespace {

std::string without_marks(std::string name) {
  for (const char* mark : {"(R)", "(TM)", "(r)", "(tm)"}) {
    for (size_t at; (at = name.find(mark)) != std::string::npos;) name.erase(at, strlen(mark));
  }
  return name;
}

}  // namespace

std::string machine_in_words(const std::string& machine) {
  const std::string name = without_marks(machine);
  const size_t comma = std::min(name.find(", "), name.size());  // the cores follow
  std::string text;
  std::istringstream words(name.substr(0, comma));
  for (std::string word; words >> word;) {
    if (word == "@") break;  // a clock follows
    if (word == "Processor" || word == "CPU" || word.starts_with("HBM")) continue;
    text += (text.empty() ? "" : " ") + word;
  }
  return text.empty() ? machine : text + name.substr(comma);
}

std::string short_machine(const std::string& machine) {
  static const std::set<std::string> plain = {"Intel",     "AMD", "NVIDIA",  "Apple", "Ampere",
                                              "Processor", "CPU", "GeForce", "Core"};
  const std::string name = without_marks(machine);
  std::string text;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    if (word == "@") break;  // a clock follows
    const bool is_memory = word.ends_with("GB") || word.starts_with("HBM");
    if (plain.contains(word) || is_memory) continue;
    text += (text.empty() ? "" : " ") + word;
  }
  return text.empty() ? machine : text;
}

Snapped recorded_series(std::span<const Recording> recordings, const std::string& kernel,
                        const WantedOf& wanted, const OpenEnum<CacheMode>& cache,
                        std::span<const char* const> fixed) {
  return nearest_of<Snapped>(
      recordings,
      [&](const Recording& one) {
        // Most recordings hold no such rung; what is wanted takes longer to work out than that.
        if (one.run->series_of_kernel(kernel).empty()) return Snapped();
        return nearest_series(*one.run, kernel, wanted(*one.run), cache, fixed);
      },
      [](const Snapped& found) { return found.series; });
}

SnappedComparison recorded_comparison(std::span<const Recording> recordings,
                                      const std::string& baseline, const std::string& candidate,
                                      const WantedOf& wanted, const OpenEnum<CacheMode>& cache) {
  return nearest_of<SnappedComparison>(
      recordings,
      [&](const Recording& one) {
        return nearest_comparison(*one.run, baseline, candidate, wanted(*one.run), cache);
      },
      [](const SnappedComparison& found) { return found.comparison; });
}

RecordedAnswer recorded_answer(std::span<const Recording> recordings, const SeriesFacts& baseline,
                               const SeriesFacts& candidate, const OpenEnum<CacheMode>& cache,
                               const std::string& machine) {
  const auto find = [&](const SeriesFacts& from, const SeriesFacts& to) {
    const SnappedComparison found = nearest_of<SnappedComparison>(
        recordings,
        [&](const Recording& one) {
          const bool is_asked = machine.empty() || one.machine == machine;
          return is_asked ? nearest_comparison(*one.run, from.kernel, to.kernel, to.params, cache)
                          : SnappedComparison();
        },
        [](const SnappedComparison& one) { return one.comparison; });
    // The baseline may have run at other parameters than the result in view: in another type, say.
    const bool is_it = found.comparison && found.comparison->candidate_params == to.params &&
                       agrees(found.comparison->baseline_params, from.params);
    return is_it ? found : SnappedComparison();
  };
  const SnappedComparison straight = find(baseline, candidate);
  if (straight.comparison) return {*straight.comparison, straight.recording};
  const SnappedComparison reverse = find(candidate, baseline);
  if (!reverse.comparison || !can_turn(*reverse.comparison)) return {};
  return {turned_round(*reverse.comparison), reverse.recording};
}

namespace {

bool is_library(const std::string& kernel) {
  const Rung* rung = rung_of(kernel);
  return rung && rung->peer;
}

}  // namespace

RecordedPair recorded_sustained(std::span<const Recording> recordings, const std::string& machine,
                                const Comparison& pair) {
  RecordedPair found;
  for (const Recording& recording : recordings) {
    if (recording.machine != machine) continue;
    for (const Comparison& one : recording.run->comparisons()) {
      const bool is_point = one.candidate == pair.candidate && one.cache == pair.cache &&
                            one.candidate_params == pair.candidate_params &&
                            one.baseline_params == pair.baseline_params;
      if (!is_point || one.sustained.empty() || one.stale || is_cancelled(one)) continue;
      if (one.baseline == pair.baseline) return {&one, &recording};
      if (is_library(one.baseline) && is_library(pair.baseline)) found = {&one, &recording};
    }
  }
  return found;
}

}  // namespace ridge::app
