// The loop explorer: a convolution whose loop order and tile sizes are parameters. Problem, data and check are the
// conv family's, in nchw and fp32 (kernels/conv/conv.h says how the buffers lie).
//
//   Shape::constants   a LoopChoice. It begins with the ConvConstants
#pragma once

#include "kernels/conv/conv.h"
#include "kernels/loops/nest.h"

namespace ridge::loops {

struct LoopChoice {
  ConvConstants conv;
  int order;                               ///< in kLoopOrders
  int64_t tile_m, tile_c, tile_h, tile_w;  ///< 0: not tiled
};

/// Prepares the padded image, chooses the nest, and asks the cache model, which speaks in Plan::note.
Status prepare_loops(const Shape& shape, bool tiled, Plan* plan);
Status launch_loops(const Launch& launch);

}  // namespace ridge::loops
