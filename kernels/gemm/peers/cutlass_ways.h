// The kernels that the CUTLASS peer chooses from, as the rung sees them: each file beside cutlass.cu puts some together,
// since one takes a minute to compile.
#pragma once

#include "kernels/runtime/cuda/blas_operands.h"

namespace ridge::cutlass_peer {

/// In which order blocks take tiles of C; what a kernel does not know it ignores.
struct Order {
  int raster = 0;   ///< 0: CUTLASS decides; 1: along m; 2: along n
  int swizzle = 1;  ///< so many tiles beside each other before the next row or column
};

struct Call {
  blas::Product product;
  Order order;
  int device = 0, sms = 0;
  void* workspace = nullptr;
  cudaStream_t stream = nullptr;
};

/// One kernel.
struct Way {
  const char* name;  ///< "128x256x64, cluster 2x1"
  DType dtype;
  bool has_orders;  ///< whether Order changes anything
  size_t (*workspace_bytes)(const Call& call);
  Status (*run)(const Call& call);
};

extern const Way kWide[2], kTall[2], kPingPong[2], kFp32[4];

}  // namespace ridge::cutlass_peer
