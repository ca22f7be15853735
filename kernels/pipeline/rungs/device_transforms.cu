// ridge: needs=jpeg
//
// Idea      The GPU crops, flips and normalises: bytes cross, not floats.
// Changed   A third of the bytes; the CPU decodes into the pinned buffer and touches nothing twice.
// Limits    Decoding on the CPU's cores.
// Look at   The CPU time of an image: augment and collate are gone, and the GPU does not notice them.
// Source    NVIDIA DALI; torchvision's v2 transforms on the GPU.
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kDeviceTransforms = {.by = LoadedBy::threads,
                                      .carried = Carried::pixels,
                                      .pinned = true,
                                      .copies_ahead = true,
                                      .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cuda, device_transforms, .maker = &kCudaLoader,
               .config = &kDeviceTransforms);

}  // namespace
}  // namespace ridge
