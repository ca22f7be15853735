#include "common/harness/measure/machine.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/core/files.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/isa.h"

namespace ridge::measure {
namespace {

namespace fs = std::filesystem;

double clock_s(clockid_t clock) {
  timespec t = {};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Value after "key<spaces>:" in a "key : value" file; empty if absent.
std::string field_of(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

/// Busy and stolen CPU seconds of the whole machine; negative if unreadable.
double machine_busy_s() {
  const std::vector<double> all = cpu_busy_s(system_root());
  return all.empty() ? -1 : all.front();
}

void read_caches(CpuInfo* cpu) {
  const std::string root = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 0; index < 8; ++index) {
    const std::string folder = root + std::to_string(index) + "/";
    const std::string level = read_line_of(folder + "level");
    if (level.empty()) break;
    const int64_t bytes = parse_bytes(read_line_of(folder + "size"));
    if (level == "1" && read_line_of(folder + "/type") == "Data") cpu->l1d_bytes = bytes;
    if (level == "2") cpu->l2_bytes = bytes;
    if (level == "3") cpu->l3_bytes = bytes;
  }
}

}  // namespace

std::string system_root() {
  const char* root = std::getenv("RIDGE_SYSTEM_ROOT");
  return root == nullptr ? "" : root;
}

std::vector<double> cpu_busy_s(const std::string& root) {
  static const double ticks_per_s = double(sysconf(_SC_CLK_TCK));
  std::ifstream file(root + "/proc/stat");
  std::vector<double> all;
  for (std::string text; std::getline(file, text) && text.rfind("cpu", 0) == 0;) {
    std::istringstream line(text);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    line >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
    if (!line) return {};
    all.push_back((user + nice + system + irq + softirq + steal) / ticks_per_s);
  }
  return all;
}

double own_cpu_s() {
  return clock_s(CLOCK_PROCESS_CPUTIME_ID) + children_cpu_s();
}

std::string read_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_model(const std::string& cpuinfo) {
  for (const char* key : {"model name", "Model"}) {
    if (std::string name = field_of(cpuinfo, key); !name.empty()) return name;
  }
  const std::string implementer = field_of(cpuinfo, "CPU implementer");
  if (implementer.empty()) return "";
  return "CPU of implementer " + implementer + ", part " + field_of(cpuinfo, "CPU part");
}

CpuInfo read_cpu() {
  CpuInfo cpu;
  cpu.model = cpu_model("/proc/cpuinfo");
  cpu.isa = to_string(usable_isa());
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    cpu.cores = CPU_COUNT(&allowed);
  } else {
    cpu.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  }
  read_caches(&cpu);
  cpu.memory_bytes = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  cpu.governor = read_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return cpu;
}

std::string read_os() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("PRETTY_NAME=", 0) != 0) continue;
    line = line.substr(12);
    std::erase(line, '"');
    return line;
  }
  return "Linux";
}

std::string read_power_source() {
  bool mains = false, battery = false;
  for (const std::string folder : entries_of("/sys/class/power_supply")) {
    const std::string type = read_line_of(folder + "/type");
    if (type == "Mains" || type == "USB") mains |= read_line_of(folder + "/online") == "1";
    if (type == "Battery") battery |= read_line_of(folder + "/status") == "Discharging";
  }
  if (battery) return "battery";
  return mains ? "mains" : "";
}

int64_t last_level_cache_bytes() {
  CpuInfo cpu;
  read_caches(&cpu);
  return std::max({cpu.l1d_bytes, cpu.l2_bytes, cpu.l3_bytes});
}

int64_t free_memory_bytes() {
  const std::string root = system_root();
  int64_t free = parse_bytes(field_of(root + "/proc/meminfo", "MemAvailable")) * 1024;  // in kB
  const int64_t limit = parse_bytes(read_line_of(root + "/sys/fs/cgroup/memory.max"));
  const int64_t used = parse_bytes(read_line_of(root + "/sys/fs/cgroup/memory.current"));
  if (limit > 0) free = std::min(free, std::max<int64_t>(0, limit - used));
  return free;
}

void ForeignLoad::start() {
  wall_s_ = clock_s(CLOCK_MONOTONIC);
  busy_s_ = machine_busy_s();
  own_s_ = own_cpu_s();
}

double ForeignLoad::cpus() const {
  const double busy = machine_busy_s();
  if (busy < 0 || busy_s_ < 0) return -1;
  const double own = own_cpu_s() - own_s_;
  return std::max(0.0, (busy - busy_s_ - own) / std::max(1e-3, window_s()));
}

double ForeignLoad::window_s() const {
  return clock_s(CLOCK_MONOTONIC) - wall_s_;
}

}  // namespace ridge::measure
