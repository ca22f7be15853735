// Turns what the harness reports into protocol lines of one request.
#pragma once

#include <functional>
#include <map>

#include "common/measure/machine.h"
#include "common/measure/observer.h"
#include "worker/emitter.h"

namespace ridge::worker {

/// Slow readings of a device, by name; see measure::Device::telemetry().
using Telemetry = std::function<std::map<std::string, double>()>;

class LineObserver : public measure::Observer {
 public:
  LineObserver(Emitter* emitter, int64_t request, std::function<bool()> cancelled)
      : emitter_(emitter), request_(request), cancelled_(std::move(cancelled)) {}

  /// The device whose readings accompany what is measured next; null: none but the CPU's.
  void set_telemetry(Telemetry telemetry) { telemetry_ = std::move(telemetry); }

  void phase(int series, const measure::Phase& phase) override;
  void check(int series, const QualityCheck& check) override;
  void announce(int series) override;
  void samples(int series, const char* kind, std::span<const Sample> samples) override;
  void rounds(std::span<const Round> rounds) override;
  void curve(int series, std::span<const CurvePoint> points) override;
  void spans(int series, std::span<const Span> spans) override;
  bool cancelled() const override { return cancelled_(); }

 private:
  Json head(int series) const;
  /// Between timed blocks, ten times a second at most.
  void telemetry();

  Emitter* emitter_;
  int64_t request_;
  std::function<bool()> cancelled_;
  Telemetry telemetry_;
  measure::ForeignLoad foreign_;
  double cpu_s_ = 0, wall_s_ = 0;  ///< at the last telemetry line
};

}  // namespace ridge::worker
