// The loop explorer: a convolution whose loop order and tile sizes are parameters. Problem, data and check are the
// conv family's, in nchw and fp32 (kernels/runtime/problems/conv.h says how the buffers lie).
//
//   Shape::constants   a LoopChoice. It begins with the ConvConstants
#pragma once

#include "kernels/loops/cache_model.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge::loops {

struct LoopChoice {
  ConvConstants conv;
  int order;                               ///< in kLoopOrders
  int64_t tile_m, tile_c, tile_h, tile_w;  ///< 0: not tiled
  Traffic* traffic;                        ///< of one image and group; empty until it is asked for
};

/// What the cache model says of this machine and these loops, simulated (0.1 s and more) when it is first asked for.
const Traffic& traffic_of(const Shape& shape);

/// Prepares the padded image, chooses the nest, and asks the cache model, which speaks in Plan::note.
Status prepare_loops(const Shape& shape, bool tiled, Plan* plan);
Status launch_loops(const Launch& launch);

}  // namespace ridge::loops
