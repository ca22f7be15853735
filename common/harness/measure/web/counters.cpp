// A browser hides the hardware's counters from its pages.
#include "common/harness/measure/counters.h"

namespace ridge::measure {
namespace {

constexpr const char* kWhy = "a browser shows its pages no hardware counters";

}  // namespace

std::span<const PerfEvent> hardware_events() {
  return {};
}

Error perf_refusal(int /*error_number*/, const std::string& /*paranoid*/) {
  return {ErrorCode::unavailable, kWhy, "", "measure with ridgepoint itself, on Linux"};
}

Result<std::vector<double>> count_events(std::span<const PerfEvent> /*events*/,
                                         const std::function<Result<void>()>& /*work*/) {
  return perf_refusal(0, "");
}

Result<std::vector<Counter>> count_cpu(const Side& /*side*/, int64_t /*calls*/,
                                       Device* /*device*/) {
  return perf_refusal(0, "");
}

Result<void> describe_calls(const ReadyRung& /*rung*/, double /*call_ns*/,
                            const Options& /*options*/, Series* series, Observer* /*observer*/) {
  series->unavailable["counters"] = kWhy;
  return {};
}

}  // namespace ridge::measure
