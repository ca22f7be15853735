// What the backward peers in PyTorch's process share. What is timed is torch.autograd.grad of
// scaled_dot_product_attention with the graph kept: the backward operator of the backend alone, with what it does
// before and after its main kernel. O and L are the library's own, from a forward pass that it makes once for the
// inputs, untimed.
#pragma once

#include "kernels/attention_backward/backward.h"
#include "kernels/attention_backward/peers/backward_script.h"
#include "kernels/runtime/peers/sdpa.h"

namespace ridge {

inline Status prepare_sdpa_backward(const external::Peer& peer, const Shape& shape, Plan* plan) {
  const int64_t* dim = shape.dim;
  const auto rows = static_cast<size_t>(dim[kAttentionBatch] * dim[kAttentionSequence]);
  const size_t row = static_cast<size_t>(dim[kAttentionHeadSize]) * dtype_size(shape.dtype);
  const size_t q_rows = rows * static_cast<size_t>(dim[kAttentionHeads]);
  const size_t q = q_rows * row, kv = rows * static_cast<size_t>(dim[kAttentionHeadsKv]) * row;
  const external::Buffer buffers[kBackwardBuffers] = {
      {q, false}, {kv, false}, {kv, false}, {q, false}, {q, false}, {q_rows * sizeof(float), false},
      {q, true},  {kv, true},  {kv, true}};
  return external::prepare(peer, shape, buffers, kBackwardBuffers, plan);
}

inline const external::Peer& sdpa_backward_peer(const char* library, const char* backend) {
  static const std::string script = std::string(kSdpa) + kSdpaBackward;
  return sdpa_peer(library, backend, "backward", script);
}

}  // namespace ridge
