// Owners of CUDA objects: each is destroyed when its unique_ptr goes.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

namespace ridge::measure {

template <auto destroy>
struct CudaDelete {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};

template <class Handle, auto destroy>
using CudaOwned = std::unique_ptr<std::remove_pointer_t<Handle>, CudaDelete<destroy>>;

using OwnedStream = CudaOwned<cudaStream_t, cudaStreamDestroy>;
using OwnedEvent = CudaOwned<cudaEvent_t, cudaEventDestroy>;
using OwnedGraph = CudaOwned<cudaGraph_t, cudaGraphDestroy>;
using OwnedGraphExec = CudaOwned<cudaGraphExec_t, cudaGraphExecDestroy>;
using DeviceMemory = CudaOwned<void*, cudaFree>;
using HostMemory = CudaOwned<void*, cudaFreeHost>;

}  // namespace ridge::measure
