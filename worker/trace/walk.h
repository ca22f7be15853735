// From the recorded accesses of a call to a Walk (common/record/walk.h): planes of lines, a model of the caches over
// them, and frames of what is where.
#pragma once

#include <deque>
#include <string>

#include "common/harness/measure/caches.h"
#include "common/record/inspection.h"
#include "worker/trace/traced_rung.h"

namespace ridge::worker {

/// The walk of a recorded call: of the accesses `asked` those in view, through caches of these shapes, L1 first.
Result<Walk> walk_of(const TracedCall& call, const InspectAsked& asked,
                     const std::vector<measure::CacheShape>& caches);

/// Caches so small that matrices of `bytes` do not fit: L2 holds a quarter of them at most, L1 half of that. 8 ways.
std::vector<measure::CacheShape> scaled_caches(size_t bytes);

/// Walks, and the last recorded calls: another part of one is in view without another call.
class Walks {
 public:
  /// `given`: what is left out is small. Errors: as trace_rung(); usage for a part beyond the end.
  Result<Inspection> look(const KernelInfo& rung, const FamilyDesc& family, const Params& given,
                          const InspectAsked& asked, measure::Device* cpu,
                          measure::Observer* observer);

 private:
  struct Kept {
    std::string key;
    TracedCall call;
  };
  Result<const TracedCall*> call_of(const std::string& kernel, const FamilyDesc& family,
                                    const Params& params, measure::Device* cpu,
                                    measure::Observer* observer);
  std::deque<Kept> kept_;  ///< the newest in front
};

}  // namespace ridge::worker
