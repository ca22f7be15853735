// What this machine can do at most, measured here by the probe kernels of kernels/probe. One table:
// a new ceiling is one row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/harness.h"

namespace ridge::measure {

/// How a row's problem is asked for.
struct CeilingContext {
  int threads = 1;
  int64_t llc_bytes = 0;   ///< last-level cache of the CPU
  int64_t free_bytes = 0;  ///< of the device
};

struct CeilingRow {
  const char* name;  ///< "FMA fp32"; CPU rows get ", 1 thread" appended
  Backend backend;
  const char* resource;  ///< as Ceiling::resource
  const char* dtype;     ///< as Ceiling::dtype
  const char* unit;      ///< "FLOP/s", "1/s" (instructions), "exp/s", "B/s" or "s" (an item's time)
  /// Probe and its `what`, by preference: the first that is in this worker and runs here is used.
  struct Choice {
    const char* kernel;
    const char* what;
  };
  std::vector<Choice> choices;
  /// n of the problem; null: the probe's own size.
  int64_t (*size)(const CeilingContext&);
  /// Measured for runs of families whose FamilyDesc::works this is; null: for those of its dtype.
  const char* works = nullptr;
  /// What measure_ceilings() is asked with.
  std::string asked_by() const { return works != nullptr ? works : dtype; }
};

const std::vector<CeilingRow>& ceiling_rows();
/// The row that this is a ceiling of; null: of none.
const CeilingRow* row_of(const Ceiling& ceiling);
/// "FMA fp32, 2 threads"; of a GPU the row's name.
std::string ceiling_name(const CeilingRow& row, int threads);

/// How many rows measure_ceilings() measures.
size_t count_ceilings(const Device& device, const std::string& what);
/// Measures the rows of the device's backend that `what` asks for ("" those of memory), about 0.3 s
/// each; `threads` is the CPU's, a GPU ignores it. The value is that of the fastest sample: a ceiling
/// that a lucky kernel could pass would be none. A probe that fails its check has no ceiling and is
/// left out. Cancelled: Error.
Result<std::vector<Ceiling>> measure_ceilings(Bench* bench, Device* device, int threads,
                                              const std::string& what, Observer* observer);
/// Measures one of them once more; none where its probe gives nothing.
Result<std::optional<Ceiling>> measure_again(Bench* bench, Device* device, const Ceiling& ceiling,
                                             Observer* observer);

}  // namespace ridge::measure
