// ridge: needs=jpeg
//
// Idea      NVIDIA's DALI to a GPU: the host reads and parses, the GPU decodes, crops, flips and normalises.
// Changed   As on the CPU (dali.cpp), but a batch crosses to the GPU as JPEG.
// Limits    The GPU's decoder, and its host threads' share of it.
// Look at   It has no step to overlap with: what ours loses to its training, it keeps.
// Source    NVIDIA DALI, fn.decoders.image with device="mixed", on nvJPEG.
#include "kernels/pipeline/loader.h"
#include "kernels/pipeline/peers/loader_process.h"

namespace ridge {
namespace {

constexpr Loader kAny = {};

RIDGE_PIPELINE(pipeline, cuda, dali, .library = "DALI", .external = true, .unavailable = dali_loader_unavailable,
               .maker = &kDaliLoader, .config = &kAny);

}  // namespace
}  // namespace ridge
