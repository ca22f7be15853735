// Put before a learner's file by the compiler (-include): how the worker finds what a shared object
// registers. Everything else in it is hidden, so that none of its names can be taken for one of the
// worker's, nor the worker's for its own.
#pragma once

#include "common/harness/kernel/kernel.h"

#ifdef RIDGE_ONLY_DTYPE
#define RIDGE_NAME_OF(text) #text
#define RIDGE_NAME(text) RIDGE_NAME_OF(text)
/// The one data type that this object was built for; where there is none, what its kernels say.
extern "C" __attribute__((used, visibility("default"))) inline const char* ridge_edited_dtype() {
  return RIDGE_NAME(RIDGE_ONLY_DTYPE);
}
#undef RIDGE_NAME
#undef RIDGE_NAME_OF
#endif

extern "C" __attribute__((weak, visibility("hidden")))
const ridge::KernelDesc* __start_ridge_kernels[];
extern "C" __attribute__((weak, visibility("hidden")))
const ridge::KernelDesc* __stop_ridge_kernels[];

/// The kernels of this object; their number goes to `count`.
extern "C" __attribute__((used, visibility("default"))) inline const ridge::KernelDesc* const*
ridge_edited_kernels(int* count) {
  *count = (int)(__stop_ridge_kernels - __start_ridge_kernels);
  return __start_ridge_kernels;
}
