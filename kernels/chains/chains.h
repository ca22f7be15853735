// The chains family's launch: the problem of kernels/runtime/problems/fma_chains.h, posed with one vector of
// kChainWidth lanes a chain. So a chain is a row of FMA instructions, each of which waits for the one before.
//
//   dim {-, n, kChainWidth * chains}
//   an operation is one FMA instruction: kFmaSteps n chains of them a call
#pragma once

#include "kernels/runtime/problems/fma_chains.h"

namespace ridge {

constexpr int kChainWidth = 8, kMostChains = 12;

}  // namespace ridge
