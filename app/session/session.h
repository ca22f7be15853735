// A session: one worker process (or a saved run), everything asked of it and everything it said.
// Both the command line and the window sit on this. One thread owns it; a reader thread only queues
// lines and calls `wake`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/request.h"
#include "common/record/run.h"

namespace ridge::app {

class GrowingFile;

enum class WorkerState {
  starting,  ///< spawned, no hello yet
  idle,  ///< nothing is open; after a cancel that had to end the worker, the next request starts one
  busy,   ///< a request is open
  lost,   ///< died or silent; reason() says how; restarts with the next request
  replay  ///< no worker: a saved run is shown
};

/// How long the app waits for what before it acts, in seconds (docs/protocol.md). Tests shorten it.
struct Patience {
  double hello_s = 0;           ///< spawn to hello; 0: 5, or 30 for a command of the user's (ssh)
  double ping_every_s = 1;      ///< while anything is open
  double pong_s = 5;            ///< then the worker is dead
  double pong_waiting_s = 120;  ///< the same while it waits for a queue
  double cancel_s = 3;          ///< cancel without done, then SIGTERM
  double kill_s = 1;            ///< SIGTERM to SIGKILL; also for the good-bye
  double closed_s = 0.3;        ///< stdout closed while alive
};

class Session {
 public:
  struct Options {
    std::vector<std::string> command;  ///< empty: ridgepoint-worker beside this program, --stdio
    std::function<void()> wake;        ///< called from the reader thread when lines wait
    Patience patience = {};
    /// Starts it as a worker that runs commands: --commands in place of --stdio. For what a person has typed on a
    /// command line, and for nothing that was read from a file.
    bool runs_commands = false;
  };

  /// Spawns the worker and returns at once, in state `starting`. Errors: `unavailable` when the
  /// program is missing or cannot be executed. A worker that says no hello, or speaks another
  /// protocol version, shows as `lost` with its reason.
  static Result<std::unique_ptr<Session>> start(Options options);
  /// `now`: the hashes of today's rungs, by which what is stale is marked; this program's.
  static Result<std::unique_ptr<Session>> replay(const std::string& path,
                                                 std::span<const RungHash> now = rung_hashes());
  /// Neither worker nor file: what recordings hold is all that there is to see.
  static std::unique_ptr<Session> nothing();
  virtual ~Session() = default;  ///< asks the worker to quit, then makes sure it has

  /// Applies what has arrived, answers `timing` lines, minds the watchdog and escalates a cancel.
  /// Never blocks. True when run() changed.
  virtual bool poll() = 0;
  /// Waits up to `timeout_s` for something to poll.
  virtual void wait(double timeout_s) = 0;

  virtual const Run& run() const = 0;
  virtual WorkerState state() const = 0;
  virtual const std::string& reason() const = 0;
  /// Inside a timed block on this machine: the window should not draw.
  virtual bool in_timed_block() const = 0;

  /// Each sends one request and returns its id; a lost worker is restarted first.
  virtual Result<int64_t> list() = 0;
  virtual Result<int64_t> source(const std::string& kernel) = 0;
  virtual Result<int64_t> assembly(const std::string& kernel) = 0;
  /// A learner's text, to become a rung; `kernel` picks a variant and may be empty;
  /// `dtype`: the data type to build it for, empty for the text's first.
  virtual Result<int64_t> build(const std::string& kernel, const std::string& dtype,
                                const std::string& text) = 0;
  virtual Result<int64_t> send(WorkRequest request) = 0;  ///< run, compare, probe; sets the id
  /// Ends the request as cancelled: by the worker when its call is over, else, after cancel_s, by ending the
  /// worker.
  virtual void cancel(int64_t id) = 0;
  /// Ends the worker at once if a cancelled request is still open.
  virtual void stop_waiting() {}
  /// Puts a learner's prediction into the transcript.
  virtual void predict(const Prediction& said) = 0;

  /// Puts the name of who edits into the transcript.
  virtual void name_learner(const std::string& name) { (void)name; }
  /// Puts what a person wrote about the run into the transcript (common/record/notes.h). Of a saved run into what save()
  /// writes: its file stays as it is.
  virtual void note(const std::string& key, const std::string& text) = 0;

  /// The transcript so far, a copy of all of it; and saves it (written beside, then renamed: never half a file).
  virtual std::vector<std::string> transcript() const = 0;
  /// The lines from `first` on, each with its end, and how many there are in all. A saved run has none of its own.
  virtual Result<std::string> text_from(size_t first) const { return (void)first, std::string(); }
  virtual size_t line_count() const { return 0; }
  /// Appends to the file what it does not have of the transcript yet. A saved run has a file already.
  virtual Result<void> append_to(GrowingFile* file) const { return (void)file, Result<void>{}; }
  virtual Result<void> save(const std::string& path) const = 0;
  /// From now on `path` holds the transcript, and grows with it on a thread of its own (TranscriptWriter). Called
  /// again, what was kept goes to the disk. A saved run is kept already.
  virtual void keep(const std::string& path) { (void)path; }
  /// Why the last attempt to keep it failed, once: `cannot_write`. The next call of keep() tries again.
  virtual std::optional<Error> take_keep_error() { return std::nullopt; }
};

/// A note as a line of a transcript.
std::string note_line(const std::string& key, const std::string& text);

/// Splits a launch command into arguments like a shell would, quotes included; nothing is expanded.
Result<std::vector<std::string>> split_command(const std::string& text);

}  // namespace ridge::app
