// ridge: needs=jpeg
//
// Idea      The GPU decodes: files cross as they are, nvJPEG makes pixels of them, by the chip's own JPEG
//           engines where it has any.
// Changed   The CPU only reads. About a ninth of the bytes cross.
// Limits    The decoder: the engines' rate where there are any, else the SMs', which the step needs too.
// Look at   Which stage binds, and how few cores are busy. Without the engines the SMs
//           decode, and the step lacks them meanwhile.
// Source    nvJPEG's documentation, "Batched image decoding".
#include "kernels/pipeline/loader.h"

namespace ridge {
namespace {

constexpr Loader kDecode = {.by = LoadedBy::threads,
                            .share_batch = true,
                            .carried = Carried::jpeg,
                            .pinned = true,
                            .copies_ahead = true,
                            .device_buffers = 0};

RIDGE_PIPELINE(pipeline, cuda, decode, .maker = &kCudaLoader, .config = &kDecode);

}  // namespace
}  // namespace ridge
