// Functions of the driver, asked of the one that is loaded: libcuda is never linked, so that the
// worker starts on a machine without it.
#pragma once

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

namespace ridge::measure {

/// Null where the driver has no such function. `version` is the one in the name of its PFN type:
/// PFN_cuFuncGetName_v12030 is driver_function<...>("cuFuncGetName", 12030).
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found);
  if (error != cudaSuccess) cudaGetLastError();
  const bool usable = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return usable ? reinterpret_cast<Function>(function) : nullptr;
}

}  // namespace ridge::measure
