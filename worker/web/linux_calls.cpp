// Linux's calls that the harness makes and emscripten's C library lacks. Each fails as on a kernel that does not have it, and
// its callers go on: a cache is flushed by the one thread there is, a program is not started.
#include <sched.h>
#include <sys/mman.h>

#include <cerrno>

extern "C" {

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
