// A history that a window adds to and reads: on a thread of its own, because another process may hold the file.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/history/entries.h"
#include "app/history/rung_history.h"

namespace ridge::history {

class Keeper {
 public:
  explicit Keeper(std::string path);
  ~Keeper();  ///< what was added is written
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void add(RunEntries entries);
  /// What the history holds of this rung, after all that was added: take_answer() has it when it is read.
  void ask(const std::string& kernel);

  struct Answer {
    std::string kernel;
    std::vector<RungHistory> histories;
  };
  std::optional<Answer> take_answer();
  /// Why the last of its tasks failed, once.
  std::optional<Error> take_error();

 private:
  struct Task {
    std::optional<RunEntries> added;  ///< absent: `kernel` is asked for
    std::string kernel;
  };
  void work();
  Result<void> carry_out(Task* task);

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  RunEntries unwritten_;  ///< of tasks that failed, for the next; the thread's own
  bool is_over_ = false;
  std::optional<Answer> answer_;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace ridge::history
