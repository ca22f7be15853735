// The lab of collectives: ranks as processes of one machine, over links whose delay and rate the learner sets.
// Adding a rung is one line here.
#include "labs/lab.h"
#include "labs/link_params.h"

namespace ridge {
namespace {

const Lab& collectives_lab() {
  static const Lab lab = {
      .id = "collectives",
      .title = "Collectives",
      .goal = "See how many messages, and of how many bytes, decide what an all-reduce takes.",
      .family = "collectives",
      .rungs =
          {
              {"collectives.cpu.naive", "through a root", "rank 0 does everything"},
              {"collectives.cpu.ring", "ring", "chunks travel round, all links work"},
              {"collectives.cpu.tree", "tree", "fewer steps, whole buffers"},
              {"collectives.cpu.recursive_doubling", "recursive doubling",
               "partners swap, no way back down"},
              {"collectives.cpu.halving_doubling", "halving and doubling",
               "few steps, and chunks too"},
              {"collectives.cpu.two_shot", "two-shot", "all with all, no chain of ranks"},
              {.kernel = "collectives.cpu.double_tree",
               .title = "double tree",
               .change = "no rank is a leaf in both, and slices follow each other",
               .expert = true},
              {"collectives.cuda.through_host", "through the host", "the CPU adds"},
              {"collectives.cuda.root", "through GPU 0", "GPUs read each other's memory"},
              {"collectives.cuda.ring", "ring, one kernel", "chunks travel round, all links work"},
              {"collectives.cuda.two_shot", "two-shot, one pass", "read, add, write to all"},
              {.kernel = "collectives.cuda.pull_twice",
               .title = "two-shot by reads",
               .change = "no writes across the links",
               .expert = true},
              {"collectives.cuda.one_shot", "one-shot with flags",
               "the data says that it has come"},
              {"collectives.cuda.nccl", "NCCL", "the library", kPeer},
          },
      .sections = {{"Processes over shared memory", "collectives.cpu.naive"},
                   {"GPUs of one machine", "collectives.cuda.through_host"}},
      .params = {{"bytes",
                  "bytes of a rank",
                  {4096, 65'536, 262'144, 1'048'576, 4'194'304, 16'777'216, 67'108'864, 268'435'456,
                   1'073'741'824}},
                 {"ranks", "ranks", {2, 3, 4, 6, 8}},
                 link_delay(),
                 link_rate(),
                 {"op", "operation", {}, Level::kLab, "operation"}},
      .quality_metric = "error",
      .quality_limit =
          "every element within the roundings of a sum over the ranks; what is only moved, bit by "
          "bit",
      .lesson = "assets/lessons/collectives.md",
      .place = 60,
      .group = "Train",
      .line = "ring against tree, message by message",
      .level = Level::kLab,
      .levers = {{Bottleneck::collectives, "collectives.cpu.ring"},
                 {Bottleneck::collectives, "collectives.cpu.halving_doubling"}},
      .items = "bus bytes",
      .counts_flop = false,
      .scaling = {.param = "ranks", .work = "bytes", .is_each = true, .counts = "2,4,8"},
  };
  return lab;
}

RIDGE_LAB(collectives, collectives_lab);

}  // namespace
}  // namespace ridge
