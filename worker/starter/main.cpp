// ridgepoint-starter: starts commands for a worker (common/harness/measure/starter.h), one after the other, and times
// them. Small, so that making a process is quick and adds nothing to a command's peak memory. It adopts what a command
// leaves behind. It ends with the worker, and the command with it.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/core/program.h"
#include "common/harness/measure/command_start.h"
#include "worker/starter/library.h"

namespace {

using namespace ridge;
using namespace ridge::measure;

double now_ns() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds_of(const timeval& t) {
  return double(t.tv_sec) + 1e-6 * double(t.tv_usec);
}

bool read_whole(void* to, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t got = read(kStarterSocket, static_cast<char*>(to) + at, bytes - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<size_t>(got);
  }
  return true;
}

template <class T>
bool send(const T& message) {
  return write(kStarterSocket, &message, sizeof message) == ssize_t(sizeof message);
}

/// How the child ended and what it took; waits for it.
int wait_for(pid_t pid, rusage* usage) {
  int status = 0;
  while (wait4(pid, &status, 0, usage) < 0 && errno == EINTR) {
  }
  return status;
}

/// The resident set that a process has before it becomes a command.
double first_resident_bytes() {
  pid_t pid = -1;
  if (start_program({.command = {"/"}, .dies_with_us = true}, &pid) != 0) return 0;
  rusage usage = {};
  wait_for(pid, &usage);
  return 1024.0 * double(usage.ru_maxrss);
}

/// The children of this process, but for `root`.
std::vector<pid_t> other_children(pid_t root) {
  std::vector<pid_t> pids;
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid = 0; list >> pid;) {
    if (pid != root) pids.push_back(pid);
  }
  return pids;
}

/// Ends what the command `root` left behind; it has ended itself and is not reaped. The descendants of one that is ended
/// become children of this process in turn, until there are none.
int end_leftovers(pid_t root) {
  int ended = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<pid_t> left = other_children(root);
    if (left.empty()) break;
    for (const pid_t pid : left) {
      const bool ran = !peek_ending(pid);
      kill(pid, SIGKILL);
      if (!reap(pid, 2).has_value()) reap_later(pid);
      ended += ran;
    }
  }
  kill(-root, SIGKILL);  // its group, where this kernel lists no children
  return ended;
}

std::vector<std::string> words_in(const std::string& bytes) {
  std::vector<std::string> words;
  for (size_t at = 0; at < bytes.size(); at += words.back().size() + 1)
    words.emplace_back(bytes.c_str() + at);
  return words;
}

/// False: the worker has gone.
bool carry_out(const CommandStart& asked, const std::string& bytes, double first_bytes, int talk) {
  // Opened again: its reader begins at the start, and can change nothing.
  int in = asked.reads_output != 0
               ? open_raised(("/proc/self/fd/" + std::to_string(kStarterOutput)).c_str(), O_RDONLY)
               : open_raised("/dev/null", O_RDONLY);
  ProgramStart start{.command = words_in(bytes),
                     .files = {{in, 0},
                               {asked.is_check != 0 ? kStarterCheckOutput : kStarterOutput, 1},
                               {kStarterErrors, 2}},
                     .dies_with_us = true};
  if (asked.talks != 0) start.files.push_back({talk, kLibraryTalk});
  CommandBegun begun;
  const double begun_ns = now_ns();
  begun.failed = in < 0 ? errno : start_program(start, &begun.pid);
  if (!send(begun)) return false;
  if (begun.failed == 0) {
    siginfo_t info = {};
    while (waitid(P_PID, id_t(begun.pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    if (!send(CommandEnded{now_ns() - begun_ns})) return false;
    char let_go = 0;
    if (!read_whole(&let_go, 1)) return false;
    CommandReaped reaped;
    reaped.left_running = end_leftovers(begun.pid);
    rusage usage = {};
    reaped.status = wait_for(begun.pid, &usage);
    reaped.cpu_ns = 1e9 * (seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    const double peak_bytes = 1024.0 * double(usage.ru_maxrss);
    reaped.peak_bytes = peak_bytes > first_bytes ? peak_bytes : 0;
    if (!send(reaped)) return false;
  }
  close_fd(&in);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == kLibraryOption) return host_library(argv[2], argv[3]);
  if (fcntl(kStarterSocket, F_GETFD) < 0 || fcntl(kStarterErrors, F_GETFD) < 0) {
    fputs("ridgepoint-starter is started by ridgepoint-worker --commands, and by nothing else\n",
          stderr);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  // Where it cannot be had (QEMU), what a command leaves behind lives on until its session ends, uncounted.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const double first_bytes = first_resident_bytes();
  const int talk = raise_fd(kStarterTalk);
  for (CommandStart asked; read_whole(&asked, sizeof asked);) {
    std::string bytes(asked.word_bytes, '\0');
    if (!read_whole(bytes.data(), bytes.size()) || bytes.empty()) break;
    if (!carry_out(asked, bytes, first_bytes, talk)) break;
  }
  return 0;
}
