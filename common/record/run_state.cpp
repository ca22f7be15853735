// Run: how requests and series end, and looking things up.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/record/derive.h"
#include "common/record/params.h"
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

/// Whether what the worker concluded is of the samples that are here; a recording may have left some out.
bool contradicts_samples(const Series& series) {
  if (!series.stats || std::ssize(series.samples) != series.stats->n) return false;
  constexpr double kRounding = 1e-6;
  const double own = stats::summarize(series.samples).median_ns;
  return !(std::abs(series.stats->median_ns - own) <= kRounding * own);
}

void add_flag(const std::string& flag, std::vector<std::string>* flags) {
  if (std::find(flags->begin(), flags->end(), flag) == flags->end()) flags->push_back(flag);
}

void summarize_received(Series* series) {
  if (!series->samples.empty()) {
    stats::tag_outliers(&series->samples);  // tags are known only when all samples are
    if (!series->stats && !is_emulated(*series)) series->stats = stats::summarize(series->samples);
  }
  if (!series->latency && !series->latency_samples.empty()) {
    series->latency = stats::summarize_latency(series->latency_samples);
  }
}

template <class List, class Matches>
auto last_of(List& list, Matches matches) -> decltype(&list.front()) {
  const auto found = std::find_if(list.rbegin(), list.rend(), matches);
  return found == list.rend() ? nullptr : &*found;
}

template <class Matches>
const Series* latest_of(const StableVector<Series>& series, Matches matches) {
  // A run that was cancelled or skipped before this rung's turn must not hide what is known of it.
  const Series* tells = last_of(series, [&](const Series& one) {
    return matches(one) && (has_data(one) || one.status == SeriesStatus::failed);
  });
  if (tells != nullptr) return tells;
  return last_of(series, [&](const Series& one) {
    return matches(one) && one.status == SeriesStatus::skipped;
  });
}

}  // namespace

/// A failed check overrides `status`. Partial with nothing measured becomes skipped.
void Run::close_series(Series* series, SeriesStatus status, const std::string& reason) {
  touch(series);
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
    } else {
      series->status = SeriesStatus::ok;
      if (contradicts_samples(*series)) {
        refuse("statistics of a rung that are not those of its samples");
        const std::vector<std::string> flags = std::move(series->stats->flags);
        series->stats = stats::summarize(series->samples);
        for (const std::string& flag : flags) add_flag(flag, &series->stats->flags);
      }
      summarize_received(series);
    }
    return;
  }
  const bool is_empty = status == SeriesStatus::partial && !has_data(*series);
  series->status = is_empty ? SeriesStatus::skipped : status;
  if (!reason.empty()) series->reason = reason;
  summarize_received(series);
}

void Run::close_request(Request* request, RequestStatus status, const std::string& reason) {
  request->status = status;
  const auto last = series_by_id_.upper_bound({request->id, kMostSeries});
  for (auto at = series_by_id_.lower_bound({request->id, 0}), next = at; at != last; at = next) {
    Series* series = at->second;
    ++next;
    const bool is_open =
        series->status == SeriesStatus::pending || series->status == SeriesStatus::running;
    if (!is_open) continue;
    // A recording keeps of a comparison what was found, not its sides where they were run on their own.
    if (status == RequestStatus::ok && request->type == RequestType::compare &&
        series->status == SeriesStatus::pending && series->checks.empty() &&
        series->samples.empty()) {
      series_by_id_.erase(at);
      series_.erase_if([&](const Series& one) { return &one == series; });
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

const std::vector<Round>& Run::rounds(int64_t request) const {
  static const std::vector<Round> none;
  const auto found = rounds_.find(request);
  return found == rounds_.end() ? none : found->second;
}

const Series* Run::latest(const std::string& kernel) const {
  return latest_of(series_, [&](const Series& one) { return one.kernel == kernel; });
}

const Series* Run::latest(const std::string& kernel, const Params& params) const {
  return latest_of(series_,
                   [&](const Series& one) { return one.kernel == kernel && one.params == params; });
}

}  // namespace ridge
