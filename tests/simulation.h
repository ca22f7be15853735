// Simulated machines, for what the statistics promise: series and rounds whose truth is known. Shared by
// the fast tests (seeded: they pass or fail alike everywhere) and by tests/bench/statistics.cpp, which
// prints the figures at length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/harness/quality/quality.h"
#include "common/stats/stats.h"

namespace ridge::test {

inline std::vector<Sample> samples_of(const std::vector<double>& times) {
  std::vector<Sample> samples;
  for (const double time : times) {
    Sample sample;
    sample.index = static_cast<int64_t>(samples.size());
    sample.t_ns = time;
    samples.push_back(sample);
  }
  return samples;
}

inline bool has_flag(const std::vector<std::string>& flags, const std::string& flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

/// AR(1) with unit variance.
inline std::vector<double> autoregressive(int n, double rho, uint64_t seed) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    const double z = quality::normal(seed, static_cast<uint64_t>(i));
    values.push_back(i == 0 ? z : rho * values.back() + std::sqrt(1 - rho * rho) * z);
  }
  return values;
}

// ---- one series ----------------------------------------------------------------------------------

/// A time in ns from a standard normal; z = 0 gives the median, `kTruth_ns`.
struct Noise {
  const char* name;
  double (*time_ns)(double z);
};
inline constexpr double kTruth_ns = 1000;
inline constexpr Noise kNoises[] = {
    {"normal, 2 %", [](double z) { return 1000 * (1 + 0.02 * z); }},
    {"skewed (lognormal)", [](double z) { return 980 + 20 * std::exp(z); }},
    // 5 % apart; the median lies within the lower, larger one.
    {"two humps", [](double z) { return z < 0.5 ? 1000 + z : 1050 + z; }}};

struct Coverage {
  int runs = 0, covered = 0, flagged = 0, covered_unflagged = 0;
  double share() const { return static_cast<double>(covered) / runs; }
  double flagged_share() const { return static_cast<double>(flagged) / runs; }
  /// Of the intervals that claim to hold.
  double unflagged_share() const {
    return static_cast<double>(covered_unflagged) / std::max(runs - flagged, 1);
  }
};

/// Runs of AR(1) samples, stopped as the harness would: how many intervals hold the true median.
inline Coverage coverage(const Noise& noise, double rho, double target_half_width, int runs,
                         uint64_t first_seed = 0) {
  const stats::StopRule rule = {20, 640, target_half_width, 10};
  Coverage result;
  for (; result.runs < runs; ++result.runs) {
    std::vector<double> times =
        autoregressive(rule.max_samples, rho, first_seed + static_cast<uint64_t>(result.runs));
    for (double& time : times) time = noise.time_ns(time);
    const std::vector<Sample> samples = samples_of(times);
    size_t n = 0;
    stats::StopState state;
    do {
      n = static_cast<size_t>(state.next_look);
      state = stats::should_stop(std::span(samples).first(n), 1, rule);
    } while (!state.stop);
    const Stats stats = stats::summarize(std::span(samples).first(n));
    const bool covers =
        stats.ci_ns && stats.ci_ns->low <= kTruth_ns && kTruth_ns <= stats.ci_ns->high;
    const bool flagged = has_flag(stats.flags, "correlated");
    result.covered += covers;
    result.flagged += flagged;
    result.covered_unflagged += covers && !flagged;
  }
  return result;
}

// ---- histories -----------------------------------------------------------------------------------

struct HistoryModel {
  double noise = 0.0075;         ///< standard deviation of ln of one value about its level
  double rho = 0;                ///< AR(1) of that noise
  int levels = 1, length = 100;  ///< values of each level
  double step = 0.03;            ///< every other level is so much slower
  double outliers = 0.03;        ///< share of values that are 5 to 15 % slower still
};

inline std::vector<double> simulate_history(const HistoryModel& model, uint64_t seed) {
  const auto noise = autoregressive(model.levels * model.length, model.rho, seed);
  std::vector<double> values;
  for (size_t i = 0; i < noise.size(); ++i) {
    const auto draw = static_cast<uint64_t>(i);
    const auto uniform = [&](uint64_t of) {  // of a standard normal
      return 0.5 * std::erfc(-quality::normal(seed + of, draw) / std::sqrt(2.0));
    };
    double log = model.noise * noise[i];
    if (i / static_cast<size_t>(model.length) % 2 == 1) log += std::log(1 + model.step);
    if (uniform(3'000'000) < model.outliers) log += 0.05 + 0.1 * uniform(4'000'000);
    values.push_back(kTruth_ns * std::exp(log));
  }
  return values;
}

// ---- comparisons ---------------------------------------------------------------------------------

struct Machine {
  double noise = 0.01;                 ///< standard deviation of ln t of one sample
  double drift = 0;                    ///< of ln t over the whole comparison, linear in time
  double gain = 0;                     ///< true ln t_base - ln t_cand
  double (*tail)(double z) = nullptr;  ///< of the noise, from a standard normal; absent: normal
  double chain = 0;  ///< AR(1) of what favours one side from round to round; as large as the noise
};

/// `count` rounds on a simulated machine. In order, each slot takes its turn in time; A-then-B runs
/// every slot of the baseline first, and is only written down as if it had been interleaved.
inline std::vector<Round> simulate(const Machine& machine, int count, uint64_t seed,
                                   bool a_then_b = false) {
  std::vector<Round> rounds;
  const int slots = 4 * count;
  int next_base = 0, next_cand = slots / 2, in_order = 0;
  uint64_t draw = 0;
  double favour = 0;
  for (int r = 0; r < count; ++r) {
    Round round;
    round.index = r;
    round.order = quality::normal(seed + 1'000'000, static_cast<uint64_t>(r)) > 0 ? "0110" : "1001";
    const double z_round = quality::normal(seed + 2'000'000, static_cast<uint64_t>(r));
    if (machine.chain > 0) {
      const double fresh = r == 0 ? 1 : std::sqrt(1 - machine.chain * machine.chain);
      favour = machine.chain * favour + fresh * machine.noise * z_round;
    }
    for (const char side : round.order) {
      const int in_turn = side == '0' ? next_base++ : next_cand++;
      const int slot = a_then_b ? in_turn : in_order;
      ++in_order;
      const double z = quality::normal(seed, draw++);
      const double log_t = machine.drift * slot / (slots - 1) -
                           (side == '1' ? machine.gain + favour : 0) +
                           machine.noise * (machine.tail ? machine.tail(z) : z);
      round.t_ns.push_back(1000 * std::exp(log_t));
    }
    rounds.push_back(round);
  }
  return rounds;
}

/// How many of `runs` simulated comparisons of 40 rounds end in one of `verdicts`.
inline int count_verdicts(const Machine& machine, double margin,
                          const std::vector<Verdict>& verdicts, int runs, bool a_then_b = false) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    const auto rounds = simulate(machine, 40, static_cast<uint64_t>(run), a_then_b);
    const Verdict verdict = stats::judge(rounds, 1, margin).verdict;
    count += std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
  }
  return count;
}

inline const std::vector<Verdict> kDifferent = {Verdict::faster, Verdict::slower};

}  // namespace ridge::test
