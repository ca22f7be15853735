// A browser starts no programs: each start fails as one of a program that the system does not know how to run.
#include "common/core/program.h"

#include <unistd.h>

#include <cerrno>

extern char** environ;

namespace ridge {

void close_fd(int* fd) {
  if (*fd >= 0) ::close(*fd);
  *fd = -1;
}

int raise_fd(int fd) {
  if (fd >= 0) ::close(fd);
  errno = ENOSYS;
  return -1;
}

int open_raised(const char* /*path*/, int /*flags*/) {
  return raise_fd(-1);
}

bool make_pipe(int /*ends*/[2]) {
  return raise_fd(-1) >= 0;
}

bool make_sockets(int /*ends*/[2]) {
  return raise_fd(-1) >= 0;
}

bool has_programs() {
  return false;
}

int start_program(const ProgramStart& /*start*/, pid_t* pid) {
  *pid = -1;
  return ENOSYS;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& /*changes*/) {
  return {};
}

bool Ending::has_crashed() const {
  return false;
}

std::string Ending::signal() const {
  return std::to_string(value);
}

std::string Ending::text() const {
  return "has ended";  // a Web Worker: nothing else is
}

std::optional<Ending> peek_ending(pid_t /*pid*/) {
  return Ending{};
}

std::optional<Ending> reap(pid_t /*pid*/, double /*limit_s*/) {
  return Ending{};
}

void reap_later(pid_t /*pid*/) {}

void kill_marked(const std::string& /*variable*/) {}

Ending kill_and_reap(pid_t /*pid*/, bool /*has_group*/) {
  return {};
}

}  // namespace ridge
