#include "common/harness/measure/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/core/files.h"
#include "common/harness/measure/machine.h"
#include "common/record/diagnosis.h"

namespace ridge::measure {
namespace {

constexpr double kPassNs = 20e6;    ///< counted calls last about this long together
constexpr double kLongestNs = 2e9;  ///< a call beyond it is not made again just to be counted

constexpr PerfEvent kHardware[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

/// Misses of reads, a pass each: not every CPU counts them, and a group that is too large counts nothing.
constexpr uint64_t kReadMisses = PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS
                                                                        << 16;
constexpr PerfEvent kCaches[] = {
    {"l1d_read_miss_bytes", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D | kReadMisses},
    {"ll_read_miss_bytes", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL | kReadMisses},
};

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  for (const auto& task : entries_of("/proc/self/task"))
    threads.push_back(static_cast<pid_t>(std::stol(task.filename().string())));
  return threads;
}

/// The events of one thread, opened together.
class Group {
 public:
  Group() = default;
  Group(Group&& other) noexcept : fds_(std::exchange(other.fds_, {})) {}
  Group& operator=(Group&&) = delete;
  ~Group() {
    for (const int fd : fds_) close(fd);
  }

  /// errno; 0 for success.
  int open(std::span<const PerfEvent> events, pid_t thread) {
    for (const PerfEvent& event : events) {
      perf_event_attr attr = {};
      attr.size = sizeof attr;
      attr.type = event.type;
      attr.config = event.config;
      attr.disabled = fds_.empty();
      attr.exclude_kernel = attr.exclude_hv = 1;
      attr.read_format =
          PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      const int leader = fds_.empty() ? -1 : fds_.front();
      const long fd = syscall(SYS_perf_event_open, &attr, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
      if (fd < 0) return errno;
      fds_.push_back(static_cast<int>(fd));
    }
    return 0;
  }
  void enable() const {
    ioctl(fds_.front(), PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    ioctl(fds_.front(), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
  }
  void disable() const { ioctl(fds_.front(), PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP); }

  /// Adds what it counted to `sums`; false where it never had the hardware though it ran.
  bool add_to(std::vector<double>* sums) const {
    // nr, time enabled, time running, then a value for each event.
    std::vector<uint64_t> words(3 + sums->size());
    const auto bytes = static_cast<ssize_t>(words.size() * sizeof(uint64_t));
    if (read(fds_.front(), words.data(), static_cast<size_t>(bytes)) != bytes) return false;
    if (words[2] == 0) return words[1] == 0;
    const double scale = double(words[1]) / double(words[2]);
    for (size_t i = 0; i < sums->size(); ++i) (*sums)[i] += double(words[3 + i]) * scale;
    return true;
  }

 private:
  std::vector<int> fds_;
};

Result<std::vector<Group>> open_groups(std::span<const PerfEvent> events) {
  std::vector<Group> groups;
  for (const pid_t thread : threads_of_process()) {
    Group group;
    const int error_number = group.open(events, thread);
    if (error_number == ESRCH) continue;  // it has just ended
    if (error_number != 0) {
      return perf_refusal(error_number, read_line_of("/proc/sys/kernel/perf_event_paranoid"));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string sentence_of(const Error& error) {
  return error.hint.empty() ? error.what : error.what + ": " + error.hint;
}

}  // namespace

std::span<const PerfEvent> hardware_events() {
  return kHardware;
}

Error perf_refusal(int error_number, const std::string& paranoid) {
  Error error{ErrorCode::unavailable, "", "perf_event_open", ""};
  switch (error_number) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      error.what = "this CPU offers no hardware counters, as in many virtual machines";
      error.hint = "let the machine see its PMU (KVM: -cpu host,pmu=on), or measure on bare metal";
      break;
    case EACCES:
    case EPERM:
      error.what = "hardware counters were refused (kernel.perf_event_paranoid is " +
                   (paranoid.empty() ? "not readable" : paranoid) + ")";
      error.hint = "sysctl kernel.perf_event_paranoid=2; in a container also --cap-add PERFMON";
      break;
    case ENOSYS:
      error.what = "this kernel or sandbox has no perf_event_open";
      error.hint = "allow the call in the container's seccomp profile";
      break;
    case EMFILE:
      error.what = "too many files are open for a counter on every thread";
      error.hint = "ulimit -n 4096";
      break;
    default:
      error.what = std::string("hardware counters could not be opened (") +
                   std::strerror(error_number) + ")";
  }
  return error;
}

Result<std::vector<double>> count_events(std::span<const PerfEvent> events,
                                         const std::function<Result<void>()>& work) {
  RIDGE_TRY(const std::vector<Group> groups, open_groups(events));
  for (const Group& group : groups) group.enable();
  const Result<void> worked = work();
  for (const Group& group : groups) group.disable();
  if (!worked) return worked.error();
  std::vector<double> sums(events.size(), 0);
  for (const Group& group : groups) {
    if (!group.add_to(&sums)) {
      return Error{ErrorCode::unavailable, "the hardware counters were busy throughout",
                   "perf_event_open", "end other profilers; the NMI watchdog holds one too"};
    }
  }
  return sums;
}

Result<std::vector<Counter>> count_cpu(const Side& side, int64_t calls, Device* device) {
  RIDGE_TRY(const std::vector<double> sums,
            count_events(kHardware, [&] { return device->repeat(side, calls); }));
  std::vector<Counter> counters;
  for (size_t i = 0; i < sums.size(); ++i) {
    counters.push_back({kHardware[i].name, sums[i] / double(calls), ""});
  }
  if (sums[0] > 0) counters.push_back({"ipc", sums[1] / sums[0], "per cycle"});
  const auto line_bytes = static_cast<double>(sysconf(_SC_LEVEL1_DCACHE_LINESIZE));
  for (const PerfEvent& event : kCaches) {
    const auto misses = count_events({&event, 1}, [&] { return device->repeat(side, calls); });
    if (!misses && misses.error().code == ErrorCode::worker) return misses.error();
    if (!misses || !(line_bytes > 0)) continue;
    counters.push_back({event.name, misses->front() / double(calls) * line_bytes, "B"});
  }
  return counters;
}

Result<void> describe_calls(const ReadyRung& rung, double call_ns, const Options& options,
                            Series* series, Observer* observer) {
  Device* device = rung.device;
  const Side side = rung.plain_side(options.cache);
  const auto lacks = [&](const char* what, const std::string& why) -> Result<void> {
    series->unavailable[what] = why;
    return {};
  };
  const auto take_failure = [&](const char* what, const Error& error) -> Result<void> {
    if (error.code == ErrorCode::worker) return error;
    return lacks(what, sentence_of(error));
  };
  if (rung.kernel->time_calls != nullptr) {
    return lacks("counters", "its library runs in a process of its own");
  }
  const bool gpu = rung.kernel->backend == Backend::cuda;
  if (gpu && !options.count_only) {
    auto resources = device->resources(side);
    if (!resources) RIDGE_TRY_VOID(take_failure("resources", resources.error()));
    if (resources) series->resources = std::move(*resources);
    return lacks("counters", std::string(kCountersNotAskedFor) + ": run with --counters");
  }
  if (options.mode == Mode::live && !options.count_only) {
    return lacks("counters", "not read in live mode: run in measure mode");
  }
  if (options.cache == Cache::cold) return lacks("counters", "counted with hot caches only");
  if (call_ns > kLongestNs)
    return lacks("counters", "a call takes over 2 s: choose a smaller size");
  observer->phase(series->index, {.phase = "counters", .text = "hardware counters"});
  const double calls = std::clamp(std::ceil(kPassNs / std::max(call_ns, 1.0)), 1.0, 100000.0);
  auto counters = device->count(side, static_cast<int64_t>(calls));
  if (!counters) return take_failure("counters", counters.error());
  series->counters = std::move(*counters);
  return {};
}

}  // namespace ridge::measure
