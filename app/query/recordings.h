// Recorded runs: those that ship with the program (assets/recorded/*.jsonl) and the user's own. What cannot run here is
// shown from them, always under the name of the machine that ran it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "common/record/types.h"

namespace ridge::app {

/// "AMD EPYC 9684X, 2 cores": the logical ones that this system sees.
std::string cpu_name(const CpuInfo& cpu);
/// The name a recording has among others: a cloud's processors hide their model, so a CPU's has its cores too.
std::string machine_name(const Environment& environment);

struct Recording {
  std::string path, machine, title;
  std::shared_ptr<const Run> run;
  std::string stale{};  ///< stale_text() of it
};

/// What a run holds, in a line: "GEMM · 7 rungs · 2 comparisons".
std::string title_of_run(const Run& run);

/// The recordings' files in a folder, by name; empty where there is none.
std::vector<std::string> recording_files(const std::string& folder);

/// All readable recordings of a folder, by name, their stale results marked. An unreadable one is left out and named in
/// `problems`.
std::vector<Recording> load_recordings(const std::string& folder,
                                       std::vector<std::string>* problems,
                                       std::span<const RungHash> now = rung_hashes());

/// The program's recordings, then the user's own (data_folder("recorded")): where recordings of other machines are put.
std::vector<Recording> load_all_recordings(std::vector<std::string>* problems,
                                           std::span<const RungHash> now = rung_hashes());

/// load_all_recordings() a file at a time, for who must not wait for all of them: a page has one thread.
class RecordingShelf {
 public:
  RecordingShelf();
  /// Reads one file, of `lab` where one of its is left. False: all had been read.
  bool read_next(const std::string& lab, std::vector<std::string>* problems);
  /// Files of `lab` that are not read.
  size_t left(const std::string& lab) const;
  bool is_empty() const { return waiting_.empty(); }
  /// What has been read, in the order of load_all_recordings().
  std::vector<Recording> all() const;

 private:
  struct File {
    std::string folder, path;
  };
  static bool is_of(const std::string& path, const std::string& lab);

  std::vector<File> waiting_;
  std::map<std::string, std::vector<Recording>> read_;  ///< by folder
};

/// The recordings of one lab on one machine: what a person chooses, since all files of a machine are looked through.
struct RecordingGroup {
  std::string lab, machine;
  std::vector<std::string> paths;  ///< of its files; never empty
  size_t rungs = 0;                ///< of the lab, each once, with results
  std::string
      parts;  ///< what of the lab's ladder they are of: "CUDA cores, backward, decode"; may be empty
  std::string day;    ///< "2026-11-23", of the last one; empty: not recorded in it
  std::string stale;  ///< as stale_text(), of all files; empty: none is
};
/// In the order of the labs, then by machine. A recording of several labs belongs to the first that it has.
std::vector<RecordingGroup> recording_groups(std::span<const Recording> recordings);

/// "2 of 9 rungs stale"; empty where none is.
std::string stale_text(const Run& run);

/// The folder of a shipped asset ("lessons", "recorded"): $RIDGEPOINT_ASSETS, then beside the
/// program, then the source tree. Empty when there is none.
std::string asset_folder(const std::string& name);

// ---- the nearest result ------------------------------------------------------------------------
// What of a run is nearest to what was asked for, where it has nothing at those very parameters.

/// "n = 4096" where all whole numbers that differ share one value; else "m = 4096, n = 512". Empty: none
/// differs, but for threads, which are no size.
std::string size_difference(std::string_view lab, const Params& have, const Params& wanted,
                            const std::string& size);

/// The series of `kernel` whose size is nearest to `wanted` (in ratio, over every shared integer
/// parameter; a different text parameter such as dtype is never "near"). Only finished series count, and
/// of the parameters named in `fixed` only those with the same value.
struct Snapped {
  const Series* series = nullptr;
  bool exact = false;
  std::string shown_size;  ///< "n = 4096": the parameters that differ, where not exact
  double distance = 0;     ///< 0: exact
  const Recording* recording = nullptr;  ///< of the recorded_...() below
};
Snapped nearest_series(const Run& run, const std::string& kernel, const Params& wanted,
                       const OpenEnum<CacheMode>& cache, std::span<const char* const> fixed = {});

/// The same for a paired comparison: the candidate's parameters count, and of a tie the one that outweighs
/// the others (common/record/in_turns.h).
struct SnappedComparison {
  const Comparison* comparison = nullptr;
  bool exact = false;
  std::string shown_size;
  double distance = 0;
  const Recording* recording = nullptr;
};
SnappedComparison nearest_comparison(const Run& run, const std::string& baseline,
                                     const std::string& candidate, const Params& wanted,
                                     const OpenEnum<CacheMode>& cache);
/// The same of the two turned round as well, where that is of the very point and weighs more, or where there is no other.
SnappedComparison nearest_pair(const Run& run, const std::string& baseline,
                               const std::string& candidate, const Params& wanted,
                               const OpenEnum<CacheMode>& cache);

/// What is asked of a run; of a kernel that only its own catalogue knows the parameters differ.
using WantedOf = std::function<Params(const Run& run)>;
/// The type that a rung computes in where none is chosen: "bf16", by the first catalogue that knows it; empty: none does.
std::string own_type(const Run* run, std::span<const Recording> recordings,
                     const std::string& kernel);
/// "Xeon" of "Intel(R) Xeon(R) Processor", "H100" of "NVIDIA H100 80GB HBM3": where a label has little room. The whole
/// name where nothing else would be left.
std::string short_machine(const std::string& machine);
/// "Intel Xeon, 16 cores" of "Intel(R) Xeon(R) Processor, 16 cores", "NVIDIA H100 80GB" of "NVIDIA H100 80GB HBM3": as a
/// person says it, and still apart from the others.
std::string machine_in_words(const std::string& machine);

/// The nearest of all recordings of one machine, the first that has this kernel; of two equally near ones that which is
/// not stale, then the one recorded later.
Snapped recorded_series(std::span<const Recording> recordings, const std::string& kernel,
                        const WantedOf& wanted, const OpenEnum<CacheMode>& cache,
                        std::span<const char* const> fixed = {});
SnappedComparison recorded_comparison(std::span<const Recording> recordings,
                                      const std::string& baseline, const std::string& candidate,
                                      const WantedOf& wanted, const OpenEnum<CacheMode>& cache);

/// What a recording says of just these two at the candidate's parameters, whichever of them was its baseline, as it is
/// asked for; `machine`: of that one's recordings alone.
struct RecordedAnswer {
  std::optional<Comparison> comparison;
  const Recording* recording = nullptr;
};
RecordedAnswer recorded_answer(std::span<const Recording> recordings, const SeriesFacts& baseline,
                               const SeriesFacts& candidate, const OpenEnum<CacheMode>& cache,
                               const std::string& machine = "");

/// A comparison of a recording.
struct RecordedPair {
  const Comparison* comparison = nullptr;
  const Recording* recording = nullptr;
};
/// Of a pair whose clock was held down: how its candidate did against the same baseline in sustained turns on that
/// machine, at the same parameters; of a pair with a library, against any library. Null: no recording has it.
RecordedPair recorded_sustained(std::span<const Recording> recordings, const std::string& machine,
                                const Comparison& pair);

}  // namespace ridge::app
