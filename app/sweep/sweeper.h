// A sweep at work: points go to whichever worker is free, and what each measured to the folder and the history.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/history/keeper.h"
#include "app/sweep/sweep_folder.h"
#include "app/sweep/sweep_plan.h"
#include "app/sweep/sweep_worker.h"

namespace ridge::sweep {

struct WorkerCommand {
  std::string name;                ///< of sentences: "worker 2 (ssh -T gpubox ...)"
  std::vector<std::string> words;  ///< empty: the worker beside this program
};

/// How far it is.
struct Pace {
  size_t points = 0;        ///< of this share
  size_t complete = 0;      ///< those that were complete before among them
  size_t measured_now = 0;  ///< by this process
  size_t workers = 0;
  double seconds = 0;        ///< since the first point was given
  double per_s = 0;          ///< over the last half minute
  std::string text() const;  ///< "120 of 10000 points · 66 a second · 2 min 30 s left"
};

struct Outcome {
  Pace pace;
  size_t refused = 0;  ///< measured, but not with a result that may be used
  std::vector<std::string>
      unmeasured;      ///< a sentence for each point that has no result, the first of them
  size_t missing = 0;  ///< how many those are
  bool is_cancelled = false;
  std::vector<std::string> transcripts;  ///< of this process
};

class Sweeper {
 public:
  struct Hooks {
    std::function<void(const Pace&)> show;        ///< ten times a second
    std::function<void(const std::string&)> say;  ///< a sentence
    std::function<int()> interrupts;              ///< how often Ctrl+C was pressed
  };
  explicit Sweeper(Hooks hooks) : hooks_(std::move(hooks)) {}
  ~Sweeper();

  /// Starts all workers and waits for their catalogues. Errors: the first that does not come; cancelled.
  Result<void> start(const std::vector<WorkerCommand>& commands);
  const Run& catalogue() const { return workers_.front()->run(); }
  /// Errors bad_input: a worker holds another text of a rung of the plan.
  Result<void> check_builds(const Plan& plan) const;
  /// Measures what is missing of the share. Errors: cannot_write; worker, when all workers are lost. What was measured is kept
  /// whatever happens.
  Result<Outcome> measure(const Plan& plan, const Share& share, const SweepFolder& folder);

 private:
  using Clock = std::chrono::steady_clock;

  void wait();
  Result<void> go_on(const Plan& plan);
  Result<void> take_end(const Plan& plan, size_t worker, PointEnd end);
  Result<void> hand_out(const Plan& plan);
  void miss(const Plan& plan, size_t point, const std::string& why);
  void drop_worker(size_t worker, const std::string& why);
  void remember(bool is_last);
  void show_pace();
  Result<void> close();

  Hooks hooks_;
  std::mutex mutex_;  ///< of the two below
  std::condition_variable wake_;
  bool is_woken_ = false;
  std::vector<std::unique_ptr<SweepWorker>> workers_;  ///< null: given up
  std::vector<int> vain_starts_;                       ///< of each worker, since it began a point
  std::vector<uint64_t> remembered_;                   ///< of each worker, as RunEntries::version
  std::unique_ptr<history::Keeper> keeper_;
  std::deque<size_t> waiting_;
  std::map<size_t, int> attempts_;  ///< of points that were lost
  std::deque<std::pair<Clock::time_point, size_t>> recent_;
  Clock::time_point begun_, remembered_at_, shown_at_;
  Outcome outcome_;
};

}  // namespace ridge::sweep
