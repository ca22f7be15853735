// What the decode peers in Python share: their buffers, and a peer for each backend.
#pragma once

#include "kernels/decode/decode.h"
#include "kernels/decode/peers/decode_script.h"
#include "kernels/runtime/peers/sdpa.h"

namespace ridge {

inline Status prepare_decode_peer(const external::Peer& peer, const Shape& shape, Plan* plan) {
  const int64_t* dim = shape.dim;
  if (dim[kDecodePage] != 0 || dim[kDecodeMixed] != 0) {
    return refuse(
        "takes a cache in one piece and sequences of equal lengths: page=0, lengths=equal");
  }
  const auto row = static_cast<size_t>(dim[kDecodeHeadSize]) * dtype_size(shape.dtype);
  const size_t q = static_cast<size_t>(dim[kDecodeBatch] * dim[kDecodeHeads]) * row;
  const size_t kv =
      static_cast<size_t>(dim[kDecodeBatch] * dim[kDecodeHeadsKv] * dim[kDecodeLength]) * row;
  const external::Buffer buffers[] = {{q, false},
                                      {kv, false},
                                      {kv, false},
                                      {q, true},
                                      {static_cast<size_t>(dim[kDecodeBatch]) * 4, false},
                                      {4, false}};
  return external::prepare(peer, shape, buffers, 6, plan);
}

/// The peer of one backend; it lives as long as the process.
inline const external::Peer& decode_peer(const char* library, const char* package, const char* part,
                                         const char* backend) {
  static std::map<std::string, external::Peer> peers;
  static std::map<std::string, std::string> scripts;
  const auto [at, made] = peers.try_emplace(backend);
  if (made) {
    const std::string& script = scripts[backend] =
        "backend = '" + std::string(backend) + "'\n" + kSdpa + kDecodeScript;
    at->second = {.library = library,
                  .package = package,
                  .part = part,
                  .floor = kTorchFloor,
                  .prelude = kTorchCalls,
                  .script = script.c_str(),
                  .copy = device::copy_and_wait,
                  .device = sdpa_device};
  }
  return at->second;
}

}  // namespace ridge
