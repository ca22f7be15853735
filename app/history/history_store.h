// The history of what was measured on this machine: a SQLite database that results are added to and nothing is ever
// deleted from. Several processes may write it at once. A build without SQLite, or a system without libsqlite3, has no
// history, and says so; everything else works without it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/core/interval.h"
#include "common/core/result.h"

namespace ridge::history {

/// The kernel's own file as it was measured. One text is kept once, however many results it has.
struct Source {
  std::string hash;  ///< of the text, its headers and flags: KernelInfo::hash
  std::string path, flags, text;
};

/// One verified result of one rung. What makes a time comparable with another stands beside it.
struct Entry {
  std::string run;  ///< the same each time the same result is read, from whichever file
  std::string lab, kernel;
  std::string params;  ///< to_string(Params): "dtype=fp32 n=512"
  std::string
      how;  ///< "hot", "cold, live", "hot, timed in turns": times of two kinds stand in two lines
  std::string machine;
  double ended_utc_s = 0;  ///< since 1970
  std::string unit = "ns";
  double value = 0;            ///< median time of a call
  std::optional<Interval> ci;  ///< 95 %, of the median
  int samples = 0;
  std::string disturbed;  ///< "busy", "noisy", "few samples"; empty: nothing is said against it
  std::string hash;       ///< of its source
  std::string commit, compiler, version;    ///< of the worker
  std::string os, power, governor, driver;  ///< empty: not known
  std::optional<double> clock_hz;           ///< a GPU's, median over the samples
};

/// What became of results that were added.
struct Added {
  int entries = 0;  ///< that were new
  int known = 0;    ///< that were there before
};

class HistoryStore {
 public:
  /// Opens, and makes where there is none: the file and its folder. Errors, the file stays as it is: `unavailable` where
  /// there is no SQLite; `bad_input` where it is no history, or one of a newer version; `cannot_write` where
  /// it may not be written.
  static Result<HistoryStore> open(const std::string& path);
  HistoryStore(HistoryStore&&) noexcept;
  HistoryStore& operator=(HistoryStore&&) noexcept;
  ~HistoryStore();

  /// All of them or none. A result that is there already changes nothing. Errors: cannot_write (the disk is full; another
  /// process held it for longer than kPatience_ms).
  Result<Added> add(std::span<const Entry> entries, std::span<const Source> sources);
  /// In the order of time. Errors: bad_input, the file is damaged.
  Result<std::vector<Entry>> entries();
  /// Of these hashes, as far as they are kept.
  Result<std::vector<Source>> sources(std::span<const std::string> hashes);

 private:
  struct Database;
  explicit HistoryStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

/// How long a process waits for another that writes.
inline constexpr int kPatience_ms = 5000;
/// Of the tables; a file with a higher one is left alone.
inline constexpr int kSchemaVersion = 1;

/// Where it lies: $RIDGEPOINT_HISTORY, else ridgepoint/history.db in the user's data folder. Empty: none is kept, because
/// $RIDGEPOINT_HISTORY is "off" or there is no home.
std::string history_path();
/// Why this program can keep none, one sentence; empty: it can.
std::string why_no_history();

}  // namespace ridge::history
