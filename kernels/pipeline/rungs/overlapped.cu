// ridge: needs=jpeg
//
// Idea      Everything overlapped: all workers on the batch that is needed next, pinned, copied ahead,
//           transformed on the GPU.
// Changed   Workers share a batch, image by image: it is ready in a share of its time. They give way to the
//           threads that copy and launch.
// Limits    The slowest stage alone, or all CPU work over the cores: the larger is the bound.
// Look at   How many times its bound it takes. Only less work, which lowers the bound, is faster.
// Source    The pipeline model: throughput is that of the slowest stage.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kOverlapped = {.by = LoadedBy::threads,
                                .share_batch = true,
                                .gives_way = true,
                                .carried = Carried::pixels,
                                .pinned = true,
                                .copies_ahead = true,
                                .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cuda, overlapped, .maker = &kCudaLoader, .config = &kOverlapped);

}  // namespace
}  // namespace ridge
