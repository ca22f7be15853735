// The lab "GPU puzzles": twenty-five kernels with a hole, from one thread an element to a row of attention. A rung is the
// puzzle's reference, its exercise the same file; what is judged is what a kernel asks of memory, which a CPU can count.
#include "labs/lab.h"

namespace ridge {
namespace {

const Lab& puzzles_lab() {
  static const Lab lab = {
      .id = "puzzles",
      .title = "GPU puzzles",
      .goal =
          "Write small kernels, and see what their threads ask of memory: traffic, bank conflicts "
          "and barriers, counted on any laptop.",
      .family = "puzzles",
      .rungs =
          {
              {"puzzles.cpu.definition", "definition", "plain loops: what is to be computed"},
              {"puzzles.cuda.map", "map", "a thread for each element"},
              {"puzzles.cuda.guard", "guard", "threads without an element do nothing"},
              {"puzzles.cuda.map_2d", "map in two dimensions", "rows and columns"},
              {"puzzles.cuda.broadcast", "broadcast", "one element read by many threads"},
              {"puzzles.cuda.grid_stride", "more elements than threads", "a thread takes several"},
              {"puzzles.cuda.coalescing", "coalescing", "lanes side by side read side by side"},
              {"puzzles.cuda.vectors", "16 bytes at a time", "four elements in one request"},
              {"puzzles.cuda.structs", "an array of structs",
               "through shared memory, side by side"},
              {"puzzles.cuda.pooling", "pooling", "each element is read once"},
              {"puzzles.cuda.convolution", "convolution with a halo", "a border at each side"},
              {"puzzles.cuda.stencil", "stencil in two dimensions", "a border all around"},
              {"puzzles.cuda.transpose", "transpose", "a tile is turned in shared memory"},
              {"puzzles.cuda.bank_conflicts", "bank conflicts", "one word more a row"},
              {"puzzles.cuda.reduction", "reduction", "half of the threads at each step"},
              {"puzzles.cuda.warp_sum", "a warp adds by itself", "registers of other lanes"},
              {"puzzles.cuda.dot_product", "dot product", "one atomic a block"},
              {"puzzles.cuda.histogram", "histogram", "bins in shared memory"},
              {"puzzles.cuda.scan", "scan", "sums up to each place"},
              {"puzzles.cuda.sort_step", "a step of a sort", "pairs are exchanged"},
              {"puzzles.cuda.tiled_product", "tiled matrix product", "tiles in shared memory"},
              {"puzzles.cuda.register_tile", "register tile", "one read serves four sums"},
              {"puzzles.cuda.softmax", "softmax", "a warp has a row"},
              {"puzzles.cuda.online_softmax", "online softmax", "one walk less"},
              {"puzzles.cuda.layernorm", "layer normalisation", "two sums in one walk"},
              {"puzzles.cuda.attention_row", "a row of attention", "no score is stored"},
          },
      .sections = {{"CPU", "puzzles.cpu.definition"},
                   {"GPU, threads", "puzzles.cuda.map"},
                   {"GPU, device memory", "puzzles.cuda.coalescing"},
                   {"GPU, shared memory", "puzzles.cuda.pooling"},
                   {"GPU, threads together", "puzzles.cuda.reduction"},
                   {"GPU, kernels", "puzzles.cuda.tiled_product"}},
      .params = {{"puzzle", "puzzle of the definition", {}},
                 {"n",
                  "elements, or rows",
                  {16, 24, 64, 256, 1000, 1024, 4096, 65'536, 1'048'576}}},
      .quality_metric = "error",
      .quality_limit = "each element against float64, to 1 in 100,000",
      .lesson = "assets/lessons/puzzles.md",
      .place = 95,
      .group = "Kernels",
      .line = "small kernels, counted thread by thread",
      .level = Level::kLearn,
      .items = "elements",
      .per_item = true,
      .is_ladder = false,
  };
  return lab;
}

RIDGE_LAB(puzzles, puzzles_lab);

}  // namespace
}  // namespace ridge
