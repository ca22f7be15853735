// The plan of the rungs that replay the chain's steps: the recording and the rows' statistics.
#pragma once

#include "kernels/chain/rungs/separate_launches.h"
#include "kernels/runtime/cuda/graph_replay.h"

namespace ridge {

struct ChainGraph {
  Replay replay;
  float* statistics = nullptr;

  ~ChainGraph() { cudaFree(statistics); }
};

inline Status prepare_chain_graph(const Shape& shape, Plan* plan) {
  auto* graph = new ChainGraph;
  plan->state = graph;
  plan->release = [](void* state) { delete static_cast<ChainGraph*>(state); };
  plan->workspace_bytes = 2 * sizeof(float) * static_cast<size_t>(shape.dim[kRowsM]);
  RIDGE_CUDA_CHECK(cudaMalloc(&graph->statistics, plan->workspace_bytes));
  return graph->replay.make();
}

/// The steps, recorded at the first call with these buffers, then launched as a whole.
template <bool overlapped>
Status launch_chain_graph(const Launch& launch) {
  const auto steps = [](const Launch& recorded) {
    return launch_steps<overlapped>(recorded,
                                    static_cast<ChainGraph*>(recorded.plan_state)->statistics,
                                    [] { return Status(); });
  };
  return static_cast<ChainGraph*>(launch.plan_state)->replay.launch(launch, steps, 4);
}

}  // namespace ridge
