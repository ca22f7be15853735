// What the attention peers in PyTorch's process on a GPU share. `backend`: the one implementation that it may take.
#pragma once

#include <map>
#include <string>

#include "kernels/runtime/cuda/upload.h"
#include "kernels/runtime/peers/sdpa_script.h"

namespace ridge {

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
                  .floor = kTorchFloor,
                  .prelude = kTorchCalls,
                  .script = script.c_str(),
                  .copy = device::copy_and_wait,
                  .device = sdpa_device};
  }
  return at->second;
}

}  // namespace ridge
