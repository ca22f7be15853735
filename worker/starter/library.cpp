#include "worker/starter/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "common/core/program.h"
#include "common/harness/measure/command_start.h"
#include "include/ridgepoint.h"

namespace ridge {
namespace {

using namespace measure;

constexpr uint64_t kMostOutput_bytes = uint64_t{1} << 30;
constexpr size_t kMostText_bytes = 2000;  // of a sentence

double ns_of(clockid_t clock) {
  timespec t = {};
  clock_gettime(clock, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

/// The largest resident set of this process so far.
double peak_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * double(usage.ru_maxrss);
}

template <class Io, class Byte>
bool whole(Io io, int fd, Byte* bytes, uint64_t size) {
  for (uint64_t at = 0; at < size;) {
    const ssize_t done = io(fd, bytes + at, size - at, off_t(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += uint64_t(done);
  }
  return true;
}

class Host {
 public:
  Host(const char* file, const char* side, int exchange)
      : file_(file), name_(side), exchange_(exchange) {}
  LibraryAnswer carry_out(const LibraryAsk& asked);
  const std::string& text() const { return text_; }

 private:
  LibraryAnswer fail(LibraryFault fault, std::string text) {
    text_ = std::move(text);
    return {.fault = fault};
  }
  /// Whether the library says that `function` did its work.
  bool did(const char* function, const char* sentence) {
    if (sentence == nullptr) return true;
    text_ =
        std::string(function) + ": " + std::string(sentence, strnlen(sentence, kMostText_bytes));
    return false;
  }
  bool run_once() {
    return did("run", side_->run(state_)) &&
           (side_->finish == nullptr || did("finish", side_->finish(state_)));
  }
  LibraryAnswer load();
  LibraryAnswer look_at_side();
  LibraryAnswer time(int64_t calls);
  LibraryAnswer output(int poison);
  LibraryAnswer reference();
  LibraryAnswer check();
  LibraryAnswer to_exchange();

  const char *file_, *name_;
  int exchange_;
  const RidgepointSide* side_ = nullptr;
  RidgepointOutput about_ = {};
  void* state_ = nullptr;
  std::vector<unsigned char> bytes_;
  std::string text_;
};

/// The ABI is looked at before any other field is: what lies behind it may be of another shape.
LibraryAnswer Host::look_at_side() {
  if (side_->abi != RIDGEPOINT_ABI) {
    return fail(LibraryFault::not_loaded,
                "it was compiled for version " + std::to_string(side_->abi) +
                    " of ridgepoint.h, and this is version " + std::to_string(RIDGEPOINT_ABI) +
                    ": compile it again");
  }
  const std::pair<const char*, bool> needed[] = {{"prepare", side_->prepare != nullptr},
                                                 {"run", side_->run != nullptr},
                                                 {"read_output", side_->read_output != nullptr},
                                                 {"write_output", side_->write_output != nullptr}};
  for (const auto& [function, is_there] : needed) {
    if (!is_there)
      return fail(LibraryFault::not_loaded, std::string("its side has no ") + function);
  }
  return {};
}

LibraryAnswer Host::load() {
  void* library = dlopen(file_, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* said = dlerror();
    return fail(LibraryFault::not_loaded, said != nullptr ? said : "it could not be loaded");
  }
  side_ = static_cast<const RidgepointSide*>(dlsym(library, name_));
  if (side_ == nullptr) {
    return fail(LibraryFault::not_loaded, std::string("it exports no side called ") + name_ +
                                              ": RIDGEPOINT_SIDE(" + name_ +
                                              ") of ridgepoint.h makes one");
  }
  LibraryAnswer answer = look_at_side();
  if (answer.fault != LibraryFault::none) return answer;
  if (!did("prepare", side_->prepare(&state_, &about_))) return {.fault = LibraryFault::failed};
  if (about_.bytes == 0 || about_.bytes > kMostOutput_bytes) {
    return fail(LibraryFault::failed, "prepare: an output of " + std::to_string(about_.bytes) +
                                          " bytes is not between 1 and 2^30");
  }
  const uint64_t element = about_.elements == RIDGEPOINT_F32   ? 4
                           : about_.elements == RIDGEPOINT_F64 ? 8
                                                               : 1;
  if (about_.elements < RIDGEPOINT_BYTES || about_.elements > RIDGEPOINT_F64 ||
      about_.bytes % element != 0) {
    return fail(LibraryFault::failed, "prepare: its output has no such elements");
  }
  if (!(about_.tolerance >= 0))
    return fail(LibraryFault::failed, "prepare: its tolerance is below 0");
  bytes_.resize(about_.bytes);
  answer.output_bytes = about_.bytes;
  answer.elements = about_.elements;
  answer.tolerance = about_.tolerance;
  answer.has_reference = side_->reference != nullptr;
  answer.has_check = side_->check != nullptr;
  return answer;
}

/// One run first: what another process did meanwhile is not to be felt in the timed ones.
LibraryAnswer Host::time(int64_t calls) {
  if (!run_once()) return {.fault = LibraryFault::failed};
  const auto run = side_->run;
  const double cpu_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID), start_ns = ns_of(CLOCK_MONOTONIC);
  const char* said = nullptr;
  for (int64_t i = 0; i < calls && said == nullptr; ++i) said = run(state_);
  if (said == nullptr && side_->finish != nullptr) said = side_->finish(state_);
  const double t_ns = ns_of(CLOCK_MONOTONIC) - start_ns;
  const double used_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
  if (!did("run", said)) return {.fault = LibraryFault::failed};
  return {.t_ns = t_ns / double(calls), .cpu_ns = used_ns / double(calls)};
}

LibraryAnswer Host::to_exchange() {
  if (ftruncate(exchange_, 0) == 0 && whole(pwrite, exchange_, bytes_.data(), bytes_.size()))
    return {};
  return fail(LibraryFault::failed, "there is no memory for its output");
}

LibraryAnswer Host::output(int poison) {
  bytes_.assign(bytes_.size(), static_cast<unsigned char>(poison));
  const std::vector<unsigned char> poisoned = bytes_;
  if (!did("write_output", side_->write_output(state_, bytes_.data())))
    return {.fault = LibraryFault::failed};
  bytes_.assign(bytes_.size(), static_cast<unsigned char>(~poison));
  if (!did("read_output", side_->read_output(state_, bytes_.data())))
    return {.fault = LibraryFault::failed};
  if (bytes_ != poisoned) {
    return fail(LibraryFault::failed,
                "read_output: it does not give what write_output has just written, so that no "
                "output can be trusted");
  }
  if (!run_once() || !did("read_output", side_->read_output(state_, bytes_.data())))
    return {.fault = LibraryFault::failed};
  return to_exchange();
}

LibraryAnswer Host::reference() {
  bytes_.assign(bytes_.size(), 0);
  if (!did("reference", side_->reference(state_, bytes_.data())))
    return {.fault = LibraryFault::failed};
  return to_exchange();
}

LibraryAnswer Host::check() {
  if (!whole(pread, exchange_, bytes_.data(), bytes_.size()))
    return fail(LibraryFault::failed, "check: the output is shorter than its own");
  if (!did("check", side_->check(state_, bytes_.data()))) return {.fault = LibraryFault::failed};
  return {};
}

LibraryAnswer Host::carry_out(const LibraryAsk& asked) {
  text_.clear();
  switch (asked.task) {
    case LibraryTask::load:
      return load();
    case LibraryTask::time:
      return time(asked.calls);
    case LibraryTask::output:
      return output(asked.poison);
    case LibraryTask::reference:
      return reference();
    case LibraryTask::check:
      return check();
    case LibraryTask::teardown:
      if (side_->teardown != nullptr) side_->teardown(state_);
      return {};
  }
  return fail(LibraryFault::failed, "it was asked for something unknown");
}

/// Of a stream socket.
bool read_ask(int socket, LibraryAsk* asked) {
  return whole([](int fd, char* to, size_t size, off_t) { return read(fd, to, size); }, socket,
               reinterpret_cast<char*>(asked), sizeof *asked);
}

}  // namespace

int host_library(const char* file, const char* side) {
  // Nothing that a library prints may get among the outputs or the answers.
  const int exchange = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10),
            socket = fcntl(kLibraryTalk, F_DUPFD_CLOEXEC, 10);
  if (exchange < 0 || socket < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    fputs("ridgepoint-starter --library is started by ridgepoint-starter, and by nothing else\n",
          stderr);
    return 64;
  }
  int given = kLibraryTalk;
  close_fd(&given);
  Host host(file, side, exchange);
  for (LibraryAsk asked; read_ask(socket, &asked);) {
    LibraryAnswer answer = host.carry_out(asked);
    const std::string text = host.text().substr(0, kMostText_bytes);
    answer.text_bytes = static_cast<uint32_t>(text.size());
    answer.peak_bytes = peak_bytes();
    std::string bytes(reinterpret_cast<const char*>(&answer), sizeof answer);
    bytes += text;
    if (!whole([](int fd, const char* from, size_t size, off_t) { return write(fd, from, size); },
               socket, bytes.data(), bytes.size()))
      break;
  }
  // Not a return: destructors of the library are not asked for, and may hang.
  _exit(0);
}

}  // namespace ridge
