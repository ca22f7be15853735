// Put before a learner's file by the compiler (-include): how the worker finds what a shared object
// registers. Everything else in it is hidden, so that none of its names can be taken for one of the
// worker's, nor the worker's for its own.
#pragma once

#include "common/kernel/kernel.h"

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
