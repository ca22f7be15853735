#include "common/harness/measure/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <sstream>

#include "common/harness/measure/machine.h"

extern char** environ;

namespace ridge::measure {
namespace {

constexpr size_t kLongestAnswer = 64 << 10;  // as a worker's line may be
constexpr double kEndingPatience_s = 0.5;    // from a closed pipe to the child's exit

struct Live {
  pid_t pid;
  bool on_gpu;
  bool operator<(const Live& other) const { return pid < other.pid; }
};
std::mutex live_mutex;  // telemetry asks from another thread
std::set<Live>& live_children() {
  static std::set<Live> live;
  return live;
}

double clock_s() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void close_fd(int* fd) {
  if (*fd >= 0) ::close(*fd);
  *fd = -1;
}

/// Sockets, not a pipe: writing to a child that has just died is then an error to report, not a signal that
/// ends this process. Their numbers are 10 or more, out of the way of those that the child gets.
bool high_sockets(int ends[2]) {
  int low[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0) return false;
  for (int i = 0; i < 2; ++i) {
    ends[i] = ::fcntl(low[i], F_DUPFD_CLOEXEC, 10);
    ::close(low[i]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

std::vector<char*> pointers(std::vector<std::string>* texts) {
  std::vector<char*> list;
  for (std::string& text : *texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// Between fork and exec, with other threads alive before: system calls only.
[[noreturn]] void become(pid_t parent, int in, int out, int memory, char** argv, char** envp) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(in, 0);
  ::dup2(2, 1);
  ::dup2(out, 3);
  ::dup2(memory, 4);
  ::syscall(SYS_close_range, 5u, ~0u, 0u);
  ::execve(argv[0], argv, envp);
  ::_exit(127);
}

}  // namespace

Child::Child(std::string name, const std::vector<std::string>& command,
             const std::vector<std::pair<std::string, std::string>>& environment, bool on_gpu)
    : name_(std::move(name)), on_gpu_(on_gpu) {
  start(command, environment);
}

void Child::start(const std::vector<std::string>& command,
                  const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<std::string> args = command, variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string key = text.substr(0, text.find('='));
    const bool replaced = std::any_of(environment.begin(), environment.end(),
                                      [&](const auto& one) { return one.first == key; });
    if (!replaced) variables.push_back(text);
  }
  for (const auto& [key, value] : environment) {
    if (!value.empty()) variables.push_back(key + "=" + value);  // empty: taken away
  }
  int commands[2] = {-1, -1}, answers[2] = {-1, -1};
  const int low = ::memfd_create("ridge-peer", MFD_CLOEXEC);
  memory_fd_ = low < 0 ? -1 : ::fcntl(low, F_DUPFD_CLOEXEC, 10);
  if (low >= 0) ::close(low);
  const bool ready = memory_fd_ >= 0 && high_sockets(commands) && high_sockets(answers);
  to_ = commands[1];
  from_ = answers[0];
  if (ready) {
    const std::vector<char*> argv = pointers(&args), envp = pointers(&variables);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      become(parent, commands[0], answers[1], memory_fd_, const_cast<char**>(argv.data()),
             const_cast<char**>(envp.data()));
    }
  }
  const int error = errno;
  close_fd(&commands[0]);
  close_fd(&answers[1]);
  if (pid_ <= 0) {
    why_dead_ = name_ + "'s process could not be started: " + std::strerror(error);
    return;
  }
  ::setpgid(pid_, pid_);  // whoever of the two comes first
  const std::lock_guard lock(live_mutex);
  live_children().insert({pid_, on_gpu_});
}

Child::~Child() {
  if (alive()) kill_group();
  close_fd(&to_);
  close_fd(&from_);
  if (memory_ != nullptr) ::munmap(memory_, memory_bytes_);
  close_fd(&memory_fd_);
}

void Child::kill_group() {
  ::kill(-pid_, SIGKILL);
  const std::lock_guard lock(live_mutex);
  live_children().erase({pid_, on_gpu_});
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

Error Child::give_up(const std::string& why) {
  if (alive()) kill_group();
  if (why_dead_.empty()) why_dead_ = why;
  return {ErrorCode::invalid, why_dead_, name_, ""};
}

std::string Child::how_it_ended() {
  siginfo_t info = {};
  for (const double end = clock_s() + kEndingPatience_s; clock_s() < end; ::usleep(1000)) {
    // WNOWAIT: kill_group() still reaps it, and a group id in use is never somebody else's.
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) break;
    if (info.si_pid != pid_) continue;
    const std::string number = std::to_string(info.si_status);
    if (info.si_code == CLD_EXITED) return "ended with exit code " + number;
    for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
      if (info.si_status == fault) return std::string("crashed (SIG") + sigabbrev_np(fault) + ")";
    }
    return "was killed by signal " + number;
  }
  return "closed its connection";
}

Result<std::string> Child::hear() {
  if (!alive()) return Error{ErrorCode::invalid, why_dead_, name_, ""};
  const double patience = child_patience_s(), end = clock_s() + patience;
  for (;;) {
    const size_t newline = buffer_.find('\n');
    if (newline != std::string::npos) {
      std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      return line;
    }
    if (buffer_.size() > kLongestAnswer) return give_up(name_ + "'s process talks without end");
    pollfd ready = {.fd = from_, .events = POLLIN, .revents = 0};
    const double left_ms = 1000 * (end - clock_s());
    const int count = left_ms > 0 ? ::poll(&ready, 1, static_cast<int>(left_ms) + 1) : 0;
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3g s", patience);
      return give_up(name_ + "'s process gave no answer within " + text);
    }
    char piece[1024];
    const ssize_t got = ::read(from_, piece, sizeof piece);
    if (got <= 0) return give_up(name_ + "'s process " + how_it_ended());
    buffer_.append(piece, static_cast<size_t>(got));
  }
}

Result<std::string> Child::ask(const std::string& line) {
  if (!alive()) return Error{ErrorCode::invalid, why_dead_, name_, ""};
  pollfd early = {.fd = from_, .events = POLLIN, .revents = 0};
  const bool spoke = ::poll(&early, 1, 0) == 1 && (early.revents & POLLIN) != 0;
  if (spoke || !buffer_.empty()) return give_up(name_ + "'s process spoke without being asked");
  if (!tell(line)) return give_up(name_ + "'s process " + how_it_ended());
  return hear();
}

bool Child::tell(const std::string& line) {
  // A line is far shorter than a socket's buffer, which is empty or nearly: the child reads all the while.
  const std::string text = line + "\n";
  return alive() &&
         ::send(to_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

bool Child::speaks_within(double seconds) {
  if (!alive() || buffer_.find('\n') != std::string::npos) return true;
  pollfd ready = {.fd = from_, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, static_cast<int>(1000 * seconds)) == 1;
}

Result<std::byte*> Child::memory(size_t bytes) {
  if (bytes <= memory_bytes_) return memory_;
  const Error refused{ErrorCode::unavailable,
                      "no memory to share with " + name_ + ": " + std::to_string(bytes) + " bytes",
                      name_, "choose a smaller size"};
  if (::ftruncate(memory_fd_, static_cast<off_t>(bytes)) != 0) return refused;
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd_, 0);
  if (mapped == MAP_FAILED) return refused;
  if (memory_ != nullptr) ::munmap(memory_, memory_bytes_);
  memory_ = static_cast<std::byte*>(mapped);
  memory_bytes_ = bytes;
  return memory_;
}

double child_patience_s() {
  const char* text = std::getenv("RIDGE_PEER_PATIENCE_S");
  const double value = text == nullptr ? 0 : std::atof(text);
  return value > 0 ? value : 60;
}

double children_cpu_s() {
  rusage ended = {};
  ::getrusage(RUSAGE_CHILDREN, &ended);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  double sum = seconds(ended.ru_utime) + seconds(ended.ru_stime);
  for (const pid_t pid : children(false)) {
    const std::string stat = read_line_of("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    std::string skipped;
    for (int field = 3; field < 14; ++field) rest >> skipped;  // man 5 proc: utime is field 14
    double user = 0, system = 0;
    if (rest >> user >> system) sum += (user + system) / double(::sysconf(_SC_CLK_TCK));
  }
  return sum;
}

void count_child(pid_t pid, bool counts) {
  const std::lock_guard lock(live_mutex);
  if (counts) {
    live_children().insert({pid, false});
  } else {
    live_children().erase({pid, false});
  }
}

std::vector<pid_t> children(bool on_gpu_only) {
  const std::lock_guard lock(live_mutex);
  std::vector<pid_t> pids;
  for (const Live& child : live_children()) {
    if (child.on_gpu || !on_gpu_only) pids.push_back(child.pid);
  }
  return pids;
}

}  // namespace ridge::measure
