// Functions that a CPU's rungs and kernels of a GPU call.
#pragma once

#ifdef __CUDACC__
#define RIDGE_HOST_DEVICE __host__ __device__
#else
#define RIDGE_HOST_DEVICE
#endif
