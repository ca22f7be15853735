// Ceilings that an earlier worker of this user measured on this machine. They are kept in a file for an hour, so that not
// every command begins with seconds of probes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/device.h"
#include "common/record/types.h"

namespace ridge::worker {

/// Threads (of a GPU 1), and what for, as CeilingRow::asked_by() says.
using CeilingKey = std::pair<int, std::string>;

/// What was measured for one key; nothing where no probe of it runs here.
struct KeptCeilings {
  int64_t measured_s = 0;  ///< since 1970
  std::vector<Ceiling> ceilings;
};
using KeptByKey = std::map<CeilingKey, KeptCeilings>;

/// Ceilings are reused while they are younger; those measured beside others' work for less, since it may be over soon.
inline constexpr int64_t kKept_s = 3600, kKeptBusy_s = 600;

/// The key that a ceiling was measured for.
CeilingKey key_of(const Ceiling& ceiling);

/// All that has to be equal for two measurements of a device's ceilings to be of one thing: the machine, what this process
/// may use of it, its boot, its power, the build of the probes, of a GPU the GPU itself and its driver. Empty: that
/// cannot be told, and nothing is kept.
std::string comparable_as(const measure::Device& device, const std::vector<GpuInfo>& gpus);

/// $XDG_STATE_HOME or ~/.local/state, then ridgepoint/ceilings/HOST.json: a home may be shared by machines. Empty
/// without a home.
std::string kept_ceilings_path();

/// Those that are comparable as `place` and younger than kKept_s. A file that is missing, damaged, or not ours has none.
KeptByKey read_kept(const std::string& path, const std::string& place, int64_t now_s);
/// Puts `sound` in the place of what the file has for the keys `replaced`, and drops all that is too old.
Result<void> write_kept(const std::string& path, const std::string& place,
                        const std::set<CeilingKey>& replaced, const KeptByKey& sound,
                        int64_t now_s);

}  // namespace ridge::worker
