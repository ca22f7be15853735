// The host's side: the few calls of the CUDA runtime that rungs make, and the launch. Work is done when its call returns,
// so streams are names alone.
#pragma once

#include <cstddef>
#include <cstring>
#include <tuple>

#include "worker/emulated/device/threads.h"

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPc = 718,
  cudaErrorEmulated = 10000,  ///< an emulated launch was ended; the sentence says where
  // Never returned: named by what tells errors that end a process from others.
  cudaErrorECCUncorrectable = 214,
  cudaErrorNvlinkUncorrectable = 220,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchTimeout = 702,
  cudaErrorContextIsDestroyed = 709,
  cudaErrorAssert = 710,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717,
  cudaErrorLaunchFailure = 719,
  cudaErrorUnknown = 999,
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
typedef struct RidgeEmulatedStream* cudaStream_t;

namespace ridge::emulated {

constexpr int kSms = 4;  ///< of the device that a rung asks about: few, so that grids stay small
constexpr size_t kMostSharedBytes = 227 << 10;  ///< of a block, static and dynamic: Hopper's
constexpr int kMajor = 9, kMinor = 0;           ///< the compute capability: Hopper's
inline __attribute__((visibility("hidden"))) cudaError_t last_error = cudaSuccess;

inline __attribute__((visibility("hidden"))) thread_local char static_shared_mark[16];
RIDGE_CALL char* static_shared() {
  return static_shared_mark;
}

/// kernel<<<...>>> with its argument types fixed, so that an argument may be a braced list.
template <class... Arguments>
struct Launcher {
  void (*kernel)(Arguments...);
  Grid grid;

  RIDGE_UNTRACED void operator()(Arguments... arguments) {
    struct Call {
      void (*kernel)(Arguments...);
      std::tuple<Arguments...> arguments;
    } call{kernel, {arguments...}};
    grid.run = [](const void* at) RIDGE_UNTRACED {
      const Call& one = *static_cast<const Call*>(at);
      std::apply(one.kernel, one.arguments);
    };
    grid.call = &call;
    grid.call_bytes = sizeof call;
    grid.kernel = reinterpret_cast<const void*>(kernel);
    grid.shared_mark = static_shared;
    if (ridge_emulated_machine->launch(&grid) != 0) last_error = cudaErrorEmulated;
  }
};

template <class... Arguments>
RIDGE_UNTRACED Launcher<Arguments...> launcher(void (*kernel)(Arguments...), dim3 blocks,
                                               dim3 threads, size_t shared_bytes = 0,
                                               cudaStream_t = nullptr) {
  Grid grid;
  grid.blocks = {blocks.x, blocks.y, blocks.z};
  grid.threads = {threads.x, threads.y, threads.z};
  grid.shared_bytes = shared_bytes;
  return {kernel, grid};
}

/// A kernel template that is launched by its name alone. `kernel` is a lambda that calls it, so that the call deduces the
/// template's arguments.
template <class Kernel>
struct DeducingLauncher {
  Kernel kernel;
  Grid grid;

  template <class... Arguments>
  RIDGE_UNTRACED void operator()(Arguments... arguments) {
    Launcher<Arguments...>{static_cast<void (*)(Arguments...)>(kernel), grid}(arguments...);
  }
};
template <class Kernel, class... Configuration>
RIDGE_UNTRACED DeducingLauncher<Kernel> deducing_launcher(Kernel kernel,
                                                          Configuration... configuration) {
  constexpr void (*kNone)() = nullptr;
  return {kernel, launcher(kNone, configuration...).grid};
}

RIDGE_CALL void* dynamic_shared() {
  return ridge_emulated_machine->dynamic_shared();
}

}  // namespace ridge::emulated

inline cudaError_t cudaGetLastError() {
  const cudaError_t error = ::ridge::emulated::last_error;
  ::ridge::emulated::last_error = cudaSuccess;
  return error;
}
inline cudaError_t cudaPeekAtLastError() {
  return ::ridge::emulated::last_error;
}
inline const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaErrorEmulated) return ridge_emulated_machine->last_words();
  return error == cudaSuccess                 ? "no error"
         : error == cudaErrorMemoryAllocation ? "out of memory"
                                              : "invalid argument";
}
template <class T>
cudaError_t cudaMalloc(T** to, size_t bytes) {
  *to = static_cast<T*>(ridge_emulated_machine->allocate(bytes));
  return *to != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* memory) {
  ridge_emulated_machine->release(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                   cudaStream_t = nullptr) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute what, int value) {
  const bool fits = what != cudaFuncAttributeMaxDynamicSharedMemorySize ||
                    static_cast<size_t>(value) <= ::ridge::emulated::kMostSharedBytes;
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* all_bytes) {
  *free_bytes = *all_bytes = size_t{4} << 30;  // what one allocation may have
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  switch (what) {
    case cudaDevAttrMultiProcessorCount:
      *value = ::ridge::emulated::kSms;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = ::ridge::emulated::kMajor;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = ::ridge::emulated::kMinor;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(::ridge::emulated::kMostSharedBytes);
      break;
  }
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
