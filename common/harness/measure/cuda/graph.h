// A side's calls as a CUDA graph: how many commands one call queues, and how short calls are timed.
#pragma once

#include <cstdint>

#include "common/harness/measure/cuda/handles.h"
#include "common/harness/measure/device.h"

namespace ridge::measure {

/// `calls` launches of the side, captured and not run. An error when the kernel cannot be captured
/// (it synchronises or allocates); the stream is left as it was.
Result<OwnedGraph> capture_calls(const Side& side, int64_t calls, cudaStream_t stream);
int node_count(cudaGraph_t graph);
/// Edges after which a node may start before its predecessor has ended (programmatic dependent launch).
int overlapping_edges(cudaGraph_t graph);

/// Instantiated, uploaded and launched once: a first launch behind the gate would block.
Result<OwnedGraphExec> ready_graph(const Side& side, int64_t calls, cudaStream_t stream);
/// The same with null kernels, which follow each other by programmatic launches where `overlaps`.
Result<OwnedGraphExec> ready_null_graph(int64_t calls, bool overlaps, cudaStream_t stream);

}  // namespace ridge::measure
