// ridge: needs=jpeg
#include "kernels/pipeline/forked.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/core/program.h"
#include "common/harness/measure/child.h"

namespace ridge::pipeline {
namespace {

struct Question {
  std::byte* batch = nullptr;
  int32_t image = 0;
};
struct Answer {
  LoadTimes times;
  bool good = false;
  char why[120] = {};
};

/// One message whole; false at the end of the other side.
bool talk(int socket, void* data, size_t size, bool send) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = send ? ::send(socket, at, size, MSG_NOSIGNAL) : ::recv(socket, at, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

/// The child's life. _exit: nothing of the parent's is to be flushed or freed twice.
[[noreturn]] void serve(int socket, pid_t parent, const Geometry& geometry, ImageSource* source) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C is the parent's to handle
  ImageLoader loader(geometry, source);
  Question question;
  while (talk(socket, &question, sizeof question, false)) {
    Answer answer;
    std::string why;
    const Batch batch = {question.batch, &geometry};
    answer.good = loader.load(batch, question.image, &answer.times, &why);
    std::strncpy(answer.why, why.c_str(), sizeof answer.why - 1);
    if (!talk(socket, &answer, sizeof answer, true)) break;
  }
  ::_exit(0);
}

}  // namespace

ForkedLoader::ForkedLoader(const Geometry& geometry, ImageSource* source) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::close(ends[0]);
    serve(ends[1], parent, geometry, source);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  if (pid_ > 0) measure::count_child(pid_, true);
}

ForkedLoader::~ForkedLoader() {
  if (socket_ >= 0) ::close(socket_);
  if (pid_ <= 0) return;
  // A later sibling holds a copy of this socket's end: closing it does not tell the child.
  measure::count_child(pid_, false);
  kill_and_reap(pid_, false);
}

bool ForkedLoader::load(const Batch& batch, int i, LoadTimes* times, std::string* why,
                        bool* alive) {
  Question question = {batch.base, i};
  Answer answer;
  *alive = pid_ > 0 && talk(socket_, &question, sizeof question, true) &&
           talk(socket_, &answer, sizeof answer, false);
  if (!*alive) *why = "a worker process has ended";
  *times = answer.times;
  if (!answer.good && *alive) *why = answer.why;
  return answer.good;
}

SharedMemory shared_memory(size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return {memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory), {bytes}};
}

void Unmap::operator()(std::byte* memory) const {
  ::munmap(memory, bytes);
}

}  // namespace ridge::pipeline
