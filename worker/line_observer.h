// Turns what the harness reports into protocol lines of one request.
#pragma once

#include <functional>
#include <optional>

#include "common/harness/measure/observer.h"
#include "common/harness/measure/telemetry_sampler.h"
#include "worker/emitter.h"

namespace ridge::worker {

class LineObserver : public measure::Observer {
 public:
  LineObserver(Emitter* emitter, int64_t request, std::function<bool()> cancelled)
      : emitter_(emitter), request_(request), cancelled_(std::move(cancelled)) {}

  /// From now on `telemetry` lines, ten a second, outside timed blocks: the host's readings, and a
  /// GPU's where one is given (it must outlive this).
  void start_telemetry(measure::Device* gpu);

  void phase(int series, const measure::Phase& phase) override;
  void problem(const Series& series) override;
  void check(int series, const QualityCheck& check) override;
  void announce(int series) override;
  void samples(int series, const char* kind, std::span<const Sample> samples) override;
  void rounds(std::span<const Round> rounds) override;
  void curve(int series, std::span<const CurvePoint> points) override;
  void spans(int series, std::span<const Span> spans) override;
  bool cancelled() const override { return cancelled_(); }

 private:
  Json head(int series) const;
  /// What was read inside a block may be sent.
  void between_blocks();

  Emitter* emitter_;
  int64_t request_;
  std::function<bool()> cancelled_;
  std::optional<measure::TelemetrySampler> sampler_;
};

}  // namespace ridge::worker
