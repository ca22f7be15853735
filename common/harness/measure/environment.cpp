#include "common/harness/measure/environment.h"

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/core/build_info.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/machine.h"

namespace ridge::measure {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

/// The sanitizer this binary was built with; null if none.
const char* sanitizer() {
#if defined(__SANITIZE_ADDRESS__)
  return "address sanitizer";
#elif defined(__SANITIZE_THREAD__)
  return "thread sanitizer";
#else
  return nullptr;
#endif
}

}  // namespace

std::string utc_text(int64_t seconds) {
  const time_t time = seconds;
  tm parts = {};
  gmtime_r(&time, &parts);
  char text[32];
  strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Environment read_environment() {
  Environment env;
  env.os = read_os();
  env.time_utc = utc_text(time(nullptr));
  env.cpu = read_cpu();
  env.gpus = list_gpus(&env.no_gpu_reason);
  const BuildInfo build = build_info();
  env.version = build.version;
  env.commit = build.commit;
  env.compiler = build.compiler;
  env.build_type = build.compiled_as();
  env.cuda = build.cuda;
  for (const KernelDesc* kernel : registered_kernels()) {
    if (kernel->library == nullptr) continue;
    if (kernel->unavailable != nullptr && kernel->unavailable() != nullptr) continue;
    const char* version = kernel->version == nullptr ? nullptr : kernel->version();
    env.libraries[kernel->library] = version == nullptr ? "" : version;
  }
  env.power_source = read_power_source();
  return env;
}

QuietState judge_quiet(const Environment& environment, double foreign_cpus,
                       const std::vector<std::string>& device_disturbances) {
  QuietState state;
  const std::string cores =
      std::to_string(environment.cpu.cores) + (environment.cpu.cores == 1 ? " core" : " cores");
  // Two ticks of 10 ms in a window of 0.2 s are 0.1: housekeeping stays under 0.15.
  if (foreign_cpus > 0.15) {
    state.reasons.push_back("other processes use " + number(foreign_cpus) + " of " + cores);
  }
  const double load = std::atof(read_line_of("/proc/loadavg").c_str());
  // Our own finished run still stands in the average with up to one per core.
  if (load > environment.cpu.cores + 0.5) {
    state.reasons.push_back("load " + number(load) + " on " + cores);
  }
  const std::string& governor = environment.cpu.governor;
  if (!governor.empty() && governor != "performance" && governor != "schedutil") {
    state.reasons.push_back("governor " + governor);
  }
  if (environment.power_source == "battery") state.reasons.push_back("on battery");
  if (environment.build_type.starts_with("Debug")) state.reasons.push_back("debug build");
  if (const char* name = sanitizer()) state.reasons.push_back(std::string("built with ") + name);
  state.reasons.insert(state.reasons.end(), device_disturbances.begin(), device_disturbances.end());
  state.quiet = state.reasons.empty();
  return state;
}

}  // namespace ridge::measure
