// The starter (worker/starter) as the worker sees it: a small process that starts one program at a time, times it, and
// ends whatever it leaves behind. What programs write goes to memory files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/command_start.h"

namespace ridge::measure {

/// The most that a command may write: to its standard output, and to its standard error.
inline constexpr int64_t kMostCommandOutput_bytes = int64_t{64} << 20;

/// A memory file that takes what a process writes.
struct Sink {
  int fd = -1;
  int64_t bytes() const;
  void empty() const;
  Result<std::string> read() const;
  Result<void> write(const std::string& bytes) const;  ///< in place of what it holds
};

/// A program of a starter, from its start until it has ended.
struct Started {
  std::string name;  ///< begins every error
  pid_t pid = -1;
};

class Starter {
 public:
  enum class Stopped { no, limit, output, cancelled };

  /// `cancelled` is asked every 20 ms while it waits; a wait lasts `limit_s` at most.
  Starter(double limit_s, std::function<bool()> cancelled);
  ~Starter();  ///< ends what runs
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  /// Error unavailable: it is not beside this program.
  Result<void> open();
  /// Starts the program at this path; `how` says what its descriptors are. Errors: unavailable, no process could be
  /// made; worker, the starter has gone.
  Result<Started> begin(const std::string& name, const std::string& program,
                        const std::vector<std::string>& arguments, CommandStart how);
  /// Waits until the program has ended, or until `talk` can be read (below 0: nothing). Where its time is over, where it
  /// wrote more than `most_bytes` to `out`, or too much to its standard error, or where it is cancelled, it is killed.
  Stopped wait(const Started& program, const Sink& out, int64_t most_bytes, int talk = -1) const;
  /// The end of a program that has ended or was killed. Error worker: the starter has gone.
  struct End {
    double t_ns = 0;
    CommandReaped reaped;
  };
  Result<End> reap(const Started& program);
  /// Why `program` failed. `what` is what was asked of it: "a call".
  Error ending_error(const Started& program, const std::string& what, Stopped why,
                     int status) const;

  /// A talking program's end of the talk; it is the program's descriptor kLibraryTalk.
  int talk() const { return talk_; }
  const std::string& path() const { return path_; }  ///< of the starter's program
  const Sink& out() const { return out_; }
  const Sink& check_out() const { return check_out_; }
  const Sink& errors() const { return errors_; }

 private:
  Stopped why_stop(const Sink& out, int64_t most_bytes, double deadline_s) const;
  bool read_whole(void* to, size_t bytes) const;
  std::string last_error_line() const;
  Error lost(const std::string& name) const;

  double limit_s_;
  std::function<bool()> cancelled_;
  std::string path_;
  Sink out_, check_out_, errors_;
  pid_t pid_ = -1;
  int socket_ = -1, talk_ = -1;
};

/// All of `bytes` to a socket; false where the other end is closed.
bool send_whole(int socket, const std::string& bytes);

}  // namespace ridge::measure
