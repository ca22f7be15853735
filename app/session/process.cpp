#include "app/session/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace ridge::app {
namespace {

constexpr size_t kKeptErrorBytes = 8 * 1024;
constexpr auto kDrainTime = std::chrono::milliseconds(200);
/// In the environment of a worker, and so of whatever it starts.
constexpr const char* kMark = "RIDGEPOINT_WORKER";
constexpr auto kReapTime = std::chrono::milliseconds(2000);

Error launch_error(const std::string& program, int number) {
  Error error{ErrorCode::unavailable, "", "worker '" + program + "'", ""};
  if (number == ENOENT) {
    error.what = "there is no such program";
    error.hint = "build ridgepoint-worker beside this program, or name one with --worker";
  } else if (number == EACCES || number == ENOEXEC) {
    error.what = "it cannot be executed";
    error.hint = "check that it is a program for this machine and may be executed (chmod +x)";
  } else {
    error.what = std::string("it could not be started: ") + strerror(number);
  }
  return error;
}

class ChildProcess final : public Process {
 public:
  ChildProcess() = default;
  ~ChildProcess() override;
  /// Returns errno, or 0.
  int launch(const std::vector<std::string>& argv, std::function<void()> wake);

  void send(const std::string& line) override;
  bool takes_no_input() const override { return takes_no_input_; }
  void flush() override;
  void close_input() override;
  std::vector<std::string> take_lines(bool* was_full) override;
  void wait(double timeout_s) override;
  bool output_ended() const override;
  bool overlong_line() const override;
  bool exited() const override;
  void signal_group(int signal) override;
  void kill() override;
  bool has_ended() const override;
  Ending end() override;
  std::string last_error_line() const override;
  pid_t pid() const override { return pid_; }

 private:
  void read_loop();
  bool read_output();
  bool read_errors();
  void queue_lines();
  void poke() const;
  void reap();

  using Clock = std::chrono::steady_clock;

  std::string mark_;  ///< "NAME=value" in the environment of the child and of what it starts
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1, poke_ = -1;
  std::string unsent_;
  bool takes_no_input_ = false;
  std::optional<Clock::time_point> killed_;
  std::function<void()> wake_;
  std::thread reader_;
  Ending ending_;

  std::string partial_;  ///< reader thread only

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  size_t queued_bytes_ = 0;
  std::string errors_;
  bool full_ = false, output_ended_ = false, overlong_ = false, stopping_ = false;
};

int ChildProcess::launch(const std::vector<std::string>& argv, std::function<void()> wake) {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
  const bool piped = make_pipe(in) && make_pipe(out) && make_pipe(err);
  poke_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  in_ = in[1];
  out_ = out[0];
  err_ = err[0];
  int failed = piped && poke_ >= 0 ? 0 : errno;
  static std::atomic<int> count = 0;
  const std::string mark = std::to_string(::getpid()) + "." + std::to_string(++count);
  mark_ = std::string(kMark) + "=" + mark;
  if (failed == 0)
    failed = start_program({.command = argv,
                            .files = {{in[0], 0}, {out[1], 1}, {err[1], 2}},
                            .environment = environment_with({{kMark, mark}})},
                           &pid_);
  for (int* fd : {&in[0], &out[1], &err[1]}) close_fd(fd);
  if (failed != 0) return failed;
  for (int fd : {in_, out_, err_}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  wake_ = std::move(wake);
  reader_ = std::thread([this] { read_loop(); });
  return 0;
}

ChildProcess::~ChildProcess() {
  kill();
  while (!has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  end();
  for (int* fd : {&in_, &out_, &err_, &poke_}) close_fd(fd);
}

// ---- the child's input --------------------------------------------------------------------------

void ChildProcess::send(const std::string& line) {
  if (in_ < 0) return;
  if (unsent_.size() + line.size() > kMaxUnsentBytes) {
    takes_no_input_ = true;
    return;
  }
  unsent_ += line;
  unsent_ += '\n';
  flush();
}

void ChildProcess::flush() {
  while (in_ >= 0 && !unsent_.empty()) {
    const ssize_t n = ::write(in_, unsent_.data(), unsent_.size());
    if (n > 0) {
      unsent_.erase(0, static_cast<size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      if (n < 0 && errno == EPIPE) close_input();  // its end shows elsewhere, with the reason
      return;
    }
  }
}

void ChildProcess::close_input() {
  close_fd(&in_);
  unsent_.clear();
}

// ---- the child's output -------------------------------------------------------------------------

void ChildProcess::read_loop() {
  bool errors_open = true;
  while (true) {
    bool output_open;
    {
      std::lock_guard lock(mutex_);
      if (stopping_ || (output_ended_ && !errors_open)) return;
      output_open = !output_ended_ && !full_;
    }
    std::array<pollfd, 3> fds = {pollfd{output_open ? out_ : -1, POLLIN, 0},
                                 pollfd{errors_open ? err_ : -1, POLLIN, 0},
                                 pollfd{poke_, POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[2].revents) {
      uint64_t count;
      (void)!::read(poke_, &count, sizeof count);
    }
    if (fds[1].revents) errors_open = read_errors();
    if (fds[0].revents && !read_output()) {
      {
        std::lock_guard lock(mutex_);
        output_ended_ = true;
      }
      changed_.notify_all();
      if (wake_) wake_();
    }
  }
}

bool ChildProcess::read_output() {
  std::array<char, 16 * 1024> chunk;
  const ssize_t n = ::read(out_, chunk.data(), chunk.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;  // what is left in partial_ was cut off: never a whole line
  partial_.append(chunk.data(), static_cast<size_t>(n));
  queue_lines();
  if (partial_.size() > kMaxLineBytes) {
    std::lock_guard lock(mutex_);
    overlong_ = true;
  }
  return !overlong_line();
}

/// Moves the whole lines of partial_ to the queue.
void ChildProcess::queue_lines() {
  size_t begin = 0;
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    first = lines_.empty();
    for (size_t end; (end = partial_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (end - begin > kMaxLineBytes) {
        overlong_ = true;
        break;
      }
      size_t length = end - begin;
      if (length > 0 && partial_[end - 1] == '\r') --length;
      lines_.push_back(partial_.substr(begin, length));
      // A short line still costs a string: count that, or a flood of empty lines would not count.
      queued_bytes_ += length + sizeof(std::string);
    }
    full_ = queued_bytes_ >= kMaxQueueBytes;
  }
  if (begin == 0) return;
  partial_.erase(0, begin);
  changed_.notify_all();
  if (first && wake_) wake_();
}

bool ChildProcess::read_errors() {
  std::array<char, 4096> chunk;
  const ssize_t n = ::read(err_, chunk.data(), chunk.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  std::lock_guard lock(mutex_);
  errors_.append(chunk.data(), static_cast<size_t>(n));
  if (errors_.size() > kKeptErrorBytes) errors_.erase(0, errors_.size() - kKeptErrorBytes);
  return true;
}

std::vector<std::string> ChildProcess::take_lines(bool* was_full) {
  std::vector<std::string> taken;
  bool full;
  {
    std::lock_guard lock(mutex_);
    taken.swap(lines_);
    queued_bytes_ = 0;
    full = std::exchange(full_, false);
  }
  if (full) poke();
  if (was_full) *was_full = full;
  return taken;
}

void ChildProcess::wait(double timeout_s) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(timeout_s),
                    [this] { return !lines_.empty() || output_ended_; });
}

bool ChildProcess::output_ended() const {
  std::lock_guard lock(mutex_);
  return output_ended_;
}

bool ChildProcess::overlong_line() const {
  std::lock_guard lock(mutex_);
  return overlong_;
}

std::string ChildProcess::last_error_line() const {
  std::lock_guard lock(mutex_);
  const size_t last = errors_.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return "";
  const size_t newline = errors_.find_last_of('\n', last);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return errors_.substr(begin, last + 1 - begin);
}

// ---- the child's end ----------------------------------------------------------------------------

bool ChildProcess::exited() const {
  return pid_ < 0 || peek_ending(pid_);
}

void ChildProcess::signal_group(int signal) {
  if (pid_ > 0) ::kill(-pid_, signal);
}

void ChildProcess::poke() const {
  const uint64_t one = 1;
  (void)!::write(poke_, &one, sizeof one);
}

void ChildProcess::kill() {
  if (pid_ < 0 || killed_) return;
  signal_group(SIGKILL);
  close_input();
  killed_ = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    full_ = false;
    queued_bytes_ = 0;
  }
  poke();
}

/// The pipe may hold lines yet; it closes with the last of the group. A descendant that left the group could
/// keep it open for ever, and a child may be stuck inside the kernel (a driver): hence the limits.
bool ChildProcess::has_ended() const {
  if (pid_ < 0) return true;
  const auto passed = Clock::now() - *killed_;
  return (output_ended() || passed > kDrainTime) && (exited() || passed > kReapTime);
}

Ending ChildProcess::end() {
  if (pid_ < 0) return ending_;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  poke();
  if (reader_.joinable()) reader_.join();
  // The last words on stderr, usually the reason: at most one full pipe.
  for (int i = 0; i < 16 && read_errors(); ++i) {
  }
  reap();
  return ending_;
}

void ChildProcess::reap() {
  const pid_t pid = std::exchange(pid_, -1);
  if (const auto ending = ridge::reap(pid, 0))
    ending_ = *ending;
  else
    reap_later(pid);
  kill_marked(mark_);  // what it started in another session outlives its group
}

}  // namespace

Result<std::unique_ptr<Process>> Process::start(const std::vector<std::string>& argv,
                                                std::function<void()> wake) {
  // Writing to a dead child must be an error code, not the end of this program.
  ::signal(SIGPIPE, SIG_IGN);
  auto process = std::make_unique<ChildProcess>();
  const int failed = process->launch(argv, std::move(wake));
  if (failed != 0) return launch_error(argv.at(0), failed);
  return std::unique_ptr<Process>(std::move(process));
}

}  // namespace ridge::app
