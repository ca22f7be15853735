// What the harness tells whoever listens while it works: the worker turns it into protocol lines, a
// test into a list. Called between timed blocks only, from the measuring thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::measure {

inline Error cancelled_error() {
  return {ErrorCode::cancelled, "cancelled", "", ""};
}

struct Phase {
  std::string phase = {};  ///< "prepare", "check", "warmup", "timing", "latency", "rounds"
  std::string text = {};   ///< for a person: "warming up until the clock is steady"
  std::string open = {};   ///< the stopping condition still unmet; may be empty
  std::optional<double> progress = {}, median_ns = {}, left_s = {};
  std::optional<Interval> ci_ns = {};
};

/// `series` is the position of the rung in the request.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void phase(int /*series*/, const Phase&) {}
  /// The problem as it is measured, before all other lines of the series but its phases: the asked
  /// size may have been too large. Of the series everything is filled in that is known before a check.
  virtual void problem(const Series&) {}
  virtual void check(int /*series*/, const QualityCheck&) {}
  /// A timed block is next: says so and waits until the listener keeps still, 50 ms at most.
  virtual void announce(int /*series*/) {}
  /// `kind` is "call" (time per call) or "latency".
  virtual void samples(int /*series*/, const char* /*kind*/, std::span<const Sample>) {}
  virtual void rounds(std::span<const Round>) {}
  virtual void curve(int /*series*/, std::span<const CurvePoint>) {}
  virtual void spans(int /*series*/, std::span<const Span>) {}
  /// Asked between blocks; true ends the work and keeps what was measured.
  virtual bool cancelled() const { return false; }
};

}  // namespace ridge::measure
