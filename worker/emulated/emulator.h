// The machine behind emulated device code: its memory, its cores, and what its launches came to.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "worker/emulated/core.h"
#include "worker/emulated/counts.h"
#include "worker/emulated/memory.h"

namespace ridge::emulated {

/// One for the process: objects that are loaded call it through machine(). Launches follow each other.
class Emulator {
 public:
  static Emulator& get();

  /// 0, or an error whose sentence is last_words().
  int launch(const Grid& grid);

  /// Blocks that were begun since the process began, and those of all launches so far; on any thread.
  struct Progress {
    int64_t begun = 0, of = 0;
    double share() const { return of > 0 ? double(begun) / double(of) : 0; }
  };
  Progress progress() const { return {begun_, of_}; }

  Memory memory;
  SharedCache l2;                      ///< a call of a rung begins with it empty
  std::vector<LaunchCounts> launches;  ///< in order
  std::string last_words;

 private:
  void merge(Core* core, uintptr_t text_begin, LaunchCounts* counts);
  WarpStep step_of(const LoggedRequest& logged) const;
  std::vector<std::unique_ptr<Core>> cores_;
  std::atomic<int64_t> begun_ = 0, of_ = 0;
};

/// What an object's `ridge_emulated_machine` is set to.
const Machine* machine();

}  // namespace ridge::emulated
