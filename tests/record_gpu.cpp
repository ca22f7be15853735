// ridge-record LAB OUT.jsonl SECONDS [--dtypes a,b] [--rungs a,b] [--energy POINT] [--sustained POINT]
// POINT...: what tests/gpu records on a GPU machine, in one session: every GPU rung of the lab at every
// point in every data type it has, then the libraries in pairs, and each kernel against the one before
// it and against the library that won. A point is a size (a number), settings ("m=1000,n=777") or "-",
// the lab's own defaults. One session and not one command each, so that ceilings and awkward shapes are
// measured once. An energy pass takes as long as four others, and sustained turns most of a minute a
// pair: only the points that are named have them. Elsewhere a held clock is said.
//
// No new measurement is begun once SECONDS are over, and none whose call would pass kSlowest_s;
// what was left out is said. The file is then made smaller (compact.h): results stay, samples go.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/cli/driver.h"
#include "app/query/results.h"
#include "app/query/selection.h"
#include "common/record/params.h"
#include "common/view/report/decision.h"
#include "labs/lab.h"
#include "tests/compact.h"

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr double kPass_s = 0.4, kCompare_s = 0.8, kWarmup_s = 0.05, kSlowest_s = 0.3;
constexpr double kPipeline_s = 6;   // its pass holds the rounds with its stages: its own comparison
constexpr double kTraining_s = 60;  // all epochs of its point: PyTorch was cut off at 0.4 s
constexpr int kMostLosses = 3;
constexpr size_t kMaxCandidates = 9;  // sides of a round are digits

struct Plan {
  std::string out;
  double budget_s = 0;
  std::vector<std::string> dtypes;  ///< empty: each rung's own
  std::vector<std::string> rungs;   ///< parts of ids; empty: all rungs
  std::vector<std::string> energy;  ///< the points that have an energy pass
  std::vector<std::string>
      sustained;  ///< the points whose last rung meets the libraries in sustained turns
  std::vector<std::string> points;
};

std::vector<std::string> split(const std::string& text, char separator) {
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
  if (point != "-") settings = split(point, ',');
  if (settings.size() == 1 && settings[0].find('=') == std::string::npos) {
    settings[0] = size + "=" + settings[0];
  }
  if (!dtype.empty()) settings.push_back("dtype=" + dtype);
  return parse_params(settings);
}

bool on_gpu(const Rung& rung) {
  return std::string_view(rung.kernel).find(".cuda.") != std::string_view::npos;
}

class Recorder {
 public:
  Recorder(const Lab& lab, const Plan& plan) : lab_(lab), plan_(plan) {}

  Result<void> record() {
    RIDGE_TRY(driver_, Driver::start({}, plan_.out));
    RIDGE_TRY_VOID(driver_->fetch_catalogue());
    const auto done = measure();
    const auto closed = driver_->close_file();
    RIDGE_TRY_VOID(done);
    if (!closed) return closed.error();
    return tests::compact(plan_.out);
  }

  void print() const {
    if (!driver_) return;
    std::printf("%s\n%s\n", environment_text(driver_->run()).c_str(),
                ceilings_text(driver_->run()).c_str());
    for (const Series& series : driver_->run().series()) print_series(series);
    for (const Comparison& one : driver_->run().comparisons()) print_comparison(one);
    for (const std::string& text : left_out_) std::printf("left out: %s\n", text.c_str());
  }

 private:
  Result<void> measure() {
    std::string size;
    for (const Rung& rung : lab_.rungs) {
      if (size.empty()) size = driver_->run().size_param(rung.kernel);
    }
    std::vector<std::string> dtypes = plan_.dtypes;
    if (dtypes.empty()) dtypes.emplace_back();
    for (const std::string& point : plan_.points) {
      for (const std::string& dtype : dtypes) {
        RIDGE_TRY(const Params params, params_of(point, dtype, size));
        RIDGE_TRY_VOID(record_point(params, point, dtype));
      }
    }
    return {};
  }

  /// The rungs of this type at this point in one run; the fastest library against all others, whose
  /// rounds hold every side; each rung against the one before; and the last one in sustained turns.
  Result<void> record_point(const Params& params, const std::string& point,
                            const std::string& dtype) {
    const std::string name = dtype.empty() ? point : point + " " + dtype;
    RIDGE_TRY(std::vector<const Rung*> rungs, rungs_for(params, name, dtype));
    RIDGE_TRY_VOID(
        run(rungs, params, name, std::count(plan_.energy.begin(), plan_.energy.end(), point) > 0));
    std::erase_if(rungs, [&](const Rung* rung) { return !is_timed(*rung, params); });
    RIDGE_TRY(const Rung* peer, fastest_peer(rungs, params, name));
    if (peer) {
      std::vector<const Rung*> others = rungs;
      std::erase_if(others, [&](const Rung* rung) { return rung == peer || is_external(*rung); });
      for (size_t at = 0; at < others.size(); at += kMaxCandidates) {
        const std::vector<const Rung*> some(
            others.begin() + std::ptrdiff_t(at),
            others.begin() + std::ptrdiff_t(std::min(at + kMaxCandidates, others.size())));
        RIDGE_TRY_VOID(compare(*peer, some, params, name));
      }
    }
    for (const Rung* rung : rungs) {
      if (rung->peer) continue;
      const Rung* before = previous_rung(lab_, *rung);
      while (before && std::find(rungs.begin(), rungs.end(), before) == rungs.end())
        before = previous_rung(lab_, *before);
      if (before) RIDGE_TRY_VOID(compare(*before, {rung}, params, name));
    }
    const bool sustained = std::count(plan_.sustained.begin(), plan_.sustained.end(), point) > 0;
    if (sustained && peer) return compare_sustained(*peer, rungs, params, name);
    return {};
  }

  /// The last of our own rungs against the library that won in turns: alone another may win.
  Result<void> compare_sustained(const Rung& peer, const std::vector<const Rung*>& rungs,
                                 const Params& params, const std::string& name) {
    const Rung* last = nullptr;
    std::vector<const Rung*> others;
    for (const Rung* rung : rungs) {
      if (!rung->peer) last = rung;
      if (rung->peer && rung != &peer && !is_external(*rung)) others.push_back(rung);
    }
    if (!last) return {};
    others.push_back(last);
    return compare(peer, others, params, name + ", sustained", true);
  }

  bool wanted(const Rung& rung) const {
    return plan_.rungs.empty() ||
           std::any_of(plan_.rungs.begin(), plan_.rungs.end(), [&](const std::string& part) {
             return std::string_view(rung.kernel).find(part) != std::string_view::npos;
           });
  }

  /// The GPU rungs that have this type here and are fast enough, by the worker's estimate.
  Result<std::vector<const Rung*>> rungs_for(const Params& params, const std::string& name,
                                             const std::string& dtype) {
    std::vector<const Rung*> rungs;
    WorkRequest probe;
    probe.type = RequestType::probe;
    for (const Rung& rung : lab_.rungs) {
      const KernelInfo* info = driver_->run().kernel(rung.kernel);
      if (!on_gpu(rung) || !info || !info->available || !wanted(rung)) continue;
      const auto& types = info->dtypes;
      if (!dtype.empty() && std::count(types.begin(), types.end(), dtype) == 0) continue;
      if (!add(rung, params, &probe)) continue;  // its family has no such parameter
      rungs.push_back(&rung);
    }
    if (rungs.empty()) return rungs;
    int64_t id = 0;
    RIDGE_TRY_VOID(driver_->carry_out(std::move(probe), &id));
    for (const Estimate& estimate : driver_->run().estimates()) {
      if (estimate.request != id || !(estimate.call_ns > kSlowest_s * 1e9)) continue;
      left_out_.push_back(fmt::format("{} at {}, too slow", estimate.kernel, name));
      std::erase_if(rungs, [&](const Rung* rung) { return rung->kernel == estimate.kernel; });
    }
    return rungs;
  }

  Result<void> run(const std::vector<const Rung*>& rungs, const Params& params,
                   const std::string& name, bool energy) {
    WorkRequest request;
    request.type = RequestType::run;
    double limit_s = kPass_s;
    for (const Rung* rung : rungs) {
      const OpenEnum<RungKind>& kind = driver_->run().kernel(rung->kernel)->kind;
      limit_s = std::max(limit_s, kind == RungKind::pipeline   ? kPipeline_s
                                  : kind == RungKind::training ? kTraining_s
                                                               : 0);
    }
    request.limit_s = limit_s;
    request.energy = energy;
    for (const Rung* rung : rungs) RIDGE_TRY_VOID(add(*rung, params, &request));
    if (request.kernels.empty()) return {};
    return carry_out(std::move(request), fmt::format("{} rungs at {}", rungs.size(), name));
  }

  /// Only kernels are compared in pairs: traps and pipelines have figures of their own.
  bool is_timed(const Rung& rung, const Params& params) const {
    const Series* series = latest(rung, params);
    return series && series->stats && series->kind == RungKind::kernel;
  }

  /// Another process cannot take turns within a round: it is compared on its own, by hand.
  bool is_external(const Rung& rung) const {
    const KernelInfo* info = driver_->run().kernel(rung.kernel);
    return info != nullptr && info->external;
  }

  Result<void> compare(const Rung& baseline, const std::vector<const Rung*>& candidates,
                       const Params& params, const std::string& name, bool sustained = false) {
    WorkRequest request;
    request.type = RequestType::compare;
    request.limit_s = kCompare_s;
    request.sustained = sustained;
    RIDGE_TRY_VOID(add(baseline, params, &request));
    for (const Rung* candidate : candidates) RIDGE_TRY_VOID(add(*candidate, params, &request));
    return carry_out(
        std::move(request),
        fmt::format("{} and {} at {}", baseline.kernel,
                    candidates.size() == 1 ? candidates.front()->kernel : "all others", name));
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
    std::printf("%4.0f s  %s\n", spent.count(), what.c_str());
    std::fflush(stdout);
    request.lab = lab_.id;
    request.warmup_s = kWarmup_s;
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
      const bool same = std::all_of(params.begin(), params.end(), [&](const auto& param) {
        const auto at = series.params.find(param.first);
        return at != series.params.end() && at->second == param.second;
      });
      if (same) found = &series;
    }
    return found;
  }

  /// The libraries in pairs, and of them the one that wins: medians of runs one after the other do
  /// not settle it. Null where there is none.
  Result<const Rung*> fastest_peer(const std::vector<const Rung*>& rungs, const Params& params,
                                   const std::string& name) {
    std::vector<const Rung*> peers;
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

  void print_series(const Series& series) const {
    if (series.mode != RunMode::measure) return;
    if (!series.stats) {
      std::printf("%-32s %-40s %s: %s\n", series.kernel.c_str(), to_string(series.params).c_str(),
                  to_string(series.status).c_str(), series.reason.c_str());
      return;
    }
    const double nmse = series.checks.empty() ? 0 : series.checks.back().nmse;
    std::printf("%-32s %-40s %10.1f us %8.1f TFLOP/s  nmse %.2g of %.2g\n", series.kernel.c_str(),
                to_string(series.params).c_str(), series.stats->median_ns / 1e3,
                series.flop / series.stats->median_ns / 1e3, nmse,
                series.checks.empty() ? 0 : series.checks.back().nmse_limit);
  }

  void print_comparison(const Comparison& one) const {
    std::printf("%-32s against %-32s %-40s %.4f [%.4f, %.4f] %d rounds %s\n", one.candidate.c_str(),
                one.baseline.c_str(), to_string(one.candidate_params).c_str(), one.ratio,
                one.ci ? one.ci->low : 0, one.ci ? one.ci->high : 0, one.rounds,
                one.reasons.empty() ? "" : one.reasons.front().c_str());
  }

  const Lab& lab_;
  const Plan& plan_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<Driver> driver_;
  std::vector<std::string> left_out_;
  int losses_ = 0;
  int64_t last_request_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const Lab* lab = args.size() >= 4 ? find_lab(args[0]) : nullptr;
  if (!lab) {
    std::fprintf(stderr,
                 "usage: ridge-record LAB OUT.jsonl SECONDS [--dtypes a,b] [--rungs a,b] "
                 "[--energy POINT] [--sustained POINT] POINT...\n");
    return 64;
  }
  Plan plan{.out = args[1], .budget_s = std::strtod(args[2].c_str(), nullptr)};
  for (size_t i = 3; i < args.size(); ++i) {
    if (args[i] == "--dtypes" && i + 1 < args.size())
      plan.dtypes = split(args[++i], ',');
    else if (args[i] == "--rungs" && i + 1 < args.size())
      plan.rungs = split(args[++i], ',');
    else if (args[i] == "--energy" && i + 1 < args.size())
      plan.energy.push_back(args[++i]);
    else if (args[i] == "--sustained" && i + 1 < args.size())
      plan.sustained.push_back(args[++i]);
    else
      plan.points.push_back(args[i]);
  }
  Recorder recorder(*lab, plan);
  const auto done = recorder.record();
  recorder.print();
  if (done) return 0;
  std::fprintf(stderr, "ridge-record: %s\n", done.error().sentence().c_str());
  return done.error().exit_code();
}
