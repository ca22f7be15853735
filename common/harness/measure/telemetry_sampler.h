// A steady 10 Hz of slow readings: a thread of its own takes them, so that they go on while the
// measuring thread is inside a timed block, and hands them out only outside of one.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/harness/measure/device.h"
#include "common/harness/measure/host_telemetry.h"

namespace ridge::measure {

class TelemetrySampler {
 public:
  static constexpr double kPeriod_s = 0.1;
  /// Called from either thread, one call at a time, in order of t_s.
  using Sink = std::function<void(const TelemetryPoint&)>;

  /// `device`: a GPU whose readings go onto the same lines; null: the host's alone. It must outlive
  /// the sampler.
  TelemetrySampler(std::string root, Device* device, Sink sink);
  /// Hands out what is held.
  ~TelemetrySampler();
  TelemetrySampler(const TelemetrySampler&) = delete;
  TelemetrySampler& operator=(const TelemetrySampler&) = delete;

  /// A timed block begins: once this has returned nothing is handed out until release().
  void hold();
  void release();

 private:
  void loop();
  void hand_out();  ///< mutex_ is held

  HostTelemetry host_;
  Device* device_;
  Sink sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false, ending_ = false;
  std::vector<TelemetryPoint> waiting_;
  std::thread thread_;
};

}  // namespace ridge::measure
