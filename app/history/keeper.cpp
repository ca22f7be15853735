#include "app/history/keeper.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ridge::history {

Keeper::Keeper(std::string path) : path_(std::move(path)), thread_([this] { work(); }) {}

Keeper::~Keeper() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Keeper::add(RunEntries entries) {
  if (entries.entries.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({std::move(entries), ""});
  }
  wake_.notify_one();
}

void Keeper::ask(const std::string& kernel) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({std::nullopt, kernel});
  }
  wake_.notify_one();
}

std::optional<Keeper::Answer> Keeper::take_answer() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

std::optional<Error> Keeper::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, std::nullopt);
}

Result<void> Keeper::carry_out(Task* task) {
  // Before anything can fail: what is not written now comes with the next.
  if (task->added) {
    std::move(task->added->entries.begin(), task->added->entries.end(),
              std::back_inserter(unwritten_.entries));
    std::move(task->added->sources.begin(), task->added->sources.end(),
              std::back_inserter(unwritten_.sources));
  }
  RIDGE_TRY(HistoryStore store, HistoryStore::open(path_));
  if (task->added) {
    const auto added = store.add(unwritten_.entries, unwritten_.sources);
    if (!added) return added.error();
    unwritten_ = {};
    return {};
  }
  RIDGE_TRY(std::vector<Entry> entries, store.entries());
  Answer answer{task->kernel, rung_histories(std::move(entries), {.kernel = task->kernel})};
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
  return {};
}

void Keeper::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return is_over_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    const auto done = carry_out(&task);
    lock.lock();
    if (!done) error_ = done.error();
    if (!done && !task.added) answer_ = Answer{task.kernel, {}};
  }
}

}  // namespace ridge::history
