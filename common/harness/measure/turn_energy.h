// The energy of one side of work that takes turns with others on the same counter. A counter shows what was used until
// its last tick, so what a turn used is known to a tick at each end: turns that last many ticks can be told apart.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/harness/measure/device.h"
#include "common/harness/measure/training_run.h"

namespace ridge::measure {

class TurnEnergy {
 public:
  /// Opens the device's counter and waits for two of its ticks, 0.3 s at most. `device` null: nothing is read.
  TurnEnergy(Device* device, StepClock clock);
  /// Around a turn. Readings take milliseconds on a GPU, so none may fall into what is timed.
  void begin();
  void end(int64_t steps);
  /// Of a step of the turns since the last call: energy_j, energy_error_j (a tick of the shortest turn) and
  /// energy_source, or unavailable["energy_j"].
  void settle(Series* series);

 private:
  std::optional<double> find_tick();

  std::unique_ptr<EnergyMeter> meter_;
  StepClock clock_;
  std::string reason_;
  double tick_s_ = 0;
  double begin_s_ = 0, begin_j_ = 0, joules_ = 0, shortest_s_ = 0;
  int64_t steps_ = 0;
};

}  // namespace ridge::measure
