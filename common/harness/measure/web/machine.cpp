// What a page may know of its machine: what the browser says of itself. Under node, which the tests use, node stands for the
// browser.
#include "common/harness/measure/machine.h"

#include <emscripten.h>
#include <emscripten/heap.h>
#include <unistd.h>

#include <cstdlib>

#include "common/core/format.h"
#include "common/harness/measure/clock.h"
#include "common/harness/measure/isa.h"

// clang-format off
/// "Chrome 156", "Firefox 145", "node 20.20.2"; to be freed.
EM_JS(char*, ridge_engine, (), {
  let engine = 'an unknown browser';
  if (typeof navigator === 'object' && navigator.userAgent && !/^Node/.test(navigator.userAgent)) {
    const names = [['Edg', 'Edge'], ['Firefox', 'Firefox'], ['HeadlessChrome', 'Chrome'], ['Chrome', 'Chrome'], ['Version', 'Safari']];
    const known = names.find(name => navigator.userAgent.includes(name[0] + '/'));
    if (known) engine = known[1] + ' ' + parseInt(navigator.userAgent.split(known[0] + '/')[1]);
  } else if (typeof process === 'object' && process.versions) {
    engine = 'node ' + process.versions.node;
  }
  return stringToNewUTF8(engine);
});
EM_JS(int, ridge_machine_cores, (), { return ridge_cores; });  // web/before.js
/// Cross-origin isolation: 1 isolated, 0 not, -1 there is no such thing here.
EM_JS(int, ridge_isolated, (), { return ridge_node ? -1 : Number(ridge_shares); });
// clang-format on

namespace ridge::measure {
namespace {

std::string engine() {
  char* text = ridge_engine();
  const std::string name = text;
  std::free(text);
  return name;
}

}  // namespace

std::string system_root() {
  return "";
}

std::vector<double> cpu_busy_s(const std::string& /*root*/) {
  return {};
}

double own_cpu_s() {
  return 0;
}

std::string read_line_of(const std::string& /*path*/) {
  return "";
}

std::string cpu_model(const std::string& /*cpuinfo*/) {
  return "WebAssembly in " + engine();
}

CpuInfo read_cpu() {
  CpuInfo cpu;
  cpu.model = cpu_model("");
  cpu.isa = to_string(usable_isa());
  cpu.cores = ridge_machine_cores();
  return cpu;
}

std::string read_os() {
  const int isolated = ridge_isolated();
  const std::string isolation = isolated < 0 ? "" : isolated == 1 ? ", isolated" : ", not isolated, one thread";
  return engine() + isolation + ", clock in steps of " + format_time_ns(clock_step_ns());
}

std::string read_power_source() {
  return "";
}

int64_t last_level_cache_bytes() {
  return 0;
}

int64_t free_memory_bytes() {
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0));  // of the heap's used part
  return static_cast<int64_t>(emscripten_get_heap_max() - end);
}

void ForeignLoad::start() {
  wall_s_ = 1e-9 * now_ns();
}

double ForeignLoad::cpus() const {
  return -1;
}

double ForeignLoad::window_s() const {
  return 1e-9 * now_ns() - wall_s_;
}

}  // namespace ridge::measure
