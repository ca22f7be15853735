#include "app/cli/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/driver.h"
#include "app/query/compact.h"
#include "app/query/editing.h"
#include "app/query/lanes_text.h"
#include "app/query/recording_check.h"
#include "app/query/results.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "app/query/workload.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/view/report/decision.h"

namespace ridge::app {
namespace {

constexpr double kPass_s = 0.4, kCompare_s = 0.8, kWarmup_s = 0.05;
constexpr double kEnergyPass_s =
    0.8;                           // eight ticks of a counter that is renewed ten times a second
constexpr double kPipeline_s = 6;  // its pass holds the rounds with its stages: its own comparison
constexpr double kTrap_s = 6;      // enough rounds for an interval that decides
constexpr double kTraining_calls = 100;  // all epochs of its point: PyTorch was cut off at 0.4 s
/// Sides that differ by less may change places: libraries when alone, rungs of ours from run to run.
constexpr double kNear = 0.04;
constexpr int kMostLosses = 3;

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// `size` is the lab's size parameter.
Result<Params> params_of(const std::string& point, const std::string& dtype,
                         const std::string& size) {
  std::vector<std::string> settings;
  if (point != "-") settings = split_at(point, ',');
  if (settings.size() == 1 && settings[0].find('=') == std::string::npos) {
    settings[0] = size + "=" + settings[0];
  }
  if (!dtype.empty()) settings.push_back("dtype=" + dtype);
  return parse_params(settings);
}

/// "workload=resnet50,n=64" as the points of the workload's parts, each with the settings behind its name; another point
/// as it is.
Result<std::vector<std::string>> expanded(const Lab& lab, const std::vector<std::string>& points) {
  constexpr std::string_view kName = "workload=";
  std::vector<std::string> all;
  for (const std::string& point : points) {
    if (!point.starts_with(kName)) {
      all.push_back(point);
      continue;
    }
    const size_t end = std::min(point.find(','), point.size());
    RIDGE_TRY(const Workload* workload,
              require_workload(lab, point.substr(kName.size(), end - kName.size())));
    for (const WorkloadPart& part : workload->parts) {
      std::string settings;
      for (const auto& [name, value] : part.params)
        settings += (settings.empty() ? "" : ",") + name + "=" + to_string(value);
      all.push_back(settings + point.substr(end));
    }
  }
  return all;
}

/// Whether `all` has each of `some`.
bool holds(const Params& all, const Params& some) {
  return std::all_of(some.begin(), some.end(), [&](const auto& param) {
    const auto at = all.find(param.first);
    return at != all.end() && at->second == param.second;
  });
}

using Rungs = std::vector<const Rung*>;

class Recorder {
 public:
  Recorder(const Lab& lab, const RecordPlan& plan, const CommonOptions& common)
      : lab_(lab), plan_(plan), common_(common) {}

  Result<void> record() {
    RIDGE_TRY(driver_, Driver::start(common_, plan_.out));
    RIDGE_TRY_VOID(driver_->fetch_catalogue());
    const auto done = measure();
    const auto closed = driver_->close_file(true);
    if (!closed) return closed.error();
    if (!done) {
      if (has_result()) RIDGE_TRY_VOID(compact(plan_.out));
      return done.error();
    }
    if (!has_result()) {
      return Error{ErrorCode::unavailable, "none of its rungs ran on this machine",
                   std::string("lab ") + lab_.id,
                   "see 'ridgepoint list LAB' for what can run here"};
    }
    return compact(plan_.out);
  }

  std::string text() const {
    if (!driver_) return "";
    std::string text =
        environment_text(driver_->run()) + "\n" + ceilings_text(driver_->run()) + "\n";
    for (const Series& series : driver_->run().series()) text += text_of(series);
    for (const Comparison& one : driver_->run().comparisons()) text += text_of(one);
    for (const Inspection& look : driver_->run().inspections()) {
      if (look.lanes)
        text += fmt::format("{} {}: {}; {}\n", look.kernel, to_string(look.params),
                            share_text(*look.lanes), cost_text(*look.lanes));
    }
    for (const std::string& out : left_out_) text += "left out: " + out + "\n";
    return text;
  }

 private:
  Result<void> measure() {
    std::string size;
    for (const Rung& rung : lab_.rungs) {
      if (size.empty()) size = driver_->run().size_param(rung.kernel);
    }
    std::vector<std::string> dtypes = plan_.dtypes;
    if (dtypes.empty()) dtypes.emplace_back();
    RIDGE_TRY(const std::vector<std::string> points, expanded(lab_, plan_.points));
    RIDGE_TRY(energy_points_, expanded(lab_, plan_.energy));
    for (const std::string& point : points) {
      for (const std::string& dtype : dtypes) {
        RIDGE_TRY(const Params params, params_of(point, dtype, size));
        RIDGE_TRY_VOID(record_point(params, point, dtype));
        if (plan_.lanes) RIDGE_TRY_VOID(record_lanes(params, name_of(point, dtype), dtype));
      }
    }
    for (const std::string& point : plan_.sustained) {
      if (std::count(plan_.points.begin(), plan_.points.end(), point) > 0) continue;
      for (const std::string& dtype : dtypes) {
        RIDGE_TRY(const Params params, params_of(point, dtype, size));
        RIDGE_TRY_VOID(record_sustained(params, name_of(point, dtype), dtype));
      }
    }
    return record_counts();
  }

  /// A puzzle's reference is counted, on whatever machine this is: lessons quote it.
  Result<void> record_counts() {
    for (const Exercise& one : known_exercises()) {
      if (!one.is_puzzle() || one.lab != lab_.id) continue;
      WorkRequest request;
      request.type = RequestType::count;
      request.kernels.push_back({one.kernel, {}});
      RIDGE_TRY_VOID(carry_out(std::move(request), one.kernel + " counted"));
    }
    return {};
  }

  static std::string name_of(const std::string& point, const std::string& dtype) {
    return dtype.empty() ? point : point + " " + dtype;
  }

  /// One look at each rung whose warps can be stamped.
  Result<void> record_lanes(const Params& params, const std::string& name,
                            const std::string& dtype) {
    RIDGE_TRY(const Rungs rungs, rungs_for(params, name, dtype));
    for (const Rung* rung : rungs) {
      if (!driver_->run().kernel(rung->kernel)->stamped) continue;
      WorkRequest request;
      request.type = RequestType::inspect;
      RIDGE_TRY_VOID(add(*rung, params, &request));
      RIDGE_TRY_VOID(
          carry_out(std::move(request), fmt::format("lanes of {} at {}", rung->kernel, name)));
    }
    return {};
  }

  /// Of a point whose rungs stand in another recording the sustained turns alone.
  Result<void> record_sustained(const Params& params, const std::string& name,
                                const std::string& dtype) {
    RIDGE_TRY(const Rungs rungs, rungs_for(params, name, dtype));
    RIDGE_TRY(const Rung* peer, fastest_peer(rungs, params, name));
    if (!peer) return {};
    return compare_sustained(*peer, rungs, params, name);
  }

  /// The rungs of this type at this point in one run; then of each problem all rungs in turns, ours against a faster
  /// library in a process of its own, and ours in sustained turns.
  Result<void> record_point(const Params& params, const std::string& point,
                            const std::string& dtype) {
    const std::string name = name_of(point, dtype);
    RIDGE_TRY(Rungs rungs, rungs_for(params, name, dtype));
    const bool energy = std::count(energy_points_.begin(), energy_points_.end(), point) > 0;
    RIDGE_TRY_VOID(run(rungs, params, name, energy));
    std::erase_if(rungs, [&](const Rung* rung) { return !is_timed(*rung, params); });
    const bool sustained = std::count(plan_.sustained.begin(), plan_.sustained.end(), point) > 0;
    for (const Rungs& problem : groups_of(rungs, family_of_rung)) {
      Rungs libraries;
      const auto type_of = [&](const Rung* rung) { return type_at(*rung, params); };
      for (const Rungs& of_type : groups_of(problem, type_of)) {
        RIDGE_TRY(const Rung* fastest, fastest_peer(of_type, params, name));
        if (fastest) libraries.push_back(fastest);
      }
      RIDGE_TRY_VOID(take_turns(libraries, problem, params, name));
      RIDGE_TRY_VOID(compare_steps_outside(problem, params, name));
      RIDGE_TRY_VOID(compare_external(problem, params, name));
      if (!sustained || libraries.empty()) continue;
      // The fastest of one type is known already; of several types their fastest ones meet.
      RIDGE_TRY(const Rung* peer, fastest_peer(libraries, params, name));
      RIDGE_TRY_VOID(compare_sustained(*peer, problem, params, name));
    }
    return {};
  }

  /// Those of which `key` is one, in the lab's order.
  template <typename Key>
  static std::vector<Rungs> groups_of(const Rungs& rungs, Key key) {
    std::vector<Rungs> groups;
    for (const Rung* rung : rungs) {
      const auto found = std::find_if(groups.begin(), groups.end(), [&](const Rungs& group) {
        return key(group.front()) == key(rung);
      });
      if (found == groups.end())
        groups.push_back({rung});
      else
        found->push_back(rung);
    }
    return groups;
  }

  /// Rungs of one family solve one problem: only they can be compared.
  static std::string_view family_of_rung(const Rung* rung) { return family_of(rung->kernel); }

  /// The nearest rung below it in the ladder that is recorded too; null where there is none.
  const Rung* previous_among(const Rungs& rungs, const Rung& rung) const {
    const Rung* before = previous_rung(lab_, rung);
    while (before && std::find(rungs.begin(), rungs.end(), before) == rungs.end())
      before = previous_rung(lab_, *before);
    return before;
  }

  std::string type_at(const Rung& rung, const Params& params) const {
    const Series* series = latest(rung, params);
    return series ? dtype_of(*series) : "";
  }

  /// The library of the rung's own type, else the fastest by its run.
  const Rung* library_for(const Rung& rung, const Rungs& libraries, const Params& params) const {
    const auto same = std::find_if(libraries.begin(), libraries.end(), [&](const Rung* library) {
      return type_at(*library, params) == type_at(rung, params);
    });
    if (libraries.empty()) return nullptr;
    if (same != libraries.end()) return *same;
    return *std::min_element(libraries.begin(), libraries.end(), [&](const Rung* a, const Rung* b) {
      return median_ns(*a, params) < median_ns(*b, params);
    });
  }

  /// The fastest library of each type and all rungs in rounds that hold every one of them: each against the library of
  /// its type, and each against the one before it. So their times and ratios are of one state of the machine, and a
  /// quotient of two times is near their ratio. The times then stand in the rungs' results (compact.h).
  Result<void> take_turns(const Rungs& libraries, Rungs rungs, const Params& params,
                          const std::string& name) {
    const auto is_first = [&](const Rung* rung) {
      return std::find(libraries.begin(), libraries.end(), rung) != libraries.end();
    };
    std::erase_if(rungs, [&](const Rung* rung) { return is_first(rung) || is_external(*rung); });
    rungs.insert(rungs.begin(), libraries.begin(), libraries.end());
    if (rungs.size() < 2) return {};
    rungs.resize(std::min(rungs.size(), kMostSides));
    const int count = static_cast<int>(rungs.size());
    const auto place_of = [&](const Rung* rung) {
      return static_cast<int>(std::find(rungs.begin(), rungs.end(), rung) - rungs.begin());
    };
    WorkRequest request;
    request.sustained = false;
    for (int side = 1; side < count; ++side) {
      const Rung* rung = rungs[static_cast<size_t>(side)];
      const Rung* library = is_first(rung) ? nullptr : library_for(*rung, libraries, params);
      if (library) request.pairs.push_back({place_of(library), side});
      const Rung* before = rung->peer ? nullptr : previous_among(rungs, *rung);
      if (before) request.pairs.push_back({place_of(before), side});
    }
    if (request.pairs.empty()) return {};
    request.limit_s = kCompare_s * static_cast<double>(request.pairs.size());
    return compare(std::move(request), rungs, params,
                   fmt::format("{} rungs in turns at {}", count, name));
  }

  /// A rung of ours that starts processes of its own, as ranks do: what takes turns in no round of many sides meets the
  /// rung before it alone.
  Result<void> compare_steps_outside(const Rungs& rungs, const Params& params,
                                     const std::string& name) {
    for (const Rung* rung : rungs) {
      if (rung->peer || !is_external(*rung)) continue;
      const Rung* before = previous_among(rungs, *rung);
      if (before) RIDGE_TRY_VOID(compare(*before, {rung}, params, name));
    }
    return {};
  }

  /// A library in a process of its own cannot take turns within a round of many sides: where it is the fastest one by
  /// its run, ours meets it alone.
  Result<void> compare_external(const Rungs& rungs, const Params& params, const std::string& name) {
    const Rung* fastest = nullptr;
    for (const Rung* rung : rungs) {
      if (rung->peer && (!fastest || median_ns(*rung, params) < median_ns(*fastest, params)))
        fastest = rung;
    }
    const Rung* own = best_own(rungs, params);
    if (!fastest || !own || !is_external(*fastest)) return {};
    return compare(*fastest, {own}, params, name);
  }

  /// The last of our own rungs that is as fast as the fastest of them: a ladder may end on a rung for other shapes.
  const Rung* best_own(const Rungs& rungs, const Params& params) const {
    double least_ns = std::numeric_limits<double>::infinity();
    const Rung* best = nullptr;
    for (const Rung* rung : rungs) {
      if (!rung->peer) least_ns = std::min(least_ns, median_ns(*rung, params));
    }
    for (const Rung* rung : rungs) {
      if (!rung->peer && median_ns(*rung, params) <= least_ns * (1 + kNear)) best = rung;
    }
    return best;
  }

  /// Infinite where this recording has no time of it.
  double median_ns(const Rung& rung, const Params& params) const {
    const Series* series = latest(rung, params);
    return series && series->stats ? series->stats->median_ns
                                   : std::numeric_limits<double>::infinity();
  }

  /// Ours against the library that won in turns, and against those that came near: alone, one of them may win. So may
  /// ours against a step that is ahead of it at one clock, and that takes part.
  Result<void> compare_sustained(const Rung& peer, const Rungs& rungs, const Params& params,
                                 const std::string& name) {
    const Rung* own = best_own(rungs, params);
    Rungs others;
    for (const Rung* rung : rungs) {
      if (rung->peer && rung != &peer && !is_external(*rung) && is_near(*rung, peer, params))
        others.push_back(rung);
    }
    if (!own) return {};
    const Rung* before = previous_among(rungs, *own);
    if (before && in_turns(*own, *before, params).value_or(1) < 1) others.push_back(before);
    others.push_back(own);
    return compare(peer, others, params, name + ", sustained", true);
  }

  /// How many times as fast `rung` is, by the latest comparison of the two here.
  std::optional<double> in_turns(const Rung& rung, const Rung& other, const Params& params) const {
    for (auto one = driver_->run().comparisons().rbegin();
         one != driver_->run().comparisons().rend(); ++one) {
      const bool straight = one->candidate == rung.kernel && one->baseline == other.kernel;
      const bool turned = one->candidate == other.kernel && one->baseline == rung.kernel;
      if ((!straight && !turned) || !holds(one->candidate_params, params)) continue;
      return straight ? one->ratio : 1 / one->ratio;
    }
    return {};
  }

  bool is_near(const Rung& rung, const Rung& winner, const Params& params) const {
    const std::optional<double> ratio = in_turns(rung, winner, params);
    return !ratio || std::fabs(std::log(*ratio)) < kNear;
  }

  bool wanted(const Rung& rung) const {
    return plan_.rungs.empty() ||
           std::any_of(plan_.rungs.begin(), plan_.rungs.end(), [&](const std::string& part) {
             return std::string_view(rung.kernel).find(part) != std::string_view::npos;
           });
  }

  /// The GPU rungs that have this type here and are fast enough, by the worker's estimate.
  Result<Rungs> rungs_for(const Params& params, const std::string& name, const std::string& dtype) {
    Rungs rungs;
    WorkRequest probe;
    probe.type = RequestType::probe;
    for (const Rung& rung : lab_.rungs) {
      const KernelInfo* info = driver_->run().kernel(rung.kernel);
      if (backend_of(rung.kernel) != plan_.backend || !info || !info->available || !wanted(rung))
        continue;
      const auto& types = info->dtypes;
      if (!dtype.empty() && std::count(types.begin(), types.end(), dtype) == 0) continue;
      if (!add(rung, params, &probe)) continue;  // its family has no such parameter
      rungs.push_back(&rung);
    }
    if (rungs.empty()) return rungs;
    int64_t id = 0;
    RIDGE_TRY_VOID(driver_->carry_out(std::move(probe), &id));
    for (const Estimate& estimate : driver_->run().estimates()) {
      if (estimate.request != id || !(estimate.call_ns > plan_.longest_s * 1e9)) continue;
      left_out_.push_back(fmt::format("{} at {}, too slow", estimate.kernel, name));
      std::erase_if(rungs, [&](const Rung* rung) { return rung->kernel == estimate.kernel; });
    }
    return rungs;
  }

  Result<void> run(const Rungs& rungs, const Params& params, const std::string& name, bool energy) {
    WorkRequest request;
    request.type = RequestType::run;
    double limit_s = energy ? kEnergyPass_s : kPass_s;
    for (const Rung* rung : rungs) {
      const OpenEnum<RungKind>& kind = driver_->run().kernel(rung->kernel)->kind;
      limit_s = std::max(limit_s, kind == RungKind::pipeline   ? kPipeline_s
                                  : kind == RungKind::trap     ? kTrap_s
                                  : kind == RungKind::training ? kTraining_calls * plan_.longest_s
                                                               : 0);
    }
    request.limit_s = limit_s;
    request.energy = request.counters = energy;
    for (const Rung* rung : rungs) RIDGE_TRY_VOID(add(*rung, params, &request));
    if (request.kernels.empty()) return {};
    return carry_out(std::move(request), fmt::format("{} {} at {}", rungs.size(),
                                                     rungs.size() == 1 ? "rung" : "rungs", name));
  }

  /// Only kernels are recorded in pairs: traps and pipelines have figures of their own.
  bool is_timed(const Rung& rung, const Params& params) const {
    const Series* series = latest(rung, params);
    return series && series->stats && series->kind == RungKind::kernel;
  }

  /// Another process cannot take turns within a round.
  bool is_external(const Rung& rung) const {
    const KernelInfo* info = driver_->run().kernel(rung.kernel);
    return info != nullptr && info->external;
  }

  Result<void> compare(const Rung& baseline, const Rungs& candidates, const Params& params,
                       const std::string& name, bool sustained = false) {
    WorkRequest request;
    request.limit_s = kCompare_s;
    request.sustained = sustained;
    Rungs sides = candidates;
    sides.insert(sides.begin(), &baseline);
    const char* others = candidates.size() == 1 ? candidates.front()->kernel : "all others";
    return compare(std::move(request), sides, params,
                   fmt::format("{} and {} at {}", baseline.kernel, others, name));
  }

  Result<void> compare(WorkRequest request, const Rungs& sides, const Params& params,
                       const std::string& what) {
    request.type = RequestType::compare;
    for (const Rung* side : sides) RIDGE_TRY_VOID(add(*side, params, &request));
    return carry_out(std::move(request), what);
  }

  Result<void> add(const Rung& rung, const Params& params, WorkRequest* request) {
    RIDGE_TRY(KernelRequest kernel, select_side(lab_, driver_->run(), rung.kernel, params));
    request->kernels.push_back(std::move(kernel));
    return {};
  }

  /// A rung that fails its check is part of the record; a lost worker is started again, thrice.
  Result<void> carry_out(WorkRequest request, const std::string& what) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (spent.count() > plan_.budget_s) {
      left_out_.push_back(what + ", time over");
      return {};
    }
    complain(fmt::format("{:4.0f} s  {}", spent.count(), what));
    request.lab = lab_.id;
    request.warmup_s = kWarmup_s;
    request.anew = true;
    RIDGE_TRY_VOID(driver_->fetch_sources(request.kernels));
    const auto done = driver_->carry_out(std::move(request), &last_request_);
    if (done || done.error().code == ErrorCode::invalid) return {};
    left_out_.push_back(what + ": " + done.error().sentence());
    const bool lost = done.error().code == ErrorCode::worker;
    return lost && ++losses_ > kMostLosses ? done : Result<void>();
  }

  const Series* latest(const Rung& rung, const Params& params) const {
    const Series* found = nullptr;
    for (const Series& series : driver_->run().series()) {
      if (series.kernel != rung.kernel || series.mode != RunMode::measure) continue;
      if (holds(series.params, params)) found = &series;
    }
    return found;
  }

  /// The libraries in pairs, and of them the one that wins: medians of runs one after the other do
  /// not settle it. Null where there is none.
  Result<const Rung*> fastest_peer(const Rungs& rungs, const Params& params,
                                   const std::string& name) {
    Rungs peers;
    for (const Rung* rung : rungs) {
      if (rung->peer && !is_external(*rung)) peers.push_back(rung);
    }
    if (peers.empty()) return static_cast<const Rung*>(nullptr);
    if (peers.size() == 1) return peers.front();
    RIDGE_TRY_VOID(compare(*peers.front(), {peers.begin() + 1, peers.end()}, params, name));
    const std::string winner = fastest_side(driver_->run(), last_request_);
    const auto found = std::find_if(peers.begin(), peers.end(),
                                    [&](const Rung* peer) { return winner == peer->kernel; });
    return found == peers.end() ? peers.front() : *found;
  }

  bool has_result() const {
    const auto& all = driver_->run().series();
    return std::any_of(all.begin(), all.end(), [](const Series& series) {
      return series.stats || series.trap || series.status == SeriesStatus::ok;
    });
  }

  std::string text_of(const Series& series) const {
    if (series.mode != RunMode::measure) return "";
    const std::string name = fmt::format("{:<32} {:<40}", series.kernel, to_string(series.params));
    if (!series.stats)
      return fmt::format("{} {}: {}\n", name, to_string(series.status), series.reason);
    const bool checked = !series.checks.empty();
    const auto rate = throughput_of(series);
    return fmt::format(
        "{} {:>10} {:>14}  nmse {:.2g} of {:.2g}\n", name, format_time_ns(series.stats->median_ns),
        rate ? format_rate(rate->value,
                           unit_in_words(lab_, unit_in_type(rate->unit, series), series.kernel))
             : "",
        checked ? series.checks.back().nmse : 0, checked ? series.checks.back().nmse_limit : 0);
  }

  static std::string text_of(const Comparison& one) {
    return fmt::format("{:<32} against {:<32} {:<40} {:.4f} [{:.4f}, {:.4f}] {} rounds {}\n",
                       one.candidate, one.baseline, to_string(one.candidate_params), one.ratio,
                       one.ci ? one.ci->low : 0, one.ci ? one.ci->high : 0, one.rounds,
                       one.reasons.empty() ? "" : one.reasons.front());
  }

  const Lab& lab_;
  const RecordPlan& plan_;
  const CommonOptions& common_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<Driver> driver_;
  std::vector<std::string> energy_points_;
  std::vector<std::string> left_out_;
  int losses_ = 0;
  int64_t last_request_ = 0;
};

}  // namespace

Result<void> may_record(const std::string& commit, const std::string& path, bool dirty) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(fs::absolute(path, ignored), ignored).parent_path();
  const bool ships = folder.filename() == "recorded" && folder.parent_path().filename() == "assets";
  if (dirty || !ships || is_clean_commit(commit)) return {};
  return Error{ErrorCode::usage,
               "this program was built from commit '" + commit + "', which names no source", path,
               "commit and build again, or say --dirty"};
}

Result<void> may_contribute(const std::string& commit, bool dirty) {
  if (dirty || is_clean_commit(commit)) return {};
  return Error{ErrorCode::usage,
               "this program was built from commit '" + commit + "', which names no source",
               "ridgepoint record --contribute", "build a commit as it is, or say --dirty"};
}

Result<std::string> record(const Lab& lab, const RecordPlan& plan, const CommonOptions& common) {
  Recorder recorder(lab, plan, common);
  RIDGE_TRY_VOID(recorder.record());
  return recorder.text();
}

}  // namespace ridge::app
