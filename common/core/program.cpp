#include "common/core/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <thread>

extern char** environ;

namespace ridge {
namespace {

constexpr int kFirstRaised = 10;
constexpr double kReap_s = 2;
constexpr int kReset[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool raise_both(int ends[2]) {
  for (int i = 0; i < 2; ++i) ends[i] = raise_fd(ends[i]);
  return ends[0] >= 0 && ends[1] >= 0;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// The lowest number that the program is handed nothing at.
int first_closed(const ProgramStart& start) {
  int first = 3;
  for (const Handed& file : start.files) first = std::max(first, file.theirs + 1);
  return first;
}

int spawn(const ProgramStart& start, char** argv, char** envp, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const Handed& file : start.files)
    posix_spawn_file_actions_adddup2(&actions, file.ours, file.theirs);
#ifdef __GLIBC__
  posix_spawn_file_actions_addclosefrom_np(&actions, first_closed(start));
#endif
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults, none;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : kReset) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              (start.has_group ? POSIX_SPAWN_SETPGROUP : 0)));
  const int failed = ::posix_spawnp(pid, argv[0], &actions, &attributes, argv, envp);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

/// Between fork and exec, with other threads alive before: system calls only.
[[noreturn]] void become(const ProgramStart& start, pid_t parent, int closed, char** argv,
                         char** envp) {
  if (start.has_group) ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  for (const int signal : kReset) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const Handed& file : start.files) ::dup2(file.ours, file.theirs);
  ::syscall(SYS_close_range, static_cast<unsigned>(closed), ~0u, 0u);
  ::execve(argv[0], argv, envp);
  ::_exit(127);
}

int fork_and_become(const ProgramStart& start, char** argv, char** envp, pid_t* pid) {
  const pid_t parent = ::getpid();
  const int closed = first_closed(start);
  *pid = ::fork();
  if (*pid == 0) become(start, parent, closed, argv, envp);
  if (*pid < 0) return errno;
  if (start.has_group) ::setpgid(*pid, *pid);  // whichever of the two comes first
  return 0;
}

Ending ending_of(int status) {
  const bool signalled = WIFSIGNALED(status);
  return {true, signalled, signalled ? WTERMSIG(status) : WEXITSTATUS(status)};
}

}  // namespace

// ---- descriptors ----

void close_fd(int* fd) {
  if (*fd >= 0) ::close(*fd);
  *fd = -1;
}

int raise_fd(int fd) {
  if (fd < 0) return fd;
  const int raised = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstRaised);
  const int why = errno == EINVAL ? EMFILE : errno;  // the limit is below the number
  ::close(fd);
  errno = why;
  return raised;
}

int open_raised(const char* path, int flags) {
  return raise_fd(::open(path, flags | O_CLOEXEC, 0644));
}

bool make_pipe(int ends[2]) {
  return ::pipe2(ends, O_CLOEXEC) == 0 && raise_both(ends);
}

bool make_sockets(int ends[2]) {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 && raise_both(ends);
}

// ---- the start ----

bool has_programs() {
  return true;
}

int start_program(const ProgramStart& start, pid_t* pid) {
  const std::vector<char*> argv = pointers(start.command), own = pointers(start.environment);
  char** const envp = start.environment.empty() ? environ : const_cast<char**>(own.data());
  const auto begin = start.dies_with_us ? fork_and_become : spawn;
  const int failed = begin(start, const_cast<char**>(argv.data()), envp, pid);
  if (failed != 0) *pid = -1;
  return failed;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    const bool is_changed = std::any_of(changes.begin(), changes.end(),
                                        [&](const auto& one) { return one.first == name; });
    if (!is_changed) variables.push_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) variables.push_back(name + "=" + value);
  }
  return variables;
}

// ---- the end ----

bool Ending::has_crashed() const {
  constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
  return signalled && std::find(std::begin(kFaults), std::end(kFaults), value) != std::end(kFaults);
}

std::string Ending::signal() const {
  const char* name = sigabbrev_np(value);
  return name ? std::string("SIG") + name : std::to_string(value);
}

std::string Ending::text() const {
  if (!known) return "did not end even when killed";
  if (!signalled) return "exited with code " + std::to_string(value);
  return (has_crashed() ? "crashed (" : "was ended (") + signal() + ")";
}

std::optional<Ending> peek_ending(pid_t pid) {
  siginfo_t info = {};
  const int failed = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  if (failed != 0 || info.si_pid != pid) return {};
  return Ending{true, info.si_code != CLD_EXITED, info.si_status};
}

std::optional<Ending> reap(pid_t pid, double limit_s) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(limit_s);
  for (auto pause = std::chrono::microseconds(50);;
       pause = std::min(pause * 2, std::chrono::microseconds(2000))) {
    int status = 0;
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid) return ending_of(status);
    if (got < 0 && errno != EINTR) return Ending{};  // no child of this process
    if (Clock::now() >= end) return {};
    std::this_thread::sleep_for(pause);
  }
}

void reap_later(pid_t pid) {
  std::thread([pid] { ::waitpid(pid, nullptr, 0); }).detach();
}

void kill_marked(const std::string& variable) {
  std::error_code failed;
  std::filesystem::directory_iterator at("/proc", failed);
  for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size() || pid == ::getpid()) continue;
    std::ifstream file(at->path() / "environ", std::ios::binary);
    for (std::string entry; std::getline(file, entry, '\0');) {
      if (entry == variable) ::kill(pid, SIGKILL);
    }
  }
}

Ending kill_and_reap(pid_t pid, bool has_group) {
  if (has_group) ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);  // it may have left its group
  if (const auto ending = reap(pid, kReap_s)) return *ending;
  reap_later(pid);
  return {};
}

}  // namespace ridge
