// A made-up comparison of two trainings over seeds, for tests of what is decided and said of it. Its figures are
// invented; nothing in it was measured.
#pragma once

#include <string>
#include <vector>

#include "common/record/params.h"
#include "tests/catch.h"
#include "tests/report_run.h"

namespace ridge::test {

inline const std::string kTrainedBase = "mixed.cpu.fp32",
                         kTrainedCandidate = "mixed.cpu.bf16_avx512";

struct TrainedCase {
  Verdict verdict = Verdict::faster;
  double ratio = 1.5;
  int seeds = 8;
  int judged = 8;
  std::optional<double> delta = -0.001;
  std::optional<Interval> delta_ci = Interval{-0.004, 0.002};
  double may_lose = 0.01;
  int fails_seed = 0;           ///< a seed with which a side fails its check
  bool baseline_fails = false;  ///< that side; else the candidate
};

inline Params trained_params(int64_t seed) {
  return {{"batch", int64_t{256}}, {"epochs", int64_t{4}}, {"seed", seed}};
}

inline Series trained_series(const TrainedCase& wanted, int64_t seed, bool is_candidate) {
  const int index = 2 * static_cast<int>(seed - 1) + is_candidate;
  const std::string& kernel = is_candidate ? kTrainedCandidate : kTrainedBase;
  Series series = measured(5, index, kernel, is_candidate ? 1e7 / wanted.ratio : 1e7);
  series.lab = "mixed";
  series.kind = RungKind::training;
  series.mode = RunMode::compare;
  series.params = trained_params(seed);
  series.dtype = is_candidate ? "bf16" : "fp32";
  series.latency.reset();
  const bool fails = seed == wanted.fails_seed && is_candidate != wanted.baseline_fails;
  QualityCheck accuracy;
  accuracy.what = "images held out";
  accuracy.task["accuracy"] = fails ? 0.1 : is_candidate ? 0.869 : 0.87;
  accuracy.passed = !fails;
  if (fails) accuracy.reason = "it diverged";
  series.checks = {accuracy};
  if (fails) series.status = SeriesStatus::failed, series.reason = "it diverged";
  return series;
}

inline Comparison trained_comparison(const TrainedCase& wanted) {
  Comparison made;
  made.request = 5;
  made.lab = "mixed";
  made.baseline = kTrainedBase;
  made.candidate = kTrainedCandidate;
  made.cache = CacheMode::hot;
  made.baseline_params = made.candidate_params = trained_params(1);
  made.rounds = wanted.seeds;
  made.ratio = wanted.ratio;
  made.ci = Interval{wanted.ratio * 0.99, wanted.ratio * 1.01};
  made.margin = 0.02;
  made.verdict = wanted.verdict;
  TrainedPairs pairs;
  for (int64_t seed = 1; seed <= wanted.seeds; ++seed) pairs.seeds.push_back(seed);
  pairs.steps = 840;
  pairs.judged = wanted.judged;
  pairs.accuracy_delta = wanted.delta;
  pairs.accuracy_ci = wanted.delta_ci;
  pairs.may_lose = wanted.may_lose;
  pairs.no_energy = "no counter";
  TrainedSide base;
  base.step_ns = 1e7, base.epoch_s = 2.1, base.total_s = 8.4, base.accuracy = 0.87;
  base.best_accuracy = 0.872, base.memory_bytes = 4e6;
  TrainedSide candidate = base;
  candidate.step_ns = 1e7 / wanted.ratio, candidate.epoch_s = 1.4, candidate.total_s = 5.6;
  candidate.accuracy = 0.869;
  pairs.sides = {base, candidate};
  made.trained = pairs;
  if (wanted.fails_seed > 0) {
    made.verdict = Verdict::invalid;
    made.ci.reset();
    made.reasons = {"it diverged, seed " + std::to_string(wanted.fails_seed)};
  }
  return made;
}

inline Run trained_run(const TrainedCase& wanted = {}) {
  Transcript out;
  add_start_of(&out);
  for (const std::string& id : {kTrainedBase, kTrainedCandidate}) {
    KernelInfo info = rung_info(id, "");
    info.kind = RungKind::training;
    out.worker("kernel", {{"request", 1}, {"kernel", info}});
  }
  WorkRequest request;
  request.type = RequestType::compare;
  request.id = 5;
  request.lab = "mixed";
  request.margin = 0.02;
  if (wanted.may_lose != kMayLose) request.budget.accuracy_lost = wanted.may_lose;
  std::vector<Round> rounds;
  for (int64_t seed = 1; seed <= wanted.seeds; ++seed) {
    for (const std::string& side : {kTrainedBase, kTrainedCandidate})
      request.kernels.push_back({side, trained_params(seed)});
    const double slow = 1e7 * (1 + 0.002 * double(seed)), fast = slow / wanted.ratio;
    rounds.push_back({static_cast<int>(seed - 1), "0110", {slow, fast, fast, slow}});
  }
  out.send(request);
  out.worker("samples", {{"request", 5}, {"phase", "rounds"}, {"rounds", rounds}});
  for (int64_t seed = 1; seed <= wanted.seeds; ++seed) {
    for (const bool is_candidate : {false, true}) {
      const Series series = trained_series(wanted, seed, is_candidate);
      out.worker("result", with(about(5, series.index), "outcome", series));
    }
  }
  out.worker("result", {{"request", 5}, {"comparisons", {trained_comparison(wanted)}}});
  out.worker("done", {{"request", 5}, {"status", "ok"}});
  return read_run(out);
}

}  // namespace ridge::test
