// A child process in a group of its own that answers one line for each line it is sent, and shares
// one piece of memory with this one. Whatever it does (die, hang, talk junk), ask() returns.
//
// The child reads commands on fd 0, answers on fd 3, and maps fd 4, a memfd; its stdout goes to
// stderr, so that no library's print is taken for an answer. It is killed with this process.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "common/core/result.h"

namespace ridge::measure {

class Child {
 public:
  /// `environment` is set on top of this process's own. `name` begins every error: "NumPy".
  Child(std::string name, const std::vector<std::string>& command,
        const std::vector<std::pair<std::string, std::string>>& environment, bool on_gpu);
  ~Child();  ///< kills the whole group
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// One line there, one line back, without their newlines. An error ends the child for good: what
  /// it would answer later belongs to no question.
  Result<std::string> ask(const std::string& line);
  /// The next line without a question: the child's greeting.
  Result<std::string> receive();
  /// Sends a line and waits for nothing; false where the child takes none.
  bool send(const std::string& line);
  /// Whether hear() would return at once: a line waits, or the child has ended.
  bool speaks_within(double seconds);
  /// Ends the child, and says so in this and every later answer.
  Error give_up(const std::string& why);
  bool alive() const { return pid_ > 0; }
  /// CPU time of all its threads so far, by the kernel's account; 0: it has ended.
  double cpu_ns() const;

  /// The shared memory, at least `bytes` long; unavailable when there is none.
  Result<std::byte*> memory(size_t bytes);

 private:
  void start(const std::vector<std::string>& command,
             const std::vector<std::pair<std::string, std::string>>& environment);
  /// "ended with exit code 1", "was killed by signal 9"; waits for a child that is ending.
  std::string how_it_ended();
  void kill_group();

  std::string name_, buffer_, why_dead_;
  pid_t pid_ = -1;
  bool on_gpu_;
  int to_ = -1, from_ = -1, memory_fd_ = -1;
  std::byte* memory_ = nullptr;
  size_t memory_bytes_ = 0;
};

/// Seconds that a child may take for one answer: 60, or RIDGE_PEER_PATIENCE_S in the environment.
double child_patience_s();
/// CPU seconds of all children so far, ended ones included: they are no foreign load.
double children_cpu_s();
/// A process that was forked, not started by this class, begins or ends to count as ours.
void count_child(pid_t pid, bool counts);
/// Live children, or those on a GPU only.
std::vector<pid_t> children(bool on_gpu_only);

}  // namespace ridge::measure
