#include "common/harness/measure/outcome.h"

#include <algorithm>

#include "common/harness/measure/machine.h"
#include "common/stats/stats.h"

namespace ridge::measure {

void add_note(const std::string& text, Series* series) {
  if (text.empty()) return;
  series->note += (series->note.empty() ? "" : "; ") + text;
}

void take_error(const Error& error, Series* series) {
  series->status = error.code == ErrorCode::cancelled     ? SeriesStatus::cancelled
                   : error.code == ErrorCode::unavailable ? SeriesStatus::skipped
                                                          : SeriesStatus::failed;
  series->reason = error.sentence();
  // A rung that failed its check has no speed: what was timed before it was found out goes too.
  if (series->status != SeriesStatus::failed) return;
  series->stats.reset();
  series->latency.reset();
  series->sm_clock_hz.reset();
  series->energy_j.reset();
  series->energy_error_j.reset();
  series->trap.reset();
  series->items_per_s = 0;
}

bool is_contended(double foreign_cpus, Backend backend) {
  static const double cores = read_cpu().cores;
  return foreign_cpus > (backend == Backend::cpu ? std::max(0.1, 0.05 * cores) : 0.5 * cores);
}

void summarize(Series* series, bool contended, bool noisy, bool external) {
  if (series->samples.empty()) return;
  stats::tag_outliers(&series->samples);
  series->stats = stats::summarize_times(series->samples.times_ns());
  std::vector<double> clocks;
  for (const Sample& sample : series->samples) {
    if (sample.sm_clock_hz) clocks.push_back(*sample.sm_clock_hz);
  }
  if (!clocks.empty()) series->sm_clock_hz = stats::median(clocks);
  auto& flags = series->stats->flags;
  const auto add = [&](const char* flag) {
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
  };
  const auto ungated = [](const Sample& sample) {
    return std::count(sample.flags.begin(), sample.flags.end(), "ungated") > 0;
  };
  if (external) {
    add("external");
  } else if (std::all_of(series->samples.begin(), series->samples.end(), ungated)) {
    add("ungated");  // with the host's launches in its time
  }
  if (noisy) add("noisy");
  if (contended) add("contended");
}

void describe_unavailable(Series* series) {
  const auto lacks = [&](const char* what, int needed) {
    const int n = series->latency ? series->latency->n : 0;
    series->unavailable[what] =
        "needs " + std::to_string(needed) + " latency samples, has " + std::to_string(n);
  };
  const LatencyStats latency = series->latency.value_or(LatencyStats{});
  if (!latency.p90_ns) lacks("p90_ns", 29);
  if (!latency.p95_ns) lacks("p95_ns", 59);
  if (!latency.p99_ns) lacks("p99_ns", 299);
  std::string& reason = series->unavailable["energy_j"];
  if (series->energy_j) {
    series->unavailable.erase("energy_j");
  } else if (reason.empty()) {
    const auto untimed = series->unavailable.find("stats");
    reason = untimed != series->unavailable.end() ? untimed->second
             : series->mode != RunMode::measure   ? "energy is measured in mode measure only"
                                                  : "there was no energy pass";
  }
}

}  // namespace ridge::measure
