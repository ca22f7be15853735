#include "common/harness/measure/clock.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace ridge::measure {
namespace {

double measured_step_ns() {
  std::array<double, 15> steps;  // at 100 us 1.5 ms in all
  for (double& step : steps) {
    const double from = now_ns();
    do step = now_ns() - from;
    while (!(step > 0));
  }
  const auto middle = steps.begin() + steps.size() / 2;
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

}  // namespace

double now_ns() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}

double cpu_time_ns(bool process) {
  timespec t = {};
  if (clock_gettime(process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &t) != 0)
    return 0;
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

double clock_step_ns() {
  static const double step = measured_step_ns();
  return step;
}

}  // namespace ridge::measure
