// A page reads nothing of its machine, and no thread beside the measuring one could.
#include "common/harness/measure/telemetry_sampler.h"

namespace ridge::measure {

TelemetrySampler::TelemetrySampler(std::string root, Device* device, Sink sink)
    : host_(std::move(root)), device_(device), sink_(std::move(sink)) {}

TelemetrySampler::~TelemetrySampler() = default;

void TelemetrySampler::hold() {}

void TelemetrySampler::release() {}

}  // namespace ridge::measure
