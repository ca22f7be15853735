#include "worker/edit/sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef RIDGE_HAS_SECCOMP
#include <seccomp.h>
#endif

namespace ridge::worker {

#ifdef RIDGE_HAS_SECCOMP

namespace {

/// What a rung on the CPU may call: memory, threads, clocks, files as far as Landlock lets it, its own signals.
constexpr const char* kAllowed[] = {
    // memory
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "mincore", "msync", "mlock", "mlock2",
    "munlock", "mbind", "set_mempolicy", "get_mempolicy", "membarrier",
    // threads
    "futex", "futex_waitv", "set_robust_list", "get_robust_list", "rseq", "set_tid_address",
    "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
    "sched_get_priority_max", "sched_get_priority_min", "getcpu", "gettid", "exit", "exit_group",
    "arch_prctl", "restart_syscall",
    // clocks and the machine
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
    "times", "getrusage", "getrlimit", "getpriority", "sysinfo", "uname", "getrandom",
    "perf_event_open", "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getgroups",
    "getpgrp", "getpgid", "getsid", "capget",
    // files that are open, or that Landlock lets it open
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2",
    "pwritev2", "lseek", "open", "openat", "openat2", "creat", "close", "close_range", "fstat",
    "stat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat",
    "faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "getcwd", "chdir", "fchdir",
    "dup", "dup2", "dup3", "pipe", "pipe2", "eventfd2", "poll", "ppoll", "select", "pselect6",
    "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "fsync", "fdatasync", "ftruncate",
    "truncate", "fallocate", "fadvise64", "readahead", "flock", "unlink", "unlinkat", "mkdir",
    "mkdirat", "rmdir", "rename", "renameat", "renameat2", "umask",
    // signals of its own
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend",
    "rt_sigtimedwait", "sigaltstack", "pause", "alarm", "setitimer", "getitimer"};

/// What no code of somebody else's calls, be it on a GPU or in a compiler.
constexpr const char* kNever[] = {
    // other processes, and the processes that this one belongs to
    "tkill", "pidfd_send_signal", "pidfd_open", "pidfd_getfd", "rt_sigqueueinfo",
    "rt_tgsigqueueinfo", "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
    "process_mrelease", "kcmp", "setpriority", "ioprio_set", "sched_setscheduler", "sched_setparam",
    "sched_setattr", "setrlimit", "migrate_pages", "move_pages",
    // metadata of files, which Landlock does not cover
    "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "setxattr",
    "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "mknod", "mknodat",
    // memory that no limit counts and that outlives the process
    "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgctl", "semget", "semop", "semctl",
    "mq_open", "mq_unlink", "add_key", "request_key", "keyctl", "memfd_secret",
    // the kernel and the machine
    "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "bpf", "unshare",
    "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick",
    "move_mount", "open_tree", "mount_setattr", "open_by_handle_at", "name_to_handle_at", "reboot",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "swapon",
    "swapoff", "acct", "quotactl", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
    "sethostname", "setdomainname", "personality", "syslog", "vhangup", "iopl", "ioperm"};

/// Beside these, on a GPU.
constexpr const char* kNotOnGpu[] = {"fork",     "vfork",     "execve",   "execveat",
                                     "setsid",   "setpgid",   "chmod",    "fchmod",
                                     "fchmodat", "fchmodat2", "utimensat"};

class Filter {
 public:
  explicit Filter(uint32_t otherwise) : context_(seccomp_init(otherwise)) {
    // Calls of another table (x32 has 0x40000000 added): left alone they kill one thread, and the others wait for it.
    if (context_ != nullptr)
      (void)seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
  }
  ~Filter() {
    if (context_ != nullptr) seccomp_release(context_);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  /// A call that this machine or libseccomp does not know cannot be made, or falls under the rest.
  template <class... Conditions>
  void add(uint32_t action, const char* call, Conditions... conditions) {
    const int number = seccomp_syscall_resolve_name(call);
    if (context_ == nullptr || number == __NR_SCMP_ERROR) return;
    (void)seccomp_rule_add(context_, action, number, sizeof...(conditions), conditions...);
  }
  template <class... Conditions>
  void allow(const char* call, Conditions... conditions) {
    add(SCMP_ACT_ALLOW, call, conditions...);
  }
  template <class... Conditions>
  void refuse(const char* call, Conditions... conditions) {
    add(SCMP_ACT_ERRNO(EPERM), call, conditions...);
  }
  /// Of no thread but the one that calls.
  bool install() { return context_ != nullptr && seccomp_load(context_) == 0; }

 private:
  scmp_filter_ctx context_;
};

scmp_arg_cmp is(unsigned argument, uint64_t value) {
  return SCMP_CMP(argument, SCMP_CMP_EQ, value);
}
scmp_arg_cmp is_not(unsigned argument, uint64_t value) {
  return SCMP_CMP(argument, SCMP_CMP_NE, value);
}
scmp_arg_cmp has_bits(unsigned argument, uint64_t mask, uint64_t bits) {
  return SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, mask, bits);
}

/// Its flags are in memory, where a filter cannot look: the C library then takes clone().
void refuse_clone3(Filter* filter) {
  filter->add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
}

bool install_of_cpu() {
  Filter filter(SCMP_ACT_ERRNO(EPERM));
  for (const char* call : kAllowed) filter.allow(call);
  refuse_clone3(&filter);
  filter.allow("clone", has_bits(0, CLONE_THREAD, CLONE_THREAD));
  const auto own = static_cast<uint64_t>(getpid());
  for (const char* call : {"kill", "tgkill"}) filter.allow(call, is(0, own));  // abort() does
  for (const uint64_t pid : {uint64_t{0}, own}) {
    filter.allow("prlimit64", is(0, pid), is(2, 0));  // asks
    filter.allow("sched_setaffinity", is(0, pid));
  }
  for (const int what : {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_THP_DISABLE,
                         0x53564d41 /* PR_SET_VMA: names memory */}) {
    filter.allow("prctl", is(0, static_cast<uint64_t>(what)));
  }
  for (const int what : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK,
                         F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW}) {
    filter.allow("fcntl",
                 is(1, static_cast<uint64_t>(what)));  // not F_SETOWN, which has signals sent
  }
  for (const int what : {0x5401 /* TCGETS: isatty() */, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX})
    filter.allow("ioctl",
                 is(1, static_cast<uint64_t>(what)));  // not TIOCSTI, which types at a terminal
  filter.allow("ioctl", has_bits(1, 0xff00, 0x2400));  // of its own counters
  return filter.install();
}

bool install_of_gpu() {
  Filter filter(SCMP_ACT_ALLOW);
  for (const char* call : kNever) filter.refuse(call);
  for (const char* call : kNotOnGpu) filter.refuse(call);
  refuse_clone3(&filter);
  filter.refuse("clone", has_bits(0, CLONE_THREAD, 0));
  const auto own = static_cast<uint64_t>(getpid());
  for (const char* call : {"kill", "tgkill"}) filter.refuse(call, is_not(0, own));
  filter.refuse("prlimit64", is_not(2, 0));
  filter.refuse("prctl", is(0, PR_SET_PDEATHSIG));
  filter.refuse("ioctl", is(1, 0x5412 /* TIOCSTI */));
  filter.refuse("socket", is_not(0, AF_UNIX));  // the driver may ask a daemon of its own
  return filter.install();
}

bool install_of_compiler() {
  Filter filter(SCMP_ACT_ALLOW);
  for (const char* call : kNever) filter.refuse(call);
  filter.refuse("socket");
  filter.refuse("ioctl", is(1, 0x5412 /* TIOCSTI */));
  return filter.install();
}

}  // namespace

bool limit_calls(Calls calls) {
  return calls == Calls::of_cpu   ? install_of_cpu()
         : calls == Calls::of_gpu ? install_of_gpu()
                                  : install_of_compiler();
}

std::string why_no_calls() {
  return prctl(PR_GET_SECCOMP) >= 0 ? "" : "this kernel has no seccomp";
}

#else

bool limit_calls(Calls) {
  return false;
}

std::string why_no_calls() {
  return "this worker was built without libseccomp";
}

#endif

}  // namespace ridge::worker
