// Whether a file may stand among the recordings: small, whole, checked by the gate, of one lab and one machine, and
// without a word about whose machine it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/query/owner_words.h"
#include "common/core/result.h"
#include "common/record/run.h"

namespace ridge::app {

inline constexpr uint64_t kMostLabBytes = uint64_t{8} << 20;  ///< all recordings of a lab together

/// LAB.MACHINE.jsonl or LAB.MACHINE.NAME.jsonl.
struct RecordingName {
  std::string lab, machine, name;
};
/// Errors: bad_input, for a name of another form or a lab that there is not.
Result<RecordingName> recording_name(const std::string& path);

/// What a machine is called in a recording's name: "h200" of "NVIDIA H200", "amd_epyc_9454" of "AMD EPYC 9454".
std::string machine_word(const std::string& machine);

/// Whether a commit says exactly which source was built: no "-dirty", not "unknown".
bool is_clean_commit(const std::string& commit);
/// The commit that measured: of its worker's first line, or of its environment; "unknown" where neither says.
std::string commit_of(const Run& run);

struct CheckOptions {
  bool dirty_too = false;  ///< a commit that is not clean is no fault
};
/// Errors: bad_input with what is wrong first, where, and what to do about it.
Result<void> check_recording(const std::string& path, const CheckOptions& options = {});

/// Removes from each line of a transcript what says whose machine it was: folders of users, addresses, the owner's names.
Result<void> scrub_recording(const std::string& path, const Owner& owner = this_owner());

}  // namespace ridge::app
