// The lab of parallel training: one step of a network, shared out over ranks in every way that is in use.
// Adding a rung is one line here.
#include "labs/lab.h"
#include "labs/link_params.h"

namespace ridge {
namespace {

const Lab& parallel_lab() {
  static const Lab lab = {
      .id = "parallel",
      .title = "Parallel training",
      .goal =
          "Share one training step out over several ranks, and see what each way costs in "
          "time, memory and messages.",
      .family = "parallel",
      .rungs =
          {
              {"parallel.cpu.one", "one rank", "forward, backward, Adam"},
              {"parallel.cpu.data_layers", "data parallel", "the batch in parts, gradients summed"},
              {"parallel.cpu.data_bucket", "one bucket", "all gradients in one sum"},
              {"parallel.cpu.data_overlapped", "overlapped", "sums beside the backward pass"},
              {"parallel.cpu.zero_1", "ZeRO, stage 1", "the optimizer in parts"},
              {"parallel.cpu.zero_2", "ZeRO, stage 2", "gradients in parts"},
              {"parallel.cpu.zero_3", "ZeRO, stage 3", "parameters in parts"},
              {"parallel.cpu.tensor", "tensor parallel", "columns, then rows of a product"},
              {"parallel.cpu.gpipe", "pipeline, GPipe", "layers in stages, the batch in parts"},
              {"parallel.cpu.one_f_one_b", "one forward, one backward", "fewer outputs kept"},
              {"parallel.cpu.interleaved", "interleaved stages", "two short stages a rank"},
          },
      .sections = {{"The batch in parts", "parallel.cpu.one"},
                   {"The network in parts", "parallel.cpu.tensor"}},
      .params =
          {{"ranks", "ranks", {2, 3, 4, 6, 8}},
           {"parts", "parts of the batch", {1, 2, 4, 8, 12, 16}},
           link_delay(),
           link_rate(),
           {"width", "width of a layer", {32, 64, 128, 256, 512}, Level::kLab},
           {"layers", "layers", {4, 8, 16}, Level::kLab},
           {"batch", "rows of a step", {16, 32, 64, 128, 256}, Level::kLab},
           {"mflop_s", "MFLOP/s of a rank", {0, 500, 1000, 2000, 5000}, Level::kLab, "MFLOP/s"}},
      .quality_metric = "error",
      .quality_limit =
          "parameters, Adam's means and loss after the step as of one process, but for "
          "roundings; copies on several ranks equal to the bit",
      .lesson = "assets/lessons/parallel.md",
      .place = 70,
      .group = "Train",
      .line = "one step of training on several ranks",
      .level = Level::kLab,
      .levers = {{Bottleneck::collectives, "parallel.cpu.data_bucket"},
                 {Bottleneck::collectives, "parallel.cpu.data_overlapped"}},
      .items = "rows",
      .scaling = {.param = "ranks",
                  .work = "batch",
                  .alone = "parallel.cpu.one",
                  .counts = "2,4,8"},
  };
  return lab;
}

RIDGE_LAB(parallel, parallel_lab);

}  // namespace
}  // namespace ridge
