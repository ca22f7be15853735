// The map of bottlenecks: for each cause what settles it, what helps, and which rung of which lab shows it. One table,
// which diagnoses, command line, window and report read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/record/diagnosis.h"

namespace ridge {

/// From which share on a cause counts. Diagnoses judge by these, and the map's evidence is worded from them.
namespace binds_from {
/// Of a call's or a step's time, or of a training's memory.
inline constexpr double kTime = 0.5;
/// Of the time of all threads, in which they do not run; of a GPU's SMs, which have no block.
inline constexpr double kWaiting = 0.3;
/// Of a measured ceiling, or of what a counter calls busy.
inline constexpr double kCeiling = 0.6;
/// Of a pipeline's time per item, or of a server's time: one stage.
inline constexpr double kStage = 0.8;
/// Of a queue between two stages: how full or how empty it is.
inline constexpr double kQueue = 0.5;
/// Instructions a cycle: a core that issues these does not wait.
inline constexpr double kIpc = 2;
/// Of an SM's warps: fewer cannot hide latency.
inline constexpr double kWarps = 0.25;
}  // namespace binds_from

struct BottleneckEntry {
  Bottleneck cause = Bottleneck::not_sure;
  const char* name = "";       ///< "memory bandwidth"
  std::string evidence;        ///< what settles it, one phrase
  const char* lever = "";      ///< what usually helps on a CPU, one phrase
  const char* gpu_lever = "";  ///< on a GPU
  const char* lab = "";        ///< id of the lab that shows it; empty: none does
  const char* rung = "";       ///< kernel id of that lab's rung which is short of it
  Params set = {};             ///< the parameters at which it is; the others are the lab's own
  const char* view = "";       ///< the view of the window that shows it; empty: the lab's first
  /// Why that rung is bound so whatever is measured: "each load waits for the one before it". Empty: the run has to show it.
  const char* construction = "";
};

/// All causes but not_sure, in the order in which the map shows them.
std::span<const BottleneckEntry> bottleneck_map();
/// Null: not_sure.
const BottleneckEntry* find_entry(Bottleneck cause);
/// The cause that this rung has by construction; null: none.
const BottleneckEntry* constructed_entry(std::string_view kernel);

}  // namespace ridge
