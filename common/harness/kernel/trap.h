// The fourth kind of rung: a trap, a way of measuring that lies. The harness takes one figure the
// trap's way and its own way in turns, on the same victim, and shows both with the factor between;
// then it asks which of its guards would have caught the lie.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/kernel.h"
#include "common/record/types.h"

namespace ridge {

namespace measure {
class Device;
struct ReadyRung;
}

/// What the harness's own guard made of the lie, in this run.
struct GuardVerdict {
  bool caught = false;
  std::string says;  ///< one sentence with the evidence: "refused: 16 384 elements never written"
};

class Trap {
 public:
  virtual ~Trap() = default;
  /// One figure, above zero, in the unit of the description: measured the wrong way.
  virtual Result<double> lie() = 0;
  /// The same quantity of the same victim, measured as the harness measures.
  virtual Result<double> honest() = 0;
  /// The victim's output through the gate: a trap whose victim is wrong has no figures.
  virtual Result<QualityCheck> check(const std::string& what) = 0;
  /// Meets the lie with the guard that the description names. `lie` and `honest` are the medians.
  virtual Result<GuardVerdict> guard(double lie, double honest) = 0;
  /// The victim alone, for the energy of one of its calls; null where a trap is of no one rung.
  virtual const measure::ReadyRung* victim() const { return nullptr; }
};

struct TrapDesc {
  const char* id = nullptr;  ///< "traps.cpu.no_warm_up"
  Backend backend = Backend::cpu;
  int arch = 0;
  // A trap's file sets the members from here on, in this order.
  const char* victim = "";    ///< what is measured, one phrase
  const char* quantity = "";  ///< "time per call", "latency of a call", "speed-up"
  const char* unit = "s";     ///< "s", or empty for a ratio
  const char* guard = "";     ///< which guard of the harness prevents it, one phrase
  Result<std::unique_ptr<Trap>> (*set_up)(measure::Device* device) = nullptr;
  double patience_s = 0;  ///< of rounds whose readings take seconds; 0: the mode's own limit
};

}  // namespace ridge

/// RIDGE_TRAP(traps, cpu, no_warm_up, .victim = ..., .set_up = ...);
#define RIDGE_TRAP(family_, backend_, trick_, ...)            \
  static constexpr ::ridge::TrapDesc ridge_trap_desc = {      \
      .id = #family_ "." #backend_ "." #trick_ RIDGE_VARIANT, \
      .backend = ::ridge::Backend::backend_,                  \
      .arch = RIDGE_ARCH,                                     \
      __VA_ARGS__};                                           \
  RIDGE_REGISTER("ridge_traps", ::ridge::TrapDesc, ridge_trap_desc)
