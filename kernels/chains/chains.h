// The chains family's launch: the problem of kernels/runtime/problems/fma_chains.h, posed with the lanes of one
// instruction a chain: kChainWidth of a CPU's vector, kWarpWidth of a GPU's warp. So a chain is a row of FMA
// instructions, each of which waits for the one before.
//
//   dim {-, n, width * chains, width}
//   an operation is one FMA instruction: kFmaSteps n chains of them a call
#pragma once

#include "kernels/runtime/problems/fma_chains.h"

namespace ridge {

constexpr int kChainWidth = 8, kMostChains = 12;
/// A block of the most threads is as many warps.
constexpr int kWarpWidth = 32, kMostWarpChains = 32;
enum { kChainsWidth = 3 };  ///< of Shape::dim

}  // namespace ridge
