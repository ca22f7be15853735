#include "common/stats/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/core/random.h"
#include "common/stats/stats.h"

namespace ridge::stats {
namespace {

constexpr double kShares[] = {0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1.15};  // of the offline throughput
constexpr int kSearches = 4;  // halvings between the loads around the limit: 1/16 of their distance

struct ServedRequest {
  double arrival_s = 0;
  int64_t keys = 0, left = 0;
  size_t index = 0;
};

/// p50 from 2 requests, p95 from 59, p99 from 299, as for latencies (stats.h).
ServeTimes serve_times_of(const std::vector<double>& seconds) {
  ServeTimes times;
  std::vector<Sample> samples(seconds.size());
  for (size_t i = 0; i < seconds.size(); ++i) samples[i].t_ns = seconds[i] * 1e9;
  const LatencyStats known = summarize_latency(samples);
  const auto in_s = [](const std::optional<double>& ns) {
    return ns ? std::optional(*ns * 1e-9) : std::nullopt;
  };
  if (!seconds.empty()) {
    times.mean_s = std::accumulate(seconds.begin(), seconds.end(), 0.0) / double(seconds.size());
  }
  times.p50_s = in_s(known.p50_ns), times.p95_s = in_s(known.p95_ns);
  times.p99_s = in_s(known.p99_ns);
  return times;
}

void judge(const ServeAsked& asked, ServePoint* point) {
  const std::optional<double>& p99_s = point->latency.p99_s;
  point->meets = point->sustained && p99_s && *p99_s <= asked.limit_s;
}

/// One run through the queue.
class ServeQueue {
 public:
  ServeQueue(const ServeAsked& asked, double load_per_s)
      : asked_(asked), load_per_s_(load_per_s), arrivals_(arrivals(asked, load_per_s)) {
    const size_t count = arrivals_.size();
    wait_.resize(count), first_.resize(count), latency_.resize(count);
  }

  Result<ServePoint> run(const StepTime& step) {
    while (!running_.empty() || next_ < arrivals_.size()) {
      if (running_.empty()) now_s_ = std::max(now_s_, opens());
      admit();
      note_queue();
      std::vector<int64_t> keys;
      for (const ServedRequest& one : running_) keys.push_back(one.keys);
      RIDGE_TRY(const double took_s, step(keys));
      finish_step(took_s);
    }
    return point();
  }

 private:
  /// When an idle machine begins: with the next request, or with what comes within the waiting time after it; at
  /// once where the batch is full.
  double opens() const {
    const double first = arrivals_[next_];
    const size_t full = next_ + static_cast<size_t>(asked_.batch_limit) - 1;
    const double most = std::max(first, now_s_) + asked_.wait_s;
    return full < arrivals_.size() ? std::min(most, std::max(arrivals_[full], first)) : most;
  }

  void admit() {
    while (next_ < arrivals_.size() && arrivals_[next_] <= now_s_ &&
           std::ssize(running_) < asked_.batch_limit) {
      running_.push_back({arrivals_[next_], asked_.prompt, asked_.tokens, next_});
      wait_[next_] = now_s_ - arrivals_[next_];
      ++next_;
    }
  }

  /// Of a load below what the machine can do the queue empties now and then, after the start too.
  void note_queue() {
    const bool is_second_half = 2 * next_ > arrivals_.size() && now_s_ <= arrivals_.back();
    const bool has_waiting = next_ < arrivals_.size() && arrivals_[next_] <= now_s_;
    if (is_second_half && !has_waiting) has_emptied_ = true;
  }

  void finish_step(double took_s) {
    now_s_ += took_s, busy_s_ += took_s;
    ++steps_, slots_ += std::ssize(running_);
    for (ServedRequest& one : running_) {
      if (one.left == asked_.tokens) first_[one.index] = now_s_ - one.arrival_s;
      ++one.keys;
      if (--one.left == 0) latency_[one.index] = now_s_ - one.arrival_s;
    }
    std::erase_if(running_, [](const ServedRequest& one) { return one.left == 0; });
  }

  ServePoint point() const {
    ServePoint out{.load_per_s = load_per_s_};
    const double span_s = now_s_ - arrivals_.front();
    out.throughput_per_s = double(arrivals_.size()) / span_s;
    out.tokens_per_s = out.throughput_per_s * double(asked_.tokens);
    out.mean_batch = double(slots_) / double(steps_);
    out.busy = busy_s_ / span_s;
    out.steps = steps_, out.step_s = busy_s_ / double(steps_);
    out.wait = serve_times_of(wait_), out.first_token = serve_times_of(first_);
    out.latency = serve_times_of(latency_);
    out.sustained = load_per_s_ == 0 || has_emptied_;
    judge(asked_, &out);
    return out;
  }

  ServeAsked asked_;
  double load_per_s_;
  std::vector<double> arrivals_, wait_, first_, latency_;
  std::vector<ServedRequest> running_;
  size_t next_ = 0;
  double now_s_ = 0, busy_s_ = 0;
  bool has_emptied_ = false;
  int64_t steps_ = 0, slots_ = 0;
};

void insert_point(ServePoint point, Serving* out) {
  const auto at = std::upper_bound(
      out->points.begin(), out->points.end(), point,
      [](const ServePoint& a, const ServePoint& b) { return a.load_per_s < b.load_per_s; });
  out->points.insert(at, std::move(point));
}

}  // namespace

std::vector<double> arrivals(const ServeAsked& asked, double load_per_s) {
  std::vector<double> times;
  const uint64_t key = random_key(static_cast<uint64_t>(asked.seed));
  double now_s = 0;
  for (int64_t i = 0; i < asked.requests; ++i) {
    const double unit = 1 - double(random_unit(key, static_cast<uint64_t>(i)));  // in (0, 1]
    if (load_per_s > 0) now_s -= std::log(unit);
    times.push_back(now_s);
  }
  // Few requests come several per cent faster or slower than their load by chance: scaled, they come at that load.
  const double scale = now_s > 0 ? double(times.size()) / load_per_s / now_s : 0;
  for (double& time : times) time *= scale;
  return times;
}

Result<ServePoint> serve_load(const ServeAsked& asked, double load_per_s, const StepTime& step) {
  return ServeQueue(asked, load_per_s).run(step);
}

Result<Serving> serve_loads(
    const ServeAsked& asked, const StepTime& step,
    const std::function<void(const std::string& text, double share)>& said) {
  Serving out;
  out.asked = asked;
  std::vector<double> loads = asked.loads;
  const double all =
      1 + (loads.empty() ? double(std::size(kShares)) + kSearches : double(loads.size()));
  double done = 0;
  const auto take = [&](double load) -> Result<ServePoint> {
    said(load > 0 ? fmt::format("{:.3g} requests a second", load) : "all requests at once",
         done++ / all);
    RIDGE_TRY(ServePoint point, serve_load(asked, load, step));
    point.sustained = point.sustained && load < out.offline.throughput_per_s;
    judge(asked, &point);
    return point;
  };
  ServeAsked no_wait = asked;
  no_wait.wait_s = 0;
  said("all requests at once", done++ / all);
  RIDGE_TRY(out.offline, serve_load(no_wait, 0, step));
  if (loads.empty()) {
    for (const double share : kShares) loads.push_back(share * out.offline.throughput_per_s);
  }
  for (const double load : loads) {
    RIDGE_TRY(ServePoint point, take(load));
    insert_point(std::move(point), &out);
  }
  const auto bounds = [&] {
    std::pair<double, double> found{0, 0};  // highest that met it, lowest above that did not
    for (const ServePoint& point : out.points) {
      if (point.meets && found.second == 0) found.first = point.load_per_s;
      if (!point.meets && found.second == 0) found.second = point.load_per_s;
    }
    return found;
  };
  for (int i = 0; asked.loads.empty() && i < kSearches; ++i) {
    const auto [met, missed] = bounds();
    if (missed == 0) break;
    RIDGE_TRY(ServePoint point, take((met + missed) / 2));
    insert_point(std::move(point), &out);
  }
  if (const double met = bounds().first; met > 0) out.server_per_s = met;
  if (!out.offline.latency.p99_s) {
    out.unavailable["p99"] =
        fmt::format("{} requests at each load; a p99 takes 299", asked.requests);
  }
  return out;
}

}  // namespace ridge::stats
