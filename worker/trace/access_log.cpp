#include "worker/trace/access_log.h"

#include <pthread.h>

#include <atomic>

namespace ridge::worker {
namespace {

struct Sink {
  AccessLog* log = nullptr;
  size_t most = 0;
  pthread_t thread{};
  uintptr_t stack_begin = 0, stack_end = 0;
  std::atomic<bool> has_threads = false;
};
Sink sink;

}  // namespace

Recording::Recording(AccessLog* log, size_t most) {
  sink.thread = pthread_self();
  pthread_attr_t attributes;
  void* stack = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(sink.thread, &attributes) == 0) {
    pthread_attr_getstack(&attributes, &stack, &bytes);
    pthread_attr_destroy(&attributes);
  }
  sink.stack_begin = reinterpret_cast<uintptr_t>(stack);
  sink.stack_end = sink.stack_begin + bytes;
  sink.most = most;
  sink.has_threads = false;
  sink.log = log;
}

Recording::~Recording() {
  sink.log->has_threads = sink.has_threads;
  sink.log = nullptr;
}

void take_access(const void* at, unsigned long bytes, int writes) {
  AccessLog* log = sink.log;
  if (log == nullptr) return;
  if (pthread_equal(pthread_self(), sink.thread) == 0) {
    sink.has_threads = true;
    return;
  }
  const auto address = reinterpret_cast<uintptr_t>(at);
  if (address >= sink.stack_begin && address < sink.stack_end) {
    ++log->on_stack;
  } else if (log->accesses.size() < sink.most) {
    log->accesses.push_back({address, static_cast<uint32_t>(bytes), writes != 0});
  } else {
    log->is_full = true;
  }
}

}  // namespace ridge::worker
