// Programs started, and how they end: the one place that starts any. No shell. A started program has the descriptors
// that it is handed and no others, and the signals' defaults, whatever this process ignores or blocks.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge {

// ---- descriptors: all are closed by an exec, and 10 or above, out of the way of those that a program gets ----

void close_fd(int* fd);  ///< and makes it -1; nothing where it is that
/// The same file at such a number; `fd` is closed. Below 0, as `fd` may be: errno says why.
int raise_fd(int fd);
int open_raised(const char* path, int flags);  ///< a file that it makes has mode 0644
/// False: errno says why.
bool make_pipe(int ends[2]);
/// Sockets in place of a pipe: writing to a program that has just died is then an error, not a signal.
bool make_sockets(int ends[2]);

// ---- the start ----

/// A descriptor of this process, and its number in the program.
struct Handed {
  int ours = -1;  ///< raised, or one of 0 to 2 that no entry before replaces
  int theirs = 0;
};

struct ProgramStart {
  std::vector<std::string>
      command;  ///< the program, looked for on PATH where it has no slash; its arguments
  std::vector<Handed> files{};  ///< 0 to 2 are this process's own where they are not among them
  std::vector<std::string> environment{};  ///< "NAME=value"; empty: this process's own
  bool has_group = true;                   ///< a process group of its own, with its number
  /// It is killed when this process ends, or the thread that starts it. Then `command` names a path, and one that
  /// cannot be executed ends with code 127.
  bool dies_with_us = false;
};

/// Whether a program can be started here; a page in a browser starts none.
bool has_programs();

/// 0, or errno: ENOENT for no such program.
int start_program(const ProgramStart& start, pid_t* pid);

/// This process's environment with these set; an empty value takes the variable away.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes);

// ---- the end ----

/// How a program ended.
struct Ending {
  bool known = false;  ///< false: it could not be reaped (stuck in the kernel)
  bool signalled = false;
  int value = 0;               ///< exit code, or signal number
  bool has_crashed() const;    ///< by a signal that says so
  std::string signal() const;  ///< "SIGSEGV"
  /// "exited with code 3", "crashed (SIGSEGV)".
  std::string text() const;
};

/// How it ended; none: it runs. It is not reaped: until it is, its number is nobody else's, so that killing its group
/// stays safe.
std::optional<Ending> peek_ending(pid_t pid);
/// Reaps it, and waits `limit_s` for that at most; none: it runs still.
std::optional<Ending> reap(pid_t pid, double limit_s);
/// A thread reaps it, whenever it comes out of the kernel.
void reap_later(pid_t pid);
/// Kills each process of this user that was started with this in its environment, "NAME=value", though it left the group
/// and has another parent since. What starts programs without their environment is not found.
void kill_marked(const std::string& variable);
/// Kills and reaps it, `has_group`: with its group. One that is stuck for two seconds is left to reap_later().
Ending kill_and_reap(pid_t pid, bool has_group);

}  // namespace ridge
