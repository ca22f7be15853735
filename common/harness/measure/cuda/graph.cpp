#include "common/harness/measure/cuda/graph.h"

#include <algorithm>
#include <vector>

#include "common/harness/measure/cuda/check.h"
#include "common/harness/measure/cuda/harness_kernels.h"

namespace ridge::measure {
namespace {

/// Captures what `enqueue` puts on the stream; always ends the capture.
template <class Enqueue>
Result<OwnedGraph> capture(cudaStream_t stream, const Enqueue& enqueue) {
  RIDGE_CUDA_TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  const Result<void> queued = enqueue();
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  OwnedGraph owned(graph);
  if (!queued) {
    cudaGetLastError();
    return queued.error();
  }
  RIDGE_CUDA_TRY(ended);
  return owned;
}

Result<OwnedGraphExec> make_ready(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t exec = nullptr;
  RIDGE_CUDA_TRY(cudaGraphInstantiate(&exec, graph, 0));
  OwnedGraphExec owned(exec);
  RIDGE_CUDA_TRY(cudaGraphLaunch(exec, stream));
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream));
  return owned;
}

}  // namespace

Result<OwnedGraph> capture_calls(const Side& side, int64_t calls, cudaStream_t stream) {
  return capture(stream, [&]() -> Result<void> {
    for (int64_t i = 0; i < calls; ++i) {
      const Status status = side.kernel->launch(side.launch);
      if (!status.ok()) return to_error(status, *side.kernel);
    }
    return {};
  });
}

int node_count(cudaGraph_t graph) {
  size_t count = 0;
  return cudaGraphGetNodes(graph, nullptr, &count) == cudaSuccess ? static_cast<int>(count) : 0;
}

int overlapping_edges(cudaGraph_t graph) {
#if CUDART_VERSION >= 13000
  const auto edges_of = cudaGraphGetEdges;
#elif CUDART_VERSION >= 12030
  const auto edges_of = cudaGraphGetEdges_v2;
#endif
#if CUDART_VERSION >= 12030
  size_t count = 0;
  if (edges_of(graph, nullptr, nullptr, nullptr, &count) != cudaSuccess) return 0;
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  if (edges_of(graph, from.data(), to.data(), data.data(), &count) != cudaSuccess) return 0;
  return static_cast<int>(std::count_if(data.begin(), data.end(), [](const auto& edge) {
    return edge.type == cudaGraphDependencyTypeProgrammatic;
  }));
#else
  return 0;
#endif
}

Result<OwnedGraphExec> ready_graph(const Side& side, int64_t calls, cudaStream_t stream) {
  RIDGE_TRY(const OwnedGraph graph, capture_calls(side, calls, stream));
  return make_ready(graph.get(), stream);
}

Result<OwnedGraphExec> ready_null_graph(int64_t calls, bool overlaps, cudaStream_t stream) {
  RIDGE_TRY(const OwnedGraph graph, capture(stream, [&]() -> Result<void> {
              for (int64_t i = 0; i < calls; ++i) {
                RIDGE_CUDA_TRY(overlaps ? launch_overlapping_null(stream) : launch_null(stream));
              }
              return {};
            }));
  return make_ready(graph.get(), stream);
}

}  // namespace ridge::measure
