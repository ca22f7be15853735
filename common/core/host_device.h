// RIDGE_HOST_DEVICE: a function that the host and kernels of a GPU call. C-like, so that ISA-flagged files may include it.
#pragma once

#ifdef __CUDACC__
#define RIDGE_HOST_DEVICE __host__ __device__
#else
#define RIDGE_HOST_DEVICE
#endif
