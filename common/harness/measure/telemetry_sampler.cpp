#include "common/harness/measure/telemetry_sampler.h"

#include <chrono>

namespace ridge::measure {

TelemetrySampler::TelemetrySampler(std::string root, Device* device, Sink sink)
    : host_(std::move(root)), device_(device), sink_(std::move(sink)) {
  thread_ = std::thread(&TelemetrySampler::loop, this);
}

TelemetrySampler::~TelemetrySampler() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  release();
}

void TelemetrySampler::hold() {
  const std::lock_guard lock(mutex_);
  held_ = true;
}

void TelemetrySampler::release() {
  const std::lock_guard lock(mutex_);
  held_ = false;
  hand_out();
}

void TelemetrySampler::hand_out() {
  for (const TelemetryPoint& point : waiting_) sink_(point);
  waiting_.clear();
}

void TelemetrySampler::loop() {
  using Clock = std::chrono::steady_clock;
  const auto period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kPeriod_s));
  auto next = Clock::now() + period;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_until(lock, next, [this] { return ending_; })) {
    lock.unlock();
    TelemetryPoint point = host_.read();
    if (device_ != nullptr) device_->telemetry(&point);
    lock.lock();
    waiting_.push_back(std::move(point));
    if (!held_) hand_out();
    next += period;
    // Late by more than a period (a machine that slept): no burst of readings to catch up.
    if (next < Clock::now()) next = Clock::now() + period;
  }
}

}  // namespace ridge::measure
