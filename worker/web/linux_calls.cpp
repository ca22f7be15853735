// Linux's calls that the harness makes and emscripten's C library lacks. Each fails as on a kernel that does not have it, and
// its callers go on: a cache is flushed by the calling thread, a program is not started.
#include <emscripten.h>
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>

// clang-format off
EM_JS(int, ridge_core_count, (), { return ridge_shares ? ridge_cores : 1; });  // web/before.js
// clang-format on

extern "C" {

/// What std::thread::hardware_concurrency() tells: where threads cannot share memory there is one.
int emscripten_num_logical_cores() {
  static const int count = ridge_core_count();
  return count;
}

int memfd_create(const char* /*name*/, unsigned /*flags*/) {
  errno = ENOSYS;
  return -1;
}

int sched_getaffinity(pid_t /*pid*/, size_t /*bytes*/, cpu_set_t* /*cores*/) {
  errno = ENOSYS;
  return -1;
}

int sched_setaffinity(pid_t /*pid*/, size_t /*bytes*/, const cpu_set_t* /*cores*/) {
  errno = ENOSYS;
  return -1;
}

int sched_getcpu() {
  errno = ENOSYS;
  return -1;
}

}  // extern "C"
