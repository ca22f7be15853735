// Run: how requests and series end, and looking things up.
#include <algorithm>
#include <iterator>

#include "common/record/believable.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/run.h"
#include "common/stats/stats.h"

namespace ridge {
namespace {

bool has_data(const Series& series) {
  return !series.samples.empty() || !series.latency_samples.empty() || !series.curve.empty() ||
         !series.spans.empty() || series.stats || series.items_per_s > 0;
}

/// A failed series has no speed, whatever was measured of it.
void fail(Series* series, const std::string& reason) {
  series->status = SeriesStatus::failed;
  if (series->reason.empty()) series->reason = reason;
  series->stats.reset();
  series->latency.reset();
  series->energy_j.reset();
  series->energy_error_j.reset();
  series->items_per_s = 0;
}

/// A result is believed as far as its samples carry it: where there are more or fewer of them than it says, theirs stand.
void summarize_received(Series* series) {
  if (!series->samples.empty()) {
    stats::tag_outliers(&series->samples);  // tags are known only when all samples are
    const bool is_theirs = !series->stats || series->kind != RungKind::kernel ||
                           series->stats->n == static_cast<int>(series->samples.size());
    if (!is_theirs) {
      std::vector<std::string> flags = std::move(series->stats->flags);
      series->stats = stats::summarize_times(series->samples.times_ns());
      for (const std::string& flag : flags) {
        if (std::find(series->stats->flags.begin(), series->stats->flags.end(), flag) ==
            series->stats->flags.end())
          series->stats->flags.push_back(flag);
      }
    }
    if (!series->stats && !is_emulated(*series)) series->stats = stats::summarize_times(series->samples.times_ns());
  }
  if (!series->latency && !series->latency_samples.empty()) {
    series->latency = stats::summarize_latency_times(series->latency_samples.times_ns());
  }
}

void invalidate(Comparison* comparison, const std::string& why) {
  comparison->verdict = Verdict::invalid;
  if (comparison->equal_clock) comparison->equal_clock->verdict = Verdict::invalid;
  comparison->reasons.insert(comparison->reasons.begin(), why);
}

template <class Matches>
const Series* latest_of(const std::vector<const Series*>& series, Matches matches) {
  const auto last = [&](const auto& tells) {
    const auto found = std::find_if(series.rbegin(), series.rend(), [&](const Series* one) {
      return matches(*one) && tells(*one);
    });
    return found == series.rend() ? nullptr : *found;
  };
  // A run that was cancelled or skipped before this rung's turn must not hide what is known of it.
  const Series* tells = last([](const Series& one) {
    return has_data(one) || one.status == SeriesStatus::failed;
  });
  return tells != nullptr ? tells : last([](const Series& one) {
    return one.status == SeriesStatus::skipped;
  });
}

}  // namespace

/// A failed check overrides `status`. Partial with nothing measured becomes skipped.
void Run::close_series(Series* series, SeriesStatus status, const std::string& reason) {
  touch(series);
  series->samples.shrink(), series->latency_samples.shrink();
  series->checks.shrink_to_fit();
  const QualityCheck* worst = series->quality();
  if (worst != nullptr && !worst->passed) {
    fail(series, worst->reason.empty() ? "the check " + worst->what + " failed" : worst->reason);
    return;
  }
  if (status == SeriesStatus::failed) {
    fail(series, reason.empty() ? "it failed" : reason);
    return;
  }
  if (status == SeriesStatus::ok) {
    // No number of a rung without a check.
    if (!series->may_show_speed()) {
      fail(series, "its output was not checked");
    } else if (const std::string why = unsupported_stats(*series); !why.empty()) {
      fail(series, why);
    } else {
      series->status = SeriesStatus::ok;
      summarize_received(series);
    }
    return;
  }
  const bool is_empty = status == SeriesStatus::partial && !has_data(*series);
  series->status = is_empty ? SeriesStatus::skipped : status;
  if (!reason.empty()) series->reason = reason;
  summarize_received(series);
}

void Run::list_under_kernel(const Series* series, const std::string* before) {
  if (before != nullptr && *before == series->kernel) return;
  if (before != nullptr) std::erase(series_by_kernel_[*before], series);
  auto& all = series_by_kernel_[series->kernel];
  auto at = all.end();
  while (at != all.begin() && (*std::prev(at))->order > series->order) --at;
  all.insert(at, series);
}

void Run::forget_series(const Series* series) {
  std::erase(series_by_kernel_[series->kernel], series);
  series_.erase_if([&](const Series& one) { return &one == series; });
}

const std::vector<const Series*>& Run::series_of_kernel(const std::string& kernel) const {
  static const std::vector<const Series*> none;
  const auto found = series_by_kernel_.find(kernel);
  return found == series_by_kernel_.end() ? none : found->second;
}

std::vector<const Series*> Run::series_of_request(int64_t request) const {
  std::vector<const Series*> all;
  const auto end = series_by_id_.upper_bound({request, kMostSeries});
  for (auto at = series_by_id_.lower_bound({request, 0}); at != end; ++at) all.push_back(at->second);
  return all;
}

/// When a request has ended its ceilings are known, and measured again where a rung had passed one.
void Run::disbelieve(const Request& request) {
  std::map<int, std::string> failed;
  for (auto at = series_by_id_.lower_bound({request.id, 0});
       at != series_by_id_.upper_bound({request.id, kMostSeries}); ++at) {
    Series* series = at->second;
    const KernelInfo* info = kernel(series->kernel);
    const std::string why = impossible_rate(*series, info != nullptr ? info->accuracy : "",
                                            ceilings_, environment_ ? &*environment_ : nullptr);
    if (!why.empty()) {
      touch(series);
      fail(series, why);
    }
    if (series->status == SeriesStatus::failed)
      failed[series->index] = series->kernel + ": " + series->reason;
  }
  for (Comparison& comparison : comparisons_) {
    if (comparison.request != request.id || comparison.verdict == Verdict::invalid) continue;
    std::string why = unsupported_ratio(comparison, rounds(request.id));
    for (const int side : {comparison.baseline_index, comparison.candidate_index}) {
      if (failed.contains(side)) why = failed[side];
    }
    if (!why.empty()) {
      invalidate(&comparison, why);
      continue;
    }
    const Series *baseline = find_series(request.id, comparison.baseline_index),
                 *candidate = find_series(request.id, comparison.candidate_index);
    if (baseline != nullptr && candidate != nullptr)
      hold_to_shares(*baseline, *candidate, &comparison);
  }
}

void Run::close_request(Request* request, RequestStatus status, const std::string& reason) {
  request->status = status;
  const auto last = series_by_id_.upper_bound({request->id, kMostSeries});
  for (auto at = series_by_id_.lower_bound({request->id, 0}), next = at; at != last; at = next) {
    Series* series = at->second;
    ++next;
    if (!series->is_under_way()) continue;
    // A recording keeps of a comparison what was found, not its sides where they were run on their own.
    if (status == RequestStatus::ok && request->type == RequestType::compare &&
        series->status == SeriesStatus::pending && series->checks.empty() &&
        series->samples.empty()) {
      series_by_id_.erase(at);
      forget_series(series);
      continue;
    }
    // A comparison's sides end with its comparisons, without an outcome of their own.
    const bool judged = status == RequestStatus::ok && request->type == RequestType::compare &&
                        !series->checks.empty();
    std::string why = reason;
    const bool cancelled = status == RequestStatus::cancelled;
    if (why.empty() && cancelled) why = to_string(status);
    if (why.empty() && !judged) why = "no result was received";
    close_series(series,
                 judged      ? SeriesStatus::ok
                 : cancelled ? SeriesStatus::cancelled
                             : SeriesStatus::partial,
                 why);
  }
  disbelieve(*request);
  if (const auto rounds = rounds_.find(request->id); rounds != rounds_.end())
    rounds->second.shrink();
  if (request->type == RequestType::probe)
    std::vector<std::string>().swap(
        request->kernels);  // its estimates have them; a window asks for all rungs' again and again
  if (progress_ && progress_->request == request->id) progress_.reset();
}

void Run::close_open(RequestStatus status, const std::string& reason) {
  for (Request& request : requests_) {
    if (!request.open()) continue;
    if (status == RequestStatus::failed && !request.error)
      request.error = Error{ErrorCode::worker, reason, "", ""};
    close_request(&request, status, reason);
  }
  progress_.reset();
}

void Run::worker_lost(const std::string& reason) {
  has_hello_ = false;
  close_open(RequestStatus::failed, reason);
  note("worker lost: " + reason);
}

void Run::worker_cancelled(const std::string& reason) {
  has_hello_ = false;
  close_open(RequestStatus::cancelled, to_string(RequestStatus::cancelled));
  note(reason);
}

Series* Run::find_series(int64_t request, int index) const {
  const auto after = series_by_id_.upper_bound({request, index});
  if (after == series_by_id_.begin()) return nullptr;
  const auto& [id, latest] = *std::prev(after);
  return id == std::pair(request, index) ? latest : nullptr;
}

const SourceText* Run::source(const std::string& kernel) const {
  const auto found = sources_.find(kernel);
  return found == sources_.end() ? nullptr : &found->second;
}

const AssemblyText* Run::assembly(const std::string& kernel) const {
  const auto found = assemblies_.find(kernel);
  return found == assemblies_.end() ? nullptr : &found->second;
}

const KernelCounts* Run::latest_counts(const std::string& kernel) const {
  const auto found = std::find_if(counts_.rbegin(), counts_.rend(),
                                  [&](const KernelCounts& one) { return one.kernel == kernel; });
  return found == counts_.rend() ? nullptr : &*found;
}

const EditBuild* Run::build(const std::string& kernel) const {
  const EditBuild* found = nullptr;
  for (const auto& [request, build] : builds_) {
    if (build.kernel == kernel) found = &build;
  }
  return found;
}

const EditBuild* Run::build(int64_t request) const {
  const auto found = builds_.find(request);
  return found == builds_.end() ? nullptr : &found->second;
}

const KernelInfo* Run::kernel(const std::string& id) const {
  const auto found = kernel_by_id_.find(id);
  return found == kernel_by_id_.end() ? nullptr : &catalogue_[found->second];
}

std::string Run::size_param(const std::string& id) const {
  const KernelInfo* info = kernel(id);
  return info ? ridge::size_param(info->params) : std::string();
}

const Request* Run::request(int64_t id) const {
  const auto found = request_by_id_.find(id);
  return found == request_by_id_.end() ? nullptr : found->second;
}

const Rounds& Run::rounds(int64_t request) const {
  static const Rounds none;
  const auto found = rounds_.find(request);
  return found == rounds_.end() ? none : found->second;
}

const Series* Run::latest(const std::string& kernel) const {
  return latest_of(series_of_kernel(kernel), [](const Series&) { return true; });
}

const Series* Run::latest(const std::string& kernel, const Params& params) const {
  return latest_of(series_of_kernel(kernel),
                   [&](const Series& one) { return one.params == params; });
}

}  // namespace ridge
