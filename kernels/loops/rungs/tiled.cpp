// ridge: flags=-O3
//
// Idea      A loop that is cut into tiles is two loops, and the outer one moves outwards: what a tile uses is used
//           up before the next tile begins.
// Changed   reordered with four of its loops cut: filters, channels, rows and columns, by tile_m, tile_c, tile_h
//           and tile_w (0: not cut). Tiles are visited in the order of the loops.
// Limits    As before inside a tile: a vector of y is loaded and stored for each vector of x.
// Look at   The nest itself, kernels/loops/nest.h. A heatmap over two tile sizes: where the model's traffic falls
//           and the time does not, traffic was not what bound it.
// Source    M. Wolf, M. Lam, A Data Locality Optimizing Algorithm, PLDI 1991.
#include "kernels/loops/loops.h"

namespace ridge {
namespace {

Status prepare_tiled(const Shape& shape, Plan* plan) {
  return loops::prepare_loops(shape, true, plan);
}

RIDGE_KERNEL(loops, cpu, tiled, .prepare = prepare_tiled, .launch = loops::launch_loops);

}  // namespace
}  // namespace ridge
