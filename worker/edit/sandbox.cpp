// Sources: man landlock(7), seccomp(2), seccomp_rule_add(3), setrlimit(2).
#include "worker/edit/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "common/core/files.h"
#include "common/harness/measure/machine.h"
#include "worker/edit/sandbox_calls.h"

namespace ridge::worker {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMostCpu_s = 600, kMostFileBytes = 64 << 20;
constexpr size_t kMostThreads = 1024;  ///< on a CPU

// ---- files and connections ----------------------------------------------------------------------

// Newer than the header of older distributions; the kernel is asked what it knows.
constexpr uint64_t kRefer = 1ull << 13, kTruncate = 1ull << 14;
constexpr uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kWriting = kReading | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr uint64_t kRunning = kReading | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_EXECUTE | kTruncate;

struct RulesetAttributes {  // landlock_ruleset_attr of the sixth version
  uint64_t files = 0, connections = 0, scopes = 0;
};

long landlock_version() {
  return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/// Files and folders with what may be done below them; all else is refused.
class Files {
 public:
  Files() {
    const long version = landlock_version();
    if (version < 1) return;
    known_ = ((1ull << 13) - 1) | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
    RulesetAttributes rules{.files = known_};
    if (version >= 4) rules.connections = 3;  // bind and connect, TCP
    if (version >= 6) rules.scopes = 3;       // abstract sockets, signals
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    ruleset_ = static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  }
  ~Files() {
    if (ruleset_ >= 0) close(ruleset_);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void allow(const std::string& path, uint64_t access) {
    landlock_path_beneath_attr rule = {};
    rule.parent_fd = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) return;
    struct stat info = {};
    const bool is_folder = fstat(rule.parent_fd, &info) == 0 && S_ISDIR(info.st_mode);
    rule.allowed_access = known_ & (is_folder ? access : access & kOfFiles);
    syscall(SYS_landlock_add_rule, ruleset_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
  }
  void allow_all(std::initializer_list<const char*> paths, uint64_t access) {
    for (const char* path : paths) allow(path, access);
  }
  /// Everything but programs.
  void allow_own(const std::string& folder) {
    allow(folder, known_ & ~uint64_t{LANDLOCK_ACCESS_FS_EXECUTE});
  }
  void restrict_self() { syscall(SYS_landlock_restrict_self, ruleset_, 0); }

 private:
  uint64_t known_ = 0;
  int ruleset_ = -1;
};

/// What a program needs to start and to know its machine by.
void allow_system(Files* files) {
  files->allow_all(
      {"/usr", "/lib", "/lib64", "/sys/devices/system", "/etc/ld.so.cache", "/etc/ld.so.conf",
       "/etc/ld.so.conf.d", "/etc/localtime", "/etc/os-release", "/proc/cpuinfo", "/proc/meminfo",
       "/proc/stat", "/proc/loadavg", "/proc/sys", "/dev/zero", "/dev/random", "/dev/urandom"},
      kReading);
  files->allow("/dev/null", kWriting);
}

void limit_files(const Limits& limits) {
  Files files;
  allow_system(&files);
  // /proc/self is this process; those of others say what is in their environment.
  files.allow_all({"/opt", "/proc/self", "/sys"}, kReading);
  for (const std::string& path : limits.readable) files.allow(path, kReading);
  files.allow_own(limits.folder);
  if (limits
          .gpu) {  // CUDA writes to its devices and, with truncation, below /proc (seen on an H200)
    files.allow_all({"/dev", "/proc"}, kWriting);
    files.allow("/etc", kReading);
  }
  files.restrict_self();
}

/// Of GCC, Clang and nvcc: what they call, by the ends of its names in /usr/bin.
bool is_tool(const std::string& name) {
  for (const std::string tool : {"as", "ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "collect2"}) {
    if (name == tool || name.ends_with("-" + tool)) return true;
  }
  // nvcc's steps are lines for a shell, and its host compiler is the system's.
  for (const char* tool :
       {"env", "sh", "dash", "bash", "cat", "grep", "mv", "rm", "cc", "c++", "gcc", "g++"}) {
    if (name == tool) return true;
  }
  return false;
}

void allow_tools(const CompilerLimits& limits, Files* files) {
  std::error_code ignored;
  for (const char* folder : {"/usr/bin", "/bin"}) {
    for (const fs::path& program : entries_of(folder)) {
      if (is_tool(program.filename())) files->allow(program, kRunning);
    }
  }
  for (const char* folder : {"/lib", "/lib64", "/usr/lib"}) {  // what starts every program
    for (const fs::path& entry : entries_of(folder)) {
      const std::string name = entry.filename();
      if (name.starts_with("ld-linux") || name.starts_with("llvm")) files->allow(entry, kRunning);
    }
  }
  files->allow_all({"/usr/lib/gcc", "/usr/libexec/gcc"}, kRunning);
  for (const std::string& compiler : limits.compilers) {
    const fs::path real = fs::canonical(compiler, ignored);
    files->allow(real, kRunning);
    const fs::path prefix = real.parent_path().parent_path();  // of PREFIX/bin/nvcc
    if (prefix != "/usr" && prefix != "/") files->allow(prefix, kRunning);
  }
}

// ---- memory and threads -------------------------------------------------------------------------

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

void limit_process(const Limits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kMostFileBytes);
  limit(RLIMIT_CPU, kMostCpu_s);
  if (!limits.gpu) limit_memory();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  limit_files(limits);
  limit_calls(limits.gpu ? Calls::of_gpu : Calls::of_cpu);
}

void as_compiler(const CompilerLimits& limits, const std::function<void()>& work) {
  std::thread([&] {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
      Files files;
      allow_system(&files);
      allow_tools(limits, &files);
      for (const std::string& path : limits.headers) files.allow(path, kReading);
      for (const std::string& path : limits.folders) files.allow_own(path);
      files.restrict_self();
      limit_calls(Calls::of_compiler);
    }
    work();
  }).join();
}

std::vector<std::string> missing_protections() {
  std::vector<std::string> missing;
  if (landlock_version() < 1)
    missing.push_back("this kernel has no Landlock, so it may open any file of yours");
  if (const std::string why = why_no_calls(); !why.empty())
    missing.push_back(why + ", so it may make any system call");
  return missing;
}

}  // namespace ridge::worker
