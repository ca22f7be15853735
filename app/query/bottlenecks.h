// The map of bottlenecks with the cases of a run: which of its rungs and queues each cause binds.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/record/bottleneck_map.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::app {

/// A rung of the run, or a queue before one, that a cause binds.
struct BottleneckCase {
  std::string kernel;
  Params params;  ///< the size at which it does
  Basis basis = Basis::measured;
  std::string
      evidence;  ///< one line; by construction or exclusion the reason where nothing telling was measured
};

struct BottleneckLine {
  const BottleneckEntry* entry = nullptr;
  const Lab* lab = nullptr;  ///< that shows it; null: none does
  /// The rung that is short of it: the map's; where all cases are of another processor, the newest of ours
  /// among them.
  const Rung* shown = nullptr;
  Params set{};           ///< at which it is, where not at the lab's own
  const char* view = "";  ///< that shows it; empty: the lab's first
  const Rung* pulls =
      nullptr;        ///< the later rung of the lab that pulls the lever; null: the lab names none
  std::string lever;  ///< on the processor of that rung
  std::vector<BottleneckCase> cases;  ///< newest first, each rung once
};

/// Results whose clock a GPU's power cap held down: what binds them, named in its own line, comes after that.
struct PowerLine {
  std::string lever;  ///< empty: there is no such result
  std::vector<BottleneckCase> cases;
};

struct BottleneckMap {
  std::vector<BottleneckLine> lines;  ///< of all causes, in their order
  size_t results = 0,
         settled = 0;  ///< rungs and queues that have a speed, and those that a cause binds
  PowerLine power{};
  std::vector<BottleneckCase> open{};  ///< the others: no cause binds them
  /// "causal=no": what results that are no case have otherwise than their rung's newest one, each once.
  std::set<std::string> others{};
  bool has_results() const { return results > 0; }
};

/// The map with the cases of `run`; null: without any. A stale result is no case.
BottleneckMap make_bottleneck_map(const Run* run);

/// "Shown by" in words: "chase.cpu.pointer, lab machine; chase.cpu.chases pulls the lever", with the parameters at which
/// it is so; of a cause without a lab: "no lab shows it yet".
std::string shown_by_text(const BottleneckLine& line);
/// "3 of 9 results are settled".
std::string settled_text(const BottleneckMap& map);
/// For a terminal. `run` is what the saved run is called; empty: there is none. Its results are named with their sizes.
std::string bottleneck_map_text(const BottleneckMap& map, const std::string& run);

}  // namespace ridge::app
