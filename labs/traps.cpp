// The Traps lab: each rung is a way of measuring that lies, beside the honest figure of the same
// victim. kernels/traps/ has one file for each.
#include "labs/lab.h"
#include "labs/product_limits.h"

namespace ridge {
namespace {

const Lab& traps_lab() {
  static const Lab lab = {
      .id = "traps",
      .title = "Traps",
      .goal = "See the same kernel measured twice: the way that lies, and the way that holds.",
      .family = "traps",
      .rungs =
          {
              {"traps.cpu.no_warm_up", "no warm-up", "the first call, on fresh memory"},
              {"traps.cpu.hot_called_cold", "hot called cold", "the data was just used"},
              {"traps.cpu.zeros_as_data", "zeros as data", "a kernel may look at them"},
              {"traps.cpu.below_timer_resolution", "below the timer", "the clock times itself"},
              {"traps.cpu.mean_of_skewed", "mean of a skewed sample", "where no call ever was"},
              {"traps.cpu.best_of_n", "best of N", "the luckiest input"},
              {"traps.cpu.a_then_b", "A, then B", "the machine drifts in between"},
              {"traps.cpu.not_the_best_peer", "not the best peer", "the slower of two libraries"},
              {"traps.cpu.output_never_read", "output never read", "the compiler removes the work"},
              {"traps.cpu.reused_output", "reused output", "yesterday's answer passes"},
              {"traps.cpu.matrix300_o0", "matrix300, -O0", "variables live in memory"},
              {"traps.cpu.matrix300_o1", "matrix300, -O1", "variables live in registers"},
              {"traps.cpu.matrix300_o3", "matrix300, -O3", "vectors, the same sums"},
              {"traps.cpu.matrix300_ofast", "matrix300, -Ofast", "sums in any order"},
              {"traps.cpu.the_compiler_did_it", "the compiler did it",
               "flags, sold as the machine"},
              {"traps.cuda.no_synchronisation", "no synchronisation", "only the launch is timed"},
              {"traps.cuda.host_clock", "host clock", "launch and waiting are timed, too"},
              {"traps.cuda.wrong_stream", "wrong stream", "events where nothing runs"},
              {"traps.cuda.zeros_as_data", "zeros as data", "less power, a higher clock"},
              {"traps.cuda.shared_clock", "the clock both share",
               "a quotient of cycles, not of time"},
          },
      .sections = {{"What is timed", "traps.cpu.no_warm_up"},
                   {"What is made of it", "traps.cpu.mean_of_skewed"},
                   {"What was computed", "traps.cpu.output_never_read"},
                   {"The compiler: matrix300", "traps.cpu.matrix300_o0"},
                   {"GPU", "traps.cuda.no_synchronisation"}},
      .params = {},
      .quality_metric = "error",
      .quality_limit = kProductLimit,
      .type_limits = product_limits(),
      .lesson = "assets/lessons/traps.md",
      .place = 80,
      .group = "Judge",
      .line = "one kernel, a false and a fair time",
      .level = Level::kLearn,
  };
  return lab;
}

RIDGE_LAB(traps, traps_lab);

}  // namespace
}  // namespace ridge
