// What one call takes of a GPU, read from a graph of it that is captured and not run: its kernels
// with registers, shared memory, spills and occupancy, and its copies to and from the host. Neither a
// permission nor a profiler is needed, and no kernel's file has to say anything.
#pragma once

#include "common/harness/measure/cuda/graph.h"

namespace ridge::measure {

/// Error where the call cannot be captured (it synchronises or allocates), or the driver does not
/// tell. Call it ungated, with nothing on the stream.
Result<Resources> read_resources(const Side& side, cudaStream_t stream);

/// "void ns::tile_kernel<float, 4>(float const*, int)" as "tile_kernel<float, 4>": as in the source.
std::string short_kernel_name(const std::string& demangled);

}  // namespace ridge::measure
