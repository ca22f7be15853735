#include "app/sweep/sweeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/history/entries.h"
#include "app/history/history_store.h"
#include "app/session/saved_run.h"
#include "common/core/format.h"

namespace ridge::sweep {
namespace {

/// A point may bring its worker down, and another may bring it down: it gets a second try.
constexpr int kMostAttempts = 2;
/// A worker that so often does not even begin is gone.
constexpr int kMostVainStarts = 2;
constexpr size_t kMostSentences = 10;
constexpr std::chrono::seconds kRememberEvery(2);
constexpr std::chrono::milliseconds kShowEvery(100);
constexpr std::chrono::seconds kPaceWindow(30);

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// "2 h 5 min", "3 min 20 s", "12 s".
std::string time_left_text(double left_s) {
  const long all = std::lround(std::ceil(left_s));
  if (all >= 3600) return fmt::format("{} h {} min", all / 3600, all % 3600 / 60);
  if (all >= 60) return fmt::format("{} min {} s", all / 60, all % 60);
  return fmt::format("{} s", all);
}

}  // namespace

std::string Pace::text() const {
  std::string text = fmt::format("{} of {} points", complete, points);
  if (measured_now == 0) return text + " · ceilings come with each worker's first point";
  if (per_s <= 0) return text;
  text += per_s >= 1 ? fmt::format(" · {} a second", format_number(per_s))
                     : fmt::format(" · {} a minute", format_number(per_s * 60));
  if (complete < points)
    text += fmt::format(" · {} left", time_left_text(double(points - complete) / per_s));
  return text;
}

// ---- the start -----------------------------------------------------------------------------------

Sweeper::~Sweeper() {
  workers_.clear();  // their reader threads call wake_
}

Result<void> Sweeper::start(const std::vector<WorkerCommand>& commands) {
  const auto wake = [this] {
    {
      const std::lock_guard lock(mutex_);
      is_woken_ = true;
    }
    wake_.notify_one();
  };
  for (const WorkerCommand& command : commands) {
    auto worker = SweepWorker::start(command.name, command.words, wake);
    if (!worker) return worker.error();
    workers_.push_back(*std::move(worker));
  }
  vain_starts_.assign(workers_.size(), 0);
  remembered_.assign(workers_.size(), 0);
  const auto is_ready = [](const auto& worker) { return worker->is_ready(); };
  while (!std::all_of(workers_.begin(), workers_.end(), is_ready)) {
    wait();
    for (const auto& worker : workers_) {
      RIDGE_TRY([[maybe_unused]] const auto none, worker->poll());
      if (auto error = worker->start_error()) return *std::move(error);
    }
    if (hooks_.interrupts() > 0)
      return Error{ErrorCode::cancelled, "cancelled: before anything was measured", "", ""};
  }
  return {};
}

Result<void> Sweeper::check_builds(const Plan& plan) const {
  for (const auto& worker : workers_) {
    for (const auto& [kernel, hash] : plan.hashes) {
      const KernelInfo* info = worker->run().kernel(kernel);
      if (!info || !info->available || info->hash == hash) continue;
      return app::bad_file("its " + kernel + " is of another build than the first worker's",
                           worker->name(), "install the same ridgepoint on all machines");
    }
  }
  return {};
}

void Sweeper::wait() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, kShowEvery, [this] { return is_woken_; });
  is_woken_ = false;
}

// ---- the history ---------------------------------------------------------------------------------

void Sweeper::remember(bool is_last) {
  const auto now = Clock::now();
  if (!keeper_ || (!is_last && now - remembered_at_ < kRememberEvery)) return;
  remembered_at_ = now;
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i]) continue;
    history::RunEntries entries = history::entries_of(workers_[i]->run(), remembered_[i]);
    remembered_[i] = entries.version;
    keeper_->add(std::move(entries));
  }
  if (const auto error = keeper_->take_error())
    hooks_.say("ridgepoint: results are not in the history: " + error->sentence());
}

// ---- points --------------------------------------------------------------------------------------

void Sweeper::miss(const Plan& plan, size_t point, const std::string& why) {
  ++outcome_.missing;
  if (outcome_.unmeasured.size() < kMostSentences)
    outcome_.unmeasured.push_back(plan.points[point].key + ": " + why);
}

void Sweeper::drop_worker(size_t worker, const std::string& why) {
  hooks_.say("ridgepoint: " + workers_[worker]->name() + " is given up: " + why);
  remember(true);
  if (const auto closed = workers_[worker]->close(); !closed)
    hooks_.say("ridgepoint: " + closed.error().sentence());
  workers_[worker].reset();
}

Result<void> Sweeper::take_end(const Plan& plan, size_t worker, PointEnd end) {
  if (end.how == PointEnd::How::measured) {
    vain_starts_[worker] = 0;
    ++outcome_.pace.complete;
    ++outcome_.pace.measured_now;
    outcome_.refused += !end.passed;
    return {};
  }
  if (outcome_.is_cancelled) return {};
  if (end.how == PointEnd::How::failed) {
    miss(plan, end.point, end.reason);
    return {};
  }
  const bool is_its_fault = end.has_begun;
  if (is_its_fault && ++attempts_[end.point] >= kMostAttempts)
    miss(plan, end.point, end.reason);
  else
    waiting_.push_back(end.point);
  if (is_its_fault)
    vain_starts_[worker] = 0;
  else if (++vain_starts_[worker] >= kMostVainStarts)
    drop_worker(worker, end.reason);
  return {};
}

Result<void> Sweeper::hand_out(const Plan& plan) {
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i] || !workers_[i]->is_free()) continue;
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [&](size_t point) {
      return workers_[i]->can(plan.points[point]);
    });
    if (next == waiting_.end()) continue;
    const size_t point = *next;
    waiting_.erase(next);
    const auto given = workers_[i]->give(point, plan.points[point]);
    if (given) continue;
    waiting_.push_front(point);
    drop_worker(i, given.error().sentence());
  }
  return {};
}

void Sweeper::show_pace() {
  const auto now = Clock::now();
  if (now - shown_at_ < kShowEvery) return;
  shown_at_ = now;
  Pace& pace = outcome_.pace;
  pace.seconds = seconds(now - begun_);
  // The first points have the ceilings in them: the rate is of those after the first.
  if (pace.measured_now > 0) recent_.emplace_back(now, pace.measured_now);
  while (recent_.size() > 2 && now - recent_.front().first > kPaceWindow) recent_.pop_front();
  const double window_s = recent_.empty() ? 0 : seconds(now - recent_.front().first);
  if (window_s > 0) pace.per_s = double(pace.measured_now - recent_.front().second) / window_s;
  hooks_.show(pace);
}

Result<void> Sweeper::go_on(const Plan& plan) {
  while (true) {
    const int interrupts = hooks_.interrupts();
    if (interrupts > 0 && !std::exchange(outcome_.is_cancelled, true)) {
      waiting_.clear();
      for (const auto& worker : workers_)
        if (worker) worker->cancel();
    }
    if (interrupts > 1) return {};
    if (!outcome_.is_cancelled) RIDGE_TRY_VOID(hand_out(plan));
    const auto is_at_work = [](const auto& worker) { return worker && !worker->is_free(); };
    if (std::none_of(workers_.begin(), workers_.end(), is_at_work)) return {};
    wait();
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i]) continue;
      RIDGE_TRY(std::optional<PointEnd> end, workers_[i]->poll());
      if (end) RIDGE_TRY_VOID(take_end(plan, i, *std::move(end)));
    }
    show_pace();
    remember(false);
  }
}

Result<void> Sweeper::close() {
  remember(true);
  keeper_.reset();  // what it was given is written
  Result<void> closed;
  for (const auto& worker : workers_) {
    if (!worker) continue;
    if (auto one = worker->close(); !one && closed) closed = one;
  }
  return closed;
}

Result<Outcome> Sweeper::measure(const Plan& plan, const Share& share, const SweepFolder& folder) {
  RIDGE_TRY(const Progress before, folder.read_progress());
  const std::string history_file = history::history_path();
  if (!history_file.empty() && history::why_no_history().empty())
    keeper_ = std::make_unique<history::Keeper>(history_file);
  for (const std::string& path : before.unclosed) {
    const auto saved = app::load_saved(path);
    if (saved && keeper_) keeper_->add(history::entries_of(*saved));
  }
  for (size_t i = 0; i < plan.points.size(); ++i) {
    if (!share.has(i)) continue;
    ++outcome_.pace.points;
    if (before.complete.contains(plan.points[i].key))
      ++outcome_.pace.complete;
    else
      waiting_.push_back(i);
  }
  outcome_.pace.workers = workers_.size();
  for (const auto& worker : workers_) {
    if (waiting_.empty()) break;
    RIDGE_TRY(PointFile file, folder.new_transcript());
    RIDGE_TRY_VOID(worker->keep(std::move(file)));
    outcome_.transcripts.push_back(worker->transcript());
  }
  begun_ = remembered_at_ = Clock::now();
  const auto gone = go_on(plan);
  outcome_.pace.seconds = seconds(Clock::now() - begun_);
  const auto closed = close();
  if (!gone) return gone.error();
  if (!closed) return closed.error();
  const bool has_workers = std::any_of(workers_.begin(), workers_.end(),
                                       [](const auto& worker) { return worker != nullptr; });
  for (const size_t point : waiting_)
    miss(plan, point, has_workers ? "no worker that is left has this rung" : "no worker is left");
  return outcome_;
}

}  // namespace ridge::sweep
