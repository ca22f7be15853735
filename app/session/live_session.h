// A session with a worker process. See app/session/session.h and docs/protocol.md.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "app/session/process.h"
#include "app/session/session.h"
#include "app/session/transcript.h"
#include "app/session/transcript_file.h"

namespace ridge::app {

class LiveSession final : public Session {
 public:
  explicit LiveSession(Options options);
  ~LiveSession() override;
  Result<void> launch();

  bool poll() override;
  void wait(double timeout_s) override;
  const Run& run() const override { return run_; }
  WorkerState state() const override;
  const std::string& reason() const override { return reason_; }
  bool in_timed_block() const override { return in_timed_block_; }
  Result<int64_t> list() override;
  Result<int64_t> source(const std::string& kernel) override;
  Result<int64_t> assembly(const std::string& kernel) override;
  Result<int64_t> build(const std::string& kernel, const std::string& dtype,
                        const std::string& text) override;
  Result<int64_t> send(WorkRequest request) override;
  void cancel(int64_t id) override;
  void stop_waiting() override;
  void predict(const Prediction& said) override;
  void name_learner(const std::string& name) override;
  void note(const std::string& key, const std::string& text) override;
  std::vector<std::string> transcript() const override {
    auto lines = transcript_.lines();
    return lines ? *std::move(lines) : std::vector<std::string>{};
  }
  Result<std::string> text_from(size_t first) const override { return transcript_.text_from(first); }
  size_t line_count() const override { return transcript_.size(); }
  Result<void> append_to(GrowingFile* file) const override { return file->append(transcript_); }
  Result<void> save(const std::string& path) const override;
  void keep(const std::string& path) override;
  std::optional<Error> take_keep_error() override;

 private:
  using Clock = std::chrono::steady_clock;

  /// Something asked and not yet done.
  struct Open {
    RequestType type = RequestType::list;
    std::optional<Clock::time_point> cancelled;
    std::shared_ptr<const Json> line;  ///< as it was asked
  };

  Result<int64_t> ask(int64_t id, RequestType type, const Json& line);
  void post(const Json& line);
  void record(const Json& line);
  void ask_again(const std::map<int64_t, Open>& waiting);
  void handle(const std::string& line);
  void handle_message(const Json& message, const std::string& line);
  void handle_hello();
  void close_request(const Json& message, const std::string& type);
  void handle_junk(const std::string& line);
  std::string find_death();
  void mind_watchdog(bool reader_was_full);
  void mind_cancel();
  void lose(const std::string& why);
  void finish_losing();
  void poll_worker();
  void forget_sleep();
  void say_good_bye();
  double hello_limit_s() const;

  Options options_;
  std::unique_ptr<Process> process_;
  Run run_;
  Transcript transcript_;
  std::unique_ptr<TranscriptWriter> writer_;  ///< null: nothing is kept
  std::string reason_;
  std::map<int64_t, Open> open_;
  int64_t next_id_ = 1;
  bool changed_ = false;  ///< run_ changed outside poll()

  // Of the present worker.
  bool has_hello_ = false, waiting_ = false, in_timed_block_ = false;
  std::vector<std::string> held_;  ///< lines for a worker that has not said hello
  bool is_impatient_ = false;      ///< what is cancelled now is not waited for
  std::string fault_, gave_up_, banner_;
  Clock::time_point launched_, last_ping_, polled_;
  std::optional<Clock::time_point> unanswered_;  ///< the oldest ping without a pong
  bool is_flooded_ = false;  ///< the queue of lines was full since that ping
  std::optional<Clock::time_point> terminated_, closed_;
  std::string
      lost_why_;  ///< it was killed for this, and has not ended yet; empty: it is not being lost
  bool ended_by_itself_ = false;
};

}  // namespace ridge::app
