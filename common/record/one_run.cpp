#include "common/record/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <set>
#include <sstream>

#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"

namespace ridge {
namespace {

bool is_verified(const Series& series) {
  return series.status == SeriesStatus::ok && series.stats && series.may_show_speed();
}

std::string size_of(const Series& series) {
  const auto found = series.params.find(series.size_param);
  return found == series.params.end() ? "" : to_string(found->second);
}

/// Of one ladder: what a chart shows in one picture.
bool same_case(const Series& a, const Series& b) {
  return a.lab == b.lab && a.cache == b.cache && size_of(a) == size_of(b) &&
         backend_of(a.kernel) == backend_of(b.kernel);
}

size_t rungs_timed(const Run& run, const Series& with) {
  std::set<std::string_view> rungs;
  for (const Series* series : run.series_of_request(with.request)) {
    if (is_verified(*series) && same_case(*series, with)) rungs.insert(series->kernel);
  }
  return rungs.size();
}

/// 1970 on the worker's clock, by the latest look at the machine before a measurement.
std::optional<double> epoch_of(const Run& run) {
  if (!run.environment()) return std::nullopt;
  const auto looked_s = utc_s(run.environment()->time_utc);
  if (!looked_s) return std::nullopt;
  const std::vector<double>& looks_s = run.looks_s();
  const size_t later = run.quiet_after() ? 1 : 0;  // the look after it
  if (looks_s.size() <= later) return std::nullopt;
  return *looked_s - looks_s[looks_s.size() - 1 - later];
}

}  // namespace

std::optional<double> utc_s(const std::string& time_utc) {
  std::tm time{};
  std::istringstream text(time_utc);
  text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%S");
  if (text.fail()) return std::nullopt;
  return static_cast<double>(timegm(&time));
}

const Series& result_of_one_run(const Run& run, const Series& newest) {
  const Series* best = &newest;
  if (!is_verified(newest) || is_in_turns(run, newest)) return newest;
  size_t most = rungs_timed(run, newest);
  for (const Series* other : run.series_of_kernel(newest.kernel)) {
    const Series& series = *other;
    const bool is_same = series.params == newest.params && series.cache == newest.cache &&
                         series.hash == newest.hash && series.lab == newest.lab;
    if (!is_same || &series == &newest || !is_verified(series) || is_in_turns(run, series))
      continue;
    const size_t timed = rungs_timed(run, series);
    const bool is_newer = best != &newest && timed == most;  // series come in the order of time
    if (timed <= most && !is_newer) continue;
    best = &series;
    most = timed;
  }
  return *best;
}

bool is_of_one_run(const Series& a, const Series& b) {
  return a.request == b.request;
}

std::optional<double> ended_utc_s(const Run& run, const Series& series) {
  const auto epoch = epoch_of(run);
  if (!epoch) return std::nullopt;
  if (!series.result_s) return std::nullopt;
  return *epoch + *series.result_s;
}

std::string time_of_day(const Run& run, const Series& series) {
  const auto time = ended_utc_s(run, series);
  if (!time) return "";
  const auto minutes = static_cast<long>(std::floor(*time / 60)) % (24 * 60);
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

std::string apart_text(const Run& run, const Series& a, const Series& b) {
  const auto first = ended_utc_s(run, a), second = ended_utc_s(run, b);
  if (!first || !second) return "in different runs";
  const auto minutes = std::lround(std::abs(*second - *first) / 60);
  if (minutes < 1) return "less than a minute apart";
  return fmt::format("{} minute{} apart", minutes, minutes == 1 ? "" : "s");
}

std::string why_no_quotient(const Run& run, const Series& a, const Series& b) {
  return is_of_one_run(a, b) ? "" : apart_text(run, a, b);
}

bool is_noisy_quotient(const Series& a, const Series& b) {
  const auto steady = [](const Series& series) { return series.stats && is_steady(*series.stats); };
  if (!steady(a) || !steady(b)) return true;
  const auto was_busy = [](const Series& series) {
    const auto& flags = series.stats->flags;
    return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
      return flag == "contended" || flag == "noisy";
    });
  };
  const auto reach = [](const Series& series) {
    return series.stats->ci_ns.value_or(Interval{series.stats->min_ns, series.stats->max_ns});
  };
  if (uneven_shares(a, b)) return true;
  const bool overlap = reach(a).low <= reach(b).high && reach(b).low <= reach(a).high;
  return overlap && (was_busy(a) || was_busy(b));
}

}  // namespace ridge
