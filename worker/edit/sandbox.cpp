// Landlock for files and outgoing connections (Linux 5.13 on), a seccomp filter for processes, sockets
// and signals, and rlimits for the rest. Sources: man landlock(7), seccomp(2), setrlimit(2).
#include "worker/edit/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "common/harness/measure/machine.h"

namespace ridge::worker {
namespace {

constexpr rlim_t kMostCpu_s = 600, kMostFileBytes = 64 << 20;
constexpr size_t kMostThreads = 1024;  ///< on a CPU

// ---- files and connections ----------------------------------------------------------------------

// Newer than the header of older distributions; the kernel is asked what it knows.
constexpr uint64_t kRefer = 1ull << 13, kTruncate = 1ull << 14;
constexpr uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_EXECUTE | kTruncate;

struct Ruleset {  // landlock_ruleset_attr of the sixth version
  uint64_t files = 0, connections = 0, scopes = 0;
};

uint64_t files_known(long version) {
  const uint64_t first = (1ull << 13) - 1;
  return first | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

void allow(int ruleset, const std::string& path, uint64_t access) {
  landlock_path_beneath_attr rule = {};
  rule.parent_fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return;
  struct stat info = {};
  const bool is_folder = fstat(rule.parent_fd, &info) == 0 && S_ISDIR(info.st_mode);
  rule.allowed_access = is_folder ? access : access & kOfFiles;
  syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(rule.parent_fd);
}

bool limit_files(const Limits& limits) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  Ruleset rules;
  rules.files = files_known(version);
  if (version >= 4) rules.connections = 3;  // bind and connect, TCP
  if (version >= 6) rules.scopes = 3;       // abstract sockets, signals
  const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  if (ruleset < 0) return false;
  for (const char* path : {"/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", "/opt"}) {
    allow(ruleset, path, kReading);
  }
  for (const std::string& path : limits.readable) allow(ruleset, path, kReading);
  allow(ruleset, limits.folder, files_known(version) & ~uint64_t{LANDLOCK_ACCESS_FS_EXECUTE});
  const uint64_t writing = kReading | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
  allow(ruleset, "/dev/null", writing & files_known(version));
  if (limits
          .gpu) {  // CUDA writes to its devices and, with truncation, below /proc (seen on an H200)
    for (const char* path : {"/dev", "/proc"}) allow(ruleset, path, writing & files_known(version));
  }
  const bool done = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return done;
}

// ---- system calls -------------------------------------------------------------------------------

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

/// New processes, other processes, the machine. Threads are allowed: rungs use them.
constexpr int kDenied[] = {
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
    SYS_execve,
    SYS_execveat,
    SYS_tkill,
    SYS_pidfd_send_signal,
    SYS_rt_sigqueueinfo,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_io_uring_setup,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_reboot,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_swapoff,
    SYS_setrlimit};

class Filter {
 public:
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  void answer(uint32_t action) { add(BPF_RET | BPF_K, action); }
  void answer_error(int error) { answer(SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)); }
  /// Goes on with the next instruction where the value is (not) `k`, else passes over `skip`.
  void unless_equal(uint32_t k, uint8_t skip) { add(BPF_JMP | BPF_JEQ | BPF_K, k, 0, skip); }
  void if_equal_skip(uint32_t k, uint8_t skip) { add(BPF_JMP | BPF_JEQ | BPF_K, k, skip, 0); }
  void if_bit_skip(uint32_t k, uint8_t skip) { add(BPF_JMP | BPF_JSET | BPF_K, k, skip, 0); }
  bool install() {
    sock_fprog program = {static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(int code, uint32_t k, uint8_t yes = 0, uint8_t no = 0) {
    code_.push_back({static_cast<uint16_t>(code), yes, no, k});
  }
  std::vector<sock_filter> code_;
};

bool limit_calls(bool gpu) {
  if (kArchitecture == 0) return false;
  constexpr size_t kNumber = offsetof(seccomp_data, nr), kFirst = offsetof(seccomp_data, args);
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.if_equal_skip(kArchitecture, 1);
  filter.answer_error(EPERM);
  filter.load(kNumber);
  for (const int number : kDenied) {
    filter.unless_equal(static_cast<uint32_t>(number), 1);
    filter.answer_error(EPERM);
  }
  // Its flags are in memory, where a filter cannot look: the C library then takes clone().
  filter.unless_equal(SYS_clone3, 1);
  filter.answer_error(ENOSYS);
  filter.unless_equal(SYS_clone, 3);
  filter.load(kFirst);
  filter.if_bit_skip(0x00010000, 1);  // CLONE_THREAD
  filter.answer_error(EPERM);
  filter.load(kNumber);
  for (const int number : {SYS_kill, SYS_tgkill}) {  // itself only: abort() does
    filter.unless_equal(static_cast<uint32_t>(number), 4);
    filter.load(kFirst);
    filter.if_equal_skip(static_cast<uint32_t>(getpid()), 1);
    filter.answer_error(EPERM);
    filter.load(kNumber);
  }
  filter.unless_equal(SYS_socket, 4);  // the driver of a GPU may ask a daemon of its own
  filter.load(kFirst);
  filter.if_equal_skip(gpu ? AF_UNIX : ~0u, 1);
  filter.answer_error(EACCES);
  filter.load(kNumber);
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.install();
}

bool limit(int resource, rlim_t most) {
  const rlimit value = {most, most};
  return setrlimit(static_cast<__rlimit_resource>(resource), &value) == 0;
}

/// Threads are counted by nobody but for a whole user (RLIMIT_NPROC, which root ignores): what limits them is
/// the addresses of their stacks. Where those would do for more, each stack is larger; untouched it costs
/// nothing.
bool limit_threads(size_t addresses) {
  pthread_attr_t usual;
  size_t stack = 0;
  if (pthread_getattr_default_np(&usual) != 0) return false;
  const bool done =
      pthread_attr_getstacksize(&usual, &stack) == 0 &&
      pthread_attr_setstacksize(&usual, std::max(stack, addresses / kMostThreads)) == 0 &&
      pthread_setattr_default_np(&usual) == 0;
  pthread_attr_destroy(&usual);
  return done;
}

/// What it has mapped now, and half of the memory that is free.
bool limit_memory() {
  const int64_t half = measure::free_memory_bytes() / 2;
  const std::string words = measure::read_line_of("/proc/self/statm");  // pages, the first
  const int64_t mapped = std::atoll(words.c_str()) * sysconf(_SC_PAGESIZE);
  return half > 0 && mapped > 0 && limit_threads(static_cast<size_t>(half)) &&
         limit(RLIMIT_AS, static_cast<rlim_t>(mapped + half));
}

}  // namespace

std::vector<std::string> limit_process(const Limits& limits) {
  std::vector<std::string> cannot;
  const auto need = [&](bool done, const char* what) {
    if (!done) cannot.push_back(what);
  };
  need(limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, kMostFileBytes), "the size of its files");
  need(limit(RLIMIT_CPU, kMostCpu_s), "its CPU time");
  need(limits.gpu || limit_memory(), "its memory and its threads");
  const bool privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  need(privileges && limit_files(limits), "which files it opens (this kernel has no Landlock)");
  need(privileges && limit_calls(limits.gpu), "the processes and connections that it starts");
  return cannot;
}

}  // namespace ridge::worker
