// How long a rung will take, before it is run: a small problem is timed (unchecked, a call or two)
// and scaled by its work. A rung whose single call would pass 5 s is shrunk to the largest size that
// does not.
#pragma once

#include <map>
#include <string>

#include "common/core/result.h"
#include "common/harness/measure/observer.h"
#include "common/harness/measure/rung.h"

namespace ridge::measure {

inline constexpr double kLongestCallNs = 5e9;

/// What the family needs and takes seconds to get, once a machine (FamilyDesc::get_ready), with progress.
/// Tells the observer ten times a second; false once it is cancelled.
FamilyProgress progress_to(Observer* observer, int series);
Result<void> get_ready(const FamilyDesc& family, const Params& params, int series,
                       Observer* observer);

struct CallEstimate {
  double call_ns = 0;        ///< of one call at `params`
  double prepare_s = 0;      ///< to make its inputs; 0: not timed
  Params params;             ///< what should be run
  std::string reduced_from;  ///< "n=4096" when params are smaller than asked; else empty
};

/// `params` complete. Small problems are not run at all where their size alone says that one call
/// stays far below 5 s and the caller does not need the figure (`need_time` false): call_ns is 0.
Result<CallEstimate> estimate_call(const KernelDesc& kernel, const FamilyDesc& family,
                                   const Params& params, Device* device, bool need_time);

/// Which problem to run, remembered: a ladder is climbed and compared over and over at one size.
class EstimateCache {
 public:
  Result<CallEstimate> get(const KernelDesc& kernel, const FamilyDesc& family, const Params& params,
                           Device* device);

 private:
  std::map<std::string, CallEstimate> done_;
};

/// Live, a rung whose call takes as long is not warmed up: the check's call was warm-up enough.
inline constexpr double kWarmCall_s = 0.05;

/// Seconds for everything a run of this rung does, live or measured in full; `energy_s` of it the
/// energy pass (predict_energy_s()).
double predict_total_s(const CallEstimate& call, RunMode mode, double energy_s);

}  // namespace ridge::measure
