// Stands in for the toolkit's header where device code is emulated: only what rungs use.
#pragma once

#include "worker/emulated/device/atomics.h"
#include "worker/emulated/device/host.h"
#include "worker/emulated/device/intrinsics.h"
#include "worker/emulated/device/ptx.h"
#include "worker/emulated/device/threads.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __constant__ static
// __shared__ and <<< >>> are left to the rewriting tool.
