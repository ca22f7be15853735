// The map of bottlenecks: for each cause what settles it, what helps, and which rung of which lab shows it. One table,
// which diagnoses, command line, window and report read.
#pragma once

#include <span>
#include <string_view>

#include "common/record/diagnosis.h"

namespace ridge {

struct BottleneckEntry {
  Bottleneck cause = Bottleneck::not_sure;
  const char* name = "";       ///< "memory bandwidth"
  const char* evidence = "";   ///< what settles it, one phrase
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
