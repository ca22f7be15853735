// What a lab's rungs are shared out over, and what there is to share: read by its curves of scaling.
#pragma once

#include <string>

namespace ridge {

struct Scaling {
  std::string param{};   ///< the count: "ranks", "threads"; empty: nothing is shared out
  std::string work{};    ///< the parameter that the work is proportional to: "batch"; empty: none
  bool is_each = false;  ///< `work` is that of each of them: bytes of a rank
  std::string alone{};   ///< the rung that works alone at any count: "parallel.cpu.one"; empty: none
  std::string counts{};  ///< what a run is to measure, as `--set` has it: "2,4,8"
};

}  // namespace ridge
