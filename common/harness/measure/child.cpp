#include "common/harness/measure/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <sstream>

#include "common/core/program.h"
#include "common/harness/measure/machine.h"

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

}  // namespace

Child::Child(std::string name, const std::vector<std::string>& command,
             const std::vector<std::pair<std::string, std::string>>& environment, bool on_gpu)
    : name_(std::move(name)), on_gpu_(on_gpu) {
  start(command, environment);
}

void Child::start(const std::vector<std::string>& command,
                  const std::vector<std::pair<std::string, std::string>>& environment) {
  int commands[2] = {-1, -1}, answers[2] = {-1, -1};
  memory_fd_ = raise_fd(::memfd_create("ridge-peer", MFD_CLOEXEC));
  const bool ready = memory_fd_ >= 0 && make_sockets(commands) && make_sockets(answers);
  to_ = commands[1];
  from_ = answers[0];
  const int failed =
      !ready ? errno
             : start_program({.command = command,
                              .files = {{commands[0], 0}, {2, 1}, {answers[1], 3}, {memory_fd_, 4}},
                              .environment = environment_with(environment),
                              .dies_with_us = true},
                             &pid_);
  close_fd(&commands[0]);
  close_fd(&answers[1]);
  if (failed != 0) {
    why_dead_ = name_ + "'s process could not be started: " + std::strerror(failed);
    return;
  }
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
  {
    const std::lock_guard lock(live_mutex);
    live_children().erase({pid_, on_gpu_});
  }
  kill_and_reap(pid_, true);
  pid_ = -1;
}

Error Child::give_up(const std::string& why) {
  if (alive()) kill_group();
  if (why_dead_.empty()) why_dead_ = why;
  return {ErrorCode::invalid, why_dead_, name_, ""};
}

std::string Child::how_it_ended() {
  for (const double end = clock_s() + kEndingPatience_s; clock_s() < end; ::usleep(1000)) {
    const auto ending = peek_ending(pid_);
    if (!ending) continue;
    const std::string number = std::to_string(ending->value);
    if (!ending->signalled) return "ended with exit code " + number;
    return ending->has_crashed() ? "crashed (" + ending->signal() + ")"
                                 : "was killed by signal " + number;
  }
  return "closed its connection";
}

Result<std::string> Child::receive() {
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
  int unread_bytes = 0;  // bytes, not POLLIN: a socket whose other end is gone polls as readable too
  const bool spoke = ::ioctl(from_, FIONREAD, &unread_bytes) == 0 && unread_bytes > 0;
  if (spoke || !buffer_.empty()) return give_up(name_ + "'s process spoke without being asked");
  if (!send(line)) return give_up(name_ + "'s process " + how_it_ended());
  return receive();
}

bool Child::send(const std::string& line) {
  // A line is far shorter than a socket's buffer, which is empty or nearly: the child reads all the while.
  const std::string text = line + "\n";
  return alive() &&
         ::send(to_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

double Child::cpu_ns() const {
  clockid_t clock = {};
  timespec t = {};
  if (!alive() || ::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &t) != 0)
    return 0;
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
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
    double user = 0, system = 0, user_below = 0,
           system_below = 0;  // below: of children that it waited for
    if (rest >> user >> system >> user_below >> system_below)
      sum += (user + system + user_below + system_below) / double(::sysconf(_SC_CLK_TCK));
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
