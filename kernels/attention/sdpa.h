// What the attention peers in PyTorch's process on a GPU share. `backend`: the one implementation that it may take.
#pragma once

#include <map>
#include <string>

#include "kernels/attention/sdpa_script.h"
#include "kernels/device/check.h"

namespace ridge {

/// Between the harness's device memory and the memory shared with the other process. A small copy to the
/// device returns while it is still under way, and the harness reads on a stream of its own.
inline Status sdpa_copy(void* to, const void* from, size_t bytes) {
  RIDGE_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  RIDGE_CUDA_CHECK(cudaDeviceSynchronize());
  return {};
}

inline int sdpa_device() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

/// The peer of one backend for what `text` makes; it lives as long as the process.
inline const external::Peer& sdpa_peer(const char* library, const char* backend,
                                       const char* pass = "forward",
                                       const std::string& text = kSdpa) {
  static std::map<std::string, external::Peer> peers;
  static std::map<std::string, std::string> scripts;
  const std::string name = std::string(pass) + backend;
  const auto [at, made] = peers.try_emplace(name);
  if (made) {
    const std::string& script = scripts[name] = "backend = '" + std::string(backend) + "'\n" + text;
    at->second = {.library = library,
                  .package = "torch",
                  .part = "lib/libtorch_cuda.so",
                  .script = script.c_str(),
                  .copy = sdpa_copy,
                  .device = sdpa_device};
  }
  return at->second;
}

}  // namespace ridge
